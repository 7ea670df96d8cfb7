#!/bin/bash
# The labs: builds, checks, counts and grades a student's kernel (README.md). `make lab` has built the harness.
#   common/lab/lab.sh                  the list of labs with their states (`make lab`)
#   common/lab/lab.sh N                grades lab N (`make lab LAB=N`; SHOW=1: with the solution's numbers)
#   common/lab/lab.sh N KERNEL.cu      grades this file in place of the lab's kernel.cu and leaves the state alone
#   common/lab/lab.sh N WRONG.diff     grades the solution with these changes: a typical wrong answer
#   TOUR=1 common/lab/lab.sh N         walks through the wrong answers: predict the gate that fails, then see it
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
    local at name n title state next=''
    for at in */lab/[0-9]*_*/; do
        at=${at%/} name=${at##*/}
        echo "${name%%_*}|$(sed -n '1s/^# Lab [0-9a-z]*: //p' "$at/README.md")|$at"
    done | sort -t '|' -k 1,1V | {
        while IFS='|' read -r n title at; do
            state=$(state_of "$n" "$at")
            printf '%3s  %-10s %-56s %s\n' "$n" "$state" "$title" "$at"
            [ "$state" = passed ] || next=${next:-"next: read $at/README.md, write its kernel.cu, then \`make lab LAB=$n\`"}
        done
        [ -z "$next" ] || echo "$next"
    }
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

# build KERNEL.cu PROGRAM: links the kernel with the harness to $work/PROGRAM. The compiler's lines go to stderr. Sets
# nvcc and includes, with which a GPU's compiler would compile the kernel.
build() {
    local compiler linker objects=build/count/obj uses=() calls=''
    { read -r compiler && read -r linker && read -r nvcc; } <build/lab/tools ||
        fail "the harness is missing: run \`make lab LAB=$number\`"
    includes="-I${folder%%/*} -I$folder"
    # Functions of the host call lab.cu when they begin. clang cannot leave those of the system's headers out.
    case $("${compiler%% *}" --version) in
    *clang*) ;;
    *)
        calls='-DLAB_KERNEL -finstrument-functions -finstrument-functions-exclude-file-list=/usr/,cpu_device/,common/device'
        calls+=" -fdump-tree-gimple-lineno=$work/gimple"
        ;;
    esac
    # A student may leave a variable unused even where CFLAGS has -Werror.
    # shellcheck disable=SC2086 # unquoted on purpose: commands with options
    $compiler $includes $calls -Wno-error -Wno-sign-compare -Wno-unused-parameter -MMD -MF "$work/files" -c "$1" \
        -o "$work/kernel.o" 2>"$work/errors" || {
        # LAB_KERNEL gives __device__ a meaning that only functions can have.
        sed -n "s|^.*/\(.*:[0-9]*\):[0-9]*: error: .*no_instrument_function.*|result: FAIL: \1: a __device__ variable is \
memory that is no array of this lab|p" "$work/errors" | sort -u | grep . && return 1
        cat "$work/errors" >&2
        return 2
    }
    cat "$work/errors" >&2
    [ ! -f "$folder/uses.txt" ] || mapfile -t uses <"$folder/uses.txt"
    uses=("${uses[@]/#/$objects/}")
    # shellcheck disable=SC2086
    $linker -o "$work/$2" $objects/common/cpu_device/shared_begin.c.o "$work/kernel.o" "$objects/$folder/lab.cu.o" \
        "${uses[@]/%/.o}" $objects/common/lab/lab.cu.o $objects/common/cpu_device/shared_end.c.o \
        build/count/libcommon.a -lm -lpthread
}

# check KERNEL.cu: runs all cases. Prints the result and the faults, each once. Returns 1 if the kernel is wrong.
check() {
    local status seconds=30 last file
    if grep -nE 'no_sanitize|no_instrument|__tsan|__cyg|count_runtime|LAB_KERNEL|CPU_DEVICE' "$1"; then
        echo "result: FAIL: the line above would switch the counter off"
        return 1
    fi
    [ "$1" -ef "$folder/solution.cu" ] || for file in $(sed 's/\\$//' "$work/files"); do
        if [ "$file" -ef "$folder/solution.cu" ]; then
            echo "result: FAIL: ${1##*/} includes solution.cu: write the kernel yourself"
            return 1
        fi
    done
    [ ! -s "$work/gimple" ] || awk -v file="$1" -f common/lab/structs.awk "$work/gimple" || return 1
    { timeout -k 1 $seconds "$work/lab" >"$work/out" 2>"$work/faults"; } 2>/dev/null
    status=$?
    last=$(sed -n 's/^running: //p' "$work/out" | tail -n 1)
    if ! grep '^result: ' "$work/out"; then
        if [ $status -eq 124 ] || [ $status -eq 137 ]; then
            echo "result: FAIL at $last: the kernel does not end (stopped after $seconds seconds)"
        else
            echo "result: FAIL at $last: the kernel crashes (exit status $status): an index is far outside its array"
        fi
    elif grep -q '^count: ' "$work/faults"; then
        if grep -q '^result: ok' "$work/out"; then
            echo "The result is right here by luck: on a GPU these faults make it wrong, or slow."
        else
            echo "Mend these faults first. They may be the reason:"
        fi
    fi
    sed -n 's/^count: /FAIL  fault: /p' "$work/faults" | sort -u | awk '
        NR <= 4 { print }
        END { if (NR > 4) print "      and " NR - 4 " more, perhaps mended by the same change" }'
    [ $status -eq 0 ] || awk -v file="${1##*/}" '/your code, in place of/ {
        print file ":" FNR ": \"your code, in place of\" is still there: write the body first"
    }' "$1"
    return $status
}

