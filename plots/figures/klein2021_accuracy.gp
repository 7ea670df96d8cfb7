# Accuracy on the twenty test matrices of Klein and Strzodka (ICPP 2021, Table 1), 512 rows, double
# precision: forward errors and residuals of tridiagonal.h with and without pivoting, and of LAPACK.
# Look at the triangles at the right ends: there the solver without pivoting fails, and pivoting
# does not.
# A residual is that of a row over the size of its terms, the largest of all rows and seeds; an
# error is the median over the seeds. The limit with pivoting is in (a) ten times LAPACK's error,
# where that is below 1e-6, in (b) 30 ε.
# In the legend, "resident": each row is read once and kept in shared memory; "two-pass": read a
# second time. All points come from one run: this run, or the reference if this run has none.
# Shows: @(nshape|tridiagonal|tdse_*).csv
# Needs: tridiagonal_accuracy.csv
load "plots/figures/style.gp"

csv = "tridiagonal_accuracy.csv"
methods = "lapack tridiagonal_pivoted tridiagonal_pivoted_twice tridiagonal"
names = "'LAPACK gtsv' 'pivoted, resident' 'pivoted, two-pass' 'not pivoted'"
titles = "'(a) error |x − x_{true}|_2 / |x_{true}|_2, median' '(b) largest residual of a row, in ε'"
style(m) = int(word("4 1 2 3", m))
symbol(m) = int(word("13 7 5 6", m))
row(matrix, m) = matrix + 0.19 * (m - 2.5)

# from_rows(): what a program prints of the rows of method m, whose value in panel p is y.
from_rows(m, program) = computed(holder(csv), csv, sprintf("$col[\"type\"] == \"d\" && $col[\"n\"] == 512 && $col[\"method\"] == \"%s\" { y = $col[\"%s\"]; %s }", \
    word(methods, m), word("forward_error residual_eps", p), program))
# values(): lines "matrix y". beyond = 0: the values up to `top`; 1: all others (larger values, or
# no solution), as `top`.
values(m, beyond) = from_rows(m, sprintf("out = y !~ /^[0-9]/ || y + 0 > %g; if (out == %d) print $col[\"matrix\"], out ? %g : y", top, beyond, top))
limits(p) = from_rows(1, p == 1 ? "if (y < 1e-6) print $col[\"matrix\"], 10 * y" : "print $col[\"matrix\"], 30")
p = 1
# The names of the matrices, shortened to fit beside (a).
matrices = from_rows(1, "t = $col[\"text\"]; gsub(/;/, \",\", t); sub(/~ U/, \"random\", t); sub(/ singular values?/, \" σ\", t);" \
    ." sub(/probability/, \"p =\", t); print $col[\"matrix\"], \"\\\"\" t \"  \" $col[\"matrix\"] \"\\\"\"")
seeds = system(from_rows(1, "print $col[\"seeds\"]; exit")[3:*])

eval decades("x")
unset mxtics
set yrange [20.5:0.5]
unset ytics
set for [i = 1:19] arrow i from graph 0, first i + 0.5 to graph 1, first i + 0.5 nohead back lc rgb "#d8d8d8" lw 0.7

if (narrow) { exit } # the names of the matrices need the width
eval to("klein2021_accuracy", 760, 790)
heading = headline("One tridiagonal system: twenty matrices, with and without pivoting", \
    also(also(whose(csv), "double precision, n = 512, ".seeds." seeds each"), "triangle: value beyond the axis, or no solution"))
set multiplot layout 1,2 margins 270. / width, 1 - 16. / width, at_bottom(2, 44), at_top(34) spacing 20. / width,0 title heading
do for [p = 1:2] {
    top = p == 1 ? 1e4 : 1e5
    set title word(titles, p) font ",12"
    set xrange [(p == 1 ? 1e-17 : 0.1):top]
    set xtics 0 + (p == 1 ? 1e-16 : 1),0 + (p == 1 ? 1e8 : 100)
    if (p == 2) { eval legend(2) } else { unset key }
    plot matrices using (p == 1 ? 1e-17 : NaN):1:2 with labels right offset -0.7,0 font ",11" notitle, \
         limits(p) using 2:($1 - 0.45):(0):(0.9) with vectors nohead ls 35 notitle, \
         for [m = 1:4] values(m, 0).noted(source_of(csv), "method=".word(methods, m)." panel=".p) using 2:(row($1, m)) with points ls style(m) lw 1.5 pt symbol(m) notitle, \
         for [m = 1:4] values(m, 1) using 2:(row($1, m)) with points ls style(m) lw 1.5 pt 8 ps 1.3 notitle, \
         for [m = 1:4] keyentry with points ls style(m) lw 1.5 pt symbol(m) title titled("method=".word(methods, m), word(names, m)), \
         keyentry with lines ls 35 title "limit with pivoting"
}
