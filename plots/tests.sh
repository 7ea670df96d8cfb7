# shellcheck shell=bash
# The tests of this directory; common/test.sh reads this file and explains its words.
job 35 run run_all.sh plots/test_run_all.sh
