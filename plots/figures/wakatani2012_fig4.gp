# W12 Fig. 4: speed-up over one CPU thread against T for N = 256K, G = 4 and 32, without and with
# rearrangement. Look at which T is best for each G, and at what rearrangement gains there.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

points_csv = "wakatani2012_fig4.csv"
K_paper = 4
where(i) = "n=262144".both_layouts(i, "4 4 32 32")
series(i) = where(i)
also_where = " type=s phase=total"
names = layouts_of(4, 32)

eval threads_axis
eval linear_axis
eval "set yrange ".top_of(4, "")

eval to("wakatani2012_fig4", 640, 520)
eval one_panel(2, headline("Speed-up of P-scheme, N = 256K (W12 Fig. 4)", also(about_single(csv), c1060)))
plot 1 with lines ls 31 notitle, @curves, @published, @entries
