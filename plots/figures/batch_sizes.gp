# Batches of tridiagonal systems, from 2 to 65536 rows each and about 10^8 rows in all: bandwidth
# reached by tridiagonal_batch and by cuSPARSE. Look at the dash-dotted line: a method above it moves
# fewer than 9 words per row.
# A bandwidth of 100% means that the five words of each row (a, b, c, d read once, x written once)
# move at the speed of the four_reads kernel in the same run. A method that moves 9 words per row
# reaches at most 5/9 of that, the dash-dotted line.
# Shows: thomas_batch_*.csv
# Needs: thomas_batch_sizes.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "thomas_batch_sizes.csv"
variants = "tridiagonal_batch tridiagonal_batch_interleaved cusparse_strided cusparse_interleaved_thomas"
names = "'contiguous' 'interleaved' 'cuSPARSE, contiguous' 'cuSPARSE, interleaved (Thomas)'"
K = words(variants)

# shares(): lines "n percent" for one variant: its bandwidth in percent of that of four_reads. The
# rows of four_reads come first in the file, so the reference speed `ceiling` is known when the
# other rows are read.
shares(dir, variant, type) = dir eq "" ? "< true" : sprintf("< echo '$col[\"variant\"] == \"four_reads\" { ceiling = $col[\"bytes\"] / $col[\"median_ms\"] }" \
    ." $col[\"status\"] == \"ok\" && $col[\"median_ms\"] != \"\" && ceiling && $col[\"type\"] == \"%s\" && $col[\"variant\"] == \"%s\"" \
    ." { print $col[\"n\"], 500 * (\"%s\" == \"s\" ? 4 : 8) * $col[\"n\"] * $col[\"batch\"] / $col[\"median_ms\"] / ceiling }'" \
    ." | awk -f plots/tables/columns.awk -f - '%s/%s' 2>/dev/null | sort -n", type, variant, type, dir, csv)

shown(dir, i, type) = shares(dir, word(variants, i), type).noted(dir eq results ? "own" : "ref", "variant=".word(variants, i)." type=".type)
series(i) = "variant=".word(variants, i)

set logscale x 2
set xrange [1.7:8e4]
set xtics ("2" 2, "16" 16, "128" 128, "1024" 1024, "8192" 8192, "65536" 65536)
set xlabel "n, rows of a system"
set yrange [0:100]
do for [t in "svg png"] {
    eval to(t, "batch_sizes", 760, 480)
    heading = headline("Tridiagonal systems at the speed of memory, n × batch about 10⁸", \
        also(about(csv), "dash-dotted: limit of a method that moves 9 words a row, not 5"))
    eval panels(1, 2, 2)
    do for [panel = 0:1] {
        type = panel ? "d" : "s"
        set title panel ? "(b) double precision" : "(a) single precision"
        set ylabel panel ? "" : "% of the 5-word roofline"
        if (panel) { eval legend(2) } else { unset key }
        plot 500. / 9 with lines ls 34 lw 2 notitle, \
             for [i = K:1:-1] shown(compared(csv), i, type) with linespoints ls 10 + i notitle, \
             for [i = K:1:-1] shown(results, i, type) with linespoints ls i notitle, \
             for [i = 1:K] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(names, i))
    }
    unset multiplot
}
