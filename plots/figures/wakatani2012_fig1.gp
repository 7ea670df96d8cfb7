# W12 Fig. 1: original substitution and P-scheme on one CPU thread, time per row against the size of
# the system.
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
set xtics ("1K" 2**10, "16K" 2**14, "256K" 2**18, "4M" 2**22, "16M" 2**24)
set format y "%g"
set xlabel "size n"
set ylabel "time per row [ns]"

do for [t in "svg png"] {
    eval to(t, figure, 1000, 600)
    set multiplot layout 1,2 margins 0.08,0.98,0.20,0.79 spacing 0.09 title headline("Substitution and P-scheme on one CPU thread, single precision (W12 and W13 Fig. 1)", \
        about(csv, "CPU").newline."The numbers on the paper's axes are illegible, so none of its points are drawn; its text says: P-scheme about 2 times slower.")
    set title "(a) recurrence for p"
    unset key
    plot 8 with lines ls 30 notitle, \
         for [i = 4:1:-1] ref(csv, where(i, "p"), "n", "median_ms") using 1:(ns($2, $1)) with linespoints ls 10+i notitle, \
         own(csv, where(1, "p"), "n", "median_ms") using 1:(2 * ns($2, $1)) with lines ls 32 notitle, \
         for [i = 4:1:-1] own(csv, where(i, "p"), "n", "median_ms") using 1:(ns($2, $1)) with linespoints ls i notitle, \
         for [i = 4:1:-1] hollow(csv, where(i, "p"), "n", "median_ms") using 1:(ns($2, $1)) with points ls 40+i notitle
    set title "(b) whole system (p, q, x)"
    set key at screen 0.5, screen 0.06 center center vertical maxrows 2 samplen 2 width -4
    plot 8 with lines ls 30 notitle, \
         for [i = 5:1:-1] ref(csv, where(i, "total"), "n", "median_ms") using 1:(ns($2, $1)) with linespoints ls 10+i notitle, \
         for [i = 5:1:-1] own(csv, where(i, "total"), "n", "median_ms") using 1:(ns($2, $1)) with linespoints ls i notitle, \
         for [i = 5:1:-1] hollow(csv, where(i, "total"), "n", "median_ms") using 1:(ns($2, $1)) with points ls 40+i notitle, \
         for [i = 1:5] keyentry with linespoints ls i title word(names, i), \
         keyentry with lines ls 32 title "2 × substitution (the paper's statement)"
    unset multiplot
}
