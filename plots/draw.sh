#!/bin/bash
# Fits the cost models and draws every figure of a run: plots/draw.sh RESULTS [REFERENCE]
# Writes RESULTS/fit.csv, RESULTS/fit_l22.csv, RESULTS/figures/*.svg and *.png. Needs no GPU. Exit
# status 1 if a figure could not be drawn.
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
    echo "usage: plots/draw.sh RESULTS [REFERENCE]" >&2
    exit 2
fi
results=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
reference=${2-$(plots/reference_for.sh "$results")}

rm -f "$results/fit.csv" "$results/fit_l22.csv"
phases=()
for program in pscheme_gpu pscheme_g; do
    [ ! -f "$results/$program.csv" ] || phases+=("$results/$program.csv")
done
if [ ${#phases[@]} -gt 0 ]; then
    awk -f plots/tables/columns.awk -f plots/tables/fit.awk "${phases[@]}" >"$results/fit.csv.new" &&
        mv "$results/fit.csv.new" "$results/fit.csv"
fi
if [ -f "$results/nshape.csv" ]; then
    awk -f plots/tables/columns.awk -f plots/tables/fit_l22.awk "$results/nshape.csv" >"$results/fit_l22.csv.new" &&
        mv "$results/fit_l22.csv.new" "$results/fit_l22.csv"
fi
if ! gnuplot -e "set terminal svg; set terminal pngcairo" 2>/dev/null; then
    echo "no gnuplot: figures not drawn; install it (package gnuplot-nox) and run plots/draw.sh ${results@Q}" >&2
    exit 0
fi
mkdir -p "$results/figures" || exit 1
# gnuplot sees only the plain names of these links. So a path with blanks or apostrophes needs no
# quoting in gnuplot, in its system() or in its pipes.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$PWD/plots" "$work/plots"
ln -s "$results" "$work/results"
[ -z "$reference" ] || ln -s "$(cd "$reference" && pwd)" "$work/reference"
cd "$work" || exit 1
timed() { [ -n "$(awk -f plots/tables/columns.awk -f plots/tables/device.awk "$1" 2>/dev/null)" ]; }
failed=0
shopt -s extglob
for figure in plots/figures/*.gp; do
    name=$(basename "$figure" .gp)
    [ "$name" = style ] && continue
    rm -f "results/figures/$name".{svg,png}
    # The line "# Shows: FILES" of a figure names the files of this run that it is about. The figure
    # is left out if this run has none of them. The line "# Needs: FILES" names files without which
    # it cannot be drawn; they may be of this run or of the reference.
    shown=$(sed -n 's/^# Shows: //p' "$figure")
    needs=$(sed -n 's/^# Needs: //p' "$figure")
    compgen -G "results/${needs:-$shown}" >/dev/null ||
        { compgen -G "results/$shown" && compgen -G "reference/$needs"; } >/dev/null || continue
    ! grep -q '^# Without times: not drawn' "$figure" || timed "results/$needs" || timed "reference/$needs" || continue
    if ! gnuplot -e "results='results'; reference='${reference:+reference}'; out='results/figures'" "$figure" 2>log ||
        [ ! -s "results/figures/$name.svg" ] || [ ! -s "results/figures/$name.png" ]; then
        echo "$figure: not drawn: $(grep -m 1 'line [0-9]' log)" >&2
        failed=1
    fi
done
exit $failed
