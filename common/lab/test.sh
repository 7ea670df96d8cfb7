#!/bin/bash
# Tests a lab: the solution passes, the empty kernel fails, and each wrong answer fails at the gate and with the words
# that its first line names: "// fails: GATE: WORDS". Solutions that do not compile fail with exit status 2.
#   common/lab/test.sh N       The last line is "N passed, N failed".
# With TESTS=short only the solution and the last wrong answer.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
export LAB_CSV=$base/grade.csv
unset SHOW

# grades STATUS GATE WORDS FILE: the grade of FILE has this exit status; the gates that fail are GATE alone, or any if
# GATE is empty; and the output contains WORDS.
grades() {
    local status gates
    : >"$LAB_CSV"
    common/lab/lab.sh "$number" "$4" >"$base/said" 2>&1
    status=$?
    gates=$(awk -F, '$NF == "fail" { printf "%s%s", n++ ? " " : "", $2 }' "$LAB_CSV")
    [ $status -eq "$1" ] && [[ -z $2 || " $gates " == *" $2 "* ]] && grep -qF -- "$3" "$base/said"
    verdict $? "$4: exit status $status, failed gates '$gates', wanted $1, '$2' and \"$3\""
}

number=$1
folder=$(echo */lab/"$number"_*)
wrong=("$folder"/wrong/*)
grades 0 '' 'passed' "$folder/solution.cu"
[ "${TESTS-}" != short ] || wrong=("${wrong[-1]}")
# The empty kernel is the one in git, because a student may have edited the file.
git show "HEAD:./$folder/kernel.cu" >"$base/kernel.cu" 2>/dev/null || cp "$folder/kernel.cu" "$base/kernel.cu"
if [ "${TESTS-}" != short ]; then
    grades 1 result 'FAIL' "$base/kernel.cu"
    echo 'this is not C' >"$base/kernel.cu"
    grades 2 '' 'does not compile' "$base/kernel.cu"
fi
for file in "${wrong[@]}"; do
    line=$(sed -n '1s|^// fails: ||p' "$file")
    grades 1 "${line%%: *}" "${line#*: }" "$file"
done
finish
