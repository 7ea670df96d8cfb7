# Error of the energy of hydrogen's lowest state of angular momentum l, from the radial equation,
# against the distance of its points. Look at the lines: each is the leading error in theory, of
# second order, and the points lie on it.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_hydrogen.csv
load "plots/figures/style.gp"

csv = "tdse_hydrogen.csv"
states(l, y) = printed_by(sprintf("/^%d,/ { print $2, ($%d < 0 ? -1 : 1) * $%d }", l, y, y))
name(l) = sprintf("l = %d, E = -1/%d", l, 2 * (l + 1)**2)

eval decades("xy")
set format x "%g"
set xtics (0.025, 0.05, 0.1, 0.2)
set xrange [0.02:0.25]
set yrange [3e-8:2e-2]
set xlabel "Δr"
set ylabel "error of the energy, without its sign"
eval to("tdse_hydrogen", 640, 500)
eval one_panel(2, headline("The radial equations of hydrogen", also(whose(csv), "V = -1/r + l (l + 1)/(2 r²)")))
plot for [l = 0:2] states(l, 4) with lines ls 32 notitle, \
     for [l = 0:2] states(l, 3).noted(source_of(csv), "l".l) with points ls l + 1 ps 1.4 notitle, \
     for [l = 0:2] keyentry with points ls l + 1 ps 1.4 title titled("l".l, name(l)), \
     keyentry with lines ls 32 title "leading term, expected"
