# L22 Fig. 2: time to solve one complex system of n = 3·10^5 rows against P1, the number of blocks
# of the first application, for n_it = 1, 2 and 3 nested applications of the method, on a GPU and
# (not in the paper) on CPU cores.
# The arrows mark the best P1 that L22 eq. 8 predicts with the alpha and beta that fit_l22.awk fits
# to the times for n_it = 1. The paper's points are illegible and its times are in arbitrary units,
# so its points are not drawn.
# Shows: @(nshape|tdse_*).csv
load "plots/figures/style.gp"

csv = "nshape.csv"
at = "type=z n=300000 phase=total "
gpu(nest) = at."variant=nshape nest=".nest
# cores = 0 means all cores of the run in `dir`.
cpu(dir, cores, nest) = at."variant=nshape_cpu nest=".nest." cores=".(cores > 0 ? sprintf("%d", cores) : word(most_cores(dir, csv)." 0", 1))
thomas = at."variant=thomas_cpu cores=1"
# The x of an arrow is the predicted best P1. The arrow points upwards and ends just below the
# shortest measured time. Both numbers come from this run, or from the reference if this run has no
# times.
fitted(nest, y) = number(rows(leading(csv), "fit_l22.csv", "variant=nshape type=z n=300000 nest=".nest, "n", y))
arrow(nest) = fitted(nest, "popt") > 0 ? sprintf("< echo %g %g %g", fitted(nest, "popt"), fitted(nest, "best_ms") / 1.9, fitted(nest, "best_ms") * (1 / 1.12 - 1 / 1.9)) : "< true"
cores_of = most_cores(results, csv) ne "" ? most_cores(results, csv) : all_cores(csv)

set logscale x 10
set xrange [7:45000]
set format x "%g"
set xlabel "P_1, blocks of the first application"
eval time_axis
set yrange [*:*]

do for [t in "svg png"] {
    eval to(t, "lutsyshyn2022_fig2", 1000, 600)
    set multiplot layout 1,2 margins 0.08,0.98,0.20,0.78 spacing 0.09 title headline("One system of 3·10^5 rows: time against the number of blocks (L22 Fig. 2)", \
        about(csv, "GPU").newline."double complex, joint lines through extra elements; arrows: predicted best P_1, with α and β fitted to n_{it} = 1" \
        .newline."The paper's points are illegible (time in arbitrary units), so none are drawn.")
    do for [panel = 0:1] {
        set title panel ? "(b) CPU, ".cores_of : "(a) GPU, one thread a block"
        if (panel) { eval legend_columns } else { unset key }
        plot 0.1 with lines ls 30 notitle, 1 with lines ls 30 notitle, \
             for [i = 3:1:-1] (panel ? ref(csv, cpu(reference, 0, i), "parts", "median_ms") : ref(csv, gpu(i), "parts", "median_ms")) with linespoints ls 10+i notitle, \
             (panel ? own(csv, cpu(results, 1, 1), "parts", "median_ms") : "< true") with linespoints ls 4 notitle, \
             (panel ? hollow(csv, cpu(results, 1, 1), "parts", "median_ms") : "< true") with points ls 44 notitle, \
             for [i = 3:1:-1] (panel ? hollow(csv, cpu(results, 0, i), "parts", "median_ms") : "< true") with points ls 40+i notitle, \
             (panel ? own(csv, thomas, "n", "median_ms") : "< true") using (7):2:(44993):(0) with vectors nohead ls 33 notitle, \
             for [i = 3:1:-1] (panel ? own(csv, cpu(results, 0, i), "parts", "median_ms") : own(csv, gpu(i), "parts", "median_ms")) with linespoints ls i notitle, \
             for [i = 1:3] (panel ? "< true" : arrow(i)) using 1:2:(0):3 with vectors head filled size graph 0.02,20 ls i lw 2.5 notitle, \
             for [i = 1:3] keyentry with linespoints ls i title sprintf("n_{it} = %d", i), \
             keyentry with linespoints ls 4 title "n_{it} = 1, one core", \
             keyentry with lines ls 33 title "Thomas, one core"
    }
    unset multiplot
}
