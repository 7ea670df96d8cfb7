#!/bin/bash
# Fits the cost models and draws every figure of a run: plots/draw.sh RESULTS [REFERENCE]
# RESULTS: the directory of the run. REFERENCE: the run drawn beside it; by default the one that plots/reference_for.sh
# names, and none if REFERENCE is ''. The script writes RESULTS/fit.csv, RESULTS/fit_l22.csv, RESULTS/figures/*.svg and
# *.png, and RESULTS/figures/figures.csv (README.md); *.narrow.svg are for phones. Without gnuplot it writes only the
# fits and exits with 0.
# Exit status: 1 the fits or a figure could not be drawn or written; 2 wrong usage, or no directory REFERENCE.
shopt -s extglob # for patterns such as @(nshape|tdse_*).csv in "# Shows:"
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
    echo "usage: plots/draw.sh RESULTS [REFERENCE]" >&2
    exit 2
fi
unset CDPATH # cd would look there, and print where it went
results=$(cd -- "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
reference=${2-$(plots/reference_for.sh "$results")}
[ -z "$reference" ] || [ -d "$reference" ] || {
    echo "draw.sh: ${reference@Q}: no such directory" >&2
    exit 2
}

[ -x build/cpu/report ] || make -s build/cpu/report NVCC= >&2 || exit 1
build/cpu/report --fits "$results" || exit 1
if ! gnuplot -e "set terminal svg; set terminal pngcairo" 2>/dev/null; then
    echo "no gnuplot: figures not drawn; install it (package gnuplot-nox) and run plots/draw.sh ${results@Q}" >&2
    exit 0
fi
mkdir -p "$results/figures" || exit 1
# gnuplot runs in a directory of links, so that a path with blanks or apostrophes needs no quoting inside gnuplot.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$PWD/plots" "$work/plots"
ln -s "$results" "$work/results"
[ -z "$reference" ] || ln -s "$(cd -- "$reference" && pwd)" "$work/reference"
cd "$work" || exit 1
draw() { # FORMAT
    gnuplot -e "results='results'; reference='${reference:+reference}'; out='.'; notes='notes'; format='$1'" "$figure" 2>log
}
timed() { # DIRECTORY PATTERN
    local files
    mapfile -t files < <(compgen -G "$1/$2")
    [ -n "$(awk -f plots/tables/columns.awk -f plots/tables/device.awk "${files[@]}" /dev/null)" ]
}
failed=0
unwritable() {
    echo "draw.sh: ${results@Q}: figures cannot be written" >&2
    exit 1
}
echo figure,own_points,reference_points,paper_points,title,caption >results/figures/figures.csv || unwritable
seen=0
figures=(plots/figures/!(style).gp)
for figure in "${figures[@]}"; do
    name=$(basename "$figure" .gp)
    seen=$((seen + 1))
    [ -z "${PROGRESS-}" ] || printf '%s %d/%d, %d s\033[K\r' "$PROGRESS" $seen ${#figures[@]} $SECONDS >&2
    rm -f "results/figures/$name".{svg,narrow.svg,png}
    # A figure is left out unless this run has one of the files "# Shows: FILES"; also if neither this run nor the
    # reference has one of the files "# Needs: FILES" or, with "# Without times: not drawn", if these hold no times.
    shown=$(sed -n 's/^# Shows: //p' "$figure")
    needs=$(sed -n 's/^# Needs: //p' "$figure")
    compgen -G "results/${needs:-$shown}" >/dev/null ||
        { compgen -G "results/$shown" && compgen -G "reference/$needs"; } >/dev/null || continue
    ! grep -q '^# Without times: not drawn' "$figure" || timed results "$needs" || timed reference "$needs" || continue
    # The figure notes in the file `notes` what it draws.
    if ! draw svg || ! draw png || [ ! -s "$name.svg" ] || [ ! -s "$name.png" ]; then
        echo "${PROGRESS:+$'\033[K'}$figure: not drawn: $(grep -m 1 'line [0-9]' log)" >&2
        failed=1
        continue
    fi
    # A figure in which nothing is drawn is left out.
    awk -F '\t' '{ points += $2 } END { exit !points }' notes || continue
    title=$(awk -F '\t' '$1 == "title" { gsub(/[{}\\]/, "", $3); print $3; exit }' notes)
    # A figure of panels() or one_panel() has a narrow form, too; others open no file for it.
    rm -f "$name.narrow.svg"
    draw narrow || [ ! -e "$name.narrow.svg" ] || failed=1
    # A page holds several figures, so each has identifiers of its own.
    for svg in "$name"{,.narrow}.svg; do
        [ ! -s "$svg" ] || sed -zf plots/tables/svg.sed "$svg" | sed "s/ id=\(['\"]\)/ id=\1${svg%svg}/g
            s/href='#/&${svg%svg}/g; s/url(#/&${svg%svg}/g" >"results/figures/$svg" || unwritable
    done
    mv "$name.png" results/figures || unwritable
    awk -v figure="$name" -v title="$title" -f plots/tables/figures.awk notes "$figure" >>results/figures/figures.csv ||
        unwritable
done
exit $failed
