# Best time over P1 against the size n of one complex system, for n_it = 1, 2 and 3 (L22-4) and with
# n_it and P1 as the cost model chooses them during the run (L22-2), beside Thomas on one thread and
# the solvers of cuSPARSE and LAPACK. Look at the slopes: the more nested applications, the flatter
# the predicted growth, the dotted lines.
# The dotted lines show the growth that L22 predicts through the point at n = 3·10^5. Beyond the
# grey line a system (80 bytes a row) is larger than the 50 MB of an H100's L2 cache (L22-4 e).
# Shows: @(nshape|tdse_*).csv
load "plots/figures/style.gp"
load "plots/figures/lutsyshyn2022.inc"

one_core = several(results) ? in_cores(1) : "variant="
cusparse = at."variant=cusparse_gtsv2"
lapack = at."variant=lapack_gtsv"
thomas = at."variant=thomas_cpu cores=1"
# The curves of the CPU and their styles; the last one is not drawn of the reference.
on_cpu(dir, i) = i == 1 ? thomas : i == 2 ? lapack : i == 3 ? all(dir) : one_core
cpu_style(i) = int(word("4 5 1 6", i))
# The curves of the GPU and their styles. The first three begin with n_it.
K = 7
variants = "nshape nshape nshape thomas_gpu cusparse_gtsv2 cusparse_gtsv2_nopivot nshape_model"
style(i) = int(word("1 2 3 4 5 7 8", i))
where(i) = at."variant=".word(variants, i).(i > 3 ? "" : sprintf(" nest=%d", i))
own_cpu = any(rows(results, csv, thomas, "n", "median_ms"))
# anchor(): the time of curve i at n = 3·10^5, where its dotted line starts; 0: not run.
anchor(i) = number(rows(leading(csv), csv, "n=300000 ".where(i), "n", "median_ms"))
within(y) = y < 0.01 || y > 2000 ? NaN : y # cut off, so that the dotted lines do not extend the axis
guide(i, n) = anchor_[i] > 0 ? within(anchor_[i] * (n / 3e5)**(i > 3 ? 1.0 : 1.0 / (i + 1))) : NaN
array anchor_[4] = [anchor(1), anchor(2), anchor(3), anchor(4)]
copy = ms_of_byte(leading(csv), csv)
leading_rows(y) = rows(leading(csv), csv, where(1), "n", y)

eval decades("x")
set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
set xlabel "rows n of the system"
eval time_axis
set yrange [*:*]
titles = "'(a) GPU' '(b) CPU: ".cores_of_both(csv, own_cpu)."'"
transparent = "0.1 with lines ls 30 notitle, 1 with lines ls 30 notitle, for [n in '1e4 1e6'] '< echo '.n using 1:(1) with points ls 30 notitle, leading_rows('n') using 1:(1) with points ls 30 notitle"

eval to("lutsyshyn2022_scaling", 760, 600)
eval panels(1, 2, 4, headline("Best time over P_1 against the size of the system", \
    also(about_both(csv, own_cpu), "double complex")))
eval begin(1)
eval vertical(1, 6.25e5, 31)
plot @transparent, for [i = 1:4] [x = *:*] guide(i, x) with lines ls 32 notitle, \
     (copy == 0 ? "< true" : leading_rows("bytes")) using 1:(within($2 * copy)) with lines ls 33 notitle, \
     for [i = K:1:-1] ref(csv, where(i), "n", "median_ms") with linespoints ls 10 + style(i) notitle, \
     for [i = K:1:-1] own(csv, where(i), "n", "median_ms") with linespoints ls style(i) notitle
unset arrow 1
eval begin(2)
plot @transparent, for [i = 1:3] ref(csv, on_cpu(reference, i), "n", "median_ms") with linespoints ls 10 + cpu_style(i) notitle, \
     for [i = 1:4] own(csv, on_cpu(results, i), "n", "median_ms") with linespoints ls cpu_style(i) notitle, \
     for [i = 1:4] hollow(csv, on_cpu(results, i), "n", "median_ms") with points ls 40 + cpu_style(i) notitle, \
     for [i = 1:3] keyentry with linespoints ls listed(i, sprintf("nest=%d", i)) title titled(sprintf("nest=%d", i), sprintf("N-shaped, n_{it} = %d", i)), \
     keyentry with linespoints ls listed(8, where(7)) title titled(where(7), "N-shaped, by the model"), \
     keyentry with linespoints ls listed(6, one_core) title titled(one_core, "N-shaped, one core"), \
     keyentry with linespoints ls (drawn(thomas) == 1 ? 4 : listed(4, where(4))) title titled(drawn(thomas) ? thomas : where(4), "Thomas, one thread"), \
     keyentry with linespoints ls (drawn(lapack) == 1 ? 5 : listed(5, cusparse)) title titled(drawn(lapack) ? lapack : cusparse, "cuSPARSE gtsv2, LAPACK"), \
     keyentry with linespoints ls listed(7, where(6)) title titled(where(6), "cuSPARSE gtsv2\\_nopivot"), \
     keyentry with lines ls 32 title anchor_[1] > 0 ? "L22: n^{1/(n_{it}+1)}, n" : "", \
     keyentry with lines ls 33 title copy > 0 ? "least bytes at copy speed" : "", \
     keyentry with lines ls 31 title "80 n bytes fill H100's L2"
