# Hot bodies on a plate that cools: temperature u(x, y) at four times, from the heat equation solved
# by alternating directions (ADI). Look at how sharp edges vanish first and the large bodies last.
# Shows: @(thomas_batch|tridiagonal_batch|heat*).csv
# Needs: heat_field.csv
load "plots/figures/style.gp"

csv = "heat_field.csv"
set palette defined (0 "#ffffff", 0.15 "#fbe3c4", 0.4 "#f0a35e", 0.7 "#c8452f", 1 "#4a1020")
set cbrange [0:1]
set xrange [0:1]
set yrange [0:1]
set xtics 0.5
set ytics 0.5
unset grid
eval to("heat_field", 640, 690)
heading = headline("A plate that cools: ∂u/∂t = Δu by alternating directions", \
    also(whose(csv), "at most 64 × 64 of the points are shown; the edge is kept at 0"))
set multiplot title heading
do for [k = 1:4] {
    column = (k - 1) % 2
    row = (k - 1) / 2
    set lmargin at screen (60. + 262 * column) / width
    set rmargin at screen (290. + 262 * column) / width
    set tmargin at screen at_top(34. + 272 * row)
    set bmargin at screen at_top(34. + 272 * row) - 226. / height
    set title sprintf("t = %g", first_of_block(k))
    set xlabel row ? "x" : ""
    set ylabel column ? "" : "y"
    set format x row ? "%g" : ""
    set format y column ? "" : "%g"
    if (k == 4) { set colorbox user origin 570. / width, at_top(262. + 270) size 16. / width, 498. / height; set cbtics 0.5; set cblabel 'u' offset -0.5,0 } else { unset colorbox }
    plot block(k).noted(source_of(csv), "map ".k) using 1:2:3 with image notitle
}
