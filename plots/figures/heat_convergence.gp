# Error of the heat equation in two dimensions, solved by alternating directions (ADI), against the
# exact solution: the method is of second order in h and in Δt. Look at the slope: the points follow
# the expected lines.
# Rows "dt": Δt = h/2, so that the error of the time steps dominates; rows "h": Δt = h/16.
# Shows: @(thomas_batch|tridiagonal_batch|heat*).csv
# Needs: heat_convergence.csv
load "plots/figures/style.gp"

csv = "heat_convergence.csv"
values(i, y) = printed_by(sprintf("$1 == \"%s\" { print $2, $%d }", word("dt h", i), y))
series(i) = word("dt h", i)
names = "'Δt = h/2: time error dominates' 'Δt = h/16: grid error dominates'"

set logscale x 2
set xtics (31, 63, 127, 255, 511, 1023)
set offsets graph 0.04, graph 0.04, 0, 0
set autoscale xfix
eval decades("y")
set yrange [*:*]
set xlabel "N, of N × N points"
set ylabel "root mean square of u − exact"
set samples 100
eval to("heat_convergence", 640, 500)
eval one_panel(2, headline("Alternating directions are of second order in h and Δt", also(whose(csv), "t = 1/16")))
plot "< printf '31 1e-3\n127 1e-5\n'" with points ls 30 notitle, \
     for [i = 1:2] values(i, 6) with lines ls 32 notitle, \
     for [i = 1:2] values(i, 5).noted(source_of(csv), series(i)) with points ls i ps 1.4 notitle, \
     x > 45 && x < 180 ? 0.35 / (x + 1)**2 : NaN with lines ls 31 notitle, \
     for [i = 1:2] keyentry with points ls i ps 1.4 title titled(series(i), word(names, i)), \
     keyentry with lines ls 32 title "leading term, expected", keyentry with lines ls 31 title "∝ h^2"
