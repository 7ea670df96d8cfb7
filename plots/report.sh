#!/bin/sh
# Judges the papers' claims by the CSV files of a run, writes RESULTS/report.html, report.md,
# explore.html and claims.csv, and prints a summary: plots/report.sh RESULTS [REFERENCE]
# REFERENCE is a run that stands beside it; by default it is the one that plots/reference_for.sh
# names, and none if REFERENCE is ''. Run plots/draw.sh first, because it makes the figures.
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
    echo "usage: plots/report.sh RESULTS [REFERENCE]" >&2
    exit 2
fi
unset CDPATH # cd would look there, and print where it went
results=$(cd -- "$1" && pwd)
from=$PWD
cd "$(dirname "$0")/.." || exit 2
reference=${2-$(plots/reference_for.sh "$results")}
[ "$from" != "$PWD" ] || results=${results#"$PWD/"} # the summary names it as the user would
[ -x build/cpu/report ] || make -s build/cpu/report NVCC= >&2 || exit 1
exec build/cpu/report ${reference:+--reference "$reference"} -- "$results"
