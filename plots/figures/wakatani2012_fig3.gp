# W12 Fig. 3: times of the three phases and their total against T for N = 256K, G = 4 and 32,
# without and with rearrangement. Look at (b) and (d): the total is shortest near where the rising
# propagation crosses the falling determination.
# The dash-dotted lines are the ends of the paper's axes, which are linear. The text gives its four
# times of propagation for G = 4 (crosses). They agree with the rest of the paper as times of G = 16
# (wakatani2012_readings.gp), so they also stand at the T at which each panel has as many parts.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

also_where = " type=s"
eval threads_axis
eval time_axis
set style line 35 lc rgb "#000000" lw 2 pt 2 ps 1.2 # the crosses stand on the curves, so they are black

eval to("wakatani2012_fig3", 760, 790)
eval panels(2, 2, 4, headline("Phases of P-scheme, N = 256K (W12 Fig. 3)", also(about_single(csv), c1060)))
do for [p = 1:4] {
    eval begin(p)
    plot @undisturbed, axis_end(3, word("a b c d", p)) with lines ls 34 notitle, @published, \
         (p == 2 ? printed("1") : "< true") with points ls 35 notitle, \
         (p % 2 ? "< true" : walked(word(Gs, p))) with points ls 22 notitle, \
         @entries, keyentry with points ls 22 title walked_name, \
         keyentry with points ls 35 title printed_name, keyentry with lines ls 34 title end_of_axis
}
