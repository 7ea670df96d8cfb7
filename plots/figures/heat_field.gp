# Hot bodies on a plate that cools: temperature u(x, y) at four times, from the heat equation solved
# by alternating directions (ADI).
# Shows: @(thomas_batch|heat_*).csv
# Needs: heat_field.csv
load "plots/figures/style.gp"

csv = "heat_field.csv"
has(dir) = dir ne "" && system(sprintf("test -s '%s/%s' && echo 1", dir, csv)) eq "1"
shown = has(results) ? results : has(reference) ? reference : ""
on = system(sprintf("sed -n 's/^# device: //p;s/^# cpu: /, /p' '%s/%s' 2>/dev/null | tr -d '\n' | sed 's/[_^@&~{}]/\\\\&/g'", shown, csv))
whose = shown eq "" ? "not run: there is no heat\\_field.csv" : \
    (shown eq results ? "this run, " : "reference, ").on.newline."at most 64 × 64 of the points are shown; the edge is kept at 0"
MAPS = 4
# time_of(k): the k-th time in the file, counted from 1. field(k): the points of this time.
time_of(k) = real(system(sprintf("awk -F, 'BEGIN { t = \"none\" } /^[0-9]/ && $1 != t { t = $1; if (++k == %d) print t }' '%s/%s' 2>/dev/null; echo 0", k, shown, csv)))
field(k) = sprintf("< awk -F, 'BEGIN { t = \"none\" } /^[0-9]/ && $1 != t { t = $1; k++ } k == %d && /^[0-9]/ { print $2, $3, $4 }' '%s/%s'", k, shown, csv)

set palette defined (0 "#ffffff", 0.15 "#fbe3c4", 0.4 "#f0a35e", 0.7 "#c8452f", 1 "#4a1020")
set cbrange [0:1]
set xrange [0:1]
set yrange [0:1]
set size square
set xtics 0.5
set ytics 0.5
unset grid
do for [t in "svg png"] {
    eval to(t, "heat_field", 1100, 380)
    set multiplot title headline("A plate that cools: u_t = u_{xx} + u_{yy} by alternating directions", whose)
    set tmargin at screen 0.72
    set bmargin at screen 0.12
    do for [k = 1:MAPS] {
        set lmargin at screen 0.06 + 0.22 * (k - 1)
        set rmargin at screen 0.06 + 0.22 * (k - 1) + 0.205
        set title shown eq "" ? "not run" : sprintf("t = %g", time_of(k))
        set xlabel "x"
        set ylabel k == 1 ? "y" : ""
        set format y k == 1 ? "%g" : ""
        if (k == MAPS) { set colorbox user origin 0.935, 0.14 size 0.012, 0.56; set cbtics 0.5; set cblabel 'u' offset 1,0 } else { unset colorbox }
        if (shown eq "") { plot NaN notitle } else { plot field(k) using 1:2:3 with image notitle }
    }
    unset multiplot
    unset output
}
