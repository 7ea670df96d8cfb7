# W12 Fig. 6: speed-up over one CPU thread against T for N = 1M, G = 4 and 16, without and with
# rearrangement. Look at the gain of rearrangement, the distance of the two curves of a G.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_axes.inc"

csv = "pscheme_gpu.csv"
variants = "rearranged block rearranged block"
Gs = "4 4 16 16"
names = "'G = 4, rearranged' 'G = 4, not rearranged' 'G = 16, rearranged' 'G = 16, not rearranged'"
where(i) = "type=s phase=total n=1048576 variant=".word(variants, i)." blocks=".word(Gs, i)

eval threads_axis
eval linear_axis
eval "set yrange ".top_of(6, "")

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig6", 640, 520)
    heading = headline("Speed-up of P-scheme, N = 1M (W12 Fig. 6)", \
        also(also(about(csv), "single precision"), sprintf("the paper gives no numbers for this figure but the end of its axis, %g", axis_end(6, ""))))
    eval one_panel(2)
    eval legend(2)
    plot 1 with lines ls 31 notitle, \
         for [i = 4:1:-1] ref(csv, where(i), "threads", "speedup") with linespoints ls 10+i notitle, \
         for [i = 4:1:-1] own(csv, where(i), "threads", "speedup") with linespoints ls i notitle, \
         for [i = 4:1:-1] hollow(csv, where(i), "threads", "speedup") with points ls 40+i notitle, \
         for [i = 1:4] keyentry with linespoints ls listed(i, where(i)) title titled(where(i), word(names, i))
}
