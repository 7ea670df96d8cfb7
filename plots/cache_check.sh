#!/bin/bash
# Compares the model of a GPU's caches (common/cpu_device/cache.c) with what Nsight Compute measured.
#   plots/cache_check.sh [FOLDER] >cache_check.csv
# It runs the count build with the commands of the profiles in plots/reference/FOLDER (default: the H100's), and prints
# predictions and measurements side by side. It needs code_bytes.csv there, the programs that `make count` builds, 10
# minutes and 10 GB of memory. Profiled launches that are too large to record run as a part: fewer systems, or a shorter
# one, on as small a part of the GPU. Rows of interleaved systems begin at the same places in a line of 128 bytes as in
# the whole: batch modulo 32 is the same.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
folder=plots/reference/${1:-nvidia-h100-80gb-hbm3}
model=${folder#*/nvidia-}
model=${model%%-*} # h100 or h200
header=1

# check PART PARTS PROFILE CONDITION PROGRAM OPTION…: predicts the launches of a command. CONDITION chooses the rows of
# the profile, such as "variant=block threads=16". PARTS is WHOLE/PART, e.g. 5000/168 if the command runs 168 of 5000
# systems. Then it runs on such a part of the GPU, PART = 30 of a thirtieth, and the predicted bytes are multiplied by
# 5000/168.
check() {
    local part=$1 parts=$2 profile=$3 condition=$4 gpu=$model
    shift 4
    [ "$part" = 1 ] || gpu=$model/$part
    COUNT_CACHE=$gpu COUNT_CACHE_CSV=$dir/cache.csv DEVICE_LIMITS=multiprocessors=$((132 / part)) \
        "build/count/$1" "${@:2}" --reps 1 >"$dir/output" 2>&1 </dev/null || {
        cat "$dir/output" >&2
        exit 1
    }
    awk -v header=$header -v gpu="$gpu" -v parts="$parts" -v where="$condition" -v command="$*" \
        -f plots/tables/columns.awk -f plots/tables/cache_check.awk \
        "$folder/code_bytes.csv" "$folder/$profile.csv" "$dir/cache.csv"
    header=0
}

echo "# The model of the caches (common/cpu_device/cache.c) beside Nsight Compute (…_ncu), which emptied the caches"
echo "# before each kernel, too; made by plots/cache_check.sh. l1: percent of the loaded sectors that are in L1. dram: bytes"
echo "# (both directions, or only those read where only they were measured) and dram_code, the bytes of the kernel's"
echo "# instructions (code_bytes.csv) and 2176 more; difference: percent, dram over dram_ncu"
# each PART PARTS PROFILE CONDITION VARIANTS PROGRAM OPTION…: checks these variants.
each() {
    local variant
    for variant in $5; do check "$1" "$2" "$3" "variant=$variant $4" "$6" --variant "$variant" "${@:7}"; done
}

for threads in 16 512; do
    each 1 1/1 ncu_wakatani2012 "threads=$threads" "block rearranged register ahead" \
        pscheme_gpu --type s --n 256K --blocks 32 --threads $threads
done
at=(--type s --n 1M --blocks 32 --threads 64)
each 1 1/1 ncu_caches "program=pscheme_gpu type=s" \
    "block rearranged register recompute ahead tridiagonal_block tridiagonal" pscheme_gpu "${at[@]}"
each 1 1/1 ncu_caches "program=pscheme_gpu type=d" rearranged \
    pscheme_gpu --type d --n 1M --blocks 32 --threads 64
at=(--blocks 8 --threads 64 --case)
each 1 1/1 ncu_caches program=pscheme_g "block soa extended warp ends fused" pscheme_g --type s --n 1M "${at[@]}" H
each 1 1/1 ncu_caches program=pscheme_g arrays pscheme_g --type s --n 1M "${at[@]}" L
each 1 1/1 ncu_caches "" one_pass recurrence --type s --n 2764800
each 1 1/1 ncu_caches program=pscheme_g "transpose_global transpose_tile transpose_padded" \
    pscheme_g --type s --n 2048000 "${at[@]}" L
each 1 1/1 ncu_caches program=pcr pcr pcr --type s --n 64K --blocks 32 --threads 64
for type in c z; do
    for blocks in 1000 3000 10000; do
        each 1 1/1 ncu_lutsyshyn2022 "type=$type parts=$blocks nest=1" nshape \
            nshape --type $type --n 300000 --parts $blocks --nest 1 --threads 32
    done
done
at=(thomas_batch --type s --n 4095)
each 30 5000/168 ncu_pogorelskikh2019 "" "thomas_global thomas_global_interleaved thomas_shared \
thomas_shared_interleaved thomas_tile thomas_tile_interleaved" "${at[@]}" --batch 168 --threads 32
each 66 5000/72 ncu_pogorelskikh2019 "" "sericr_global sericr_shared sericr_global_interleaved" \
    "${at[@]}" --batch 72 --threads 32
each 66 5000/72 ncu_pogorelskikh2019 "" "paracr_global paracr_shared paracr_partial paracr_block" \
    "${at[@]}" --batch 72 --threads 256
each 33 300000/9090 ncu_tridiagonal "type=z n=300000" tridiagonal tridiagonal --type z --n 9090
each 132 500000/3776 ncu_tridiagonal_batch n=200 tridiagonal_batch_interleaved \
    tridiagonal_batch --type s --n 200 --batch 3776
