# Error of a free packet against dx and dt, by Crank-Nicolson on the N-shaped partition method: the
# method is of second order in both. Look at the slope: the points follow the line of the second
# power.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_convergence.csv
load "plots/figures/style.gp"

csv = "tdse_convergence.csv"
sweep(name, x, y) = printed_by(sprintf("$1 == \"%s\" { print $%d, $%d }", name, x, y))

eval decades("xy")
set format x "% h"
set xrange [0.004:0.3]
set yrange [1e-5:0.05]
set xlabel "Δx, or Δt"
set ylabel "|ψ − exact|, 2-norm, t = 2"
set samples 100
eval to("tdse_convergence", 640, 500)
eval one_panel(2, headline("Crank-Nicolson is of second order in Δx and Δt", also(whose(csv), "free packet, σ = 1, k = 1")))
plot sweep("dx", 2, 5) with lines ls 32 notitle, \
     sweep("dt", 3, 5) with lines ls 32 notitle, \
     sweep("dx", 2, 4).noted(source_of(csv), "dx") with linespoints ls 1 notitle, \
     sweep("dt", 3, 4).noted(source_of(csv), "dt") with linespoints ls 2 notitle, \
     x > 0.02 && x < 0.1 ? 0.08*x**2 : NaN with lines ls 31 notitle, \
     keyentry with linespoints ls 1 title titled("dx", "Δx halved, Δt = Δx/10"), \
     keyentry with linespoints ls 2 title titled("dt", "Δt halved, Δx = 0.035 Δt"), \
     keyentry with lines ls 32 title "leading term, expected", \
     keyentry with lines ls 31 title "second power"
