# W12 Fig. 4 from counted memory accesses alone: modelled speed-up over one CPU thread beside the
# paper's points, N = 256K, and the gain of rearrangement in the pre-computation. Look at (b): the
# gain that follows from the accesses lies in the paper's "2 to 10 times" for most T.
# The model, wakatani2012_model.awk, computes the times from the memory segments that the count
# build counted.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_model.inc"

variants = "rearranged block rearranged block"
Gs = "4 4 32 32"
names = "'G = 4, rearranged' 'G = 4, not rearranged' 'G = 32, rearranged' 'G = 32, not rearranged'"
where(i) = "variant=".word(variants, i)." blocks=".word(Gs, i)
ratio(G, y) = "< ".run_model." -v part=ratios ".model_files." | awk -f plots/tables/columns.awk -f plots/tables/select.awk -v where='blocks=".G."' -v x=threads -v y=".y." -"

eval threads_axis
set format y "%g"
do for [t in "svg png"] {
    eval to(t, "wakatani2012_model_fig4", 760, 540)
    heading = headline("W12 Fig. 4 from counted memory accesses, N = 256K", also(about_model, c1060))
    eval panels(1, 2, 4)
    set title "(a) speed-up over one CPU thread"
    unset logscale y
    set yrange [0:2.5] # the paper's axis
    eval legend(4)
    set key at screen 0.28, screen at_bottom(2, 6)
    plot 1 with lines ls 31 notitle, \
         for [i = 4:1:-1] model(where(i)." phase=total", "speedup") with linespoints ls i notitle, \
         for [i = 1:4] paper("wakatani2012_fig4.csv", where(i), "threads", "speedup") with points ls 20+i notitle, \
         for [i = 1:4] keyentry with linespoints ls i title word(names, i)
    set title "(b) gain in pre-computation; dotted: 2 to 10"
    set logscale y 2
    set yrange [1:20]
    set key at screen 0.77, screen at_bottom(2, 6)
    plot 2 with lines ls 32 notitle, 10 with lines ls 32 notitle, \
         for [i = 1:2] ratio(word("4 32", i), "precompute") with linespoints ls 2*i-1 notitle, \
         for [i = 1:2] ratio(word("4 32", i), "precompute_kernel") with linespoints ls 10+2*i-1 notitle, \
         for [i = 1:2] quoted_ratio(word("4 32", i)).noted("paper", "ratio blocks=".word("4 32", i)) with points ls 20+2*i-1 notitle, \
         for [i = 1:2] keyentry with linespoints ls 2*i-1 title "G = ".word("4 32", i), \
         for [i = 1:2] keyentry with linespoints ls 10+2*i-1 title "G = ".word("4 32", i).", without the overhead"
    unset multiplot
}
