#!/bin/bash
# Tests how a lab ends with kernels that hang, divide a barrier, race, read unwritten shared memory or go outside an
# array, which take the place of the kernels of labs 1 and 2; the pictures of requests; and a tree without solutions.
# The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
export LAB_CSV=$base/grade.csv

# The kernels without a body, from git because a student may have edited the files.
for at in pscheme_gpu/lab/{1_map,2_coalescing}; do
    git show "HEAD:./$at/kernel.cu" >"$base/${at##*/}.cu" 2>/dev/null || cp "$at/kernel.cu" "$base/${at##*/}.cu"
done

# result STATUS WORDS OUTPUT NAME COMMAND…: counts a test. It has passed if STATUS is 0, OUTPUT contains WORDS, and
# COMMAND succeeds.
result() {
    echo "$3" >"$base/said"
    [ "$1" -eq 0 ] && [[ $3 == *"$2"* ]] && "${@:5}"
    verdict $? "$4, wanted \"$2\""
}

# ends WORDS BODY [LAB]: lab 1 (or LAB) with this body of the kernel fails within 30 seconds, its output contains WORDS,
# and the gate `result` fails.
ends() {
    [ "${TESTS-}" != short ] || [ $((tried++ % 2)) -eq 0 ] || return 0
    local output status start=$SECONDS number=${3:-1} given
    given=("$base/$number"_*.cu)
    awk -v body="$2" '/your code, in place/ { print body; next } { print }' "${given[0]}" >"$base/kernel.cu"
    rm -f "$LAB_CSV"
    output=$(common/lab/lab.sh "$number" "$base/kernel.cu" 2>&1)
    status=$?
    result $((status != 1 || SECONDS - start > 30)) "$1" "$output" \
        "exit status $status after $((SECONDS - start)) s" grep -q "^$number,result,.*,fail\$" "$LAB_CSV"
}
# draws WORDS SPACE STRIDE [WIDTH]: the picture of 32 lanes that load WIDTH bytes each (4), STRIDE bytes apart, contains
# WORDS.
draws() {
    local lane output
    output=$({
        echo request,launch,kernel,arguments,block,warp,file,line,space,op,width,lane,offset
        for lane in {0..31}; do echo "0,0,k,,0,0,x.cu,7,$2,load,${4:-4},$lane,$((lane * $3))"; done
    } | awk -F, -f common/lab/picture.awk -f common/lab/picture_text.awk)
    result 0 "$1" "$output" "the picture of stride $3, $2" true
}

# With TESTS=short every second one of these bodies is tried.
tried=0
right='int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; float x = i < n ? hat[i] + a[i] * carry : 0;'
store='if (i < n) w[i] = x;'

ends 'does not end: block (0,0,0), thread (5,0,0)' \
    "$right $store volatile int go = 1; while (threadIdx.x == 5 && go) { }"
# Line 7 of lab 1's kernel.cu is the first of the body, 10 that of lab 2.
ends 'map reads behind the end of hat, element 1: ' \
    'int64_t i = threadIdx.x; float x = hat[i] + a[i] * carry; if (i < n) w[i] = x;'
ends '/kernel.cu:7, block (0,0,0), thread (1,0,0)' \
    'int64_t i = threadIdx.x; float x = hat[i] + a[i] * carry; if (i < n) w[i] = x;'
ends 'map reads in front of hat, element -1: ' "$right"' if (i < n) x = hat[i - 1];'
ends 'map writes behind the end of w, element 1: ' "$right w[i] = x;"
ends 'map writes in front of w, element -2147483648: ' "$right w[(int)(2147483648u + threadIdx.x)] = x;"
ends 'map writes to memory that is no array of this lab, or is far outside one: ' "$right w[i + (1ll << 40)] = x;"
part='int64_t P = (int64_t)gridDim.x * blockDim.x, part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
      float current = 0; for (int64_t i = 0; i < m; i++)'
ends 'rearranged reads a gap of t, element 1 (a place without a row: part 1 has no row 0): ' \
    "$part"' { current = scale * current + t[i * P + part]; w[i * P + part] = current; }' 2
ends 'rearranged writes to a gap of w, element 1 (a place without a row: part 1 has no row 0): ' \
    "$part"' { if (part * m + i < n) current = scale * current + t[i * P + part]; w[i * P + part] = current; }' 2
ends 'n = 1, 1 block of 32 threads, P = 32, M = 1: rearranged reads in front of w, element -32: ' \
    "$part"' if (part * m + i < n) w[i * P + part] = scale * w[(i - 1) * P + part] + t[i * P + part];' 2
ends 'n = 100, 2 blocks of 32 threads, P = 64, M = 2: rearranged: w[64], row 1 of part 0, is NaN' \
    "$part"' if (part * m < n) w[part] = t[part];' 2
ends 'kernel.cu:7: "your code, in place of" is still there: write the body first' '/* your code, in place of it */'
ends 'waits at __syncthreads' \
    "$right $store if (threadIdx.x < 7) __syncthreads(); else if (threadIdx.x == 7) __syncwarp();"
ends ': thread 127 reads what thread 128 writes' \
    "$right __shared__ float s[256]; s[threadIdx.x] = x; x = s[255 - threadIdx.x]; x = s[threadIdx.x]; $store"
ends 'fault: kernel map: shared memory is read before it is written' \
    "$right __shared__ float s[256]; if (s[threadIdx.x] == 1) x = x + 0; $store"
ends 'not all threads reached the barrier at' \
    "$right __shared__ float s[256]; s[threadIdx.x] = x; if (i < 9) __syncthreads(); x = s[255 - threadIdx.x]; $store"
