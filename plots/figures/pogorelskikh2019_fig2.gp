# PL19 Fig. 2: time to solve one system against its size, with Thomas and PARACR, beside cuSPARSE,
# the CPU and this repository's own kernels thomas_tile and paracr_block. Look at the size at which
# PARACR is 7 times faster than Thomas, the paper's factor: there its curve crosses the dotted line.
# Only 0, 50 and 100 s are legible on the paper's axes, which are linear. Ours ends at 100 s, too.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv tridiagonal_batch.csv"
K = 6
variants = "thomas_shared paracr_partial thomas_tile paracr_block cusparse_strided thomas_cpu"
names = "thomas_shared paracr_partial thomas_tile paracr_block cusparse_strided 'thomas_cpu, one thread'"
where_type(type, i) = "batch=1 phase=total type=".type." variant=".word(variants, i).(i == K ? " cores=1" : "")
where(i) = where_type(type, i)
factor = number(paper("pogorelskikh2019_text.csv", "where=fig2", "ratio", "ratio"))
own_cpu = any(rows(results, csv, where_type("s", K), "n", "median_ms"))
at_y(n, ms) = 1e-3 * ms
# faster(): text with the size, between two that were run, at which the speed-up of PARACR over Thomas
# is the paper's factor, and the speed-up at the largest size that both have run.
times(i) = rows(leading(csv), csv, where(i), "n", "median_ms")
faster(x) = system("{ ".times(1)[3:*]."; ".times(2)[3:*]."; }" \
    ." | awk -v factor=".sprintf("%g", factor)." '($1 in t) { y = t[$1] / $2; if (last && last < factor && y >= factor) at = sprintf(\" %g times at n = %.0f,\", factor, n * exp(log($1 / n) * log(factor / last) / log(y / last))); n = $1; last = y; text = sprintf(\":%s %.0f times at 2^{%.3g}\", at, y, log(n) / log(2)) } { t[$1] = $2 } END { print text }'")

illegible = sprintf("the paper's points are illegible; its text: PARACR %g times faster", factor)

set logscale x 2
set xrange [200:2.2e7]
set xtics ("256" 2**8, "4K" 2**12, "64K" 2**16, "1M" 2**20, "16M" 2**24)
set xlabel "size n of the system"
x_column = "n"
eval time_axis
y_name = "time [s]"
set yrange [*:100]
set format y "10^{%T}"
key_options = " noenhanced"

eval to("pogorelskikh2019_fig2", 760, 560)
eval panels(1, 2, 3, headline("One system: Thomas and parallel cyclic reduction (PL19 Fig. 2)", \
    also(also(also(about_both(csv, own_cpu), "times without transfers"), numbers_of(csv)), \
    illegible)))
do for [p = 1:2] {
    type = word("s d", p)
    eval begin(p)
    set title word("'(a) single' '(b) double'", p).faster(0) font ",12"
    plot 1e-5 with lines ls 30 notitle, 1e-2 with lines ls 30 notitle, \
         times(1) using 1:(1e-3*$2/factor) with lines ls 32 notitle, @curves, @entries, \
         keyentry with lines ls 32 title titled(series(1), sprintf("thomas_shared / %g", factor))
}
