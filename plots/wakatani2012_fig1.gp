# W12 Fig. 1: original substitution against P-scheme on one CPU thread, over the size of the system.
load "plots/style.gp"

csv = "pscheme_cpu.csv"
variants = "substitution pscheme_eq13 pscheme_repeat pscheme_map lapack_gtsv"
names = "'substitution (eq. 5)' 'P-scheme, eq. 13' 'P-scheme, eq. 5 repeated' 'P-scheme, map kept' 'LAPACK sgtsv'"
where(i, phase) = "type=s cores=1 phase=".phase." variant=".word(variants, i)

set logscale xy
set logscale x 2
set xrange [800:2.2e7]
set yrange [0.0005:3000]
set xtics ("1K" 2**10, "4K" 2**12, "16K" 2**14, "64K" 2**16, "256K" 2**18, "1M" 2**20, "4M" 2**22, "16M" 2**24)
set format y "%g"
set xlabel "size n"
set ylabel "time [ms]"

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig1", 1000, 520)
    set multiplot layout 1,2 title headline("Substitution and P-scheme on one CPU thread, single precision (W12 Fig. 1)", \
        about(csv, "CPU").newline."The axis numbers of the paper's curves are lost, so none of its points are drawn; it says: P-scheme about 2 times slower.")
    set title "(a) recurrence for p"
    set key top left reverse Left samplen 2
    plot for [i = 4:1:-1] ref(csv, where(i, "p"), "n", "median_ms") with linespoints ls 10+i notitle, \
         for [i = 4:1:-1] own(csv, where(i, "p"), "n", "median_ms") with linespoints ls i notitle, \
         for [i = 1:4] keyentry with linespoints ls i title word(names, i)
    set title "(b) whole system (p, q, x)"
    plot for [i = 5:1:-1] ref(csv, where(i, "total"), "n", "median_ms") with linespoints ls 10+i notitle, \
         for [i = 5:1:-1] own(csv, where(i, "total"), "n", "median_ms") with linespoints ls i notitle, \
         for [i = 1:5] keyentry with linespoints ls i title word(names, i)
    unset multiplot
}
