# W12 Fig. 8: speed-up with rearrangement against T for G = 4, 8, 16, 32. The strip above marks for each G
# the T that the paper found best, T = P_opt/G with the paper's P_opt = sqrt(N/2), and with the P_opt
# fitted to the phases measured here (fit.awk; of the reference where this run has no times).
load "plots/style.gp"

csv = "pscheme_gpu.csv"
Gs = "4 8 16 32"
where(n, i) = "variant=rearranged n=".n." blocks=".word(Gs, i)
total = " type=s phase=total"
best(n, i) = paper("wakatani2012_best.csv", "n=".n." blocks=".word(Gs, i), "best_threads", "blocks")
fitted = device(results, csv) eq "" ? reference : results
mark(T) = T > 0 ? sprintf("< echo %g", T) : "< true"

eval threads_axis
set xrange [8:1024]

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig8", 1100, 680)
    set multiplot title headline("Speed-up of P-scheme, rearranged, single precision (W12 Fig. 8)", about(csv, "GPU").c1060)
    do for [panel = 0:1] {
        n = word("262144 1048576", panel + 1)
        set lmargin at screen 0.14 + 0.50 * panel
        set rmargin at screen 0.49 + 0.50 * panel

        set title panel == 0 ? "(a) N = 256K" : "(b) N = 1M"
        set tmargin at screen 0.83
        set bmargin at screen 0.72
        unset logscale y
        unset xlabel
        unset ylabel
        unset key
        set format x ""
        set yrange [0.4:3.6]
        set ytics ("best T, paper" 3, "√(N/2) / G" 2, (popt(fitted, n) > 0 ? sprintf("%sP_{opt} fit %.0f / G", fitted eq results ? "" : "ref. ", popt(fitted, n)) : "P_{opt} fit: none") 1)
        plot for [i = 1:4] best(n, i) using 1:(3) with points ls 20+i ps 1.3, \
             for [i = 1:4] mark(sqrt(n/2.)/word(Gs, i)) using 1:(2) with points ls 20+i ps 1.3, \
             for [i = 1:4] mark(popt(fitted, n)/word(Gs, i)) using 1:(1) with points ls i ps 1.3

        unset title
        set tmargin at screen 0.70
        set bmargin at screen 0.13
        set format x "%g"
        eval threads_axis
        set xrange [8:1024]
        set ytics autofreq
        set yrange [*:*]
        eval speedup_axis
        if (panel == 1) { eval legend }
        plot 1 with lines ls 31 notitle, \
             for [i = 4:1:-1] ref(csv, where(n, i).total, "threads", "speedup") with linespoints ls 10+i notitle, \
             for [i = 4:1:-1] own(csv, where(n, i).total, "threads", "speedup") with linespoints ls i notitle, \
             for [i = 1:4] paper("wakatani2012_fig8.csv", where(n, i), "threads", "speedup") with points ls 20+i notitle, \
             for [i = 1:4] keyentry with linespoints ls i title "G = ".word(Gs, i)
    }
    unset multiplot
}
