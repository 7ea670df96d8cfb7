# W12 Fig. 4: speed-up over one CPU thread against T for N = 256K, G = 4 and 32, without and with
# rearrangement. Look at which T is best for each G, and at what rearrangement gains there.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_axes.inc"

csv = "pscheme_gpu.csv"
variants = "rearranged block rearranged block"
Gs = "4 4 32 32"
names = "'G = 4, rearranged' 'G = 4, not rearranged' 'G = 32, rearranged' 'G = 32, not rearranged'"
where(i) = "n=262144 variant=".word(variants, i)." blocks=".word(Gs, i)
total = " type=s phase=total"

eval threads_axis
eval linear_axis
eval "set yrange ".top_of(4, "")

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig4", 640, 520)
    heading = headline("Speed-up of P-scheme, N = 256K (W12 Fig. 4)", also(also(about(csv), "single precision"), c1060))
    eval one_panel(2)
    eval legend(2)
    plot 1 with lines ls 31 notitle, \
         for [i = 4:1:-1] ref(csv, where(i).total, "threads", "speedup") with linespoints ls 10+i notitle, \
         for [i = 4:1:-1] own(csv, where(i).total, "threads", "speedup") with linespoints ls i notitle, \
         for [i = 4:1:-1] hollow(csv, where(i).total, "threads", "speedup") with points ls 40+i notitle, \
         for [i = 1:4] paper("wakatani2012_fig4.csv", where(i), "threads", "speedup") with points ls 20+i notitle, \
         for [i = 1:4] keyentry with linespoints ls listed(i, where(i)) title titled(where(i), word(names, i))
}
