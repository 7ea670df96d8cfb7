# Time against the number of systems of 4095 rows, contiguous in memory: tridiagonal_batch beside
# cuSPARSE, the fastest kernels of the paper's methods and the published points of PL19 Table 4.
# The dash-dotted line is the shortest possible time for moving five words per row (a, b, c, d read,
# x written) at the speed of the four_reads kernel in the same run.
# Shows: thomas_batch_*.csv
# Needs: thomas_batch_tables.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "thomas_batch_tables.csv"
variants = "thomas_tile paracr_block cusparse_strided tridiagonal_batch"
names = "'Thomas, tiles' 'PARACR, a system per block' 'cuSPARSE gtsv2StridedBatch' 'tridiagonal\\_batch.h'"
paper_variants = "thomas_shared paracr_partial"
K = words(variants)
at(type, v) = "n=4095 phase=total type=".type." variant=".v
from = leading(csv)
ceiling(y) = number(rows(from, csv, "variant=four_reads", "n", y))
ms_of_byte = ceiling("bytes") > 0 ? ceiling("median_ms") / ceiling("bytes") : 0
ms_at(type, v) = number(rows(from, csv, at(type, v)." batch=25000", "batch", "median_ms"))
gain(type) = ms_at(type, "tridiagonal_batch") == 0 ? "" : sprintf(", 25000 systems: %.2f ms", ms_at(type, "tridiagonal_batch")) \
    .(ms_at(type, "cusparse_strided") == 0 ? "" : sprintf(", cuSPARSE %.1f times as long", ms_at(type, "cusparse_strided") / ms_at(type, "tridiagonal_batch")))

set logscale y 10
set format y "%g"
set xrange [4000:26000]
set xtics 5000
set xlabel "systems"
set yrange [0.05:8000]
do for [t in "svg png"] {
    eval to(t, "batch_tables", 1100, 560)
    set multiplot title headline("Systems of 4095 rows, contiguous", about(csv, "GPU") \
        .newline."open symbols: PL19 Table 4, Thomas and PARACR (the paper names no precision, layout or device)")
    do for [panel = 0:1] {
        type = panel ? "d" : "s"
        size = panel ? 8 : 4
        set lmargin at screen 0.08 + 0.48 * panel
        set rmargin at screen 0.49 + 0.48 * panel
        set tmargin at screen 0.78
        set bmargin at screen 0.22
        set title (panel ? "(b) double" : "(a) single").gain(type)
        set ylabel panel ? "" : "time [ms]"
        if (panel) { eval legend_columns } else { unset key }
        plot (ms_of_byte == 0 ? NaN : ms_of_byte * 5 * size * 4095 * x) with lines ls 33 notitle, \
             for [i = K:1:-1] rows(compared(csv), csv, at(type, word(variants, i)), "batch", "median_ms") with linespoints ls 10 + i notitle, \
             for [i = K:1:-1] rows(results, csv, at(type, word(variants, i)), "batch", "median_ms") with linespoints ls i notitle, \
             for [i = 1:2] paper("pogorelskikh2019_table4.csv", "n=4095 variant=".word(paper_variants, i), "batch", "seconds") using 1:(1000 * $2) with points ls 20 + i notitle, \
             for [i = 1:K] keyentry with linespoints ls i title word(names, i), \
             keyentry with lines ls 33 title "5 words a row at memory speed"
    }
    unset multiplot
    unset output
}
