#!/bin/bash
# Draws the pictures of memory requests that the READMEs show: plots/pictures.sh [DIRECTORY]
# Without DIRECTORY it draws the committed ones again, in plots/reference/pictures (`make pictures`).
# Exit status: 0 success; 1 a picture could not be drawn; 2 wrong usage.
set -u
if [ $# -gt 1 ] || [ ! -d "${1:-.}" ]; then
    echo "usage: plots/pictures.sh [DIRECTORY]" >&2
    exit 2
fi
out=$(cd "${1:-$(dirname "$0")/reference/pictures}" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2

# picture NAME KERNEL FILE ACCESS CODE…: draws the lines of FILE that contain CODE to NAME.svg. A line is found by its
# code, not its number, so that a comment added above it changes nothing.
picture() {
    local name=$1 kernel=$2 file=$3 access=$4 code found lines=''
    shift 4
    for code in "$@"; do
        found=$(grep -nF -- "$code" "$file" | cut -d: -f1)
        [[ $found =~ ^[0-9]+$ ]] || {
            echo "pictures.sh: $name: '$code' is not in exactly one line of $file" >&2
            exit 1
        }
        lines+=,$found
    done
    common/lab/picture.sh "$kernel" "${lines#,}" "$out/$name.svg" "$access" >/dev/null || exit 1
}
picture pscheme_gpu_layouts block,rearranged pscheme_gpu/pscheme_gpu_recurrence.cuh global \
    'w[k] = scale * previous + offset;'
picture pscheme_g_padding transpose_tile,transpose_padded pscheme_g/transpose.cuh 'shared load' 'out[to] = tile[x][y];'
picture thomas_batch_tile thomas_tile thomas_batch/thomas.cuh 'shared load' \
    'out[system * tile<T>::PITCH + row];' 'T b = mine[tile<T>::ELEMENTS + j];'
