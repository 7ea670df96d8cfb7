# Batches of tridiagonal systems with 4 to 16384 rows each and 24 million rows in all: bandwidth reached
# by tridiagonal_batch and by cuSPARSE. Look at the dash-dotted line: a method above it moves fewer than
# 9 words per row.
# A bandwidth of 100% means that the five words of each row (a, b, c, d read once, x written once)
# move at the speed of the triad of the same run. A method that moves 9 words per row reaches at most
# 5/9 of that, the dash-dotted line. A solver that does not read the first a and the last c of
# a system moves fewer words: 4.5 if n = 4, which is 111%.
# Shows: @(thomas_batch|tridiagonal_batch)_*.csv
# Needs: @(tridiagonal|thomas)_batch_sizes.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "tridiagonal_batch_sizes.csv thomas_batch_sizes.csv"
variants = "tridiagonal_batch tridiagonal_batch_interleaved cusparse_strided cusparse_interleaved_thomas tridiagonal_batch_pivoted tridiagonal_batch_interleaved_pivoted cusparse_interleaved_lu"
names = "'contiguous' 'interleaved' 'cuSPARSE, contiguous' 'cuSPARSE, interleaved (Thomas)' 'contiguous, pivoting' 'interleaved, pivoting' 'cuSPARSE, interleaved (LU)'"
K = words(variants)

# shares(): lines "n percent" for one variant: its bandwidth in percent of that of the triad. The
# rows of the triad come first in the file, so the reference speed `ceiling` is known when the
# other rows are read.
shares(dir, variant, type) = computed(dir, csv, sprintf("$col[\"variant\"] == \"triad\" { ceiling = $col[\"bytes\"] / $col[\"median_ms\"] }" \
    ." $col[\"status\"] == \"ok\" && $col[\"median_ms\"] != \"\" && ceiling && $col[\"type\"] == \"%s\" && $col[\"variant\"] == \"%s\"" \
    ." { print $col[\"n\"], 500 * (\"%s\" == \"s\" ? 4 : \"%s\" == \"z\" ? 16 : 8) * $col[\"n\"] * $col[\"batch\"] / $col[\"median_ms\"] / ceiling }", type, variant, type, type))

shown(dir, i, type) = shares(dir, word(variants, i), type).noted(source(dir), "variant=".word(variants, i)." type=".type)
series(i) = "variant=".word(variants, i)

set logscale x 2
set xrange [3:2.2e4]
set xtics ("4" 4, "16" 16, "64" 64, "256" 256, "1024" 1024, "4096" 4096, "16384" 16384)
set xlabel "n, rows of a system"
set yrange [0:120]
do for [t in "svg png"] {
    eval to(t, "batch_sizes", 860, 760)
    heading = headline("Tridiagonal systems at the speed of memory, 24 million rows in all", \
        also(about(csv), "dash-dotted: limit of a method that moves 9 words a row, not 5"))
    eval panels(2, 2, 3)
    do for [panel = 0:3] {
        type = substr("sdcz", panel + 1, panel + 1)
        set title word("'(a) single precision' '(b) double precision' '(c) complex, single' '(d) complex, double'", panel + 1)
        set ylabel panel % 2 ? "" : "% of the 5-word roofline"
        set xlabel panel > 1 ? "n, rows of a system" : ""
        if (panel == 3) { eval legend(3) } else { unset key }
        plot 500. / 9 with lines ls 34 lw 2 notitle, \
             for [i = K:1:-1] shown(compared(csv), i, type) with linespoints ls 10 + i notitle, \
             for [i = K:1:-1] shown(results, i, type) with linespoints ls i notitle, \
             for [i = 1:K] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(names, i))
    }
    unset multiplot
}
