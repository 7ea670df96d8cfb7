# shellcheck shell=bash disable=SC2154 # common/test.sh sets the variable quick
# Declares the tests of this directory. common/test.sh reads this file and explains the functions
# that are called here.
check_program nshape 60
check_ranks nshape_mpi
count_twice nshape --n 1K --parts 64 --nest 1 --threads 64 --type z --variant nshape

nshape_also() {
    expect 2 "--threads" build/cpu/nshape --threads 0
    expect 2 "--threads" build/cpu/nshape --threads 2048
    expect 2 "--parts" build/cpu/nshape --parts 0
    expect 2 "--nest" build/cpu/nshape --nest 17
}

# nshape_mpi with two ranks, of which one computes on the (simulated) GPU and the other on CPU
# cores. common/test.sh runs a job of weight 0 while no other job runs.
nshape_mixed() {
    ! has_mpi nshape_mpi ||
        run "cpu nshape_mpi, mixed" timeout 300 common/mpirun.sh -np 2 build/cpu/nshape_mpi --check "${quick[@]}" --gpus 1
}
job 0 nshape_mixed
nshape_mpi_also() {
    expect 2 "common/slow_network.sh HOSTS" common/slow_network.sh
    rank_0_says 2 "more rows than ranks" nshape_mpi --n 3
}
job 5 run "lab 11" common/lab/test.sh 11
