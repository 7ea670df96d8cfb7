# W12 Fig. 5: times of the three phases and their total against T for N = 1M, G = 4 and 16, with
# rearrangement.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_gpu.csv"
phases = "precompute propagate determine total"
where(G, i) = "type=s n=1048576 variant=rearranged blocks=".G." phase=".word(phases, i)

eval threads_axis
eval time_axis

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig5", 1000, 520)
    set multiplot layout 1,2 margins 0.08,0.98,0.205,0.78 spacing 0.10 title headline("Phases of P-scheme, N = 1M, rearranged, single precision (W12 Fig. 5)", \
        about(csv, "GPU").newline."the paper gives no numbers for this figure")
    do for [G in "4 16"] {
        set title sprintf("(%s) G = %s", G eq "4" ? "a" : "b", G)
        if (G eq "4") { unset key } else { eval legend }
        plot for [i = 4:1:-1] ref(csv, where(G, i), "threads", "median_ms") with linespoints ls 10+i notitle, \
             for [i = 4:1:-1] own(csv, where(G, i), "threads", "median_ms") with linespoints ls i notitle, \
             for [i = 1:4] keyentry with linespoints ls i title word(phases, i)
    }
    unset multiplot
}
