# W12 Fig. 3: times of the three phases and their total against T for N = 256K, G = 4 and 32,
# without and with rearrangement. Look at (b) and (d): the total is shortest near where the rising
# propagation crosses the falling determination.
# The axes of the paper are linear, up to 6, 5, 10 and 10 ms, the dash-dotted lines. Ours is
# logarithmic, because a GPU of today is up to a hundred times faster.
# The text gives its four times of propagation for G = 4 (crosses). They agree with the rest of the
# paper as times of G = 16 (wakatani2012_readings.gp), so they also stand at the T at which each
# panel has as many parts (open symbols).
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_axes.inc"
load "plots/figures/wakatani2012_model.inc"

csv = "pscheme_gpu.csv"
phases = "precompute propagate determine total"
where(variant, G, i) = "type=s n=262144 variant=".variant." blocks=".G." phase=".word(phases, i)

eval threads_axis
eval time_axis
variants = "block rearranged block rearranged"
Gs = "4 4 32 32"
# The crosses stand on the curves, so they are black.
set style line 35 lc rgb "#000000" lw 2 pt 2 ps 1.2
titles = "'(a) G = 4, not rearranged' '(b) G = 4, rearranged' '(c) G = 32, not rearranged' '(d) G = 32, rearranged'"

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig3", 760, 790)
    heading = headline("Phases of P-scheme, N = 256K (W12 Fig. 3)", also(also(about(csv), "single precision"), c1060))
    eval panels(2, 2, 4)
    do for [p = 1:4] {
        v = word(variants, p)
        G = word(Gs, p)
        set title word(titles, p)
        set ylabel p % 2 ? "time [ms]" : ""
        if (p < 4) { unset key } else { eval legend(4) }
        plot for [i = 4:1:-1] ref(csv, where(v, G, i), "threads", "median_ms") with linespoints ls 10+i notitle, \
             for [i = 4:1:-1] own(csv, where(v, G, i), "threads", "median_ms") with linespoints ls i notitle, \
             axis_end(3, word("a b c d", p)) with lines ls 34 notitle, \
             paper("wakatani2012_fig3.csv", "variant=".v." blocks=".G." phase=precompute", "threads", "median_ms") with points ls 21 notitle, \
             (p == 2 ? printed("1") : "< true") with points ls 35 notitle, \
             (p % 2 ? "< true" : walked(G)) with points ls 22 notitle, \
             for [i = 1:4] keyentry with linespoints ls listed(i, "phase=".word(phases, i)) title titled("phase=".word(phases, i), word(phases, i)), \
             keyentry with points ls 22 title walked_name, \
             keyentry with points ls 35 title printed_name, \
             keyentry with lines ls 34 title end_of_axis
    }
    unset multiplot
}
