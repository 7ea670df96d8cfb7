# W13 Fig. 1: original substitution and P-scheme on one CPU thread for the linear recurrence (W13
# eq. 2), time against N and divided by N. Look at how far P-scheme lies above the substitution: the
# paper finds a factor of 2, the dotted line.
# The paper shows the figure of W12 again, which is about the tridiagonal system. This one is about
# the equation that W13 solves.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_axes.inc"

csv = "pscheme_cpu.csv"
hollow_rows = "^[^,]*,recurrence[^,]*,s,([^,]*,){5}1,"
variants = "recurrence recurrence_pscheme"
names = "'substitution (eq. 2)' 'P-scheme'"
where(i) = "type=s cores=1 phase=total variant=".word(variants, i)

set logscale x 2
set xrange [800:2.2e7]
set xtics ("1K" 2**10, "16K" 2**14, "256K" 2**18, "4M" 2**22)
set format y "%g"
set xlabel "N, unknowns"

do for [t in "svg png"] {
    eval to(t, "wakatani2013_fig1", 760, 470)
    heading = headline("Linear recurrence on one CPU thread (W13 Fig. 1)", \
        also(also(about(csv), "single precision"), "the paper: P-scheme about 2 times slower; (a) has the units of W12 Fig. 1"))
    eval panels(1, 2, 1)
    do for [panel = 0:1] {
        y(ms, n) = panel ? 1e6 * ms / n : ms
        set title panel ? "(b) time per unknown [ns]" : "(a) time [ms]"
        if (panel) { unset logscale y; set yrange [0:*]; eval legend(1) } else { set logscale y 10; set yrange [*<0.01:*]; unset key }
        plot (panel ? 1 : axis_end(1, "")) with lines ls 30 notitle, \
             for [i = 2:1:-1] ref(csv, where(i), "n", "median_ms") using 1:(y($2, $1)) with linespoints ls 10+i notitle, \
             rows(leading(csv), csv, where(1), "n", "median_ms") using 1:(2 * y($2, $1)) with lines ls 32 notitle, \
             for [i = 2:1:-1] own(csv, where(i), "n", "median_ms") using 1:(y($2, $1)) with linespoints ls i notitle, \
             for [i = 2:1:-1] hollow(csv, where(i), "n", "median_ms") using 1:(y($2, $1)) with points ls 40+i notitle, \
             for [i = 1:2] keyentry with linespoints ls listed(i, "variant=".word(variants, i)) title titled("variant=".word(variants, i), word(names, i)), \
             keyentry with lines ls 32 title titled("variant=recurrence", "2 × substitution")
    }
    unset multiplot
}
