# W12 Fig. 5: times of the three phases and their total against T for N = 1M, G = 4 and 16, with
# rearrangement. Look at where propagation begins to dominate the total, compared with Fig. 3, whose
# N is a quarter of this.
# The axes of the paper are linear, up to 20 and 6 ms, the dash-dotted lines: its curves lie below
# them. Ours is logarithmic, because a GPU of today is up to a hundred times faster.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_axes.inc"

csv = "pscheme_gpu.csv"
phases = "precompute propagate determine total"
where(G, i) = "type=s n=1048576 variant=rearranged blocks=".G." phase=".word(phases, i)

eval threads_axis
eval time_axis

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig5", 760, 470)
    heading = headline("Phases of P-scheme, N = 1M, rearranged (W12 Fig. 5)", \
        also(also(about(csv), "single precision"), "the paper gives no numbers for this figure but the ends of its axes"))
    eval panels(1, 2, 2)
    do for [G in "4 16"] {
        set title sprintf("(%s) G = %s", G eq "4" ? "a" : "b", G)
        set ylabel G eq "4" ? "time [ms]" : ""
        if (G eq "4") { unset key } else { eval legend(2) }
        plot for [i = 4:1:-1] ref(csv, where(G, i), "threads", "median_ms") with linespoints ls 10+i notitle, \
             for [i = 4:1:-1] own(csv, where(G, i), "threads", "median_ms") with linespoints ls i notitle, \
             axis_end(5, G eq "4" ? "a" : "b") with lines ls 34 notitle, \
             for [i = 1:4] keyentry with linespoints ls listed(i, "phase=".word(phases, i)) title titled("phase=".word(phases, i), word(phases, i)), \
             keyentry with lines ls 34 title end_of_axis
    }
    unset multiplot
}
