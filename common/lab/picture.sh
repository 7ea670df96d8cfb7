#!/bin/bash
# Draws requests of the kernels in this repository: which memory does each lane of a warp access?
#   common/lab/picture.sh [KERNEL [LINE [SVG [ACCESS]]]]
#   make picture KERNEL=… LINE=… SVG=… ACCESS=…
# Without KERNEL it lists the variants of the programs and their kernels, without LINE the source lines in which a
# kernel accesses memory. With both it draws each access in this line: the first request with the most lanes.
#   KERNEL   a kernel (as the first variant runs it), or a variant (`--list`), for all its kernels. a,b draws two
#   LINE     a line of the source file, or several: 36,38
#   SVG      a file for the same pictures as SVG
#   ACCESS   draws only these of the line's accesses: shared, global, "shared load", …
# The sizes are those of PROGRAM/counts.list.
# Exit status: 0 success; 1 the programs cannot be built or counted; 2 wrong usage.
set -u
export LC_ALL=C
names=${1:-} lines=${2:-} svg=${3:-} only=${4:-}
case $svg in '' | /*) ;; *) svg=$PWD/$svg ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
fail() {
    echo "picture: $1" >&2
    exit 2
}
[ $# -le 4 ] || fail "too many arguments"
[ -n "$names" ] || [ -z "$lines$svg$only" ] || fail "KERNEL is missing; \`make picture\` lists the kernels"
[ -n "$lines" ] || [ -z "$svg$only" ] || fail "LINE is missing; \`make picture KERNEL=$names\` lists the lines"
[[ $lines =~ ^([0-9]+(,[0-9]+)*)?$ ]] || fail "LINE=$lines: not the number of a source line"
[ -z "$svg" ] || { [ ! -d "$svg" ] && [ -w "$(dirname "$svg")" ]; } || fail "SVG=${3:-}: cannot be written"
common/count.sh >/dev/null || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# A row for each access: 1 program, 2 variant, 3 type, 4 kernel, 5 file, 6 line, 7 memory, 8 access, 9 requests; of an
# average request 10 lanes, 11 sectors, 12 bank conflicts. The first type in counts.list stands for all.
awk -f plots/tables/columns.awk -f common/lab/accesses.awk build/count/counts.csv >"$work/accesses"
rows_of() { # NAME: the rows of a variant; if there is none of that name, those of a kernel
    awk -v name="$1" '$2 == name { print; found = 1 } END { exit !found }' "$work/accesses" ||
        awk -v name="$1" '$4 == name' "$work/accesses"
}
list() { # FILE: such rows as a table
    { echo program variant - kernel file line memory access requests lanes/r sectors/r conflicts/r && cat "$1"; } |
        awk '{ printf "%-12s %-24s %-23s %4s  %-6s %-6s %8s %7s %9s %11s  %s\n",
                      $1, $2, $4, $6, $7, $8, $9, $10, $11, $12, $5 }'
}

if [ -z "$names" ]; then
    echo "Draw a line with \`make picture KERNEL=NAME LINE=…\`, list lines with \`make picture KERNEL=NAME\`."
    echo "NAME is a variant or a kernel:"
    awk '$1 " " $2 != last { last = $1 " " $2; printf "%s%-12s %-30s", NR == 1 ? "" : "\n", $1, $2 }
         !((last, $4) in seen) { seen[last, $4]; printf " %s", $4 }
         END { print "" }' "$work/accesses"
    exit
fi
files=()
# draw NAME LINE: draws a line of a variant or kernel, of which $work/rows has the rows, and adds it to `files`.
draw() {
    local program variant type options others file kernels kernel
    awk -v line="$2" -v only="$only" '$6 == line && index($7 " " $8, only) == 1' "$work/rows" >"$work/here"
    if [ ! -s "$work/here" ]; then
        list "$work/rows"
        fail "KERNEL=$1: no ${only:+$only }request in line $2; the lines with requests are above"
    fi
    read -r program variant type _ <"$work/here"
    options=$(awk -v variant=" --variant $variant " -v type=" --type $type " '
        /^--/ && index($0 " ", variant) && index($0 " ", type) { print; exit }' "$program/counts.list")
    echo "$program $options"
    others=$(awk -v own="$variant" '$2 != own && !($2 in seen) { seen[$2]; printf " %s", $2 }' "$work/here")
    [ -z "$others" ] || echo "KERNEL=… draws the same line in:$others"
    echo
    mapfile -t kernels < <(awk -v own="$program $variant" \
        '$1 " " $2 == own && !($4 in seen) { seen[$4]; print $4 }' "$work/here")
    for kernel in "${kernels[@]}"; do
        file=$work/${#files[@]}.csv
        # shellcheck disable=SC2086 # unquoted on purpose: a list of options
        COUNT_PICTURE=$kernel:$2 COUNT_PICTURE_CSV=$file "build/count/$program" $options --reps 1 >/dev/null || exit 1
        awk -F, -v only="$only" -v run="$variant" -f common/lab/picture.awk -f common/lab/picture_text.awk "$file"
        files+=(run="$variant" "$file")
    done
}
for name in ${names//,/ }; do
    rows_of "$name" >"$work/rows"
    [ -s "$work/rows" ] || fail "KERNEL=$name: no such kernel or variant; \`make picture\` lists them"
    [ -n "$lines" ] || list "$work/rows"
    for line in ${lines//,/ }; do draw "$name" "$line"; done
done
[ -n "$svg" ] || exit 0
awk -F, -v only="$only" -f common/lab/picture.awk -f common/lab/picture_svg.awk "${files[@]}" >"$work/svg" &&
    cp "$work/svg" "$svg" || exit 1
echo "written: ${3:-}"
