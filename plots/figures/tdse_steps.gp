# Time steps per second of the Schrödinger equation against the number of grid points: the scheme of
# L22 (section 5.2.4, 5.3) with its best number of blocks, and tridiagonal.h.
# In the variants "T rebuilt" the matrix T is computed in every step, as a laser pulse requires. In
# "T kept" it is computed only once. The dash-dotted line is the limit of tridiagonal.h with T kept:
# it moves the minimum number of bytes at the speed of a large copy.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_steps.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "tdse_steps.csv"
variants = "tdse_tridiagonal_kept tdse_tridiagonal_rebuilt tdse_kept tdse_rebuilt"
names = "'tridiagonal.h, T kept' 'tridiagonal.h, T rebuilt' 'the paper, T kept' 'the paper, T rebuilt'"
styles = "1 3 2 4"
style(i) = int(word(styles, i))
steps(dir, i) = rows(dir, csv, "type=z phase=step variant=".word(variants, i), "n", "median_ms")
at_n(dir, i) = number(rows(dir, csv, "type=z n=300000 phase=step variant=".word(variants, i), "n", "median_ms"))

from = leading(csv)
gain(first, second, what) = at_n(from, first) > 0 && at_n(from, second) > 0 ? \
    sprintf(", %.1f times the paper's (T %s)", at_n(from, second) / at_n(from, first), what) : ""
summary = at_n(from, 1) > 0 ? newline.sprintf("n = 3·10^5: %.0f steps/s", 1000 / at_n(from, 1)).gain(1, 3, "kept").gain(2, 4, "rebuilt") : ""
copied(y) = number(rows(from, "nshape.csv", "variant=copy type=s", "n", y))
ms_of_byte = copied("bytes") > 0 ? copied("median_ms") / copied("bytes") : 0
least = rows(from, csv, "type=z phase=step variant=tdse_tridiagonal_kept", "n", "bytes")

set logscale xy 10
set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
set format x "10^{%T}"
set format y "10^{%T}"
set xlabel "n, points of the grid"
set ylabel "steps a second"
set yrange [*:*]
do for [t in "svg png"] {
    eval to(t, "tdse_steps", 800, 580)
    eval legend_columns." maxrows 3 noenhanced"
    set bmargin 7
    set title headline("Time steps of ψ by Crank-Nicolson, double complex", about(csv, "GPU").summary)
    plot "< printf '1e3\n1e7\n'" using 1:(1000) with points ls 30 notitle, \
         (ms_of_byte == 0 ? "< true" : least) using ($1 < 1e5 ? NaN : $1):(1000 / ($2 * ms_of_byte)) with lines ls 33 notitle, \
         for [i = 4:1:-1] (compared(csv) eq "" ? "< true" : steps(compared(csv), i)) using 1:(1000 / $2) with linespoints ls 10 + style(i) notitle, \
         for [i = 4:1:-1] steps(results, i) using 1:(1000 / $2) with linespoints ls style(i) notitle, \
         for [i = 1:4] keyentry with linespoints ls style(i) title word(names, i), \
         keyentry with lines ls 33 title "T kept: least bytes at copy speed"
    unset output
}
