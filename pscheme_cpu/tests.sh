# shellcheck shell=bash
# The tests of this directory, for common/test.sh, which explains the functions.
check_program pscheme_cpu 20
check_lanes pscheme_cpu pscheme_lanes,recurrence_lanes
check_ranks pscheme_mpi
