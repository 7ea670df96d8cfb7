#!/bin/sh
# Compares the count build with Nsight Compute: runs the count build for the commands of
# ncu_counts.csv, or of another file of its kind, and prints the rows of count_check.csv. It takes
# some minutes and needs the programs of `make count`.
#   plots/count_check.sh [NCU_COUNTS.csv] >count_check.csv
set -eu
cd "$(dirname "$0")/.."
ncu=${1:-plots/reference/nvidia-h100-80gb-hbm3/ncu_counts.csv}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk -v part=commands -f plots/tables/count_check.awk "$ncu" >"$dir/commands"
number=1000 # four digits, so that file names sort in the order of the commands
while read -r program options; do
    number=$((number + 1))
    # $options is split into words on purpose.
    # shellcheck disable=SC2086
    if ! COUNT_CSV="$dir/$number.csv" "build/count/$program" $options --reps 1 >"$dir/output" 2>&1 </dev/null; then
        cat "$dir/output" >&2
        exit 1
    fi
done <"$dir/commands"
echo "# The count build (count) beside Nsight Compute on an H100 (ncu, from ncu_counts.csv) for the same commands; made by"
echo "#   plots/count_check.sh"
echo "# difference: count - ncu; common/cpu_device/README.md says what explains it"
awk -v part=check -f plots/tables/count_check.awk "$ncu" "$dir"/1*.csv
