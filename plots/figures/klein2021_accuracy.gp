# Accuracy on the twenty test matrices of Klein and Strzodka (ICPP 2021, Table 1), 512 rows, double
# precision: forward errors and residuals of tridiagonal.h with and without pivoting, and of LAPACK.
# Look at the triangles at the upper end: there the solver without pivoting fails, and pivoting does
# not.
# In the legend, "resident": each row is read once and kept in shared memory; "two-pass": read a
# second time. All points come from one run: this run, or the reference if this run has none.
# Shows: @(nshape|tridiagonal|tdse_*).csv
# Needs: @(tridiagonal|nshape)_accuracy.csv
load "plots/figures/style.gp"

csv = accuracy_csv
methods = "lapack tridiagonal_pivoted tridiagonal_pivoted_twice tridiagonal"
names = "'LAPACK gtsv' 'pivoted, resident' 'pivoted, two-pass' 'not pivoted'"
titles = "'(a) forward error |x − x_{true}|_2 / |x_{true}|_2, median over the seeds' '(b) largest residual of a row over the size of its terms, in ε'"
style(m) = int(word("4 1 2 3", m))
symbol(m) = int(word("13 7 5 6", m))
dodge(m) = 0.19 * (m - 2.5)

# values(): lines "matrix y" of method m in panel p. beyond = 0: the values up to `top`; 1: all others
# (larger values, or no solution), as `top`.
values(m, beyond) = computed(holder(csv), csv, sprintf("$col[\"type\"] == \"d\" && $col[\"n\"] == 512 && $col[\"method\"] == \"%s\" { y = $col[\"%s\"]; out = y !~ /^[0-9]/ || y + 0 > %g;" \
    ." if (out == %d) print $col[\"matrix\"], out ? %g : y }", word(methods, m), word("forward_error residual_eps", p), top, beyond, top))
seeds = system(computed(holder(csv), csv, "$col[\"n\"] == 512 { print $col[\"seeds\"]; exit }")[3:*])

eval decades("y")
set xrange [0.5:20.5]
set xtics 2 scale 0
set grid noxtics
set for [i = 1:19] arrow i from i + 0.5, graph 0 to i + 0.5, graph 1 nohead back lc rgb "#d8d8d8" lw 0.7

eval to("klein2021_accuracy", 760, 790)
eval panels(2, 1, 2, headline("One tridiagonal system: twenty matrices, with and without pivoting", \
    also(also(whose(csv), "double precision, n = 512, ".seeds." seeds each"), "matrices of Klein and Strzodka 2021") \
    .newline."triangle at the upper end of an axis: value beyond it, or no solution found" \
    .newline."limit with pivoting: (a) 10 times LAPACK's error where that is below the line, (b) 30 ε"))
do for [p = 1:2] {
    top = p == 1 ? 1e4 : 1e5
    eval begin(p)
    set title offset 0,-0.5
    set yrange [(p == 1 ? 1e-17 : 0.1):top]
    set ytics 0 + (p == 1 ? 1e-16 : 0.1),0 + (p == 1 ? 1e4 : 10)
    set xlabel p == 1 ? "" : "matrix (named in solvers/test/matrices.c)"
    plot (p == 1 ? 1e-6 : 30) with lines ls 33 title "", \
         for [m = 1:4] values(m, 0).noted(source_of(csv), "method=".word(methods, m)." panel=".p) using ($1 + dodge(m)):2 with points ls style(m) lw 1.5 pt symbol(m) notitle, \
         for [m = 1:4] values(m, 1) using ($1 + dodge(m)):2 with points ls style(m) lw 1.5 pt 8 ps 1.3 notitle, \
         for [m = 1:4] keyentry with points ls style(m) lw 1.5 pt symbol(m) title titled("method=".word(methods, m), word(names, m)), \
         keyentry with lines ls 33 title "limit"
}
