# W12 Fig. 6: speed-up over one CPU thread against T for N = 1M, G = 4 and 16, without and with
# rearrangement. Look at the gain of rearrangement, the distance of the two curves of a G.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

where(i) = "type=s phase=total n=1048576".both_layouts(i, "4 4 16 16")
series(i) = where(i)
names = layouts_of(4, 16)

eval threads_axis
eval linear_axis
eval "set yrange ".top_of(6, "")

eval to("wakatani2012_fig6", 640, 520)
eval one_panel(2, headline("Speed-up of P-scheme, N = 1M (W12 Fig. 6)", \
    also(about_single(csv), sprintf("the paper gives no numbers for this figure but the end of its axis, %g", axis_end(6, "")))))
plot 1 with lines ls 31 notitle, @curves, @entries
