# shellcheck shell=bash disable=SC2154 # common/test.sh sets the variables gpu and quick
# Declares the tests of this directory. common/test.sh reads this file and explains the functions
# that are called here. Some solvers are variants of two papers'
# programs, so the --check of these programs tests the solvers, too.
job 60 run lifted_units solvers/test/test_lift.sh
job 40 run library solvers/test/test_lib.sh

# check_variants PROGRAM VARIANT,…: runs --check for these variants of PROGRAM. It does nothing if
# the tests of PROGRAM's own directory are run anyway, because these include all variants.
check_variants() {
    local flavour
    ! is_chosen "$1" || return
    for flavour in cpu san gpu; do
        [ ! -x "build/$flavour/$1" ] || [ "$flavour:$gpu" = gpu: ] ||
            job 20 run "$flavour $1, solvers" "build/$flavour/$1" --check "${quick[@]}" --variant "$2"
    done
}
check_variants pscheme_g one_pass
check_program tridiagonal 60
check_lanes tridiagonal nshape_lanes
check_ranks tridiagonal_mpi
tridiagonal_mpi_also() {
    rank_0_says 2 "more rows than ranks" tridiagonal_mpi --n 3
}
check_variants thomas_batch tridiagonal_batch,tridiagonal_batch_pivoted,tridiagonal_batch_auto,tridiagonal_batch_interleaved,tridiagonal_batch_interleaved_pivoted,tridiagonal_batch_interleaved_auto,tridiagonal_batch_shared,tridiagonal_batch_shared_interleaved,tridiagonal_batch_constant,tridiagonal_batch_constant_interleaved,tridiagonal_batch_periodic,tridiagonal_batch_sides,heat

# Run the solvers on a simulated T4. A T4 has no bulk copies, and it has less shared memory and
# fewer multiprocessors than an H100. Therefore the solvers use smaller tiles and fewer blocks.
job 3 succeeds "T4: recurrence" env DEVICE_LIMITS=t4 build/cpu/pscheme_g --n 1000,40K --type s,d,c,z \
    --variant one_pass --reps 1
job 3 succeeds "T4: tridiagonal" env DEVICE_LIMITS=t4,multiprocessors=4 build/cpu/tridiagonal --n 1000,9K --type s,d,c,z \
    --variant tridiagonal,tridiagonal_pivoted,tridiagonal_auto --reps 1
job 20 run "T4: batches" env DEVICE_LIMITS=t4 build/cpu/thomas_batch --check "${quick[@]}" --variant tridiagonal_batch
# With 16 multiprocessors a team of blocks solves several groups of systems, one after the other.
job 3 succeeds "few teams" env DEVICE_LIMITS=multiprocessors=16 build/cpu/thomas_batch \
    --n 500$(full echo ,1000,4095) --batch 300 --type s,d --reps 1 --variant tridiagonal_batch_interleaved,tridiagonal_batch_interleaved_auto
# With 32 multiprocessors all tiles of a block have the same lead. One matrix is then staged only once, several are not.
job 3 succeeds "T4: batches that share matrices" env DEVICE_LIMITS=t4,multiprocessors=32 build/cpu/thomas_batch \
    --n 64 --batch 8000 --type s,d --reps 1 --variant tridiagonal_batch_shared,tridiagonal_batch_sides
