# W12 Fig. 3 from counted memory accesses alone: modelled times of the three phases on a Tesla C1060
# beside the paper's points, N = 256K, G = 4 and 32, without and with rearrangement. Look at how
# near the lines come to the open symbols, although nothing was measured for them.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

eval threads_axis
eval time_axis
set yrange [0.03:50]
set style line 35 lc rgb "#999999" lw 1.5 pt 2 ps 0.8

eval to("wakatani2012_model_fig3", 760, 790)
eval panels(2, 2, 4, headline("W12 Fig. 3 from counted memory accesses, N = 256K", also(about_model(0), c1060)))
do for [p = 1:4] {
    eval begin(p)
    plot for [i = 4:1:-1] model(where(i), "median_ms") with linespoints ls i lw (i == 3 ? 4 : 2) notitle, \
         model(where(1), "median_ms") with linespoints ls 1 notitle, \
         axis_end(3, word("a b c d", p)) with lines ls 34 notitle, @published, \
         (p == 2 ? printed("1") : "< true") with points ls 35 notitle, \
         (p % 2 ? "< true" : walked(word(Gs, p))) with points ls 22 notitle, \
         for [i = 1:4] keyentry with linespoints ls i title word(names, i), \
         keyentry with points ls 22 title walked_name, \
         keyentry with points ls 35 title printed_name, keyentry with lines ls 34 title end_of_axis
}
