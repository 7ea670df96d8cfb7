# shellcheck shell=bash
# Declares the tests of this directory. common/test.sh reads this file and explains the functions
# that are called here.
job 35 run run_all.sh plots/test_run_all.sh
job 6 run "explore.html" plots/report/test_explore.sh build/cpu/report build/count/pscheme_gpu
