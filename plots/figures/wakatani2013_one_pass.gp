# The linear recurrence with general s_i in one pass over memory: (a) bandwidth against n, beside three
# kernels (one for each phase of W13) and CUB's scan, (b) share of the triad if the largest n is divided
# into B sequences. Look at how near one pass comes to the triad, the speed of memory, at large
# n, and at the small n at which CUB's scan comes near.
# Shows: @(p*|recurrence).csv
# Needs: recurrence.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "recurrence.csv"
variants = "one_pass one_warp arrays cub_scan triad"
names = "'one pass' 'one pass, carry warp' 'three kernels, best G and T' 'CUB DeviceScan' 'triad: only moves three arrays'"
style(i) = int(word("1 3 4 2 33", i))

# rates(): lines "x rate" with the highest rate in GB/s for each x, the column n or batch (sequences).
rates(dir, variant, x, condition) = computed(dir, csv, timed("s", variant)." && $col[\"phase\"] == \"total\" { n = $col[\"n\"]; batch = $col[\"batch\"] > 1 ? $col[\"batch\"] : 1;" \
    .sprintf(" rate = ($col[\"variant\"] == \"arrays\" ? 12 * n : $col[\"bytes\"]) / $col[\"median_ms\"] / 1e6; if ((%s) && rate > best[%s] + 0) best[%s] = rate } END { for (x in best) print x, best[x] }", condition, x, x))
single(dir, variant) = rates(dir, variant, "n", "batch == 1")
shown(dir, i) = single(dir, word(variants, i)).noted(source(dir), "n ".word(variants, i))
triad(dir) = last_of(single(dir, "triad"), 2)
largest(dir) = last_of(single(dir, "one_pass"), 1)
batched(dir) = rates(dir, "one_pass", "batch", sprintf("batch > 1 || n == %.0f", largest(dir)))
shares(dir) = sprintf("%s | awk '{ print $1, 100 * $2 / %g }'", batched(dir), triad(dir) > 0 ? triad(dir) : 1).noted(source(dir), "batch one_pass")

from = leading(csv)
one_pass = last_of(single(from, "one_pass"), 2)
gain(variant, name) = last_of(single(from, variant), 2) > 0 ? sprintf(", %.1f times %s", one_pass / last_of(single(from, variant), 2), name) : ""
summary = one_pass > 0 && triad(from) > 0 ? sprintf("one pass, n = %s: %.0f GB/s, %.0f%% of triad", power(largest(from)), one_pass, 100 * one_pass / triad(from)) \
    .gain("arrays", "three kernels").gain("cub_scan", "CUB") : ""

set format y "%g"
set logscale x 2
eval to("wakatani2013_one_pass", 760, 500)
eval panels(1, 2, 3, headline("P-scheme in one pass over memory", \
    also(also(about(csv), "single precision; s, t and w count once each"), also(summary, numbers_of(csv)))))
set logscale y 10
set yrange [1:10000]
set xrange [700:4.2e8]
set xtics ("2^{10}" 2**10, "2^{16}" 2**16, "2^{22}" 2**22, "2^{28}" 2**28)
set xlabel "n"
set ylabel "GB/s"
set title "(a) one sequence; small n from L2 cache"
unset key
plot 1 with lines ls 30 notitle, \
     shown(compared(csv), 5) with lines ls 33 lw 0.8 notitle, \
     for [i = 4:1:-1] shown(compared(csv), i) with linespoints ls 10 + style(i) notitle, \
     shown(results, 5) with lines ls 33 lw 2 notitle, \
     for [i = 4:1:-1] shown(results, i) with linespoints ls style(i) lw (i == 2 ? 1 : 2) ps (i == 2 ? 0.6 : 0.9) notitle
unset logscale y
set title largest(from) > 0 ? sprintf("(b) one pass, n = %s in B sequences", power(largest(from))) : "(b) one pass, B sequences"
set yrange [*<80:102]
set xrange [0.6:1.8e6]
set xtics ("1" 1, "2^{5}" 2**5, "2^{10}" 2**10, "2^{15}" 2**15, "2^{20}" 2**20)
set xlabel "B, sequences"
set ylabel "% of triad"
eval legend(3)
plot 100 with lines ls 33 lw 2 notitle, \
     shares(compared(csv)) with linespoints ls 11 notitle, \
     shares(results) with linespoints ls 1 notitle, \
     for [i = 1:4] keyentry with linespoints ls listed(style(i), word(variants, i)) title titled(word(variants, i), word(names, i)), \
     keyentry with lines ls 33 lw 2 title titled("triad", word(names, 5))
