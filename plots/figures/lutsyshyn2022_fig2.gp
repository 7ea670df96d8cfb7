# L22 Fig. 2: time to solve one complex system of n = 3·10^5 rows against P1, the number of blocks
# of the first application, for n_it = 1, 2 and 3 nested applications of the method, on a GPU and
# (not in the paper) on CPU cores, there as a speed-up over Thomas on one core. Look at how near
# each arrow, the predicted best P1, is to the lowest point of its curve.
# The arrows are those of L22 eq. 8 with the alpha and beta that fits.c fits to the times for n_it =
# 1. Joint lines go through extra elements. Panel (b) shows the largest n up to 3·10^5 that this run
# has timed on its CPU cores. On an axis of decades its curves would be flat.
# Shows: @(nshape|tdse_*).csv
load "plots/figures/style.gp"
load "plots/figures/lutsyshyn2022.inc"

K = 3
where(nest) = at."n=300000 variant=nshape nest=".nest
series(i) = where(i)
# rows_n: the n of panel (b). Without times of this run's CPU it is 3·10^5, as in the reference.
timed_n = system(rows(results, csv, at."variant=nshape_cpu", "n", "n")[3:*]." | awk '$1 <= 300000 { n = $1 } END { print n + 0 }'")
rows_n = results ne "" && int(timed_n) > 0 ? timed_n : "300000"
at_n = "n=".rows_n." "
thomas = at.at_n."variant=thomas_cpu cores=1"
one_core = several(results) ? in_cores(1) : "variant="
# An arrow points at the predicted best P1 and ends just below the shortest measured time.
fitted(nest, y) = number(rows(leading(csv), "fit_l22.csv", "variant=nshape type=z n=300000 nest=".nest, "n", y))
arrow(nest) = fitted(nest, "popt") > 0 ? sprintf("< echo %g %g %g", fitted(nest, "popt"), fitted(nest, "best_ms") / 3, fitted(nest, "best_ms") * (1 / 1.2 - 1. / 3)) : "< true"

set logscale x 10
set xrange [7:45000]
set format x "%g"
set xlabel "P_1, blocks of the first application"
x_column = "parts"
eval time_axis
set yrange [*:*]
titles = "'(a) GPU, n = 3·10^5, one thread a block' '(b) CPU, n = ".(rows_n eq "300000" ? "3·10^5" : sprintf("%g", real(rows_n)))."'"

eval to("lutsyshyn2022_fig2", 760, 560)
eval panels(1, 2, 3, headline("One system: time against the number of blocks (L22 Fig. 2)", \
    also(about_both(csv, int(timed_n) > 0), "double complex; arrows: predicted best P_1; the paper's points are illegible")))
eval begin(1)
plot 0.1 with lines ls 30 notitle, 1 with lines ls 30 notitle, @undisturbed, \
     for [i = 1:3] arrow(i) using 1:2:(0):3 with vectors head filled size graph 0.02,20 ls i+10*(leading(csv) ne results) dt 1 lw 3 notitle
eval begin(2)
baseline = thomas
eval linear_axis
set ylabel "speed-up over Thomas on one core"
set yrange [0:1<*]
plot 1 with lines ls 33 notitle, \
     ref(csv, all(reference), x_column, y_column) with linespoints ls 15 notitle, \
     own(csv, one_core, x_column, y_column) with linespoints ls 4 notitle, \
     own(csv, all(results), x_column, y_column) with linespoints ls 5 notitle, \
     hollow(csv, one_core, x_column, y_column) with points ls 44 notitle, \
     hollow(csv, all(results), x_column, y_column) with points ls 45 notitle, \
     for [i = 1:3] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), sprintf("GPU, n_{it} = %d", i)), \
     keyentry with linespoints ls 5 title drawn(all(results)) == 1 ? "CPU, ".most_cores(results, csv) : "", \
     keyentry with linespoints ls 4 title drawn(one_core) == 1 ? "CPU, one core" : "", \
     keyentry with linespoints ls 15 title drawn(all(reference)) > 0 && compared(csv) ne "" ? "reference, ".most_cores(reference, csv) : "", \
     keyentry with lines ls 33 title "Thomas, one core"
