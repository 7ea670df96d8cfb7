# W12 Fig. 5: times of the three phases and their total against T for N = 1M, G = 4 and 16, with
# rearrangement. Look at where propagation begins to dominate the total, compared with Fig. 3, whose
# N is a quarter of this.
# The paper's curves lie below the dash-dotted lines, the ends of its axes, which are linear.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

where(i) = "type=s n=1048576 variant=rearranged blocks=".word("4 16", p)." phase=".word(phases, i)
titles = "'(a) G = 4' '(b) G = 16'"

eval threads_axis
eval time_axis

eval to("wakatani2012_fig5", 760, 470)
eval panels(1, 2, 2, headline("Phases of P-scheme, N = 1M, rearranged (W12 Fig. 5)", \
    also(about_single(csv), "the paper gives no numbers for this figure but the ends of its axes")))
do for [p = 1:2] {
    eval begin(p)
    plot @undisturbed, axis_end(5, word("a b", p)) with lines ls 34 notitle, \
         @entries, keyentry with lines ls 34 title end_of_axis
}
