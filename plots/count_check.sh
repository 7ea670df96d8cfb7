#!/bin/sh
# Compares the memory accesses that the count build counts with those that Nsight Compute measured
# on a GPU.
#   plots/count_check.sh [FOLDER] >count_check.csv
# ncu_counts.csv in plots/reference/FOLDER (default: the H100's) holds the measured numbers and the
# commands that they belong to. The script runs the count build with the same commands and
# prints both counts side by side. It needs the programs that `make count` builds and takes some
# minutes.
set -eu
cd "$(dirname "$0")/.."
ncu=plots/reference/${1:-nvidia-h100-80gb-hbm3}/ncu_counts.csv
[ -f "$ncu" ] || { echo "count_check.sh: $ncu: no such file" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
compare() { awk -f plots/tables/columns.awk -f plots/tables/count_check.awk -v part="$1" "$ncu" "$dir"/1*.csv; }
compare commands >"$dir/commands"
number=1000 # All numbers have four digits, so that "$dir"/1*.csv lists the files in the order of the commands.
while read -r program options; do
    number=$((number + 1))
    # shellcheck disable=SC2086 # $options is unquoted on purpose: it holds several words
    if ! COUNT_CSV="$dir/$number.csv" "build/count/$program" $options --reps 1 >"$dir/output" 2>&1 </dev/null; then
        cat "$dir/output" >&2
        exit 1
    fi
done <"$dir/commands"
echo "# The count build (count) beside Nsight Compute (ncu, from ncu_counts.csv) for the same commands; made by"
echo "#   plots/count_check.sh"
echo "# difference: count - ncu; common/cpu_device/README.md says what explains it"
compare check