ends 'its __shared__ arrays have 52224 bytes' \
    "$right __shared__ float s[256][51]; s[threadIdx.x][0] = x; x = s[threadIdx.x][0]; $store"
ends 'is NaN' "$right if (i < n - 1) w[i] = x;"
ends 'a function takes or returns a struct in an array' "$right $store struct pair { float a, b; }; pair of[2] = {};
    auto first = [](pair p) { return p.a; }; x += first(of[i % 2]);"
ends 'would switch the counter off' "$right $store /* no_sanitize */"
ends 'No digit is right' "$right if (i < n) w[i] = x + 7;"
ends 'Its first digits are right' "$right if (i < n) w[i] = x * 1.0001f;"
ends 'includes solution.cu: write the kernel yourself' "$right $store }
#define map theirs
#define run_map run_theirs
#include \"solution.cu\"
#undef run_map
#undef map
static __global__ void unused(void) {"
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
svg=$base/grade_1.svg
rm -f "$LAB_CSV"
output=$(common/lab/lab.sh 1 pscheme_gpu/lab/1_map/solution.cu)
result $(($(grep -c '^ *31  ' <<<"$output") != 1)) 'global store of 4 bytes of w, block 0, warp 0: 4 sectors' "$output" \
    "the picture of lab 1's solution" test "$(grep -c '>map: 4 sectors<' "$svg")" -eq 3
for words in $'\n    w[i] = hat[i] + a[i] * carry;\n' $'\nA column is a sector, a digit the 4-byte word in it.\n' \
    "picture: $svg" '1 times the least'; do
    result 0 "$words" "$output" "the grade of lab 1's solution" true
done
# A tour says which guesses were right.
output=$(printf 'result\nlanes\n' | TOUR=1 common/lab/lab.sh 3)
result $? 'Predicted: 2 of 3.' "$output" "the tour of lab 3" grep -q '^FAIL  serial ' <<<"$output"

# A tree without a solution: SHOW=1 says so, and the grade of a right kernel is what it is without SHOW.
tree=$base/tree
mkdir -p "$tree/build/lab" "$tree/pscheme_gpu/lab/1_map"
ln -s "$PWD/common" "$PWD/solvers" "$tree"
ln -s "$PWD/build/count" "$tree/build"
ln -s "$PWD/build/lab/tools" "$tree/build/lab"
cp pscheme_gpu/lab/1_map/gates.txt "$tree/pscheme_gpu/lab/1_map"
cp pscheme_gpu/lab/1_map/solution.cu "$tree/pscheme_gpu/lab/1_map/kernel.cu"
for solution in '' 'this is not C'; do
    [ -z "$solution" ] || echo "$solution" >"$tree/pscheme_gpu/lab/1_map/solution.cu"
    output=$(LAB_CSV='' SHOW=1 "$tree/common/lab/lab.sh" 1 2>&1)
    status=$?
    result $status $'\nSHOW=1: there is no solution here that works\n' "$output" "a tree with the solution '$solution'" \
        grep -q '^passed ' "$tree/build/lab/1/state"
    result 0 $'\nlab 1: passed' "$output" "a tree with the solution '$solution'" \
        test -s "$tree/build/lab/1/picture.svg"
done

# A warning of the compiler stands alone, without one about the flags.
echo '#include "device.h"
cudaError_t run_map(int64_t n, float carry, const float *hat, const float *a, float *w) { int unused; }' >"$base/kernel.cu"
output=$(common/lab/lab.sh 1 "$base/kernel.cu" 2>&1)
result 0 'unused variable' "$output" "a kernel with a warning" test "${output/unrecognized/}" = "$output"

# chooses WORDS LAB KERNEL.cu: of the accesses that gates.txt names the one with these words is drawn, and no other one.
chooses() {
    local drawn
    drawn=$(common/lab/lab.sh "$2" "$3" | grep '^For .*, block .*, warp ')
    result $(($(wc -l <<<"$drawn") - 1)) "$1" "$drawn" "lab $2 with $3" true
}
sed 's/int x = (int)threadIdx.x, y/int y = (int)threadIdx.x, x/' \
    pscheme_g/lab/7_transpose/solution.cu >"$base/solution.cu"
(cd "$base" && GIT_CEILING_DIRECTORIES=$base git apply -p0 -) <pscheme_g/lab/7_transpose/wrong/2_same_element.diff
chooses 'global load of 4 bytes of w, block 0, warp 0: 32 sectors' 7 "$base/solution.cu"
chooses 'global store of 4 bytes of moved, block 0, warp 0: 4 sectors' 7 pscheme_g/lab/7_transpose/solution.cu
chooses 'shared store of 4 bytes, block 0, warp 0: 32 wavefronts' \
    8 pscheme_g/lab/8_padding/wrong/2_conflicts_in_the_stores.diff
chooses 'shared load of 4 bytes, block 0, warp 0: 1 wavefront' 8 pscheme_g/lab/8_padding/solution.cu
# A gate for barriers names the line with the most waits.
awk '/__syncthreads/ { print; $0 = "for (int k = 0; k < 3; k++) __syncthreads();" } { print }' \
    pscheme_g/lab/8_padding/solution.cu >"$base/two_barriers.cu"
line=$(grep -n 'k < 3' "$base/two_barriers.cu" | cut -d: -f1)
output=$(common/lab/lab.sh 8 "$base/two_barriers.cu")
result 0 "/two_barriers.cu:$line)" "$output" "the barriers of line $line" grep -q ',barriers,1,4,fail$' "$LAB_CSV"
finish
