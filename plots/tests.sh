# shellcheck shell=bash
# Declares the tests of this directory. common/test.sh reads this file and explains `job` and `run`.
# The number is the job's weight: heavier jobs start first.
job 35 run run_all.sh plots/test_run_all.sh
