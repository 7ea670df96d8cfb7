#!/bin/bash
# Tests students.sh: no solution is left, and a lab is graded in the copy. The last line is "N passed, N failed".
# With TESTS=short only the copy for an examination is made, and nothing is graded.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
export -n LAB_CSV MAKEFLAGS
copy="$base/a copy"

refuses 2 'usage: ' common/lab/students.sh
refuses 2 'exists already' common/lab/students.sh "$base"
refuses 2 'LABS=99: no such lab' common/lab/students.sh "$copy" 1 99
if ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
    echo "left out: the copies, no git repository here"
    finish
    exit
fi
if [ "${TESTS-}" != short ]; then
    gives 0 "$copy, $(git ls-files '*/lab/*/kernel.cu' | wc -l) labs" common/lab/students.sh "$copy"
    check "no solutions" test -z "$(find "$copy" -path '*/lab/*' \( -name solution.cu -o -name wrong \))"
    check "the experiments" test -s "$copy/pscheme_gpu/pscheme_gpu.cu"
    rm -rf "$copy"
fi
gives 0 ', 2 labs' common/lab/students.sh "$copy" 1 12
check "no solutions" test -z "$(find "$copy" -path '*/lab/*' \( -name solution.cu -o -name wrong \))"
check "one commit" test "$(git -C "$copy" log --oneline | wc -l)$(git -C "$copy" status --short)" = 1
check "the labs alone" test "$(cd "$copy" && echo ./*/lab/[0-9]*)" = './pscheme_g/lab/12_carry ./pscheme_gpu/lab/1_map'
check "no kernels but of labs" test "$(cd "$copy" && find . -name '*.cu' ! -path '*/lab/*' ! -path './common/*')" = ''
if [ "${TESTS-}" != short ]; then
    gives 2 'lab 1: failed' make -C "$copy" lab LAB=1
    cp pscheme_gpu/lab/1_map/solution.cu "$copy/pscheme_gpu/lab/1_map/kernel.cu"
    gives 0 'lab 1: passed' make -C "$copy" lab LAB=1
fi
finish
