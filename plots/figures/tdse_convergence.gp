# Error of a free packet against dx and dt, by Crank-Nicolson on the N-shaped partition method: the
# method is of second order in both. Look at the slope: the points follow the line of the second
# power.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_convergence.csv
load "plots/figures/style.gp"

csv = "tdse_convergence.csv"
shown = holder(csv)
sweep(name, x, y) = sprintf("< awk -F, '$1 == \"%s\" { print $%d, $%d }' '%s/%s' 2>/dev/null", name, x, y, shown, csv)
measured(name, x) = sweep(name, x, 4).noted(source_of(csv), name)

set logscale xy 10
set xrange [0.004:0.3]
set yrange [1e-5:0.05]
set format y "10^{%T}"
set xlabel "Δx, or Δt"
set ylabel "|ψ − exact|, 2-norm, t = 2"
set samples 100
do for [t in "svg png"] {
    eval to(t, "tdse_convergence", 640, 500)
    heading = headline("Crank-Nicolson is of second order in Δx and Δt", also(whose(csv), "free packet, σ = 1, k = 1"))
    eval one_panel(2)
    eval legend(2)
    plot sweep("dx", 2, 5) with lines ls 32 notitle, \
         sweep("dt", 3, 5) with lines ls 32 notitle, \
         measured("dx", 2) with linespoints ls 1 notitle, \
         measured("dt", 3) with linespoints ls 2 notitle, \
         x > 0.02 && x < 0.1 ? 0.08*x**2 : NaN with lines ls 31 notitle, \
         keyentry with linespoints ls 1 title titled("dx", "Δx halved, Δt = Δx/10"), \
         keyentry with linespoints ls 2 title titled("dt", "Δt halved, Δx = 0.035 Δt"), \
         keyentry with lines ls 32 title "leading term, expected", \
         keyentry with lines ls 31 title "second power"
}
