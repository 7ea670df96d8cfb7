#!/bin/bash
# Tests how a lab ends with kernels that hang, divide a barrier, race, read unwritten shared memory or go far outside an
# array, which take the place of lab 1's kernel; and the pictures of requests. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LAB_CSV=$work/grade.csv
passed=0 failed=0

# ends WORDS BODY: lab 1 with this body of the kernel fails within 10 seconds, its output contains WORDS, and the gate
# `result` fails.
ends() {
    local output status start=$SECONDS
    awk -v body="$2" '/your code, in place/ { print body; next } { print }' \
        pscheme_gpu/lab/1_map/kernel.cu >"$work/kernel.cu"
    rm -f "$LAB_CSV"
    output=$(common/lab/lab.sh 1 "$work/kernel.cu" 2>&1)
    status=$?
    if [ $status -eq 1 ] && [ $((SECONDS - start)) -le 10 ] && [[ $output == *"$1"* ]] &&
        grep -q '^1,result,.*,fail$' "$LAB_CSV"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: exit status $status after $((SECONDS - start)) s, wanted 1 and \"$1\":"
        echo "$output"
    fi
}
# draws WORDS SPACE STRIDE [WIDTH]: the picture of 32 lanes that load WIDTH bytes each (4), STRIDE bytes apart, contains
# WORDS.
draws() {
    local lane output
    output=$({
        echo request,launch,kernel,arguments,block,warp,file,line,space,op,width,lane,offset
        for lane in {0..31}; do echo "0,0,k,,0,0,x.cu,7,$2,load,${4:-4},$lane,$((lane * $3))"; done
    } | awk -F, -f common/lab/picture.awk -f common/lab/picture_text.awk)
    if [[ $output == *"$1"* ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: the picture of stride $3, $2, has no \"$1\":"
        echo "$output"
    fi
}

right='int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; float x = i < n ? hat[i] + a[i] * carry : 0;'
store='if (i < n) w[i] = x;'

ends 'does not end: block (0,0,0), thread (5,0,0)' \
    "$right $store volatile int go = 1; while (threadIdx.x == 5 && go) { }"
ends 'far outside an array: block (0,0,0), thread (0,0,0)' "$right w[i + (1ll << 40)] = x;"
ends 'waits at __syncthreads' \
    "$right $store if (threadIdx.x < 7) __syncthreads(); else if (threadIdx.x == 7) __syncwarp();"
ends 'fault: kernel map: a race in shared memory' \
    "$right __shared__ float s[256]; s[threadIdx.x] = x; x = s[255 - threadIdx.x]; x = s[threadIdx.x]; $store"
ends 'fault: kernel map: shared memory is read before it is written' \
    "$right __shared__ float s[256]; if (s[threadIdx.x] == 1) x = x + 0; $store"
ends 'not all threads reached the barrier at' \
    "$right __shared__ float s[256]; s[threadIdx.x] = x; if (i < 9) __syncthreads(); x = s[255 - threadIdx.x]; $store"
ends 'its __shared__ arrays have 52224 bytes' \
    "$right __shared__ float s[256][51]; s[threadIdx.x][0] = x; x = s[threadIdx.x][0]; $store"
ends 'is NaN' "$right if (i < n - 1) w[i] = x;"
draws 'warp 0: 4 sectors' global 4
draws $'\n   9  .1..\n' global 4
draws 'warp 0: 1 sector' global 0
draws 'sector 0 to 124, those that are touched' global 128
draws '32 wavefronts, 31 bank conflicts' shared 128
draws '1 wavefront, 0 bank conflicts' shared 132
draws '1 wavefront, 0 bank conflicts' shared 0
draws $'\n   2  ..0' shared 132
# Rows of 48 words: lane 24 is 36 rows below lane 0, in the same bank.
draws $'\n  24  c...' shared 192
draws 'Different marks in a column conflict, equal ones' shared 192
draws $'\n  31  v...' shared 128
draws $'\n  31  0...' shared 0
# 8 bytes a lane: 16 lanes are served at a time, so lane 16 begins again.
draws $'\n  15  ............................11..\n\n  16  00..' shared 16 8
# The solution of lab 1 is drawn as text, the chosen access alone, and as SVG, all accesses of the line.
output=$(common/lab/lab.sh 1 pscheme_gpu/lab/1_map/solution.cu)
svg=$work/grade_1.svg
if [ "$(grep -c '^ *31  ' <<<"$output")" -eq 1 ] &&
    [[ $output == *'global store of 4 bytes, block 0, warp 0: 4 sectors'* ]] &&
    [[ $output == *$'\n    w[i] = hat[i] + a[i] * carry;\n'* ]] &&
    [[ $output == *"picture: $svg"* ]] && [ "$(grep -c '>map: 4 sectors<' "$svg")" -eq 3 ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: the picture of lab 1's solution:"
    echo "$output"
    cat "$svg"
fi
# chooses WORDS LAB KERNEL.cu: of the accesses that gates.txt names the one with these words is drawn, and no other kind.
chooses() {
    local output
    output=$(common/lab/lab.sh "$2" "$3" | grep ', block .*, warp ')
    if [[ $output == *"$1"* && $output != *$'\n'* ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: lab $2 with $3 draws '$output', not \"$1\""
    fi
}
sed 's/int x = (int)threadIdx.x, y/int y = (int)threadIdx.x, x/' \
    pscheme_g/lab/7_transpose/wrong/2_same_element.cu >"$work/columns_to_rows.cu"
chooses 'global load of 4 bytes, block 0, warp 0: 32 sectors' 7 "$work/columns_to_rows.cu"
chooses 'global store of 4 bytes, block 0, warp 0: 4 sectors' 7 pscheme_g/lab/7_transpose/solution.cu
chooses 'shared store of 4 bytes, block 0, warp 0: 32 wavefronts' \
    8 pscheme_g/lab/8_padding/wrong/2_conflicts_in_the_stores.cu
chooses 'shared load of 4 bytes, block 0, warp 0: 1 wavefront' 8 pscheme_g/lab/8_padding/solution.cu
# A gate for barriers names the line with the most waits.
awk '/__syncthreads/ && ++kernels == 2 { print; $0 = "for (int k = 0; k < 3; k++) __syncthreads();" } { print }' \
    pscheme_g/lab/8_padding/solution.cu >"$work/two_barriers.cu"
line=$(grep -n 'k < 3' "$work/two_barriers.cu" | cut -d: -f1)
output=$(common/lab/lab.sh 8 "$work/two_barriers.cu")
if [[ $output == *"is enough ("*"/two_barriers.cu:$line)"* ]]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: the barriers of line $line:"
    echo "$output"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
