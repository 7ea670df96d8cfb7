# The linear recurrence with general s_i in one pass over memory: bandwidth against n, beside three
# kernels (one for each phase of W13), CUB's scan and the speed of memory (copy and triad), and for
# the largest n divided into B sequences.
# Shows: p*.csv
# Needs: pscheme_g_one_pass.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "pscheme_g_one_pass.csv"
variants = "one_pass one_warp arrays cub_scan"
names = "'one pass' 'one pass, carry warp' 'three kernels, best G and T' 'CUB DeviceScan'"
styles = "1 3 4 2"
ceilings = "copy triad"
style(i) = int(word(styles, i))

# rates(): lines "x rate" with the highest rate in GB/s for each x. x is the column n or batch
# (number of sequences; an empty batch means 1).
rates(dir, variant, x, condition) = dir eq "" ? "< true" : sprintf("< echo '$col[\"status\"] == \"ok\" && $col[\"median_ms\"] != \"\" && $col[\"type\"] == \"s\"" \
    ." && $col[\"phase\"] == \"total\" && $col[\"variant\"] == \"%s\" { n = $col[\"n\"]; batch = $col[\"batch\"] > 1 ? $col[\"batch\"] : 1;" \
    ." rate = ($col[\"variant\"] == \"arrays\" ? 12 * n : $col[\"bytes\"]) / $col[\"median_ms\"] / 1e6; if ((%s) && rate > best[%s] + 0) best[%s] = rate } END { for (x in best) print x, best[x] }'" \
    ." | awk -f plots/tables/columns.awk -f - '%s/%s' 2>/dev/null | sort -n", variant, condition, x, x, dir, csv)
single(dir, variant) = rates(dir, variant, "n", "batch == 1")
last(dir, variant) = system(single(dir, variant)[3:*]." | tail -n 1")
last_n(dir, variant) = words(last(dir, variant)) < 2 ? 0 : real(word(last(dir, variant), 1))
last_rate(dir, variant) = words(last(dir, variant)) < 2 ? 0 : real(word(last(dir, variant), 2))

from = leading(csv)
largest = last_n(from, "one_pass")
one_pass = last_rate(from, "one_pass")
triad = last_rate(from, "triad")
reference_triad = last_rate(compared(csv), "triad")
batched(dir) = rates(dir, "one_pass", "batch", sprintf("batch > 1 || n == %.0f", largest))
power(n) = n < 1 ? "0" : abs(log(n) / log(2) - floor(log(n) / log(2) + 0.5)) < 1e-9 ? sprintf("2^{%.0f}", log(n) / log(2)) : sprintf("%.0f", n)
gain(variant, name) = last_rate(from, variant) > 0 ? sprintf(", %.1f times %s", one_pass / last_rate(from, variant), name) : ""
summary = one_pass > 0 && triad > 0 ? newline.sprintf("one pass, n = %s: %.0f GB/s, %.0f%% of triad", power(largest), one_pass, 100 * one_pass / triad) \
    .gain("arrays", "three kernels").gain("cub_scan", "CUB") : ""

set format y "%g"
set logscale x 2
do for [t in "svg png"] {
    eval to(t, "wakatani2013_one_pass", 1000, 600)
    set multiplot layout 1,2 margins 0.075,0.98,0.22,0.775 spacing 0.075 title headline("P-scheme in one pass over memory, single precision", \
        about(csv, "GPU").newline."GB/s counts s, t and w once each (copy: two arrays), even if a method moves more".summary)
    set yrange [0:*]
    set xrange [700:4.2e8]
    set xtics ("2^{10}" 2**10, "2^{13}" 2**13, "2^{16}" 2**16, "2^{19}" 2**19, "2^{22}" 2**22, "2^{25}" 2**25, "2^{28}" 2**28)
    set xlabel "n"
    set ylabel "GB/s"
    set title "(a) one sequence; small n come from the L2 cache"
    eval legend_columns
    plot 1 with lines ls 30 notitle, \
         for [i = 1:2] single(compared(csv), word(ceilings, i)) with lines ls 35 - i lw 0.8 notitle, \
         for [i = 4:1:-1] single(compared(csv), word(variants, i)) with linespoints ls 10 + style(i) notitle, \
         for [i = 1:2] single(results, word(ceilings, i)) with lines ls 35 - i lw 2 notitle, \
         for [i = 4:1:-1] single(results, word(variants, i)) with linespoints ls style(i) lw (i == 2 ? 1 : 2) ps (i == 2 ? 0.6 : 0.9) notitle, \
         for [i = 1:4] keyentry with linespoints ls style(i) lw (i == 2 ? 1 : 2) title word(names, i), \
         for [i = 1:2] keyentry with lines ls 35 - i lw 2 title word(ceilings, i)
    unset key
    set yrange [0:GPVAL_Y_MAX] # the same range as in panel (a)
    set title largest > 0 ? sprintf("(b) n = %s in B sequences; numbers: %% of triad", power(largest)) : "(b) B sequences"
    set xrange [0.6:1.8e6]
    set xtics ("1" 1, "2^{4}" 2**4, "2^{8}" 2**8, "2^{12}" 2**12, "2^{16}" 2**16, "2^{20}" 2**20)
    set xlabel "B, sequences"
    plot 1 with lines ls 30 notitle, \
         (reference_triad > 0 ? reference_triad : NaN) with lines ls 33 lw 0.8 notitle, \
         (from eq results && triad > 0 ? triad : NaN) with lines ls 33 lw 2 notitle, \
         batched(compared(csv)) with linespoints ls 11 notitle, \
         batched(results) with linespoints ls 1 notitle, \
         batched(from) using 1:2:(triad > 0 ? sprintf("%.0f", 100 * $2 / triad) : "") with labels offset 0,-1 notitle
    unset multiplot
}
