#!/bin/bash
# Tests that each committed folder of results says of which revisions its files are (revisions.sh), and that mistakes
# in scratch folders are found: plots/test_revisions.sh. The last line of the output is "N passed, N failed".
# shellcheck disable=SC2016 # the backquote is a character
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
for folder in plots/reference/*/; do
    check "$folder" plots/revisions.sh "$folder"
done

# finds WORDS: checks that a line with WORDS, and no other, is printed for the scratch folder; '' is for no line.
folder="$base/a folder"
finds() {
    local said
    said=$(plots/revisions.sh "$folder")
    check "'$1', not '$said'" test "$said" = "${1:+$folder: $1}"
}
csv() { # FILE HEADER: writes a CSV file
    printf '%s\na,b\n1,2\n# revision: 9999999\n' "$2" >"$folder/$1.csv"
}
table() { # LINE…: writes README.md with these lines in its table
    {
        printf '# A run\n\n| file | holds |\n|---|---|\n| x | y |\n\n| revision | files | why |\n|---|---|---|\n'
        printf '%s\n' "$@"
        printf '\nThe end.\n'
    } >"$folder/README.md"
}
mkdir "$folder"
finds ''
csv one '# revision: 0123456'
csv two $'# program: p\n# revision: 0123456789'
csv ncu '# Nsight Compute, NVIDIA, revision 01234567ab: the kernels of'
csv none '# made of others'
finds 'files of several revisions, or changed ones, but no table of them in README.md: 0123456 0123456789 01234567ab'
rm "$folder/ncu.csv"
finds ''
csv one '# revision: 0123456-dirty'
finds 'files of several revisions, or changed ones, but no table of them in README.md: 0123456-dirty 0123456789'
csv one '# revision: fedcba9'
finds 'files of several revisions, or changed ones, but no table of them in README.md: 0123456789 fedcba9'
table '| 0123456 | all others | a whole run |' '| fedcba9 | `one.csv` | changed |'
finds ''
table '| 0123456 | `two.csv` | a whole run |'
finds 'one.csv of fedcba9: not in the table'
table '| 0123456 | all others | a whole run |'
finds 'one.csv is of fedcba9, not of 0123456'
table '| 0123456 | all others | a whole run |' '| fedcba9 | `o*.csv` | |'
finds 'fedcba9: no reason'
table '| 0123456 | all others | a whole run |' '| fedcba9 | `o*.csv`, `three.csv` | changed |'
finds 'no file three.csv that names a revision'
table '| 0123456 | `*.csv` | a whole run |' '| fedcba9 | `one.csv` | changed |'
finds 'one.csv stands in two lines'
table '| 012345 | all others | too few digits |' '| fedcba9 | `one.csv` | changed |'
finds "'012345' is no revision"
csv one '# revision: fedcba9-dirty'
table '| 0123456 | all others | a whole run |' '| fedcba9 | `one.csv` | changed |'
finds 'one.csv is of fedcba9-dirty, not of fedcba9'
table '| 0123456 | all others | a whole run |' '| fedcba9-dirty | `one.csv` | changed |'
finds ''

# The H100's folder, once with a file of another revision.
cp -r plots/reference/nvidia-h100-80gb-hbm3 "$base/h100"
check "a copy" plots/revisions.sh "$base/h100"
sed -i 's/^# revision: .*/# revision: 1111111/' "$base/h100/pcr.csv"
check "fails" test "$(plots/revisions.sh "$base/h100" | grep -c 1111111)" -eq 1
finish
