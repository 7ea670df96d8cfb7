# W13 Fig. 1: original substitution and P-scheme on one CPU thread for the linear recurrence (W13
# eq. 2), time against N and divided by N. Look at how far P-scheme lies above the substitution: the
# paper finds a factor of 2, the dotted line.
# The paper shows the figure of W12 again. This one is about the equation that W13 solves.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

csv = "pscheme_cpu.csv"
hollow_rows = "^[^,]*,recurrence[^,]*,s,([^,]*,){5}1,"
K = 2
variants = "recurrence recurrence_pscheme"
names = "'substitution (eq. 2)' 'P-scheme'"
where(i) = "type=s cores=1 phase=total variant=".word(variants, i)
series(i) = "variant=".word(variants, i)
titles = "'(a) time [ms]' '(b) time per unknown [ns]'"
at_y(n, ms) = p == 1 ? ms : 1e6 * ms / n

eval size_axis
y_column = "median_ms"
set format y "%g"
set xlabel "N, unknowns"

eval to("wakatani2013_fig1", 760, 470)
eval panels(1, 2, 1, headline("Linear recurrence on one CPU thread (W13 Fig. 1)", \
    also(about_single(csv), "the paper: P-scheme about 2 times slower; (a) has the units of W12 Fig. 1")))
do for [p = 1:2] {
    eval begin(p)
    if (p == 1) { set logscale y 10; set yrange [*<0.01:*] } else { unset logscale y; set yrange [0:*] }
    plot (p == 1 ? axis_end(1, "") : 1) with lines ls 30 notitle, \
         rows(leading(csv), csv, where(1), "n", "median_ms") using 1:(2 * at_y($1, $2)) with lines ls 32 notitle, \
         @curves, @entries, keyentry with lines ls 32 title titled(series(1), "2 × substitution")
}
