#!/bin/bash
# Counts the memory accesses of every kernel in common/counts.list (cpu_device/count.c): common/count.sh [DIRECTORY]
# Builds the count flavour, writes DIRECTORY/counts.csv (default build/count) and prints it as a table for each program.
# A file that is newer than the programs and the list is kept: the counts would be the same.
# Exit status: 0; 1 a program failed, a result is wrong, or a kernel races or reads what nobody wrote; 2 usage.
set -u
usage() {
    echo "count.sh: $1; usage: common/count.sh [DIRECTORY]" >&2
    exit 2
}
[ $# -le 1 ] || usage "too many arguments"
case ${1-} in -*) usage "unknown option '$1'" ;; esac
out=${1:-}
[ -z "$out" ] || out=$(mkdir -p "$out" 2>/dev/null && cd "$out" && pwd) || usage "'$1' cannot be made"
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
out=${out:-build/count}
list=common/counts.list
mkdir -p build/count || exit 1

programs=$(sed 's/#.*//' $list | awk 'NF && !seen[$1]++ { print $1 }')
binaries=()
for program in $programs; do
    binaries+=("build/count/$program")
done
# One build at a time, as in run_all.sh.
(
    flock 8
    make -s counted >>build/count/make.log 2>&1 || exit 1
) 8>build/.lock || {
    tail -n 20 build/count/make.log >&2
    echo "count.sh: the count build failed" >&2
    exit 1
}
rm -f build/count/make.log

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
csv=$out/counts.csv
stale() {
    local made_of
    for made_of in "${binaries[@]}" "$list" common/count.sh; do
        [ "$csv" -nt "$made_of" ] || return 0
    done
    return 1
}
status=0
if stale; then
    : >"$work/all.csv" || exit 1
    lines=$(sed 's/#.*//' $list | grep -c .)
    line=0
    while read -r program options; do
        line=$((line + 1))
        [ ! -t 2 ] || printf 'count.sh: %d/%d\033[K\r' $line "$lines" >&2
        rm -f "$work"/*.part*
        # shellcheck disable=SC2086 # options are words
        COUNT_CSV=$work/counts.part build/count/"$program" $options --reps 1 --csv "$work/results.part" >/dev/null 2>"$work/said" </dev/null || {
            status=1
            grep -v '^count: kernel' "$work/said" >&2 # the same line for each block or variant is said once, below
            grep '^count: kernel' "$work/said" | sort -u >&2
            echo "count.sh: failed: $program $options" >&2
        }
        results=$(compgen -G "$work/results.part*" | head -n 1) # some variants have a file of their own
        if [ ! -s "$work/counts.part" ] || [ ! -s "$results" ]; then continue; fi
        header=$([ -s "$work/all.csv" ] || echo 1)
        # What was solved, from the results, before each row of the counts. What only brings the arrays to a layout and
        # back, outside the timed part, is told apart; local memory is the compiler's, not the source's.
        awk -F , -v OFS=, -v header="$header" '
            FNR == 1 { file++ }
            file == 1 && /^#/ { next }
            file == 1 && !columns { for (columns = 1; columns <= NF; columns++) at[$columns] = columns; next }
            file == 1 && $at["bytes"] != "" && $at["median_ms"] == "" && problem == "" {
                variant = $at["variant"]
                problem = $at["program"] OFS variant OFS $at["type"] OFS $at["n"] OFS $at["batch"] OFS $at["blocks"] OFS \
                          $at["threads"] OFS $at["parts"] OFS $at["nest"] OFS $at["case"] OFS $at["bytes"]
            }
            file == 1 { next }
            FNR == 1 { if (header) print "program,variant,type,n,batch,G,T,parts,nest,case,bytes,role", $0; next }
            $7 != "local" { print problem, ($2 == "move" || $2 ~ /^transpose_/ && variant !~ /^transpose_/ ? "layout" : "solver"), $0 }
        ' "$results" "$work/counts.part" >>"$work/all.csv"
    done < <(sed 's/#.*//' $list | grep .)
    [ ! -t 2 ] || printf '\033[K' >&2
    mv "$work/all.csv" "$csv.new" && mv "$csv.new" "$csv" || exit 1
    [ $status = 0 ] || touch -t 197001020000 "$csv" # for the next run it is stale
fi
awk -f plots/tables/columns.awk -f plots/tables/counts.awk "$csv" || exit 1
exit $status
