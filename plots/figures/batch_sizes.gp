# Batches of tridiagonal systems with 4 to 16384 rows each and 24 million rows in all: bandwidth
# reached by tridiagonal_batch and by cuSPARSE. Look at the dash-dotted line: a method above it
# moves fewer than 9 words per row.
# A bandwidth of 100% means that the five words of each row (a, b, c, d read once, x written once)
# move at the speed of the triad of the same run. A solver that does not read the first a and the
# last c of a system moves fewer: 4.5 if n = 4, which is 111%.
# Shows: @(thomas_batch|tridiagonal_batch)_*.csv
# Needs: @(tridiagonal|thomas)_batch_sizes.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "tridiagonal_batch_sizes.csv thomas_batch_sizes.csv"
variants = "tridiagonal_batch tridiagonal_batch_interleaved cusparse_strided cusparse_interleaved_thomas tridiagonal_batch_pivoted tridiagonal_batch_interleaved_pivoted cusparse_interleaved_lu"
names = "'contiguous' 'interleaved' 'cuSPARSE, contiguous' 'cuSPARSE, interleaved (Thomas)' 'contiguous, pivoting' 'interleaved, pivoting' 'cuSPARSE, interleaved (LU)'"
K = words(variants)

# shares(): "n, bandwidth in percent of that of the triad", whose rows come first in the file.
shares(dir, i) = computed(dir, csv, "$col[\"variant\"] == \"triad\" { ceiling = $col[\"bytes\"] / $col[\"median_ms\"] } ".timed(type, word(variants, i)) \
    ." && ceiling { print $col[\"n\"], 500 * ".word("4 8 8 16", p)." * $col[\"n\"] * $col[\"batch\"] / $col[\"median_ms\"] / ceiling }") \
    .noted(source(dir), series(i)." type=".type)

set logscale x 2
set xrange [3:2.2e4]
set xtics ("4" 4, "16" 16, "64" 64, "256" 256, "1024" 1024, "4096" 4096, "16384" 16384)
set yrange [0:120]
y_name = "% of the 5-word roofline"
titles = "'(a) single precision' '(b) double precision' '(c) complex, single' '(d) complex, double'"
eval to("batch_sizes", 860, 760)
eval panels(2, 2, 3, headline("Tridiagonal systems at the speed of memory, 24 million rows in all", \
    also(about(csv), "dash-dotted: limit of a method that moves 9 words a row, not 5")))
do for [p = 1:4] {
    type = word("s d c z", p)
    eval begin(p)
    set xlabel p > 2 ? "n, rows of a system" : ""
    plot 500. / 9 with lines ls 34 lw 2 notitle, \
         for [i = K:1:-1] shares(compared(csv), i) with linespoints ls 10 + i notitle, \
         for [i = K:1:-1] shares(results, i) with linespoints ls i notitle, @entries
}
