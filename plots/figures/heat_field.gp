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
set cbtics 0.5
title_of = "A plate that cools: ∂u/∂t = Δu by alternating directions"
what = "the edge is kept at 0"
figure = "heat_field"
label = "u"
curve_x(s) = NaN
curve_y(s) = NaN
load "plots/figures/plane.inc"
