# W12 Fig. 1: original substitution and P-scheme on one CPU thread, time per row against the size of
# the system. Look at how far P-scheme lies above the substitution: the paper finds a factor of 2,
# the dotted line.
# The paper draws the time of the whole system. Here it is divided by the number of rows, because a
# factor of 2 would be hard to see on an axis of several decades.
# Shows: p*.csv
load "plots/figures/style.gp"
if (!exists("figure")) figure = "wakatani2012_fig1"

csv = "pscheme_cpu.csv"
variants = "substitution pscheme_eq13 pscheme_repeat pscheme_map lapack_gtsv"
names = "'substitution (eq. 5)' 'P-scheme, eq. 13' 'P-scheme, eq. 5 repeated' 'P-scheme, map kept' 'LAPACK sgtsv'"
where(i, phase) = "type=s cores=1 phase=".phase." variant=".word(variants, i)
ns(ms, n) = 1e6 * ms / n

set logscale xy 2
set xrange [800:2.2e7]
set xtics ("1K" 2**10, "16K" 2**14, "256K" 2**18, "4M" 2**22)
set format y "%g"
set xlabel "size n"

do for [t in "svg png"] {
    eval to(t, figure, 760, 520)
    heading = headline("Substitution and P-scheme on one CPU thread (W12 and W13 Fig. 1)", \
        also(also(about(csv), "single precision"), "the numbers on the paper's axes are illegible; its text: P-scheme about 2 times slower"))
    eval panels(1, 2, 2)
    do for [panel = 0:1] {
        phase = panel ? "total" : "p"
        set title panel ? "(b) whole system (p, q, x)" : "(a) recurrence for p"
        set ylabel panel ? "" : "time per row [ns]"
        if (panel) { eval legend(2) } else { unset key }
        plot 8 with lines ls 30 notitle, \
             for [i = 5:1:-1] ref(csv, where(i, phase), "n", "median_ms") using 1:(ns($2, $1)) with linespoints ls 10+i notitle, \
             (panel ? "< true" : rows(leading(csv), csv, where(1, "p"), "n", "median_ms")) using 1:(2 * ns($2, $1)) with lines ls 32 notitle, \
             for [i = 5:1:-1] own(csv, where(i, phase), "n", "median_ms") using 1:(ns($2, $1)) with linespoints ls i notitle, \
             for [i = 5:1:-1] hollow(csv, where(i, phase), "n", "median_ms") using 1:(ns($2, $1)) with points ls 40+i notitle, \
             for [i = 1:5] keyentry with linespoints ls listed(i, "variant=".word(variants, i)) title titled("variant=".word(variants, i), word(names, i)), \
             keyentry with lines ls 32 title titled("variant=substitution", "2 × substitution")
    }
    unset multiplot
}
