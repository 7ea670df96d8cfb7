# W12 Fig. 1: original substitution and P-scheme on one CPU thread, time against the size of the
# system, as the paper draws it and divided by the number of rows. Look at how far P-scheme lies
# above the substitution: the paper finds a factor of 2, the dotted line.
# Panel (a) has the paper's units. A factor of 2 is hard to see on its five decades.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

csv = "pscheme_cpu.csv"
hollow_rows = "^([^,]*,){2}s,([^,]*,){5}1,"
K = 5
variants = "substitution pscheme_eq13 pscheme_repeat pscheme_map lapack_gtsv"
names = "'substitution (eq. 5)' 'P-scheme, eq. 13' 'P-scheme, eq. 5 repeated' 'P-scheme, map kept' 'LAPACK sgtsv'"
where(i) = "type=s cores=1 phase=".(p < 3 ? "p" : "total")." variant=".word(variants, i)
series(i) = "variant=".word(variants, i)
titles = "'(a) p, time [ms]' '(b) p, ns a row' '(c) p, q and x, ns a row'"
at_y(n, ms) = p == 1 ? ms : 1e6 * ms / n

eval size_axis
y_column = "median_ms"
set format y "%g"
set xlabel "N, rows"

eval to("wakatani2012_fig1", 860, 520)
eval panels(1, 3, 2, headline("Substitution and P-scheme on one CPU thread (W12 Fig. 1)", \
    also(about_single(csv), "the paper: P-scheme about 2 times slower; its axis: 0.01 to 1000 ms, no numbers at N")))
do for [p = 1:3] {
    eval begin(p)
    if (p == 1) { set logscale y 10; set yrange [*<0.01:*] } else { set logscale y 2; set yrange [*:*] }
    plot (p == 1 ? axis_end(1, "") : 8) with lines ls 30 notitle, \
         (p == 3 ? "< true" : rows(leading(csv), csv, where(1), "n", "median_ms")) using 1:(2 * at_y($1, $2)) with lines ls 32 notitle, \
         @curves, @entries, keyentry with lines ls 32 title titled(series(1), "2 × substitution")
}
