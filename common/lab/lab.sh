#!/bin/bash
# The labs: builds, checks, counts and grades a student's kernel (README.md). `make lab` has built the harness.
#   common/lab/lab.sh                  the list of labs with their states (`make lab`)
#   common/lab/lab.sh N                grades lab N (`make lab LAB=N`; SHOW=1: with the solution's numbers)
#   common/lab/lab.sh N KERNEL.cu      grades this file in place of the lab's kernel.cu and leaves the state alone
#   common/lab/lab.sh N WRONG.diff     grades the solution with these changes: a typical wrong answer
# The gates go to build/lab/N/grade.csv, the picture to build/lab/N/picture.svg; with LAB_CSV=FILE.csv to FILE.csv and
# FILE_N.svg. Exit status: 0 passed, 1 failed, 2 the kernel does not compile or the call is wrong.
set -u
cd "$(dirname "$0")/../.." || exit 2
fail() {
    echo "lab.sh: $1" >&2
    exit 2
}
folder_of() { # N
    local folders=(*/lab/"$1"_*/)
    [ -d "${folders[0]}" ] || fail "LAB=$1: no such lab; \`make lab\` lists them"
    echo "${folders[0]%/}"
}

# ---- the list ----

state_of() { # N FOLDER: untouched, edited (not graded since), failed or passed
    local state sum
    if git diff --quiet HEAD -- "$2/kernel.cu" 2>/dev/null; then
        echo untouched
    elif read -r state sum 2>/dev/null <"build/lab/$1/state" && [ "$sum" = "$(cksum <"$2/kernel.cu" | tr ' ' -)" ]; then
        echo "$state"
    elif git rev-parse -q --verify HEAD >/dev/null 2>&1; then
        echo edited
    else
        echo untouched # not graded yet, and without git no file to compare with
    fi
}
list() {
    local at name n title
    for at in */lab/[0-9]*_*/; do
        at=${at%/} name=${at##*/}
        echo "${name%%_*}|$(sed -n '1s/^# Lab [0-9]*: //p' "$at/README.md")|$at"
    done | sort -n | while IFS='|' read -r n title at; do
        printf '%3d  %-10s %-56s %s\n' "$n" "$(state_of "$n" "$at")" "$title" "$at"
    done
}

# ---- one lab ----

# changed WRONG.diff: writes the solution with these changes to $work/wrong/, below the first line of WRONG.diff.
changed() {
    local to=$work/wrong/${1##*/}
    to=${to%.diff}.cu
    mkdir -p "$work/wrong"
    cp "$folder/solution.cu" "$work/wrong/"
    { head -n 1 "$1" && (cd "$work/wrong" && GIT_CEILING_DIRECTORIES=$work git apply -p0 - && cat solution.cu); } \
        <"$1" >"$to" || fail "$1 does not change $folder/solution.cu (git apply)"
    echo "$to"
}

# build KERNEL.cu PROGRAM: links the kernel with the harness to $work/PROGRAM. The compiler's lines go to stderr.
build() {
    local compiler linker objects=build/count/obj includes
    { read -r compiler && read -r linker; } <build/lab/tools ||
        fail "the harness is missing: run \`make lab LAB=$number\`"
    includes="-I${folder%%/*} -I$folder"
    # A student may leave a variable unused even where CFLAGS has -Werror.
    # shellcheck disable=SC2086 # unquoted on purpose: commands with options
    $compiler $includes -Wno-error -c "$1" -o "$work/kernel.o" || return
    # shellcheck disable=SC2086
    $linker -o "$work/$2" $objects/common/cpu_device/shared_begin.c.o "$work/kernel.o" "$objects/$folder/lab.cu.o" \
        $objects/common/lab/lab.cu.o $objects/common/cpu_device/shared_end.c.o build/count/libcommon.a -lm -lpthread
}

# check KERNEL.cu: runs all cases. Prints the result and the faults, each once. Returns 1 if the kernel is wrong.
check() {
    local status seconds=8 last
    { timeout -k 1 $seconds "$work/lab" >"$work/out" 2>"$work/faults"; } 2>/dev/null
    status=$?
    last=$(sed -n 's/^running: //p' "$work/out" | tail -n 1)
    if ! grep '^result: ' "$work/out"; then
        if [ $status -eq 124 ] || [ $status -eq 137 ]; then
            echo "result: FAIL at $last: the kernel does not end (stopped after $seconds seconds)"
        else
            echo "result: FAIL at $last: the kernel crashes (exit status $status): an index is far outside its array"
        fi
    fi
    sed -n 's/^count: /FAIL  fault: /p' "$work/faults" | sort -u
    [ $status -eq 0 ] || awk -v file="${1##*/}" '/your code, in place of/ {
        print file ":" FNR ": \"your code, in place of\" is still there: write the body first"
    }' "$1"
    return $status
}

# counts PROGRAM FILE: the counts of the last case; what the program prints goes to $work/PROGRAM.least.
counts() {
    COUNT_CSV=$2 timeout -k 1 20 "$work/$1" count >"$work/$1.least" 2>&1
}

# picture KERNEL.cu FILE.svg: draws the worst of the accesses that each line "picture | KERNEL | SPACE OP" of gates.txt
# names as text, and all accesses of these source lines as SVG. The worst has the most sectors or passes over the least;
# of equal ones it is one to shared memory, and the last in the source.
picture() {
    local wanted only files=()
    while read -r wanted only; do
        files+=("$work/picture${#files[@]}.csv")
        COUNT_PICTURE=$wanted COUNT_PICTURE_CSV=${files[-1]} counts lab "$work/again.csv"
        [ -s "${files[-1]}" ] || return 0
        echo
        awk -F, -v source="$1" -v only="$only" -f common/lab/picture.awk -f common/lab/picture_text.awk "${files[-1]}"
    done < <(awk -F '|' -v counts="$work/own.csv" '
        !/^#/ && NF == 3 && $1 ~ /^picture *$/ {
            gsub(/ /, "", $2)
            split($3, access, " ")
            worst = -1
            while ((getline line <counts) > 0) {
                split(line, f, ",")
                if (f[2] != $2 || (f[7] != "global" && f[7] != "shared") || (access[1] != "*" && f[7] != access[1]) ||
                    (access[2] != "*" && f[8] != access[2]))
                    continue
                cost = f[7] == "shared" ? f[15] / (f[15] - f[16]) + 1e-9 : f[12] / f[13]
                if (cost >= worst)
                    chosen = f[2] ":" f[6] " " f[7] " " f[8]
                worst = cost > worst ? cost : worst
            }
            close(counts)
            if (worst >= 0)
                print chosen
        }' "$folder/gates.txt")
    [ ${#files[@]} -gt 0 ] || return 0
    awk -F, -v source="$1" -f common/lab/picture.awk -f common/lab/picture_svg.awk "${files[@]}" >"$2" &&
        echo "picture: $2"
}

grade() { # KERNEL.cu
    local csv=${LAB_CSV:-build/lab/$number/grade.csv} reference='' svg=build/lab/$number/picture.svg status
    [ -z "${LAB_CSV:-}" ] || svg=${LAB_CSV%.csv}_$number.svg
    mkdir -p "$(dirname "$csv")"
    rm -f "$svg"
    [ -n "${LAB_CSV:-}" ] && [ -s "$csv" ] || echo "lab,gate,target,value,result" >"$csv"
    build "$1" lab || {
        echo "$number,result,right,does not compile,fail" >>"$csv"
        return 2
    }
    check "$1" || {
        echo "$number,result,right,wrong,fail" >>"$csv"
        return 1
    }
    echo "$number,result,right,right,ok" >>"$csv"
    counts lab "$work/own.csv" || return 1
    if [ -n "${SHOW:-}" ]; then
        if build "$folder/solution.cu" solution 2>/dev/null && counts solution "$work/solution.csv"; then
            reference=$work/solution.csv
        else
            echo "SHOW=1: there is no solution here that works"
        fi
    fi
    awk -v least="$work/lab.least" -v reference="$reference" -v csv="$csv" -v lab="$number" -f common/lab/grade.awk \
        "$folder/gates.txt" "$work/own.csv"
    status=$?
    picture "$1" "$svg"
    return $status
}

if [ $# -eq 0 ]; then
    list
    exit
fi
number=$1
folder=$(folder_of "$number") || exit
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p "build/lab/$number"
kernel=${2:-$folder/kernel.cu}
echo "lab $number, $kernel"
[[ $kernel != *.diff ]] || kernel=$(changed "$kernel") || exit
grade "$kernel"
status=$?
verdict=$([ $status -eq 0 ] && echo passed || echo failed)
[ $status -ne 2 ] || verdict="failed: it does not compile"
[ $# -gt 1 ] || echo "${verdict%%:*} $(cksum <"$folder/kernel.cu" | tr ' ' -)" >"build/lab/$number/state"
echo "lab $number: $verdict"
exit $status
