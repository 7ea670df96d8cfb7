# W12 Fig. 4, 7 and 8 from counted memory accesses alone: modelled speed-up over one CPU thread
# beside the paper's points, and the gain of rearrangement in the pre-computation. Look at (b):
# nothing was fitted to its points, and the lines are highest at the T that the paper found best.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

points_csv = "wakatani2012_fig8.csv"
y_column = "speedup"
K_paper = 4
names = layouts_of(4, 32)
where(i) = "n=".word(sizes, p).both_layouts(i, "4 4 32 32")
ratio(i, y) = modelled("ratios", "n=262144 blocks=".word("4 32", i), "threads", y)
# quoted_ratio(): the gain of rearrangement in the paper's pre-computation, for each T.
quoted_ratio(i) = "< for v in block rearranged; do awk -f plots/tables/columns.awk -f plots/tables/select.awk -v where=\"variant=$v blocks=".word("4 32", i)." phase=precompute\" -v x=threads -v y=median_ms plots/paper/wakatani2012_fig3.csv; done | awk '$1 in t { print $1, t[$1]/$2 } { t[$1] = $2 }'"
titles = "'(a) speed-up, N = 256K' '(b) speed-up, N = 1M'"

eval threads_axis
set xtics (16, 64, 256)
eval to("wakatani2012_model_fig4", 860, 540)
eval panels(1, 3, 5, headline("W12 Fig. 4, 7 and 8 from counted memory accesses", also(about_model(0), c1060)))
unset logscale y
set format y "%g"
eval legend(5)
set key at screen 0.36, screen at_bottom(2.5, 6)
do for [p = 1:2] {
    set title word(titles, p)
    eval sprintf("set yrange [0:%g]", p == 1 ? axis_end(4, "") : axis_end(8, "b"))
    if (p == 2) { unset key }
    plot 1 with lines ls 31 notitle, \
         for [i = 4:1:-1] model(where(i)." phase=total", "speedup") with linespoints ls i notitle, \
         @published, for [i = 1:4] keyentry with linespoints ls i title word(names, i)
}
set title "(c) gain, N = 256K"
set logscale y 2
set yrange [1:20]
eval legend(5)
set key at screen 0.78, screen at_bottom(2.5, 6)
plot 2 with lines ls 32 notitle, 10 with lines ls 32 notitle, \
     for [i = 1:2] ratio(i, "precompute") with linespoints ls 2*i-1 notitle, \
     for [i = 1:2] ratio(i, "precompute_kernel") with linespoints ls 10+2*i-1 notitle, \
     for [i = 1:2] quoted_ratio(i).noted("paper", "ratio blocks=".word("4 32", i)) with points ls 20+2*i-1 notitle, \
     for [i = 1:2] keyentry with linespoints ls 2*i-1 title "pre-computation, G = ".word("4 32", i), \
     for [i = 1:2] keyentry with linespoints ls 10+2*i-1 title "without the overhead, G = ".word("4 32", i), \
     keyentry with lines ls 32 title "the paper: 2 to 10"
