# One tridiagonal system over GPUs, one MPI rank per GPU: time against n, and strong and weak scaling
# with the model's line to 1024 ranks. Look at the n from which several ranks are faster than one GPU
# alone, and at the number of ranks at which the model's line turns up, because the exchange then
# takes as long as the passes.
# The model is t = a + c n / r + l log2(r) + m r, with r ranks. a, c and l come from these files: a is
# the time of one rank at the smallest n, c the time a row at the largest, l the exchange at the
# smallest n. m, the time in which a rank merges the equations of another one, is assumed.
# Shows: @(nshape|tridiagonal*|tdse_*).csv
# Needs: tridiagonal_mpi_*.csv
load "plots/figures/style.gp"

hollow_rows = "^$" # disturbed times are not drawn
csv = "tridiagonal_mpi_'*'.csv" # the apostrophes let the shell expand * (lutsyshyn2022_gpus.gp)
merge_ms = 5e-5

ours = "type=d phase=total variant=tridiagonal_mpi cores=" # without cores: on GPUs
from = any(rows(results, csv, ours, "n", "median_ms")) ? results : compared(csv)
all(where, y) = system(rows(from, csv, where, y, y)[3:*]." | awk '{ printf \"%s \", $1 }'")
sizes = all(ours, "n")
ranks = all(ours, "ranks")
count(list) = words(list)
item(list, k) = count(list) < k || k < 1 ? 0 : real(word(list, k))
least = item(sizes, 1)
most = item(ranks, count(ranks)) > 1 ? item(ranks, count(ranks)) : 1
ms(where) = number(rows(from, csv, where, "n", "median_ms"))
at(n, r, phase) = ms(sprintf("type=d phase=%s variant=tridiagonal_mpi cores= n=%.0f ranks=%.0f", phase, n, r))

# The largest n of one rank, and the constants of the model.
alone = all(ours." ranks=1", "n")
large = item(alone, count(alone))
a = at(least, 1, "total")
c = large > 0 ? (at(large, 1, "total") - a) / large : 0
l = most > 1 ? at(least, most, "exchange") / (log(most) / log(2)) : 0
known = a > 0 && c > 0 && l > 0
model(n, r) = known && r >= 1 && r <= 1024 ? a + c * n / r + l * log(r) / log(2) + merge_ms * r : NaN
# Three sizes for panel (b): the largest, and two smaller ones.
shown_size(i) = item(sizes, count(sizes) - (3 - i) * (count(sizes) > 5 ? 2 : 1))
power(n) = n < 1 ? "0" : abs(log(n) / log(2) - floor(log(n) / log(2) + 0.5)) < 1e-9 ? sprintf("2^{%.0f}", log(n) / log(2)) \
    : sprintf("%.3g·10^{%d}", n / 10**floor(log10(n)), floor(log10(n)))

curve(dir, where, x) = rows(dir, csv, where, x, "median_ms").noted(source(dir), where." ".x)
over(v, r) = sprintf("type=d phase=total variant=%s cores= ranks=%.0f", v, r)
fixed(n) = sprintf("%s n=%.0f", ours, n)
# The same number of rows on every rank: lines "ranks time".
grown(dir) = computed(large > 0 ? dir : "", csv, sprintf("$col[\"variant\"] == \"tridiagonal_mpi\" && $col[\"phase\"] == \"total\" && $col[\"type\"] == \"d\" && $col[\"cores\"] == \"\" && $col[\"median_ms\"] != \"\" && $col[\"n\"] / $col[\"ranks\"] == %.0f { print $col[\"ranks\"], $col[\"median_ms\"] }", large)) \
    .noted(source(dir), "weak")
name(dir, csv) = system(sprintf("echo '%s' | sed 's/^[0-9]* x //' | %s", device(dir, csv), escape))

set samples 200
set format y "%g"
set logscale xy
do for [t in "svg png"] {
    eval to(t, "tridiagonal_mpi", 760, 560)
    heading = headline("One tridiagonal system over several GPUs, a rank each", \
        also(also(about(csv), "double"), !known ? "" : sprintf("dotted: model, %.3g µs + %.3g ns n/r + %.3g µs log_2 r + %.2g µs r (the last assumed)", 1e3 * a, 1e6 * c, 1e3 * l, 1e3 * merge_ms)))
    eval panels(1, 3, 4)
    unset key
    set ylabel "time [ms]"
    set title "(a) time against n"
    set xlabel "n"
    set xrange [(least > 0 ? least / 2 : 1):(least > 0 ? item(sizes, count(sizes)) * 2 : 10)]
    set xtics ("2^{16}" 2**16, "2^{20}" 2**20, "2^{25}" 2**25, "2^{30}" 2**30)
    plot (known ? NaN : 1) with lines ls 30 notitle, \
         (most > 1 ? model(x, most) : NaN) with lines ls 32 notitle, \
         for [d in "1 0"] curve(d eq "1" ? compared(csv) : results, over("tridiagonal", 1), "n") with linespoints ls 10*int(d)+8 notitle, \
         for [d in "1 0"] curve(d eq "1" ? compared(csv) : results, over("tridiagonal_mpi", 1), "n") with linespoints ls 10*int(d)+1 notitle, \
         for [d in "1 0"] curve(d eq "1" ? compared(csv) : results, over("tridiagonal_mpi", most > 1 ? most : 0), "n") with linespoints ls 10*int(d)+2 notitle
    unset ylabel
    set title "(b) strong scaling: n fixed"
    set xlabel "ranks"
    set xrange [0.6:1600]
    set xtics (1, 2, 16, 128, 1024)
    plot (known ? NaN : 1) with lines ls 30 notitle, \
         for [i = 1:3] (shown_size(i) > 0 ? model(shown_size(i), x) : NaN) with lines ls 32 notitle, \
         for [i = 1:3] for [d in "1 0"] curve(d eq "1" ? compared(csv) : results, fixed(shown_size(i)), "ranks") with linespoints ls 10*int(d)+2+i notitle
    set title large > 0 ? sprintf("(c) weak: n = %s × ranks", power(large)) : "(c) weak: n grows with the ranks"
    unset logscale y
    set yrange [0:*]
    set offsets 0, 0, graph 0.3, 0
    eval legend(4)
    plot (known ? NaN : 1) with lines ls 30 notitle, \
         (large > 0 ? model(large * x, x) : NaN) with lines ls 32 notitle, \
         for [d in "1 0"] grown(d eq "1" ? compared(csv) : results) with linespoints ls 10*int(d)+6 notitle, \
         keyentry with linespoints ls listed(8, over("tridiagonal", 1)) title titled(over("tridiagonal", 1), "one GPU alone (tridiagonal.h)"), \
         keyentry with linespoints ls listed(1, over("tridiagonal_mpi", 1)) title titled(over("tridiagonal_mpi", 1), "1 rank"), \
         keyentry with linespoints ls listed(2, over("tridiagonal_mpi", most)) title most > 1 ? titled(over("tridiagonal_mpi", most), sprintf("%.0f ranks", most)) : "", \
         for [i = 1:3] keyentry with linespoints ls listed(2 + i, fixed(shown_size(i))) title titled(fixed(shown_size(i)), "n = ".power(shown_size(i))), \
         keyentry with linespoints ls listed(6, "weak") title titled("weak", "weak scaling")
    set offsets
    set logscale y
    set yrange [*:*]
    unset multiplot
}
