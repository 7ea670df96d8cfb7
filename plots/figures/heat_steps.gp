# Time steps per second of the heat equation by alternating directions (ADI) on N × N points:
# tridiagonal_batch beside cuSPARSE. Look at how near the curves come to the dash-dotted line, the
# limit of a step that moves as few words as it must, at the speed of a large copy in the same run.
# With cuSPARSE the systems along the columns are solved in one of two ways: as interleaved systems,
# or as rows after a transposition.
# Shows: @(thomas_batch|tridiagonal_batch|heat*).csv
# Needs: heat_steps.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "heat_steps.csv"
variants = "heat heat_cusparse heat_cusparse_transposed"
names = "'tridiagonal\\_batch.h' 'cuSPARSE, columns interleaved' 'cuSPARSE, columns transposed'"
where(i, type) = "phase=step type=".type." variant=".word(variants, i)
series(i) = "variant=".word(variants, i)
steps(dir, i, type, y) = rows(dir, csv, where(i, type), "n", y)
from = leading(csv)
copied(y) = number(rows(from, "thomas_batch.csv", "variant=copy type=s", "n", y))
ms_of_byte = copied("bytes") > 0 ? copied("median_ms") / copied("bytes") : 0
at_n(i, type) = number(rows(from, csv, "n=8192 ".where(i, type), "n", "median_ms"))
best(a, b) = a > 0 && (b == 0 || a < b) ? a : b
peer(type) = best(at_n(2, type), at_n(3, type))
gain(type) = at_n(1, type) == 0 ? "" : sprintf("N = 8192: %.0f steps/s", 1000 / at_n(1, type)) \
    .(peer(type) > 0 ? sprintf(", %.1f times cuSPARSE's", peer(type) / at_n(1, type)) : "")

set logscale x 2
set logscale y 10
set offsets graph 0.05, graph 0.05, 0, 0
set autoscale xfix
set xlabel "N, of N × N points"
set yrange [10:3e5] # the same range in panels (a) and (b)
set format y "10^{%T}"
do for [t in "svg png"] {
    eval to(t, "heat_steps", 760, 500)
    heading = headline("Steps of the heat equation in two dimensions by alternating directions", also(about(csv), numbers_of(csv)))
    set multiplot title heading
    set tmargin at screen at_top(54)
    set bmargin at screen at_bottom(2, 74)
    do for [panel = 0:1] {
        type = panel ? "d" : "s"
        set lmargin at screen (70. + 352 * panel) / width
        set rmargin at screen (392. + 352 * panel) / width
        set title (panel ? "(b) double precision" : "(a) single precision").(gain(type) eq "" ? "" : "\n{/*0.85 ".gain(type)."}")
        set ylabel panel ? "" : "steps a second"
        if (panel) { eval legend(2) } else { unset key }
        plot "< printf '1024 1000\n8192 100\n'" with points ls 30 notitle, \
             for [ty in "s d"] for [i = 1:3] steps(from, i, ty, "median_ms") using 1:(1000 / $2) with points ls 30 notitle, \
             (ms_of_byte == 0 ? "< true" : steps(from, 1, type, "bytes")) using 1:(1000 / ($2 * ms_of_byte)) with lines ls 33 notitle, \
             for [i = 1:3] ref(csv, where(i, type), "n", "median_ms") using 1:(1000 / $2) with linespoints ls 10 + i notitle, \
             for [i = 1:3] own(csv, where(i, type), "n", "median_ms") using 1:(1000 / $2) with linespoints ls i notitle, \
             for [i = 1:3] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(names, i)), \
             keyentry with lines ls 33 title ms_of_byte > 0 ? "least traffic at copy speed" : ""
    }
    unset multiplot
}
