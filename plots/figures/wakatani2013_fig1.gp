# W13 Fig. 1: how many times longer P-scheme takes than the original substitution on one CPU thread,
# against the size of the system. Look at how near the curves come to 2, the dotted line, which is
# what the paper finds.
# W13 Fig. 1 is W12 Fig. 1, the times themselves; this figure divides them.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_cpu.csv"
variants = "pscheme_eq13 pscheme_repeat pscheme_map"
names = "'P-scheme, eq. 13' 'P-scheme, eq. 5 repeated' 'P-scheme, map kept'"
where(i, phase) = "type=s cores=1 phase=".phase." variant=".word(variants, i)

set logscale x 2
set xrange [800:2.2e7]
set xtics ("1K" 2**10, "16K" 2**14, "256K" 2**18, "4M" 2**22)
set yrange [0:3.5]
set xlabel "size n"

do for [t in "svg png"] {
    eval to(t, "wakatani2013_fig1", 760, 480)
    heading = headline("P-scheme over substitution on one CPU thread (W13 Fig. 1)", \
        also(also(about(csv), "single precision"), "dotted: the paper, about twice slower"))
    eval panels(1, 2, 1)
    do for [panel = 0:1] {
        phase = panel ? "total" : "p"
        baseline = "variant=substitution cores=1 phase=".phase
        set title panel ? "(b) whole system (p, q, x)" : "(a) recurrence for p"
        set ylabel panel ? "" : "time over substitution"
        if (panel) { eval legend(1) } else { unset key }
        plot 2 with lines ls 32 notitle, \
             for [i = 3:1:-1] ref(csv, where(i, phase), "n", "speedup") using 1:(1 / $2) with linespoints ls 11+i notitle, \
             for [i = 3:1:-1] own(csv, where(i, phase), "n", "speedup") using 1:(1 / $2) with linespoints ls 1+i notitle, \
             for [i = 3:1:-1] hollow(csv, where(i, phase), "n", "speedup") using 1:(1 / $2) with points ls 41+i notitle, \
             for [i = 1:3] keyentry with linespoints ls listed(1+i, "variant=".word(variants, i)) title titled("variant=".word(variants, i), word(names, i))
    }
    unset multiplot
}
