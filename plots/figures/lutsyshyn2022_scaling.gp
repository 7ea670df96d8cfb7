# Best time over P1 against the size n of one complex system, for n_it = 1, 2 and 3 (L22-4) and with
# n_it and P1 as the cost model chooses them during the run (L22-2), beside Thomas on one thread and
# the solvers of cuSPARSE and LAPACK. Look at the slopes: the more nested applications, the flatter
# the predicted growth, the dotted lines.
# The dotted lines show the growth that L22 predicts, n^(1/(n_it+1)) for the method and n for
# Thomas, through the measured point at n = 3·10^5. Beyond the grey line a system (80 bytes a row) is
# larger than the 50 MB of an H100's L2 cache (L22-4 e). The dash-dotted line is the time in which the
# minimum number of bytes that the method needs moves at the speed of a large copy.
# Shows: @(nshape|tdse_*).csv
load "plots/figures/style.gp"

csv = "nshape.csv"
hollow_rows = "^nshape,[^,]*,z,"
at = "type=z phase=total "
best(nest) = at."variant=nshape nest=".nest
on_cpu = at."variant=nshape_cpu nest=1 cores="
all(dir) = on_cpu.word(most_cores(dir, csv)." 0", 1)
one_core = on_cpu."1"
several(dir) = most_cores(dir, csv) ne "" && most_cores(dir, csv) ne "1 core"
model = at."variant=nshape_model"
cusparse = at."variant=cusparse_gtsv2"
nopivot = at."variant=cusparse_gtsv2_nopivot"
lapack = at."variant=lapack_gtsv"
on_gpu(i) = i > 3 ? at."variant=thomas_gpu" : best(i)
thomas = at."variant=thomas_cpu cores=1"
own_cpu = any(rows(results, csv, thomas, "n", "median_ms"))
# anchor(i): the time of curve i at n = 3·10^5, where its dotted line starts. It comes from this
# run, or from the reference if this run has no times. 0 means that it was not run.
anchor(i) = number(rows(leading(csv), csv, "n=300000 ".on_gpu(i), "n", "median_ms"))
within(y) = y < 0.01 || y > 2000 ? NaN : y # cut off, so that the dotted lines do not extend the axis
guide(i, n) = anchor_[i] > 0 ? within(anchor_[i] * (n / 3e5)**(i > 3 ? 1.0 : 1.0 / (i + 1))) : NaN
array anchor_[4] = [anchor(1), anchor(2), anchor(3), anchor(4)]
copied(y) = number(rows(leading(csv), csv, "variant=copy type=s", "n", y))
ms_of_byte = copied("bytes") > 0 ? copied("median_ms") / copied("bytes") : 0

set logscale x 10
set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
set format x "10^{%T}"
set xlabel "rows n of the system"
eval time_axis
set yrange [*:*]

do for [t in "svg png"] {
    eval to(t, "lutsyshyn2022_scaling", 760, 600)
    heading = headline("Best time over P_1 against the size of the system", \
        also(about_both(csv, own_cpu), "double complex"))
    eval panels(1, 2, 4)
    set title "(a) GPU"
    set ylabel "time [ms]"
    unset key
    set arrow 1 from 6.25e5, graph 0 to 6.25e5, graph 1 nohead ls 31
    plot 0.1 with lines ls 30 notitle, 1 with lines ls 30 notitle, \
         for [n in "1e4 1e6"] "< echo ".n using 1:(1) with points ls 30 notitle, \
         rows(leading(csv), csv, best(1), "n", "n") using 1:(1) with points ls 30 notitle, \
         for [i = 1:4] [x = *:*] guide(i, x) with lines ls 32 notitle, \
         (ms_of_byte == 0 ? "< true" : rows(leading(csv), csv, best(1), "n", "bytes")) using 1:(within($2 * ms_of_byte)) with lines ls 33 notitle, \
         for [i = 4:1:-1] ref(csv, on_gpu(i), "n", "median_ms") with linespoints ls 10+i notitle, \
         ref(csv, cusparse, "n", "median_ms") with linespoints ls 15 notitle, \
         ref(csv, nopivot, "n", "median_ms") with linespoints ls 17 notitle, \
         ref(csv, model, "n", "median_ms") with linespoints ls 18 notitle, \
         own(csv, nopivot, "n", "median_ms") with linespoints ls 7 notitle, \
         own(csv, cusparse, "n", "median_ms") with linespoints ls 5 notitle, \
         own(csv, model, "n", "median_ms") with linespoints ls 8 notitle, \
         for [i = 4:1:-1] own(csv, on_gpu(i), "n", "median_ms") with linespoints ls i notitle
    unset arrow 1
    set title "(b) CPU: ".cores_of_both(csv, own_cpu)
    unset ylabel
    eval legend(4)
    plot 0.1 with lines ls 30 notitle, 1 with lines ls 30 notitle, \
         for [n in "1e4 1e6"] "< echo ".n using 1:(1) with points ls 30 notitle, \
         rows(leading(csv), csv, best(1), "n", "n") using 1:(1) with points ls 30 notitle, \
         ref(csv, thomas, "n", "median_ms") with linespoints ls 14 notitle, \
         ref(csv, lapack, "n", "median_ms") with linespoints ls 15 notitle, \
         ref(csv, all(reference), "n", "median_ms") with linespoints ls 11 notitle, \
         own(csv, thomas, "n", "median_ms") with linespoints ls 4 notitle, \
         own(csv, lapack, "n", "median_ms") with linespoints ls 5 notitle, \
         (several(results) ? own(csv, one_core, "n", "median_ms") : "< true") with linespoints ls 6 notitle, \
         own(csv, all(results), "n", "median_ms") with linespoints ls 1 notitle, \
         hollow(csv, thomas, "n", "median_ms") with points ls 44 notitle, \
         hollow(csv, lapack, "n", "median_ms") with points ls 45 notitle, \
         (several(results) ? hollow(csv, one_core, "n", "median_ms") : "< true") with points ls 46 notitle, \
         hollow(csv, all(results), "n", "median_ms") with points ls 41 notitle, \
         for [i = 1:3] keyentry with linespoints ls listed(i, sprintf("nest=%d", i)) title titled(sprintf("nest=%d", i), sprintf("N-shaped, n_{it} = %d", i)), \
         keyentry with linespoints ls listed(8, model) title titled(model, "N-shaped, by the model"), \
         keyentry with linespoints ls listed(6, one_core) title several(results) ? titled(one_core, "N-shaped, one core") : "", \
         keyentry with linespoints ls (drawn(thomas) == 1 ? 4 : listed(4, on_gpu(4))) title titled(drawn(thomas) ? thomas : on_gpu(4), "Thomas, one thread"), \
         keyentry with linespoints ls (drawn(lapack) == 1 ? 5 : listed(5, cusparse)) title titled(drawn(lapack) ? lapack : cusparse, "cuSPARSE gtsv2, LAPACK"), \
         keyentry with linespoints ls listed(7, nopivot) title titled(nopivot, "cuSPARSE gtsv2\\_nopivot"), \
         keyentry with lines ls 32 title anchor_[1] > 0 ? "L22: n^{1/(n_{it}+1)}, n" : "", \
         keyentry with lines ls 33 title ms_of_byte > 0 ? "least bytes at copy speed" : "", \
         keyentry with lines ls 31 title "80 n bytes fill L2 (50 MB)"
    unset multiplot
}
