# W12 Fig. 1: original substitution and P-scheme on one CPU thread, time against the size of the
# system, as the paper draws it and divided by the number of rows. Look at how far P-scheme lies
# above the substitution: the paper finds a factor of 2, the dotted line.
# Panel (a) has the paper's units. A factor of 2 is hard to see on its five decades; (b) and (c) show
# it.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_axes.inc"

csv = "pscheme_cpu.csv"
hollow_rows = "^([^,]*,){2}s,([^,]*,){5}1,"
variants = "substitution pscheme_eq13 pscheme_repeat pscheme_map lapack_gtsv"
names = "'substitution (eq. 5)' 'P-scheme, eq. 13' 'P-scheme, eq. 5 repeated' 'P-scheme, map kept' 'LAPACK sgtsv'"
where(i, phase) = "type=s cores=1 phase=".phase." variant=".word(variants, i)
titles = "'(a) p, time [ms]' '(b) p, ns a row' '(c) p, q and x, ns a row'"

set logscale x 2
set xrange [800:2.2e7]
set xtics ("1K" 2**10, "16K" 2**14, "256K" 2**18, "4M" 2**22)
set format y "%g"
set xlabel "N, rows"

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig1", 860, 520)
    heading = headline("Substitution and P-scheme on one CPU thread (W12 Fig. 1)", \
        also(also(about(csv), "single precision"), "the paper: P-scheme about 2 times slower; its axis: 0.01 to 1000 ms, no numbers at N"))
    eval panels(1, 3, 2)
    do for [panel = 1:3] {
        phase = panel < 3 ? "p" : "total"
        y(ms, n) = panel == 1 ? ms : 1e6 * ms / n
        set title word(titles, panel)
        if (panel == 1) { set logscale y 10; set yrange [*<0.01:*] } else { set logscale y 2; set yrange [*:*] }
        if (panel == 3) { eval legend(2) } else { unset key }
        plot (panel == 1 ? axis_end(1, "") : 8) with lines ls 30 notitle, \
             for [i = 5:1:-1] ref(csv, where(i, phase), "n", "median_ms") using 1:(y($2, $1)) with linespoints ls 10+i notitle, \
             (panel == 3 ? "< true" : rows(leading(csv), csv, where(1, "p"), "n", "median_ms")) using 1:(2 * y($2, $1)) with lines ls 32 notitle, \
             for [i = 5:1:-1] own(csv, where(i, phase), "n", "median_ms") using 1:(y($2, $1)) with linespoints ls i notitle, \
             for [i = 5:1:-1] hollow(csv, where(i, phase), "n", "median_ms") using 1:(y($2, $1)) with points ls 40+i notitle, \
             for [i = 1:5] keyentry with linespoints ls listed(i, "variant=".word(variants, i)) title titled("variant=".word(variants, i), word(names, i)), \
             keyentry with lines ls 32 title titled("variant=substitution", "2 × substitution")
    }
    unset multiplot
}
