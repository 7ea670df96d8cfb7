# Error of the heat equation in two dimensions, solved by alternating directions (ADI), against the
# exact solution: the method is of second order in h and in Δt.
# In the rows "dt" of the file Δt = h/2, so that the error of the time steps dominates. In the rows
# "h" Δt = h/16, so that the error of the grid dominates.
# Shows: @(thomas_batch|heat_*).csv
# Needs: heat_convergence.csv
load "plots/figures/style.gp"

csv = "heat_convergence.csv"
has(dir) = dir ne "" && system(sprintf("test -s '%s/%s' && echo 1", dir, csv)) eq "1"
shown = has(results) ? results : has(reference) ? reference : ""
on = system(sprintf("sed -n 's/^# device: //p;s/^# cpu: /, /p' '%s/%s' 2>/dev/null | tr -d '\n' | sed 's/[_^@&~{}]/\\\\&/g'", shown, csv))
whose = shown eq "" ? "not run: there is no heat\\_convergence.csv" : \
    (shown eq results ? "this run, " : "reference, ").on
values(name, y) = shown eq "" ? "< true" : \
    sprintf("< awk -F, '$1 == \"%s\" { print $2, $%d }' '%s/%s' 2>/dev/null", name, y, shown, csv)
measured(i) = values(i == 1 ? "dt" : "h", 5)
expected(i) = values(i == 1 ? "dt" : "h", 6)

set logscale x 2
set logscale y 10
set xtics (31, 63, 127, 255, 511, 1023)
set offsets graph 0.04, graph 0.04, 0, 0
set autoscale xfix
set yrange [*:*]
set format y "10^{%T}"
set xlabel "N, of N × N points"
set ylabel "root mean square of u − exact at t = 1/16"
if (shown eq "") { set label 1 "not run" at graph 0.5, 0.5 center tc rgb "#777777" }
do for [t in "svg png"] {
    eval to(t, "heat_convergence", 800, 560)
    eval legend
    set bmargin 6
    set title headline("Alternating directions are of second order in h and Δt", whose)
    plot "< printf '31 1e-3\n127 1e-5\n'" with points ls 30 notitle, \
         for [i = 1:2] expected(i) with lines ls 32 title (i == 1 ? "leading term, expected" : ""), \
         for [i = 1:2] measured(i) with points ls i ps 1.4 title (i == 1 ? "Δt = h/2: time error dominates" : "Δt = h/16: grid error dominates"), \
         x > 45 && x < 180 ? 0.35 / (x + 1)**2 : NaN with lines ls 31 title "∝ h^2"
    unset output
}
