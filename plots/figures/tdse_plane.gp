# A wave packet in two dimensions: |psi|^2 in the potential (x^2 + y^2)/2 at four times, by operator
# splitting, a batch of tridiagonal systems along each axis. Look at the packet: it keeps its shape,
# and its centre follows the dotted circle of a classical particle.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_plane.csv
load "plots/figures/style.gp"

csv = "tdse_plane.csv"
set palette defined (0 "#ffffff", 0.15 "#cfe0ee", 0.4 "#6fa3c8", 0.7 "#1f5f8b", 1 "#0b2340")
set cbrange [0:0.32]
set xrange [-5:5]
set yrange [-5:5]
set cbtics 0.1
title_of = "A packet in the plane, by operator splitting"
what = "V = (x² + y²)/2; at most 64 × 64 of the points are shown"
figure = "tdse_plane"
label = "|ψ|²"
curve_x(s) = 2*cos(s)
curve_y(s) = 2*sin(s)
load "plots/figures/plane.inc"
