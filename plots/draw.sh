#!/bin/sh
# Fits the cost model and draws every figure of a run: plots/draw.sh RESULTS [REFERENCE]
# RESULTS/fit.csv, RESULTS/figures/*.svg and *.png. Needs no GPU. Status 1 if a figure could not be drawn.
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
    echo "usage: plots/draw.sh RESULTS [REFERENCE]" >&2
    exit 2
fi
results=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
reference=${2-$(plots/reference_for.sh "$results")}

rm -f "$results/fit.csv"
if [ -f "$results/pscheme_gpu.csv" ]; then
    awk -f plots/fit.awk "$results/pscheme_gpu.csv" >"$results/fit.csv.new" &&
        mv "$results/fit.csv.new" "$results/fit.csv"
fi
if ! command -v gnuplot >/dev/null; then
    echo "no gnuplot: figures not drawn; install it (package gnuplot-nox) and run plots/draw.sh $1" >&2
    exit 0
fi
mkdir -p "$results/figures"
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
failed=0
for figure in plots/*.gp; do
    [ "$figure" = plots/style.gp ] && continue
    if ! gnuplot -e "results='$results'; reference='$reference'; out='$results/figures'" "$figure" 2>"$log"; then
        echo "$figure: not drawn: $(grep -m 1 '", line\|line [0-9]' "$log")" >&2
        failed=1
    fi
done
exit $failed
