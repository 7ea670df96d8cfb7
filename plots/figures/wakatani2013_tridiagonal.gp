# The tridiagonal system by P-scheme on the GPU, which W13 leaves to the future: time against P =
# G·T without and with rearrangement, beside cuSPARSE and this project's solver, and the phases at G
# = 32. Look at (b): at the P that is best in (a) the parallel phases take the same time in both
# layouts; only more threads need rearrangement, and for them the serial propagations are long.
# Panel (b) also shows the program compiled so that loads bypass L1, if the run has its file.
# Shows: p*.csv
# Needs: pscheme_gpu.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "pscheme_gpu.csv"
no_l1 = "pscheme_gpu_tridiagonal_no_l1.csv"
K = 2
variants = "tridiagonal_block tridiagonal"
names = "'no rearrangement (block)' 'rearranged'"
at = "type=s phase=total n=1048576 "
where(i) = at.series(i)
parallel = "^(p_precompute|p_determine|q_determine|x_determine)$"
serial = "^(p|q|x)_propagate$"

# sums(): lines "P ms", the sum of the phases whose names match, at G = 32.
sums(dir, csv, i, phases) = computed(dir, csv, timed("s", word(variants, i)) \
    .sprintf(" && $col[\"n\"] == 1048576 && $col[\"blocks\"] == 32 && $col[\"phase\"] ~ /%s/ { ms[$col[\"parts\"]] += $col[\"median_ms\"] }" \
    ." END { for (parts in ms) print parts, ms[parts] }", phases)).noted(source(dir), where(i)." ".phases." ".csv)

# best(): the shortest time of variant i; cusparse(), solver(), cpu(): those of other solvers; or 0.
level(dir, csv, condition) = number(rows(dir, csv, at.condition, "n", "median_ms"))
best(dir, i) = level(dir, csv, series(i))
cusparse(dir) = level(dir, csv, "variant=cusparse_gtsv2")
solver(dir) = level(dir, "tridiagonal.csv", "variant=tridiagonal")
cpu(dir) = level(dir, "pscheme_cpu.csv", "cores=1 variant=substitution")
from = leading(csv)
told(name, ms) = ms > 0 ? sprintf("%s %.3g", name, ms) : ""
times(dir) = told("block", best(dir, 1)).told(", rearranged", best(dir, 2)).told(", cuSPARSE", cusparse(dir)).told(", solver", solver(dir))

set logscale x 2
set xrange [50:20000]
set xtics ("64" 64, "256" 256, "1K" 2**10, "4K" 2**12, "16K" 2**14)
set xlabel "P = G·T, threads"
x_column = "parts"
eval time_axis
titles = "'(a) whole solution, best G' '(b) phases at G = 32'"

eval to("wakatani2013_tridiagonal", 760, 560)
eval panels(1, 2, 4, headline("The tridiagonal system by P-scheme, N = 1M (W13, future work)", \
    also(also(about(csv), "single precision, without the transposition"), "best in ms: ".times(from).(numbers_of(csv) eq "" ? "" : " (reference)"))))
set yrange [0.005:100]
eval begin(1)
plot or_nan(solver(from)) with lines ls 33 notitle, \
     or_nan(cusparse(from)) with lines ls 34 lw 2 notitle, \
     or_nan(cpu(from)) with lines ls 32 notitle, @undisturbed
eval begin(2)
plot for [i = 2:1:-1] sums(compared(csv), csv, i, parallel) with linespoints ls 10+i notitle, \
     sums(compared(csv), csv, 2, serial) with linespoints ls 13 notitle, \
     for [i = 2:1:-1] sums(compared(csv), no_l1, i, parallel) with points ls 20+i notitle, \
     for [i = 2:1:-1] sums(results, csv, i, parallel) with linespoints ls i notitle, \
     sums(results, csv, 2, serial) with linespoints ls 3 notitle, \
     for [i = 2:1:-1] sums(results, no_l1, i, parallel) with points ls 20+i ps 1.6 notitle, \
     @entries, keyentry with linespoints ls listed(3, serial) title titled(serial, "serial propagations"), \
     for [i = 1:2] keyentry with points ls 20+i title titled(series(i)." ".no_l1, word(names, i).", no L1"), \
     keyentry with lines ls 32 title cpu(from) > 0 ? "one CPU thread, substitution" : "", \
     keyentry with lines ls 34 lw 2 title cusparse(from) > 0 ? "cuSPARSE gtsv2" : "", \
     keyentry with lines ls 33 title solver(from) > 0 ? "solvers/tridiagonal" : ""
