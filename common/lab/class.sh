#!/bin/bash
# The table of a class from the grades of its groups: which gates fail, who has the fewest bytes and barriers.
#   common/lab/class.sh FILE.csv…      (`make class CSV='group*.csv'`)
# A file is a group: its LAB_CSV (README.md). The last grade of a lab counts. Exit status: 0, or 2 if a file is none of
# grades.
set -u
fail() {
    echo "class.sh: $1" >&2
    exit 2
}
[ $# -gt 0 ] || fail "usage: class.sh FILE.csv… (make class CSV='group*.csv')"
files=()
for file; do
    { [ -f "$file" ] && [ -r "$file" ]; } || fail "$file: no such file"
    [ -s "$file" ] || fail "$file: the file is empty"
    [[ $file == /* ]] || file=./$file # awk would take a=b.csv for an assignment
    files+=("$file")
done
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
# gates.txt says what a gate counts.
awk -f "$top/common/lab/class.awk" "$top"/*/lab/[0-9]*_*/gates.txt "${files[@]}"
