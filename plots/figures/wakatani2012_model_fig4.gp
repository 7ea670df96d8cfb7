# W12 Fig. 4, 7 and 8 from counted memory accesses alone: modelled speed-up over one CPU thread beside
# the paper's points, and the gain of rearrangement in the pre-computation. Look at (b): nothing was
# fitted to its points, and the lines are highest at the T that the paper found best.
# The model, wakatani2012_model.awk, computes the times from the memory segments that the count
# build counted.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_axes.inc"
load "plots/figures/wakatani2012_model.inc"

variants = "rearranged block rearranged block"
Gs = "4 4 32 32"
names = "'G = 4, rearranged' 'G = 4, not rearranged' 'G = 32, rearranged' 'G = 32, not rearranged'"
where(n, i) = sprintf("n=%d variant=%s blocks=%s", n, word(variants, i), word(Gs, i))
ratio(G, y) = modelled("ratios", "n=262144 blocks=".G, "threads", y)

eval threads_axis
set xtics (16, 64, 256)
set format y "%g"
do for [t in "svg png"] {
    eval to(t, "wakatani2012_model_fig4", 860, 540)
    heading = headline("W12 Fig. 4, 7 and 8 from counted memory accesses", also(about_model, c1060))
    eval panels(1, 3, 5)
    unset logscale y
    eval legend(5)
    set key at screen 0.36, screen at_bottom(2.5, 6)
    do for [panel = 0:1] {
        n = panel ? 1048576 : 262144
        set title panel ? "(b) speed-up, N = 1M" : "(a) speed-up, N = 256K"
        eval sprintf("set yrange [0:%g]", panel ? axis_end(8, "b") : axis_end(4, "")) # the paper's axes
        if (panel) { unset key }
        plot 1 with lines ls 31 notitle, \
             for [i = 4:1:-1] model(where(n, i)." phase=total", "speedup") with linespoints ls i notitle, \
             for [i = 1:4] paper("wakatani2012_fig8.csv", where(n, i), "threads", "speedup") with points ls 20+i notitle, \
             for [i = 1:4] keyentry with linespoints ls i title word(names, i)
    }
    set title "(c) gain, N = 256K"
    set logscale y 2
    set yrange [1:20]
    eval legend(5)
    set key at screen 0.78, screen at_bottom(2.5, 6)
    plot 2 with lines ls 32 notitle, 10 with lines ls 32 notitle, \
         for [i = 1:2] ratio(word("4 32", i), "precompute") with linespoints ls 2*i-1 notitle, \
         for [i = 1:2] ratio(word("4 32", i), "precompute_kernel") with linespoints ls 10+2*i-1 notitle, \
         for [i = 1:2] quoted_ratio(word("4 32", i)).noted("paper", "ratio blocks=".word("4 32", i)) with points ls 20+2*i-1 notitle, \
         for [i = 1:2] keyentry with linespoints ls 2*i-1 title "pre-computation, G = ".word("4 32", i), \
         for [i = 1:2] keyentry with linespoints ls 10+2*i-1 title "without the overhead, G = ".word("4 32", i), \
         keyentry with lines ls 32 title "the paper: 2 to 10"
    unset multiplot
}
