#!/bin/bash
# Makes the students' copy of this repository: as committed, in one commit without history, without the labs' solutions
# and wrong answers, and without the notebook and the test that contain some.
#   common/lab/students.sh DIRECTORY          (`make students TO=DIRECTORY`)
#   common/lab/students.sh DIRECTORY LAB…     (LABS="1 2"): these labs alone, for an examination. The kernels of the
#                                             experiments and solvers, which contain the algorithms, are left out, too.
# README.md, Teaching, says what the files that stay give away. Exit status: 0, or 2 if it does not work.
set -u
fail() {
    echo "students.sh: $1" >&2
    exit 2
}
[ -n "${1-}" ] || fail "usage: students.sh DIRECTORY [LAB…] (make students TO=DIRECTORY LABS='1 2')"
to=$1
shift
[ ! -e "$to" ] || fail "$to exists already"
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
for lab; do
    folders=("$top"/*/lab/"$lab"_*/)
    [ -d "${folders[0]}" ] || fail "LABS=$lab: no such lab; \`make lab\` lists them"
done
git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1 || fail "no git repository to copy"
{ mkdir -p "$to" && git -C "$top" archive HEAD | tar -x -C "$to" && cd "$to"; } || fail "cannot write to $to"

rm -rf ./*/lab/*/solution.cu ./*/lab/*/wrong common/lab/labs.ipynb common/lab/test_harness.sh
if [ $# -gt 0 ]; then
    for folder in ./*/lab/[0-9]*_*/; do
        lab=${folder%/} lab=${lab##*/}
        [[ " $* " == *" ${lab%%_*} "* ]] || rm -rf "$folder"
    done
    rm -rf plots/reference
    for room in */Makefile; do # the Makefiles stay, and a file that solvers/lib.mk reads
        find "${room%/*}" \( -path '*/lab' -o -name lanes_choice.c \) -prune -o -type f \
            \( -name '*.c' -o -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.cpp' \) -exec rm {} +
    done
fi
{ git init -q -b main && git add -A && git -c user.name=labs -c user.email=labs commit -q -m Labs; } ||
    fail "git failed in $to"
echo "students: $to, $(find ./*/lab -name kernel.cu | wc -l) labs"
