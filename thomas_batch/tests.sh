# shellcheck shell=bash
# The tests of this directory. common/test.sh reads this file and explains the functions that are called here.
check_program thomas_batch 60
check_lanes thomas_batch thomas_cpu_lanes
count_twice thomas_batch --n 63 --batch 64 --threads 64 --type s --variant thomas_tile
count_twice thomas_batch --n 63 --batch 64 --threads 64 --type d --variant sericr_global

thomas_batch_also() {
    expect 2 "--threads" build/cpu/thomas_batch --threads 0
    expect 2 "--threads" build/cpu/thomas_batch --threads 2048
    expect 2 "--threads" build/cpu/thomas_batch --threads 48
    expect 2 "--batch" build/cpu/thomas_batch --batch 0
    expect 3 "GiB" build/cpu/thomas_batch --n 1M --batch 1G
    # A T4 has too little shared memory for a block of 1024 threads of thomas_shared, so that variant is left out.
    expect 0 "left out" env DEVICE_LIMITS=t4 build/cpu/thomas_batch --n 100 --batch 3 --threads 1024 --type d \
        --variant thomas_shared,thomas_global --reps 1
}

# The variants that use shared memory, with a T4's limits: paracr_block then keeps fewer rows in a block.
job 3 succeeds "T4: PL19" env DEVICE_LIMITS=t4 build/cpu/thomas_batch --n 5000 --batch 1,3 --threads 512 \
    --type s,d --reps 1 --variant paracr_block,thomas_shared,sericr_shared,paracr_shared
