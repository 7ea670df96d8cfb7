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
set trange [0:2*pi]
set parametric
unset grid
eval to("tdse_plane", 640, 690)
heading = headline("A packet in the plane, by operator splitting", \
    also(whose(csv), "V = (x² + y²)/2; at most 64 × 64 of the points are shown"))
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
    if (k == 4) { set colorbox user origin 570. / width, at_top(262. + 270) size 16. / width, 498. / height; set cbtics 0.1; set cblabel '|ψ|²' offset -1.5,0 } else { unset colorbox }
    plot block(k).noted(source_of(csv), "map ".k) using 1:2:3 with image notitle, \
         2*cos(t), 2*sin(t) with lines lc rgb "#d1495b" lw 1.5 dt (3,5) notitle
}
