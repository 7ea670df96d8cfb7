# Batches of tridiagonal systems, from 2 to 65536 rows each and about 10^8 rows in all: bandwidth
# reached by tridiagonal_batch and by cuSPARSE.
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

set logscale x 2
set xrange [1.7:8e4]
set xtics ("2" 2, "8" 8, "32" 32, "128" 128, "512" 512, "2048" 2048, "8192" 8192, "32768" 32768)
set xlabel "n, rows of a system"
set yrange [0:100]
do for [t in "svg png"] {
    eval to(t, "batch_sizes", 1100, 520)
    set multiplot title headline("Tridiagonal systems at the speed of memory, n × batch about 10^8", \
        about(csv, "GPU").newline."dash-dotted: limit of a method that moves 9 words a row, not 5")
    do for [panel = 0:1] {
        type = panel ? "d" : "s"
        set lmargin at screen 0.08 + 0.48 * panel
        set rmargin at screen 0.49 + 0.48 * panel
        set tmargin at screen 0.78
        set bmargin at screen 0.24
        set title panel ? "(b) double precision" : "(a) single precision"
        set ylabel panel ? "" : "% of the 5-word roofline"
        if (panel) { eval legend_columns } else { unset key }
        plot 500. / 9 with lines ls 34 lw 2 notitle, \
             for [i = K:1:-1] shares(compared(csv), word(variants, i), type) with linespoints ls 10 + i notitle, \
             for [i = K:1:-1] shares(results, word(variants, i), type) with linespoints ls i notitle, \
             for [i = 1:K] keyentry with linespoints ls i title word(names, i)
    }
    unset multiplot
    unset output
}
