#!/bin/bash
# Counts the memory accesses of every run in the programs' lists: common/count.sh [DIRECTORY]
#
# It builds the programs with counting (cpu_device/count.c), unless make has (COUNT_BUILT). It runs each line of every
# PROGRAM/counts.list and solvers/bench/PROGRAM.counts, as many at a time as there are cores, writes
# DIRECTORY/counts.csv (default build/count), in the order of the lists, and prints a table for each program. It counts
# nothing if counts.csv is newer than the programs and the lists.
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
    make -s listed >>build/count/make.log 2>&1 || exit 1
) 8>build/.lock || {
    tail -n 20 build/count/make.log >&2
    echo "count.sh: the count build failed" >&2
    exit 1
}
rm -f build/count/make.log

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
most=$(OMP_NUM_THREADS='' nproc)
csv=$out/counts.csv
stale() {
    local made_of
    for made_of in "${binaries[@]}" "${lists[@]}" common/count.sh; do
        [ "$csv" -nt "$made_of" ] || return 0
    done
    return 1
}

# count NUMBER PROGRAM LAYOUT_KERNELS OPTION…: runs the program with these options and writes its counts to NUMBER.csv,
# and messages to NUMBER.failed if it fails.
count() {
    local run=$work/$1 program=$2 layout=$3 results
    shift 3
    COUNT_CSV=$run.counts "build/count/$program" "$@" --reps 1 --csv "$run.results" \
        >/dev/null 2>"$run.said" </dev/null || {
        # The message about a kernel's error may occur several times and is shown once.
        grep -v '^count: kernel' "$run.said"
        grep '^count: kernel' "$run.said" | sort -u
        echo "count.sh: failed: $program $*"
    } >"$run.failed"
    results=$(compgen -G "$run.results*" | head -n 1) # some variants add a suffix to the name
    if [ ! -s "$run.counts" ] || [ ! -s "$results" ]; then return; fi
    # Before the counts stand fields of the problem: those of the first row of the results that has bytes and no time.
    # Left out: local memory, which depends on the compiler, and shuffles. Column 7 of the counts is the memory, column
    # 2 the kernel.
    awk -F , -v OFS=, -v layout=" $layout " '
        FNR == 1 { file++ }
        file == 1 && /^#/ { next }
        file == 1 && !columns { for (columns = 1; columns <= NF; columns++) at[$columns] = columns; next }
        file == 1 && $at["bytes"] != "" && $at["median_ms"] == "" && problem == "" {
            problem = $at["program"] OFS $at["variant"] OFS $at["type"] OFS $at["n"] OFS $at["batch"] OFS \
                      $at["blocks"] OFS $at["threads"] OFS $at["parts"] OFS $at["nest"] OFS $at["case"] OFS $at["bytes"]
        }
        file == 1 { next }
        FNR == 1 { print "program,variant,type,n,batch,G,T,parts,nest,case,bytes,role", $0; next }
        $7 != "local" && $7 != "warp" { print problem, (index(layout, " " $2 " ") ? "layout" : "solver"), $0 }
    ' "$results" "$run.counts" >"$run.csv"
}

if stale; then
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
                count "$(printf %04d $line)" "${binaries[i]##*/}" "$layout" $first $rest &
                while [ "$(jobs -pr | wc -l)" -ge "$most" ]; do wait -n; done
                ;;
            esac
        done <"${lists[i]}"
    done
    wait
    cat "$work"/*.csv 2>/dev/null | awk 'NR == 1 || !/^program,/' >"$csv.new" && mv "$csv.new" "$csv" || exit 1
fi
[ -z "$label" ] || printf '\033[K' >&2
status=0
if cat "$work"/*.failed >&2 2>/dev/null; then
    status=1
    touch -t 197001020000 "$csv" # an old date, so that the next run counts again
fi
awk -f plots/tables/columns.awk -f plots/tables/counts.awk "$csv" || exit 1
exit $status
