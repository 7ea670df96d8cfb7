# The linear recurrence with general s_i in one pass over memory: bandwidth against n, and for the
# largest n divided into B sequences, beside three kernels (one for each phase of W13) and CUB's
# scan. Look at how near one pass comes to the speed of memory (copy and triad) at large n.
# Shows: @(p*|recurrence).csv
# Needs: @(recurrence|pscheme_g_one_pass).csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = recurrence_csv
variants = "one_pass one_warp arrays cub_scan copy triad"
names = "'one pass' 'one pass, carry warp' 'three kernels, best G and T' 'CUB DeviceScan' 'copy' 'triad'"
style(i) = int(word("1 3 4 2 34 33", i))

# rates(): lines "x rate" with the highest rate in GB/s for each x, the column n or batch (sequences).
rates(dir, variant, x, condition) = computed(dir, csv, timed("s", variant)." && $col[\"phase\"] == \"total\" { n = $col[\"n\"]; batch = $col[\"batch\"] > 1 ? $col[\"batch\"] : 1;" \
    .sprintf(" rate = ($col[\"variant\"] == \"arrays\" ? 12 * n : $col[\"bytes\"]) / $col[\"median_ms\"] / 1e6; if ((%s) && rate > best[%s] + 0) best[%s] = rate } END { for (x in best) print x, best[x] }", condition, x, x))
single(dir, variant) = rates(dir, variant, "n", "batch == 1")
shown(dir, i) = single(dir, word(variants, i)).noted(source(dir), "n ".word(variants, i))

from = leading(csv)
largest = last_of(single(from, "one_pass"), 1)
one_pass = last_of(single(from, "one_pass"), 2)
triad = last_of(single(from, "triad"), 2)
reference_triad = last_of(single(compared(csv), "triad"), 2)
batched(dir) = rates(dir, "one_pass", "batch", sprintf("batch > 1 || n == %.0f", largest))
shown_batched(dir) = batched(dir).noted(source(dir), "batch one_pass")
gain(variant, name) = last_of(single(from, variant), 2) > 0 ? sprintf(", %.1f times %s", one_pass / last_of(single(from, variant), 2), name) : ""
summary = one_pass > 0 && triad > 0 ? sprintf("one pass, n = %s: %.0f GB/s, %.0f%% of triad", power(largest), one_pass, 100 * one_pass / triad) \
    .gain("arrays", "three kernels").gain("cub_scan", "CUB") : ""

set format y "%g"
set logscale x 2
set logscale y 10
eval to("wakatani2013_one_pass", 760, 520)
eval panels(1, 2, 3, headline("P-scheme in one pass over memory", \
    also(also(about(csv), "single precision; GB/s counts s, t and w once each (copy: two arrays)"), also(summary, numbers_of(csv)))))
set yrange [1:10000]
set xrange [700:4.2e8]
set xtics ("2^{10}" 2**10, "2^{16}" 2**16, "2^{22}" 2**22, "2^{28}" 2**28)
set xlabel "n"
set ylabel "GB/s"
set title "(a) one sequence; small n from L2 cache"
unset key
plot 1 with lines ls 30 notitle, \
     for [i = 5:6] shown(compared(csv), i) with lines ls style(i) lw 0.8 notitle, \
     for [i = 4:1:-1] shown(compared(csv), i) with linespoints ls 10 + style(i) notitle, \
     for [i = 5:6] shown(results, i) with lines ls style(i) lw 2 notitle, \
     for [i = 4:1:-1] shown(results, i) with linespoints ls style(i) lw (i == 2 ? 1 : 2) ps (i == 2 ? 0.6 : 0.9) notitle
set title largest > 0 ? sprintf("(b) n = %s in B sequences; %% of triad", power(largest)) : "(b) B sequences"
set xrange [0.6:1.8e6]
set xtics ("1" 1, "2^{5}" 2**5, "2^{10}" 2**10, "2^{15}" 2**15, "2^{20}" 2**20)
set xlabel "B, sequences"
unset ylabel
eval legend(3)
plot 1 with lines ls 30 notitle, or_nan(reference_triad) with lines ls 33 lw 0.8 notitle, \
     (from eq results ? or_nan(triad) : NaN) with lines ls 33 lw 2 notitle, \
     shown_batched(compared(csv)) with linespoints ls 11 notitle, \
     shown_batched(results) with linespoints ls 1 notitle, \
     batched(from) using 1:2:(triad > 0 && int($0) % 2 == 0 ? sprintf("%.0f", 100 * $2 / triad) : "") with labels offset 0,-1 font ",12" notitle, \
     for [i = 1:4] keyentry with linespoints ls listed(style(i), word(variants, i)) title titled(word(variants, i), word(names, i)), \
     for [i = 5:6] keyentry with lines ls style(i) lw 2 title titled(word(variants, i), word(names, i))
