# Error of a free packet against dx and dt, by Crank-Nicolson on the N-shaped partition method: the
# method is of second order in both.
# Shows: @(nshape|tdse_*).csv
load "plots/figures/style.gp"

csv = "tdse_convergence.csv"
has(dir) = dir ne "" && system(sprintf("test -s '%s/%s' && echo 1", dir, csv)) eq "1"
shown = has(results) ? results : has(reference) ? reference : ""
on = system(sprintf("sed -n 's/^# device: //p;s/^# cpu: /, /p' '%s/%s' 2>/dev/null | tr -d '\n' | sed 's/[_^@&~{}]/\\\\&/g'", shown, csv))
whose = shown eq "" ? "not run: there is no tdse\\_convergence.csv" : \
    (shown eq results ? "this run, " : "reference, ").on
sweep(name, x, y) = sprintf("< awk -F, '$1 == \"%s\" { print $%d, $%d }' '%s/%s' 2>/dev/null", name, x, y, shown, csv)

set logscale xy 10
set xrange [0.004:0.3]
set yrange [1e-5:0.05]
set format y "10^{%T}"
set xlabel "Δx, or Δt"
set ylabel "|ψ − exact| in the 2-norm at t = 2"
if (shown eq "") { set label 1 "not run" at graph 0.5, 0.5 center tc rgb "#777777" }
do for [t in "svg png"] {
    eval to(t, "tdse_convergence", 800, 560)
    eval legend
    set bmargin 6
    set title headline("Crank-Nicolson is of second order in Δx and Δt: free packet, σ = 1, k = 1", whose)
    plot sweep("dx", 2, 5) with lines ls 32 title "leading term, expected", \
         sweep("dt", 3, 5) with lines ls 32 notitle, \
         sweep("dx", 2, 4) with linespoints ls 1 title "Δx halved, Δt = Δx/10", \
         sweep("dt", 3, 4) with linespoints ls 2 title "Δt halved, Δx = 0.035 Δt", \
         x > 0.02 && x < 0.1 ? 0.08*x**2 : NaN with lines ls 31 title "∝ second power"
    unset output
}
