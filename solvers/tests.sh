# shellcheck shell=bash disable=SC2154 # common/test.sh sets the variables gpu and quick
# Declares the tests of this directory. common/test.sh reads this file and explains the functions
# that are called here.
job 60 run lifted_units solvers/test/test_lift.sh
job 40 run library solvers/test/test_lib.sh
full job 40 run "made-up peer" solvers/test/test_peer.sh

# with a last chunk of which not all elements exist
count_twice recurrence --n 1023 --type h --variant one_pass
count_twice recurrence2 --n 1023 --type s --variant recurrence2_lu

check_program recurrence 30
check_program filter 10
check_program recurrence2 10
check_program tridiagonal_batch 60
check_program heat 20
check_program dpcm 5
check_program gated 10
check_program equaliser 10
check_program depth_of_field 10
check_ranks tridiagonal_batch_mpi
check_program tridiagonal 60
check_lanes tridiagonal nshape_lanes
check_lanes recurrence recurrence_cpu
check_lanes filter filter_cpu
check_ranks tridiagonal_mpi
tridiagonal_mpi_also() {
    rank_0_says 2 "more rows than ranks" tridiagonal_mpi --n 3
}
tridiagonal_batch_mpi_also() {
    rank_0_says 3 "GiB" tridiagonal_batch_mpi --n 4K --batch 2G
    rank_0_says 2 "--parts" tridiagonal_batch_mpi --n 3 --batch 3 --parts 4K
}
# With the limits of a T4 a tile has one slice, so there are many checkpoints.
tridiagonal_batch_mpi_t4() {
    ! has_mpi tridiagonal_batch_mpi || run "T4: tridiagonal_batch_mpi" timeout 300 env DEVICE_LIMITS=t4 \
        common/mpirun.sh -np 2 build/cpu/tridiagonal_batch_mpi --check "${quick[@]}"
}
job 0 tridiagonal_batch_mpi_t4

# Run the solvers on a simulated T4. A T4 has no bulk copies, and it has less shared memory and
# fewer multiprocessors than an H100. Therefore the solvers use smaller tiles and fewer blocks.
job 3 succeeds "T4: recurrence" env DEVICE_LIMITS=t4 build/cpu/recurrence --n 1000,40K --type s,d,c,z \
    --variant one_pass,one_pass_batch,one_pass_channels,serial_channels --reps 1
job 3 succeeds "T4: filter" env DEVICE_LIMITS=t4 build/cpu/filter --n 1000,40K --type s,d --reps 1
job 3 succeeds "T4: recurrence2" env DEVICE_LIMITS=t4 build/cpu/recurrence2 --n 1000,40K --type s,d --reps 1
job 3 succeeds "T4: tridiagonal" env DEVICE_LIMITS=t4,multiprocessors=4 build/cpu/tridiagonal --n 1000,9K --type s,d,c,z \
    --variant tridiagonal,tridiagonal_pivoted,tridiagonal_auto --reps 1
job 20 run "T4: batches" env DEVICE_LIMITS=t4 build/cpu/tridiagonal_batch --check "${quick[@]}"
# With 16 multiprocessors a team of blocks solves several groups of systems, one after the other.
job 3 succeeds "few teams" env DEVICE_LIMITS=multiprocessors=16 build/cpu/tridiagonal_batch \
    --n 500$(full echo ,1000,4095) --batch 300 --type s,d --reps 1 --variant tridiagonal_batch_interleaved,tridiagonal_batch_interleaved_auto
# With 32 multiprocessors all tiles of a block have the same lead. One matrix is then staged only once, several are not.
job 3 succeeds "T4: batches that share matrices" env DEVICE_LIMITS=t4,multiprocessors=32 build/cpu/tridiagonal_batch \
    --n 64 --batch 8000 --type s,d --reps 1 --variant tridiagonal_batch_shared,tridiagonal_batch_sides

job 15 run "lab 14" common/lab/test.sh 14
[ -z "$gpu" ] || [ ! -x build/gpu/lab14_solution ] || job 5 succeeds "lab 14 on a GPU" build/gpu/lab14_solution
