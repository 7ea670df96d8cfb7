# shellcheck shell=bash
# Declares the tests of this directory. common/test.sh reads this file and explains the functions
# that are called here.
check_program pcr 20
count_twice pcr --n 1K --blocks 8 --threads 64 --type d --variant pcr
count_twice pcr --n 1K --blocks 8 --threads 64 --type d --variant cr_pcr

pcr_also() {
    expect 2 "--threads" build/cpu/pcr --threads 0
    expect 2 "--threads" build/cpu/pcr --threads 2048
    expect 2 "--blocks" build/cpu/pcr --blocks 0
    expect 2 "DEVICE_LIMITS" env DEVICE_LIMITS=t5 build/cpu/pcr --quick
}

job 5 run "lab 6" common/lab/test.sh 6
