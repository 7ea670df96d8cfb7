#!/bin/bash
# Tests `make picture` and compares the pictures in plots/reference/pictures with new ones. It takes the programs of
# build/count as they are. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
export COUNT_BUILT=1
line_of() { grep -nF -- "$2" "$1" | cut -d: -f1; } # FILE CODE
draws() { gives 0 "$1" common/lab/picture.sh "${@:2}"; } # WORDS ARGUMENT…

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
draws "transpose_padded, pscheme_g/transpose.cuh:$column, global store" transpose_padded "$column" # both accesses

picture() { common/lab/picture.sh "$@" >/dev/null; } # the requests that there are may be listed on stdout
refuse() { refuses 2 "$1" picture "${@:2}"; } # WORDS ARGUMENT…
refuse "KERNEL=nonsense: no such kernel" nonsense
refuse "KERNEL=nonsense: no such kernel" block,nonsense "$store"
refuse "no request in line 1;" block 1
refuse "no shared request in line $store;" block "$store" '' shared
refuse "LINE=-1: not the number" block -1
refuse "LINE=1,: not the number" block 1,
refuse "KERNEL is missing" '' "$store"
refuse "LINE is missing" block '' "$base/x.svg"
refuse "cannot be written" block "$store" "$base"
refuse "cannot be written" block "$store" "$base/none/x.svg"
refuse "too many" block "$store" '' '' more

mkdir "$base/pictures"
check "pictures.sh" plots/pictures.sh "$base/pictures"
check "code is quoted as XML" \
    grep -qF 'out[system * tile&lt;T&gt;::PITCH + row];' "$base/pictures/thomas_batch_tile.svg"
for picture in plots/reference/pictures/*.svg "$base"/pictures/*.svg; do
    name=${picture##*/}
    check "$name is as committed; \`make pictures\` draws it again" \
        diff "plots/reference/pictures/$name" "$base/pictures/$name"
done
finish
