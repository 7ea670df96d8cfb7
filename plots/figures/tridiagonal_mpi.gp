# One tridiagonal system over GPUs, one MPI rank per GPU: time against n, and strong and weak
# scaling with the model's line to 1024 ranks. Look at the n from which several ranks are faster
# than one GPU alone, and at the number of ranks at which the model's line turns up, because the
# exchange then takes as long as the passes.
# The model is t = a + c n / r + l log2(r) + m r, with r ranks: a is the time of one rank at the
# smallest n, c the time a row at the largest, l the exchange at the smallest n. m, the time in
# which a rank merges the equations of another one, is assumed.
# Shows: @(nshape|tridiagonal*|tdse_*).csv
# Needs: tridiagonal_mpi_*.csv
load "plots/figures/style.gp"

hollow_rows = "^$" # disturbed times are not drawn
csv = "tridiagonal_mpi_'*'.csv"
merge_ms = 5e-5

ours = "type=d phase=total variant=tridiagonal_mpi cores=" # without cores: on GPUs
from = any(rows(results, csv, ours, "n", "median_ms")) ? results : compared(csv)
sizes = values(from, csv, ours, "n")
ranks = values(from, csv, ours, "ranks")
item(list, k) = words(list) < k || k < 1 ? 0 : real(word(list, k))
last(list) = item(list, words(list))
least = item(sizes, 1)
most = last(ranks) > 1 ? last(ranks) : 1
if (most == 1) { csv = "none" } # one GPU: nothing is drawn, so draw.sh leaves the figure out
at(n, r, phase) = number(rows(from, csv, sprintf("type=d phase=%s variant=tridiagonal_mpi cores= n=%.0f ranks=%.0f", phase, n, r), "n", "median_ms"))

# The largest n of one rank, and the constants of the model.
large = last(values(from, csv, ours." ranks=1", "n"))
a = at(least, 1, "total")
c = large > 0 ? (at(large, 1, "total") - a) / large : 0
l = most > 1 ? at(least, most, "exchange") / (log(most) / log(2)) : 0
known = a > 0 && c > 0 && l > 0
model(n, r) = known && n > 0 && r >= 1 && r <= 1024 ? a + c * n / r + l * log(r) / log(2) + merge_ms * r : NaN
# Three sizes for panel (b), of those that one rank and all ranks solved: the largest, and two smaller ones.
of_one = " ".values(from, csv, ours." ranks=1", "n")." "
both = ""
do for [n in values(from, csv, sprintf("%s ranks=%.0f", ours, most), "n")] { if (strstrt(of_one, " ".n." ")) { both = both." ".n } }
shown_size(i) = item(both, words(both) - (3 - i) * (words(both) > 5 ? 2 : 1))

# Each curve is drawn of the reference (d = 1) and of this run (d = 0).
dir(d) = d ? compared(csv) : results
curve(d, where, x) = rows(dir(d), csv, where, x, "median_ms").noted(source(dir(d)), where." ".x)
over(v, r) = sprintf("type=d phase=total variant=%s cores= ranks=%.0f", v, r)
fixed(n) = sprintf("%s n=%.0f", ours, n)
# grown(): the same number of rows on every rank: lines "ranks time".
grown(d) = computed(large > 0 ? dir(d) : "", csv, timed("d", "tridiagonal_mpi").sprintf(" && $col[\"phase\"] == \"total\" && $col[\"cores\"] == \"\" && $col[\"n\"] / $col[\"ranks\"] == %.0f { print $col[\"ranks\"], $col[\"median_ms\"] }", large)) \
    .noted(source(dir(d)), "weak")

set samples 200
set format y "%g"
set logscale xy
eval to("tridiagonal_mpi", 760, 560)
eval panels(1, 3, 4, headline("One tridiagonal system over several GPUs, a rank each", \
    also(also(about(csv), "double"), !known ? "" : sprintf("dotted: model, not measured beyond %.0f ranks: %.3g µs + %.3g ns n/r + %.3g µs log_2 r + %.2g µs r (the last assumed)", most, 1e3 * a, 1e6 * c, 1e3 * l, 1e3 * merge_ms))))
unset key
set ylabel "time [ms]"
set title "(a) time against n"
set xlabel "n"
set xrange [(least > 0 ? least / 2 : 1):(least > 0 ? last(sizes) * 2 : 10)]
set xtics ("2^{16}" 2**16, "2^{20}" 2**20, "2^{25}" 2**25, "2^{30}" 2**30)
plot (known ? NaN : 1) with lines ls 30 notitle, \
     (most > 1 ? model(x, most) : NaN) with lines ls 32 notitle, \
     for [d = 1:0:-1] curve(d, over("tridiagonal", 1), "n") with linespoints ls 10*d+8 notitle, \
     for [d = 1:0:-1] curve(d, over("tridiagonal_mpi", 1), "n") with linespoints ls 10*d+1 notitle, \
     for [d = 1:0:-1] curve(d, over("tridiagonal_mpi", most > 1 ? most : 0), "n") with linespoints ls 10*d+2 notitle
unset ylabel
set title "(b) strong scaling: n fixed"
set xlabel "ranks"
set xrange [0.6:1600]
set xtics (1, 2, 16, 128, 1024)
plot (known ? NaN : 1) with lines ls 30 notitle, \
     for [i = 1:3] model(shown_size(i), x) with lines ls 32 notitle, \
     for [i = 1:3] for [d = 1:0:-1] curve(d, fixed(shown_size(i)), "ranks") with linespoints ls 10*d+2+i notitle
set title large > 0 ? sprintf("(c) weak: %s rows a rank", power(large)) : "(c) weak: n grows with the ranks"
unset logscale y
set yrange [0:*]
set offsets 0, 0, graph 0.3, 0
eval legend(4)
plot (known ? NaN : 1) with lines ls 30 notitle, model(large * x, x) with lines ls 32 notitle, \
     for [d = 1:0:-1] grown(d) with linespoints ls 10*d+6 notitle, \
     keyentry with linespoints ls listed(8, over("tridiagonal", 1)) title titled(over("tridiagonal", 1), "one GPU alone (tridiagonal.h)"), \
     keyentry with linespoints ls listed(1, over("tridiagonal_mpi", 1)) title titled(over("tridiagonal_mpi", 1), "1 rank"), \
     keyentry with linespoints ls listed(2, over("tridiagonal_mpi", most)) title most > 1 ? titled(over("tridiagonal_mpi", most), sprintf("%.0f ranks", most)) : "", \
     for [i = 1:3] keyentry with linespoints ls listed(2 + i, fixed(shown_size(i))) title titled(fixed(shown_size(i)), "n = ".power(shown_size(i))), \
     keyentry with linespoints ls listed(6, "weak") title titled("weak", "weak scaling")
