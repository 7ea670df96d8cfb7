# The N-shaped partition method over several GPUs, one MPI rank per GPU (L22 section 5.2, 6.2): time
# of a step against the number of ranks, for fixed n and for n that grows with the number of ranks.
# Look at the percentages, the efficiency: 100% would be r times as fast with r GPUs.
# Shows: @(nshape|tdse_*).csv
# Needs: nshape_scaling_*.csv
load "plots/figures/style.gp"

csv = "nshape_scaling_'*'.csv"
large = "nshape_large_'*'.csv"
names = "'T changes' 'factors kept'"

# In the functions below, v is the index of the variant (1 or 2) and i that of n.
from = leading(csv)
variants = "step step_kept"
sizes = values(from, csv, "type=z phase=total variant=step", "n")
ranks = values(from, csv, "type=z phase=total variant=step", "ranks")
n_count = words(sizes) > 0 ? words(sizes) : 1
size(i) = words(sizes) < i ? 0 : real(word(sizes, i))
base = size(1)
most = words(ranks) > 0 ? int(word(ranks, words(ranks))) : 1
where(v, n) = sprintf("type=z phase=total variant=%s n=%.0f", word(variants, v), n)
strong(dir, v, i) = rows(dir, csv, where(v, size(i)), "ranks", "median_ms")
shown(dir, v, i) = strong(dir, v, i).noted(source(dir), where(v, size(i)))
ms(v, n, r) = number(rows(from, csv, where(v, n).sprintf(" ranks=%d", r), "n", "median_ms"))
style(v, i) = i + 3 * (v - 1)
# first(): the time of one rank, or 0. In an array, because each fetch starts a process.
array one[2 * n_count]
do for [v = 1:2] { do for [i = 1:n_count] { one[n_count * (v - 1) + i] = ms(v, size(i), 1) } }
first(v, i) = one[n_count * (v - 1) + i]
# weak(): lines "ranks time" at n = (smallest n) × ranks.
weak(v) = computed(from, csv, timed("z", word(variants, v)).sprintf(" && $col[\"phase\"] == \"total\" && $col[\"n\"] == %.0f * $col[\"ranks\"] { print $col[\"ranks\"], $col[\"median_ms\"] }", base))
share(of, y, form) = of > 0 && y > 0 ? sprintf(form, 100 * of / y) : ""

# of_large(): column y of the run of the largest system. The text in (b) compares its time per row
# and rank with that of `beside`, the point in (b) with as many ranks.
of_large(y) = number(rows(from, large, "type=z phase=total variant=step", "batch", y))
huge = of_large("n")
per_row(ms, n, r) = sprintf("%.3g", 1e6 * ms * r / n)
beside = huge > 0 ? ms(1, base * of_large("ranks"), of_large("ranks")) : 0
label_of_large = huge <= 0 ? "" : sprintf("n = %s over %.0f, T changes:\n%.4g ms, %.4g GB/s\n%s ns a row and rank", \
    power(huge), of_large("ranks"), of_large("median_ms"), of_large("bytes") / of_large("median_ms") / 1e6, per_row(of_large("median_ms"), huge, of_large("ranks"))) \
    .(beside > 0 ? sprintf(";\nwith n = %s %s", power(base * of_large("ranks")), per_row(beside, base * of_large("ranks"), of_large("ranks"))) : "")

set logscale x 2
set xlabel "ranks"
set format y "%g"
eval to("lutsyshyn2022_gpus", 760, 560)
eval panels(1, 2, 3, headline("N-shaped method over several GPUs, a rank each (L22 5.2, 6.2)", \
    also(also(about(csv), "double complex"), "numbers: efficiency of r ranks, (a) t_1 / (r t_r), (b) t_1 / t_r")))
set logscale y 10
set yrange [*:*]
set title "(a) fixed n"
set ylabel "time a step [ms]"
set xrange [0.85:1.9 * (most > 2 ? most : 2)] # the percentages stand right of the points
set xtics (1, 2, 4, 8, 16, 32)
unset key
plot (base > 0 ? NaN : 1) with lines ls 30 notitle, \
     for [v = 1:2] for [i = 1:n_count] (x < 1 || x > most ? NaN : or_nan(first(v, i)) / x) with lines ls 32 notitle, \
     for [v = 1:2] for [i = 1:n_count] shown(compared(csv), v, i) with linespoints ls 10+style(v, i) notitle, \
     for [v = 1:2] for [i = 1:n_count] shown(results, v, i) with linespoints ls style(v, i) notitle, \
     for [v = 1:2] for [i = 1:n_count] strong(from, v, i) using ($1 == most ? $1 : NaN):2:(share(first(v, i), most * $2, "%.0f%%")) \
        with labels left offset 0.8,0.5*v-0.75 font ",12" notitle
set xrange [0.85:1.3 * (most > 2 ? most : 2)]
unset logscale y
set yrange [0:*]
set offsets 0, 0, graph 0.45, 0
set title base > 0 ? sprintf("(b) n = %s × ranks", power(base)) : "(b) n grows with the ranks"
set style textbox opaque noborder margins 1, 1
set label 1 label_of_large at graph 0.03, graph 0.94 left front boxed font ",12"
eval legend(3)
plot (base > 0 ? NaN : 1) with lines ls 30 notitle, \
     for [v = 1:2] weak(v) with linespoints ls style(v, 1) + (from eq results ? 0 : 10) notitle, \
     for [v = 1:2] weak(v) using 1:2:($1 == 1 ? "" : share(first(v, 1), $2, "%.1f%%")) \
        with labels offset 0,1 font ",12" notitle, \
     for [i = 1:n_count] for [v = 1:2] keyentry with linespoints ls listed(style(v, i), where(v, size(i))) title titled(where(v, size(i)), sprintf("n = %s, %s", power(size(i)), word(names, v))), \
     keyentry with lines ls 32 title base > 0 ? "ideal: t_1 / r" : ""
