# shellcheck shell=bash
# The tests of this directory. common/test.sh reads this file and explains the functions that it calls.
check_program pscheme_cpu 20
check_lanes pscheme_cpu pscheme_lanes,recurrence_lanes
check_ranks pscheme_mpi
