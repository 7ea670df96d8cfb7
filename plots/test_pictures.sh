#!/bin/bash
# Tests `make picture` and compares the pictures in plots/reference/pictures with new ones. It takes the programs of
# build/count as they are. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
export COUNT_BUILT=1
base=$(mktemp -d) || exit 1
trap 'rm -rf "$base"' EXIT
# shellcheck source=plots/test_checks.sh
. plots/test_checks.sh
line_of() { grep -nF -- "$2" "$1" | cut -d: -f1; } # FILE CODE
# draws WORDS ARGUMENT…: the output of picture.sh contains WORDS.
draws() {
    local words=$1
    shift
    check "picture.sh ${*@Q} shows '$words'" contains "$words" common/lab/picture.sh "$@"
}
contains() { # WORDS COMMAND…
    local words=$1 output
    shift
    output=$("$@" 2>&1)
    echo "$output"
    [[ $output == *"$words"* ]]
}
# refuses WORDS ARGUMENT…: picture.sh exits with 2 and prints one line on stderr, which contains WORDS.
refuses() {
    local words=$1
    shift
    check "picture.sh ${*@Q} says '$words'" is_refused "$words" "$@"
}
is_refused() {
    local words=$1 status
    shift
    common/lab/picture.sh "$@" 2>"$base/error" >/dev/null
    status=$?
    cat "$base/error"
    [ $status -eq 2 ] && [ "$(wc -l <"$base/error")" -eq 1 ] && grep -qF -- "$words" "$base/error"
}

store=$(line_of pscheme_gpu/pscheme_gpu_recurrence.cuh 'w[k] = scale * previous + offset;')
column=$(line_of pscheme_g/transpose.cuh 'out[to] = tile[x][y];')
draws 'global store of 4 bytes, block 0, warp 0: 32 sectors' block "$store"
draws 'global store of 4 bytes, block 0, warp 0: 4 sectors' rearranged "$store"
draws 'draws the same line in: rearranged' precompute "$store"
draws $'w[k] = scale * previous + offset;\n\nlane  sector 0 to 3\n   0  0...\n' rearranged "$store"
draws '32 wavefronts, 31 bank conflicts' transpose_tile "$column" '' shared
draws '1 wavefront, 0 bank conflicts' transpose_padded "$column" '' 'shared load'
draws $'lane  bank 0 to 31\n   0  0...' transpose_padded "$column" '' shared
draws 'pscheme_gpu  rearranged                     precompute propagate determine move'
draws 'rearranged               precompute ' precompute
check "without ACCESS both accesses of a line are drawn" \
    contains "transpose_padded, pscheme_g/transpose.cuh:$column, global store" \
    common/lab/picture.sh transpose_padded "$column"

refuses "KERNEL=nonsense: no such kernel" nonsense
refuses "KERNEL=nonsense: no such kernel" block,nonsense "$store"
refuses "no request in line 1;" block 1
refuses "no shared request in line $store;" block "$store" '' shared
refuses "LINE=-1: not the number" block -1
refuses "LINE=1,: not the number" block 1,
refuses "KERNEL is missing" '' "$store"
refuses "LINE is missing" block '' "$base/x.svg"
refuses "cannot be written" block "$store" "$base"
refuses "cannot be written" block "$store" "$base/none/x.svg"
refuses "too many" block "$store" '' '' more

mkdir "$base/pictures"
check "pictures.sh" plots/pictures.sh "$base/pictures"
check "code is quoted as XML" \
    grep -qF 'out[system * tile&lt;T&gt;::PITCH + row];' "$base/pictures/thomas_batch_tile.svg"
for picture in plots/reference/pictures/*.svg "$base"/pictures/*.svg; do
    name=${picture##*/}
    check "$name is as committed; \`make pictures\` draws it again" \
        diff "plots/reference/pictures/$name" "$base/pictures/$name"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
