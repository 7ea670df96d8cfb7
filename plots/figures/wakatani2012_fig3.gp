# W12 Fig. 3: times of the three phases and their total against T for N = 256K, G = 4 and 32,
# without and with rearrangement.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_gpu.csv"
phases = "precompute propagate determine total"
where(variant, G, i) = "type=s n=262144 variant=".variant." blocks=".G." phase=".word(phases, i)

eval threads_axis
eval time_axis
variants = "block rearranged block rearranged"
Gs = "4 4 32 32"
titles = "'(a) G = 4, no rearrangement' '(b) G = 4, rearranged' '(c) G = 32, no rearrangement' '(d) G = 32, rearranged'"

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig3", 1000, 900)
    set multiplot layout 2,2 margins 0.08,0.98,0.13,0.865 spacing 0.10,0.14 title headline("Phases of P-scheme, N = 256K, single precision (W12 Fig. 3)", \
        about(csv, "GPU").c1060)
    do for [p = 1:4] {
        v = word(variants, p)
        G = word(Gs, p)
        set title word(titles, p)
        if (p < 4) { unset key } else { eval legend }
        plot for [i = 4:1:-1] ref(csv, where(v, G, i), "threads", "median_ms") with linespoints ls 10+i notitle, \
             for [i = 4:1:-1] own(csv, where(v, G, i), "threads", "median_ms") with linespoints ls i notitle, \
             for [i = 1:3] paper("wakatani2012_fig3.csv", "variant=".v." blocks=".G." phase=".word(phases, i), "threads", "median_ms") with points ls 20+i notitle, \
             for [i = 1:4] keyentry with linespoints ls i title word(phases, i)
    }
    unset multiplot
}
