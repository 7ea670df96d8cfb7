# shellcheck shell=bash disable=SC2154 # common/test.sh sets the variable quick
# Declares the tests of this directory. common/test.sh reads this file and explains the functions
# that are called here.
check_program thomas_batch 60
count_twice thomas_batch --n 63 --batch 64 --threads 64 --type s --variant thomas_tile
count_twice thomas_batch --n 63 --batch 64 --threads 64 --type d --variant sericr_global

thomas_batch_also() {
    expect 2 "--threads" build/cpu/thomas_batch --threads 0
    expect 2 "--threads" build/cpu/thomas_batch --threads 2048
    expect 2 "--threads" build/cpu/thomas_batch --threads 48
    expect 2 "--batch" build/cpu/thomas_batch --batch 0
    expect 3 "GiB" build/cpu/thomas_batch --n 1M --batch 1G
    # With the limits of a T4, 1024 threads need more shared memory than a block has, so
    # thomas_shared is left out.
    expect 0 "left out" env DEVICE_LIMITS=t4 build/cpu/thomas_batch --n 100 --batch 3 --threads 1024 --type d \
        --variant thomas_shared,thomas_global --reps 1
    build/cpu/thomas_batch --n 100 --batch 33 --threads 64 --type s,d --variant thomas_shared,transfers --reps 1 \
        >"$log" 2>&1 && [ "$(grep -cE '^thomas_shared .* total\+(pageable|allocation) .* ok$' "$log")" -eq 4 ]
    verdict $? "thomas_shared from pageable memory, with and without allocation:"
}

# With the limits of a T4, a block has less shared memory, so the kernels use smaller tiles.
job 3 succeeds "T4: PL19" env DEVICE_LIMITS=t4 build/cpu/thomas_batch --n 5000 --batch 1,3 --threads 512 \
    --type s,d --reps 1 --variant paracr_block,thomas_shared,sericr_shared,paracr_shared

for number in 9 13; do job 6 run "lab $number" common/lab/test.sh $number; done
