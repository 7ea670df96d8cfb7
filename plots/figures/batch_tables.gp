# Time against the number of systems of 4095 rows, contiguous in memory: tridiagonal_batch beside
# cuSPARSE, the fastest kernels of the paper's methods and the published points of PL19 Table 4. Look
# at how near the lowest curve comes to the dash-dotted line, the limit of memory.
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
gain(type) = ms_at(type, "tridiagonal_batch") == 0 ? "" : sprintf(": %.2f ms", ms_at(type, "tridiagonal_batch")) \
    .(ms_at(type, "cusparse_strided") == 0 ? "" : sprintf(", cuSPARSE %.1f times", ms_at(type, "cusparse_strided") / ms_at(type, "tridiagonal_batch")))

series(i) = "variant=".word(variants, i)

set logscale y 10
set format y "%g"
set xrange [4000:26000]
set xtics ("5000" 5000, "15000" 15000, "25000" 25000)
set xlabel "systems"
set yrange [0.05:8000]
do for [t in "svg png"] {
    eval to(t, "batch_tables", 760, 540)
    heading = headline("Systems of 4095 rows, contiguous", also(also(about(csv), \
        "open symbols: PL19 Table 4, Thomas and PARACR (the paper names no precision, layout or device)"), also("in the titles: 25000 systems", numbers_of(csv))))
    eval panels(1, 2, 3)
    do for [panel = 0:1] {
        type = panel ? "d" : "s"
        size = panel ? 8 : 4
        set title (panel ? "(b) double" : "(a) single").gain(type) font ",13"
        set ylabel panel ? "" : "time [ms]"
        if (panel) { eval legend(3) } else { unset key }
        plot (ms_of_byte == 0 ? NaN : ms_of_byte * 5 * size * 4095 * x) with lines ls 33 notitle, \
             for [i = K:1:-1] ref(csv, at(type, word(variants, i)), "batch", "median_ms") with linespoints ls 10 + i notitle, \
             for [i = K:1:-1] own(csv, at(type, word(variants, i)), "batch", "median_ms") with linespoints ls i notitle, \
             for [i = 1:2] paper("pogorelskikh2019_table4.csv", "n=4095 variant=".word(paper_variants, i), "batch", "seconds") using 1:(1000 * $2) with points ls 20 + i notitle, \
             for [i = 1:K] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(names, i)), \
             keyentry with lines ls 33 title ms_of_byte > 0 ? "5 words a row at memory speed" : ""
    }
    unset multiplot
}
