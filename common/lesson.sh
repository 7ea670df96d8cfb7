#!/bin/bash
# Shows numbers for the exercises: common/lesson.sh count PROGRAM OPTION…
#
# Prints a row for each launch, memory and kind of access of the program's kernels (build/count/PROGRAM, built by `make
# count`). OPTION… must hold --variant; the type is s unless --type says otherwise. For an option with several values
# (a,b,c) the program runs once for each value, which has a column. The heading and what the columns mean go to stderr,
# so that they remain visible with `| grep load`.
# Exit status: 0 success; 2 usage; 3 the program is not built; otherwise that of the program.
set -u
fail() { # STATUS MESSAGE
    echo "lesson.sh: $2" >&2
    exit "$1"
}
[[ ${1-} = count && $# -ge 2 ]] || fail 2 "usage: common/lesson.sh count PROGRAM OPTION…"
name=$2
top=$(dirname "${BASH_SOURCE[0]}")/..
program=$top/build/count/$name
lists=("$top"/*/counts.list "$top"/solvers/bench/*.counts)
programs=$(printf '%s\n' "${lists[@]}" | sed 's|/counts.list$||; s|.counts$||; s|.*/||' | tr '\n' ' ')
[[ " $programs " == *" $name "* ]] || fail 2 "'$name': no program to count; allowed are $programs"
[ -x "$program" ] || fail 3 "build/count/$name is missing: run \`make count\`"
help=$("$program" --help)
shift 2

# single: the options with one value. several: the names of the others. runs: a line for each run, with a value of each
# of these, "|", and the options. value: what was given, by name.
single='' several='' runs='|'
declare -A value=()
take() { # OPTION VALUE
    [ -z "${value[$1]-}" ] || fail 2 "--$1 is given twice"
    value[$1]=$2
    if [[ $2 != *,* ]]; then
        single+=" --$1 $2"
        return
    fi
    several+=" $1"
    runs=$(while IFS='|' read -r values options; do
        for one in ${2//,/ }; do echo "$values $one|$options --$1 $one"; done
    done <<<"$runs")
}
while [ $# -gt 0 ]; do
    [[ $1 =~ ^--[a-z]+$ ]] || fail 2 "'$1': options are written --name value"
    [[ $# -gt 1 && $2 != --* ]] || fail 2 "$1 has no value"
    take "${1#--}" "$2"
    shift 2
done
[ -n "${value[variant]-}" ] || fail 2 "--variant is missing: build/count/$name --list shows the names"
[ -n "${value[type]-}" ] || take type s
# The kernels that only bring arrays to a layout and back.
layout=$(sed -n 's/^layout://p' "$top/$name/counts.list" "$top/solvers/bench/$name.counts" 2>/dev/null | tr '\n' ' ')

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
: >"$work/rows"
while IFS='|' read -r values options; do
    rm -f "$work"/results*
    : >"$work/counts"
    # shellcheck disable=SC2086 # unquoted on purpose: a list of options
    COUNT_CSV=$work/counts "$program" $single $options --reps 1 --csv "$work/results" \
        >/dev/null 2>"$work/said" </dev/null || {
        status=$?
        cat "$work/said" >&2
        exit $status
    }
    # An option that was not given may have several values: the program's defaults.
    for option in n batch blocks threads parts nest case; do
        [ -z "${value[$option]-}" ] || continue
        grep -q "^ *--$option LIST" <<<"$help" || continue
        taken=$(cat "$work"/results* | awk -F, -v name="$option" '
            !/^#/ && !at { while ($++at != name); next }
            !/^#/ && !($at in seen) { seen[$at]; values = values (count++ ? "," : "") $at }
            END { if (count > 1) print values }')
        [ -z "$taken" ] || fail 2 "choose --$option; without it $name runs $taken"
    done
    # Adds up the source lines of a launch, without the kernels in `layout`, unless there are no others. Columns: 1
    # launch, 2 kernel, 3 blocks, 4 threads, 7 memory, 8 access, 10 requests, 11 lanes, 12 sectors, 13 ideal, 16 conflicts.
    awk -F, -v values="$values" -v layout=" $layout " '
        function per_request(sum) { return sprintf("%.2f", sum / requests[key]) }
        FNR == NR { solves = solves || FNR > 1 && !index(layout, " " $2 " "); next }
        solves && index(layout, " " $2 " ") { next }
        $7 == "global" || $7 == "shared" || $8 == "barrier" && $11 {
            key = values " " $1 " " $2 " " $7 " " $8
            if (!(key in requests)) order[++keys] = key
            memory[key] = $7
            requests[key] += $7 == "block" ? $11 / ($3 * $4) : $10
            lanes[key] += $11; sectors[key] += $12; ideal[key] += $13; conflicts[key] += $16
        }
        END {
            for (i = 1; i <= keys; i++) {
                key = order[i]
                global = memory[key] == "global"
                print key, requests[key], global ? sectors[key] : "-",
                      memory[key] == "block" ? "-" : per_request(lanes[key]),
                      global ? per_request(sectors[key]) " " per_request(ideal[key]) : "- -",
                      memory[key] == "shared" ? per_request(conflicts[key]) : "-"
            }
        }' "$work/counts" "$work/counts" >>"$work/rows"
done <<<"$runs"
[ -s "$work/rows" ] || fail 2 "no kernel runs in $name$single"

cat >&2 <<END
$name$single

a row: the requests of one kind in a launch; a request is one access of a warp (32 threads)
sectors: pieces of 32 bytes that the requests touch; barrier: how often a thread waits for its block
of an average request: lanes: threads that take part; ideal: as few sectors as its bytes fit in;
conflicts: additional passes through the banks of shared memory

END
# The first pass over the rows measures the columns. "launch" stands above the kernel's name, not its number.
awk -v several="$several" '
    function line(   i, text) {
        for (i = 1; i <= count; i++) {
            if (field[i] == "sectors" && !of) of = length(text)
            text = text (i == 1 ? "" : " ") sprintf("%" (left[i] ? "-" : "") width[i] "s", field[i])
        }
        return text
    }
    BEGIN {
        count = split(several " # launch access - requests sectors lanes sectors ideal conflicts", field, " ")
        for (i = 1; i <= count; i++) {
            left[i] = field[i] ~ /^(variant|type|case|launch|access|-)$/
            if (field[i] ~ /^[#-]$/) field[i] = ""
            width[i] = length(field[i])
        }
    }
    FNR == NR { for (i = 1; i <= count; i++) if (length($i) > width[i]) width[i] = length($i); next }
    FNR == 1 { heading = line(); printf "%*s of an average request\n%s\n", of + 8, "", heading }
    { split($0, field, " "); print line() }
' "$work/rows" "$work/rows" | {
    IFS= read -r over
    IFS= read -r heading
    printf '%s\n' "$over" "$heading" >&2
    cat
}
