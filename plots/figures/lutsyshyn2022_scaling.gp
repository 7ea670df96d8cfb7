# Best time over P1 against the size n of one complex system, for n_it = 1, 2 and 3 (L22-4) and with
# n_it and P1 as the cost model chooses them during the run (L22-2), beside Thomas on one thread and
# the solvers of cuSPARSE and LAPACK.
# The dotted lines show the growth that L22 predicts, n^(1/(n_it+1)) for the method and n for
# Thomas, through the measured point at n = 3·10^5. The dash-dotted line is the time in which the
# minimum number of bytes that the method needs moves at the speed of a large copy.
# Shows: @(nshape|tdse_*).csv
load "plots/figures/style.gp"

csv = "nshape.csv"
at = "type=z phase=total "
best(nest) = at."variant=nshape nest=".nest
cpu(dir, nest) = at."variant=nshape_cpu nest=".nest." cores=".word(most_cores(dir, csv)." 0", 1)
alone = at."variant=nshape_cpu cores=1"
model = at."variant=nshape_model"
thomas(panel) = at.(panel ? "variant=thomas_cpu cores=1" : "variant=thomas_gpu")
peer(panel) = at.(panel ? "variant=lapack_gtsv" : "variant=cusparse_gtsv2")
series(dir, panel, i) = i > 3 ? thomas(panel) : panel ? cpu(dir, i) : best(i)
# anchor(i): the time of curve i at n = 3·10^5, where its dotted line starts. It comes from this
# run, or from the reference if this run has no times. 0 means that it was not run.
anchor(i) = number(rows(leading(csv), csv, "n=300000 ".series(leading(csv), 0, i), "n", "median_ms"))
within(y) = y < 0.01 || y > 2000 ? NaN : y # cut off, so that the dotted lines do not extend the axis
guide(i, n) = anchor_[i] > 0 ? within(anchor_[i] * (n / 3e5)**(i > 3 ? 1.0 : 1.0 / (i + 1))) : NaN
array anchor_[4] = [anchor(1), anchor(2), anchor(3), anchor(4)]
copied(y) = number(rows(leading(csv), csv, "variant=copy type=s", "n", y))
ms_of_byte = copied("bytes") > 0 ? copied("median_ms") / copied("bytes") : 0
cores_of = most_cores(results, csv) ne "" ? most_cores(results, csv) : all_cores(csv)

set style line  8 lc rgb "#888888" lw 2   dt 1     pt 2 ps 0.9
set style line 18 lc rgb "#bbbbbb" lw 1.5 dt (9,5) pt 2 ps 0.5

set logscale x 10
set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
set format x "10^{%T}"
set xlabel "rows n of the system"
eval time_axis
set yrange [*:*]

do for [t in "svg png"] {
    eval to(t, "lutsyshyn2022_scaling", 1000, 620)
    set multiplot layout 1,2 margins 0.08,0.98,0.21,0.81 spacing 0.09 title headline("Best time over P_1 against the size of the system", \
        about(csv, "GPU").newline."double complex; dotted: n^{1/(n_{it}+1)} and n through the points at 3·10^5")
    do for [panel = 0:1] {
        set title panel ? "(b) CPU, ".cores_of : "(a) GPU"
        if (panel) { eval legend_columns." maxrows 3 noenhanced" } else { unset key }
        plot 0.1 with lines ls 30 notitle, 1 with lines ls 30 notitle, \
             for [n in "1e4 1e6"] "< echo ".n using 1:(1) with points ls 30 notitle, \
             rows(leading(csv), csv, best(1), "n", "n") using 1:(1) with points ls 30 notitle, \
             for [i = 1:4] (panel ? NaN : guide(i, x)) with lines ls 32 notitle, \
             (panel || ms_of_byte == 0 ? "< true" : rows(leading(csv), csv, best(1), "n", "bytes")) using 1:(within($2 * ms_of_byte)) with lines ls 33 notitle, \
             for [i = 4:1:-1] ref(csv, series(reference, panel, i), "n", "median_ms") with linespoints ls 10+i notitle, \
             ref(csv, peer(panel), "n", "median_ms") with linespoints ls 15 notitle, \
             (panel ? "< true" : ref(csv, model, "n", "median_ms")) with linespoints ls 18 notitle, \
             (panel ? own(csv, alone, "n", "median_ms") : own(csv, at."variant=cusparse_gtsv2_nopivot", "n", "median_ms")) with linespoints ls 6 + !panel notitle, \
             (panel ? hollow(csv, alone, "n", "median_ms") : "< true") with points ls 46 notitle, \
             own(csv, peer(panel), "n", "median_ms") with linespoints ls 5 notitle, \
             hollow(csv, peer(panel), "n", "median_ms") with points ls 40+5 notitle, \
             (panel ? "< true" : own(csv, model, "n", "median_ms")) with linespoints ls 8 notitle, \
             for [i = 4:1:-1] own(csv, series(results, panel, i), "n", "median_ms") with linespoints ls i notitle, \
             for [i = 4:1:-1] hollow(csv, series(results, panel, i), "n", "median_ms") with points ls 40+i notitle, \
             for [i = 1:3] keyentry with linespoints ls i title sprintf("nshape, n_it = %d", i), \
             keyentry with linespoints ls 8 title "n_it, P1 chosen by the model", \
             keyentry with linespoints ls 4 title "Thomas, one thread", \
             keyentry with linespoints ls 5 title "cusparse_gtsv2, lapack_gtsv", \
             keyentry with linespoints ls 7 title "cusparse_gtsv2_nopivot", \
             keyentry with linespoints ls 6 title "nshape, one core", \
             keyentry with lines ls 33 title "least bytes at copy speed"
    }
    unset multiplot
}
