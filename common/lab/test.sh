#!/bin/bash
# Tests a lab: the solution passes, the empty kernel fails, and each wrong answer fails at the gate and with the words
# that its first line names: "// fails: GATE: WORDS". Solutions that do not compile fail with exit status 2.
#   common/lab/test.sh N       The last line is "N passed, N failed".
# With TESTS=short only the solution and the last wrong answer.
set -u
cd "$(dirname "$0")/../.." || exit 2
passed=0 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LAB_CSV=$work/grade.csv
unset SHOW

# grades STATUS GATE WORDS FILE: the grade of FILE has this exit status; the gates that fail are GATE alone, or any if
# GATE is empty; and the output contains WORDS.
grades() {
    local output status gates
    : >"$LAB_CSV"
    output=$(common/lab/lab.sh "$number" "$4" 2>&1)
    status=$?
    gates=$(awk -F, '$NF == "fail" { printf "%s%s", n++ ? " " : "", $2 }' "$LAB_CSV")
    if [ $status -eq "$1" ] && [[ -z $2 || " $gates " == *" $2 "* ]] && [[ $output == *"$3"* ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $4: exit status $status, failed gates '$gates', wanted $1, '$2' and \"$3\":"
        echo "$output"
    fi
}

number=$1
folder=$(echo */lab/"$number"_*)
wrong=("$folder"/wrong/*)
grades 0 '' 'passed' "$folder/solution.cu"
[ "${TESTS-}" != short ] || wrong=("${wrong[-1]}")
# The empty kernel is the one in git, because a student may have edited the file.
git show "HEAD:./$folder/kernel.cu" >"$work/kernel.cu" 2>/dev/null || cp "$folder/kernel.cu" "$work/kernel.cu"
if [ "${TESTS-}" != short ]; then
    grades 1 result 'FAIL' "$work/kernel.cu"
    echo 'this is not C' >"$work/kernel.cu"
    grades 2 '' 'does not compile' "$work/kernel.cu"
fi
for file in "${wrong[@]}"; do
    line=$(sed -n '1s|^// fails: ||p' "$file")
    grades 1 "${line%%: *}" "${line#*: }" "$file"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
