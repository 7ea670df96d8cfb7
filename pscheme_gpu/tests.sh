# shellcheck shell=bash
# The tests of this directory, for common/test.sh, which explains the functions.
check_program pscheme_gpu 20
count_twice pscheme_gpu --n 4K --blocks 4 --threads 64 --type s --variant rearranged

pscheme_gpu_also() {
    expect 2 "--threads" build/cpu/pscheme_gpu --threads 0
    expect 2 "--threads" build/cpu/pscheme_gpu --threads 2048
    expect 2 "--blocks" build/cpu/pscheme_gpu --blocks 0
}

job 12 run "labs' harness" common/lab/test_harness.sh
for number in 0 1 2 2a 2b 3 4 5; do job 5 run "lab $number" common/lab/test.sh $number; done
