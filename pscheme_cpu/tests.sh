# shellcheck shell=bash
# Declares the tests of this directory. common/test.sh reads this file and explains the functions
# that are called here.
check_program pscheme_cpu 20
check_lanes pscheme_cpu pscheme_lanes,recurrence_lanes
check_ranks pscheme_mpi
