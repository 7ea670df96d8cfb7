#!/bin/bash
# Counts the memory accesses of every run in the programs' lists: common/count.sh [DIRECTORY]
#
# It builds the programs with counting (cpu_device/count.c), unless make has (COUNT_BUILT). It runs each line of every
# PROGRAM/counts.list and solvers/bench/PROGRAM.counts, writes DIRECTORY/counts.csv (default build/count) and prints a
# table for each program. It counts nothing if counts.csv is newer than the programs and the lists.
#
# A line of a list has the options of one run, with a single variant. A line "layout: KERNEL…" names the kernels of the
# following runs that only convert arrays to another layout and back; their `role` in the CSV file is "layout", that of
# all others "solver". On a terminal it shows how many runs are done; run_all.sh sets PROGRESS, the text before that.
#
# Exit status: 0 success; 1 a program failed, a result is wrong, or a kernel has a fault; 2 usage.
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
mkdir -p build/count || exit 1

lists=() binaries=()
# A solver's list is solvers/bench/PROGRAM.counts.
for program in $(sed -n 's/^\(SOLVER_\)\{0,1\}PROGRAMS := //p' Makefile); do
    for list in "$program/counts.list" "solvers/bench/$program.counts"; do
        [[ -f $list && " ${lists[*]} " != *" $list "* ]] || continue
        lists+=("$list")
        binaries+=("build/count/$program")
    done
done
label=${PROGRESS-}
if [ -z "$label" ] && [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then label=counting:; fi
progress() { [ -z "$label" ] || printf '%s %s, %d s\033[K\r' "$label" "$1" $SECONDS >&2; }
progress building
# One build at a time; run_all.sh takes the same lock.
[ -n "${COUNT_BUILT:-}" ] || (
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
    for made_of in "${binaries[@]}" "${lists[@]}" common/count.sh; do
        [ "$csv" -nt "$made_of" ] || return 0
    done
    return 1
}
status=0

# count PROGRAM LAYOUT_KERNELS OPTION…: runs the program with these options and appends its counts to all.csv.
count() {
    local program=$1 layout=$2 results header
    shift 2
    rm -f "$work"/*.part*
    COUNT_CSV=$work/counts.part "build/count/$program" "$@" --reps 1 --csv "$work/results.part" \
        >/dev/null 2>"$work/said" </dev/null || {
        status=1
        [ -z "$label" ] || printf '\033[K' >&2 # the message stands where the progress stood
        # The message about a kernel's error may occur several times and is shown once.
        grep -v '^count: kernel' "$work/said" >&2
        grep '^count: kernel' "$work/said" | sort -u >&2
        echo "count.sh: failed: $program $*" >&2
    }
    results=$(compgen -G "$work/results.part*" | head -n 1) # some variants add a suffix to the name
    if [ ! -s "$work/counts.part" ] || [ ! -s "$results" ]; then return; fi
    header=$([ -s "$work/all.csv" ] || echo 1)
    # Appends the counts to all.csv, after fields of the problem: those of the first row of the results that has bytes
    # and no time. Left out: local memory, which depends on the compiler, and shuffles. Column 7 of the counts is the
    # memory, column 2 the kernel.
    awk -F , -v OFS=, -v header="$header" -v layout=" $layout " '
        FNR == 1 { file++ }
        file == 1 && /^#/ { next }
        file == 1 && !columns { for (columns = 1; columns <= NF; columns++) at[$columns] = columns; next }
        file == 1 && $at["bytes"] != "" && $at["median_ms"] == "" && problem == "" {
            problem = $at["program"] OFS $at["variant"] OFS $at["type"] OFS $at["n"] OFS $at["batch"] OFS \
                      $at["blocks"] OFS $at["threads"] OFS $at["parts"] OFS $at["nest"] OFS $at["case"] OFS $at["bytes"]
        }
        file == 1 { next }
        FNR == 1 { if (header) print "program,variant,type,n,batch,G,T,parts,nest,case,bytes,role", $0; next }
        $7 != "local" && $7 != "warp" { print problem, (index(layout, " " $2 " ") ? "layout" : "solver"), $0 }
    ' "$results" "$work/counts.part" >>"$work/all.csv"
}

if stale; then
    : >"$work/all.csv" || exit 1
    lines=$(cat "${lists[@]}" | grep -c '^--')
    line=0
    for i in "${!lists[@]}"; do
        layout=
        while read -r first rest; do
            case $first in
            layout:) layout=$rest ;;
            --*)
                line=$((line + 1))
                progress "$line/$lines"
                # shellcheck disable=SC2086 # unquoted on purpose: a list of options
                count "${binaries[i]##*/}" "$layout" $first $rest
                ;;
            esac
        done <"${lists[i]}"
    done
    mv "$work/all.csv" "$csv.new" && mv "$csv.new" "$csv" || exit 1
    [ $status = 0 ] || touch -t 197001020000 "$csv" # an old date, so that the next run counts again
fi
[ -z "$label" ] || printf '\033[K' >&2
awk -f plots/tables/columns.awk -f plots/tables/counts.awk "$csv" || exit 1
exit $status
