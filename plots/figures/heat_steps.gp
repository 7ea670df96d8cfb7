# Time steps per second of the heat equation by alternating directions (ADI) on N × N points:
# tridiagonal_batch beside cuSPARSE. Look at how near the curves come to the dash-dotted line, the
# limit of a step that moves as few words as it must, at the speed of a large copy in the same run.
# The library cuSPARSE solves the systems along the columns as interleaved systems, or after a
# transposition.
# Shows: @(thomas_batch|tridiagonal_batch|heat*).csv
# Needs: heat_steps.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "heat_steps.csv"
K = 3
variants = "heat heat_cusparse heat_cusparse_transposed"
names = "'tridiagonal\\_batch.h' 'cuSPARSE, columns interleaved' 'cuSPARSE, columns transposed'"
where_type(type, i) = "phase=step type=".type." variant=".word(variants, i)
where(i) = where_type(type, i)
at_y(n, ms) = 1000 / ms
from = leading(csv)
copy = ms_of_byte(from, "thomas_batch.csv")
at_n(i) = number(rows(from, csv, "n=8192 ".where(i), "n", "median_ms"))
best(a, b) = a > 0 && (b == 0 || a < b) ? a : b
peer(type) = best(at_n(2), at_n(3))
gain(type) = at_n(1) == 0 ? "" : sprintf("\n{/*0.85 N = 8192: %.0f steps/s", 1000 / at_n(1)) \
    .(peer(type) > 0 ? sprintf(", %.1f times cuSPARSE's", peer(type) / at_n(1)) : "")."}"

set logscale x 2
set offsets graph 0.05, graph 0.05, 0, 0
set autoscale xfix
set xlabel "N, of N × N points"
x_column = "n"
y_column = "median_ms"
y_name = "steps a second"
eval decades("y")
set yrange [10:3e5] # the same range in panels (a) and (b)
if (narrow) { exit } # its panels have margins of their own
eval to("heat_steps", 760, 500)
eval panels(1, 2, 2, headline("Steps of the heat equation in two dimensions by alternating directions", also(about(csv), numbers_of(csv))))
do for [p = 1:2] {
    type = word("s d", p)
    eval begin(p)
    set tmargin at screen at_top(54)
    set lmargin at screen (352 * p - 282.) / width
    set rmargin at screen (352 * p + 40.) / width
    set title word("'(a) single precision' '(b) double precision'", p).gain(type)
    plot "< printf '1024 1000\n8192 100\n'" with points ls 30 notitle, \
         for [y in "s d"] for [i = 1:K] rows(from, csv, where_type(y, i), "n", "median_ms") using 1:(1000 / $2) with points ls 30 notitle, \
         (copy == 0 ? "< true" : rows(from, csv, where(1), "n", "bytes")) using 1:(1000 / ($2 * copy)) with lines ls 33 notitle, \
         @undisturbed, @entries, keyentry with lines ls 33 title copy > 0 ? "least traffic at copy speed" : ""
}
