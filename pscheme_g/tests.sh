# shellcheck shell=bash
# The tests of this directory, for common/test.sh, which explains the functions.
check_program pscheme_g 80
count_twice pscheme_g --n 4K --blocks 4 --threads 64 --type s --case H --variant warp

pscheme_g_also() {
    expect 2 "--threads" build/cpu/pscheme_g --threads 0
    expect 2 "--threads" build/cpu/pscheme_g --threads 2048
    expect 2 "--blocks" build/cpu/pscheme_g --blocks 0
}
for number in 7 8 10 12; do job 5 run "lab $number" common/lab/test.sh $number; done
