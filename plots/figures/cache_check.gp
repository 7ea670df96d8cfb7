# The model of a GPU's caches, which replays counted memory accesses on any machine, against Nsight
# Compute on an H100 (one kernel on an H200). Look at the launches that move the least: they read
# little but their instructions, whose bytes are added to the prediction. The script
# plots/cache_check.sh makes the data.
# Shows: cache_check.csv
load "plots/figures/style.gp"

csv = "cache_check.csv"
series = "program=pscheme_gpu variant=nshape program=thomas_batch variant=tridiagonal variant=tridiagonal_pivoted"
names = "'P-scheme' 'N-shape' 'Thomas, SERICR, PARACR and batches' 'tridiagonal solvers'"
style(i) = i > 4 ? 4 : i # the last two are shown as one series

do for [t in "svg png"] {
    eval to(t, "cache_check", 760, 480)
    heading = headline("Caches: predicted from counted accesses, and measured", "a point for each profiled launch; lines: equal; dotted: 5 % more or less")
    eval panels(1, 2, 2)
    unset key
    set title "(a) bytes read from DRAM and written"
    set logscale x 10
    set format x "10^{%T}"
    set xrange [3e3:3e10]
    set yrange [-40:20]
    set xlabel "measured [bytes]"
    set ylabel "predicted over measured [%]"
    plot 0 with lines ls 31, 5 with lines ls 32, -5 with lines ls 32, \
         for [i = 1:5] own(csv, word(series, i), "dram_ncu", "difference") with points ls style(i)

    set title "(b) loaded sectors found in L1"
    unset logscale
    set format xy "%g"
    set xrange [-3:103]
    set yrange [-3:103]
    set xlabel "measured [%]"
    set ylabel "predicted [%]"
    eval legend(2)
    plot x with lines ls 31 notitle, for [i = 1:4] own(csv, word(series, i), "l1_ncu", "l1") with points ls i notitle, \
         for [i = 1:4] keyentry with points ls i title titled(word(series, i), word(names, i))
    unset multiplot
}