# counts PROGRAM K NAME: the counts of the K-th case from the end go to $work/NAME.csv, what the program prints to
# $work/NAME.said.
counts() {
    COUNT_CSV=$work/$3.csv timeout -k 1 30 "$work/$1" count "$2" >"$work/$3.said" 2>&1
}

# picture KERNEL.cu FILE.svg: draws the access that grade.awk has written to $work/picture as text, and all accesses of
# its source line as SVG.
picture() {
    local gate k where worst only
    read -r gate k where worst only <"$work/picture" && [ -n "$where" ] || return 0
    COUNT_PICTURE=$where COUNT_PICTURE_WORST=$worst COUNT_PICTURE_CSV=$work/picture.csv counts lab "$k" again
    [ -s "$work/picture.csv" ] || return 0
    awk -F, -v only="$only" '
        NR > 1 && first == "" && $9 " " $10 == only { first = "request " $1 }
        NR == 1 || "request " $1 == first' "$work/picture.csv" >"$work/one.csv"
    awk -F, -v source="$1" -f common/lab/picture.awk -f common/lab/picture_text.awk "$work/one.csv" | tee "$work/text"
    awk -F, -v source="$1" -f common/lab/picture.awk -f common/lab/picture_svg.awk "$work/picture.csv" >"$2" &&
        echo "For ${gate/#-/example}: $(head -n 1 "$work/text")$(sed -n 's/^case:/; at/p' "$work/own$k.said")" &&
        echo "picture: $2" && echo
}

# What the grade depends on and is not as in git, where there is git.
changed_files() {
    git status --porcelain -- common solvers "${folder%%/*}" 2>/dev/null | cut -c4- |
        grep -vE '/(kernel|solution)\.cu$|/wrong/|\.(md|ipynb|sh)$' | tr '\n' ' '
}

grade() { # KERNEL.cu
    local csv=${LAB_CSV:-build/lab/$number/grade.csv} reference='' svg=build/lab/$number/picture.svg status files
    [ -z "${LAB_CSV:-}" ] || svg=${LAB_CSV%.csv}_$number.svg
    mkdir -p "$(dirname "$csv")"
    rm -f "$svg"
    [ -n "${LAB_CSV:-}" ] && [ -s "$csv" ] || echo "lab,gate,target,value,result" >"$csv"
    files=$(changed_files)
    if [ -n "$files" ]; then
        echo "note: not as in git, so this grade may not be the lab's: $files"
        echo "$number,files,as in git,$files,changed" >>"$csv"
    fi
    build "$1" lab || {
        status=$?
        echo "$number,result,right,does not compile,fail" >>"$csv"
        return $status
    }
    check "$1" || {
        echo "$number,result,right,wrong,fail" >>"$csv"
        return 1
    }
    # shellcheck disable=SC2086
    [ -z "$nvcc" ] || $nvcc $includes -ptx "$1" -o "$work/kernel.ptx" 2>"$work/errors" || {
        awk '!seen[$0]++' "$work/errors" # nvcc reads the file twice
        echo "result: FAIL: nvcc does not compile it, although the CPU device does: a GPU cannot run it"
        echo "$number,result,right,not for nvcc,fail" >>"$csv"
        return 1
    }
    if ! { counts lab 1 own1 && counts lab 2 own2; }; then
        echo "result: FAIL: the kernel is right at all sizes, but not when it runs alone at one of the last two:"
        cat "$work"/own?.said
        echo "$number,result,right,not when counted,fail" >>"$csv"
        return 1
    fi
    echo "$number,result,right,right,ok" >>"$csv"
    if [ -n "${SHOW:-}" ]; then
        if build "$folder/solution.cu" solution 2>/dev/null && counts solution 1 solution1; then
            reference=yes
        else
            echo "SHOW=1: there is no solution here that works"
        fi
    fi
    awk -v work="$work" -v reference="$reference" -v csv="$csv" -v lab="$number" -f common/lab/grade.awk \
        "$folder/gates.txt" >"$work/table"
    status=$?
    picture "$1" "$svg"
    cat "$work/table"
    return $status
}

# tour: shows each wrong answer as a change of the solution, asks which gate fails, and grades it.
tour() {
    local files=("$folder"/wrong/*.diff) k=0 right=0 file guess fails
    [ -f "${files[0]}" ] || fail "there are no wrong answers here (${folder}/wrong)"
    echo "The gates: result, which is the result and the faults; and$(awk -F ' *[|]' '
        !/^#/ && NF == 5 { printf " %s", $1 }' "$folder/gates.txt"). NAME/2: the gate at the second size."
    for file in "${files[@]}"; do
        k=$((k + 1))
        echo
        echo "---- wrong answer $k of ${#files[@]}: ${file##*/}"
        sed 1,3d "$file"
        read -r -p "Which gate fails first? " guess || guess=
        rm -f "$work/tour.csv"
        LAB_CSV=$work/tour.csv TOUR='' "$0" "$number" "$file" >"$work/said" 2>&1
        fails=$(awk -F, '$5 == "fail" { print $2 }' "$work/tour.csv")
        grep -A1 -E '^(FAIL|result: FAIL)' "$work/said" | grep -vE '^(--|ok|lab )' # only what fails
        [ -z "$guess" ] || if grep -qxF "$guess" <<<"$fails"; then right=$((right + 1)) && echo "You said so."; fi
    done
    echo
    echo "Predicted: $right of $k."
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
if [ -n "${TOUR:-}" ]; then
    tour
    exit
fi
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
