#!/bin/sh
# Compares the memory accesses that the count build counts with those that Nsight Compute measured
# on a GPU.
#   plots/count_check.sh [NCU_COUNTS.csv] >count_check.csv
# NCU_COUNTS.csv (default: ncu_counts.csv of the H100 in plots/reference) holds the measured numbers
# and the commands that they belong to. The script runs the count build with the same commands and
# prints both counts side by side. It needs the programs that `make count` builds and takes some
# minutes.
set -eu
cd "$(dirname "$0")/.."
ncu=${1:-plots/reference/nvidia-h100-80gb-hbm3/ncu_counts.csv}
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
echo "# The count build (count) beside Nsight Compute on an H100 (ncu, from ncu_counts.csv) for the same commands; made by"
echo "#   plots/count_check.sh"
echo "# difference: count - ncu; common/cpu_device/README.md says what explains it"
compare check
