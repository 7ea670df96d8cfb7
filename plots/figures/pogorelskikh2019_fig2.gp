# PL19 Fig. 2: time to solve one system against its size, with Thomas and PARACR, beside cuSPARSE,
# the CPU and this repository's own kernels thomas_tile and paracr_block. Look at the size at which
# PARACR is 7 times faster than Thomas, the paper's factor: there its curve crosses the dotted line.
# Only 0, 50 and 100 s are legible on the paper's axes, which are linear, so its points are not
# drawn. Our axis ends at 100 s, too.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv tridiagonal_batch.csv"
variants = "thomas_shared paracr_partial thomas_tile paracr_block cusparse_strided thomas_cpu"
where(type, i) = "batch=1 phase=total type=".type." variant=".word(variants, i).(word(variants, i) eq "thomas_cpu" ? " cores=1" : "")
series(i) = "variant=".word(variants, i)
label(i) = word(variants, i).(word(variants, i) eq "thomas_cpu" ? ", one thread" : "")
factor = number(paper("pogorelskikh2019_text.csv", "where=fig2", "ratio", "ratio"))
own_cpu = any(rows(results, csv, where("s", 6), "n", "median_ms"))
# faster(): text with the size at which the speed-up of PARACR over Thomas is the paper's factor,
# between two sizes that were run, and the speed-up at the largest size that both have run. The times
# are those of this run, or of the reference if this run has none.
faster(type) = system("{ ".rows(leading(csv), csv, where(type, 1), "n", "median_ms")[3:*]."; ".rows(leading(csv), csv, where(type, 2), "n", "median_ms")[3:*]."; }" \
    ." | awk -v factor=".sprintf("%g", factor)." '($1 in t) { y = t[$1] / $2; if (last && last < factor && y >= factor) at = sprintf(\" %g times at n = %.0f,\", factor, n * exp(log($1 / n) * log(factor / last) / log(y / last))); n = $1; last = y; text = sprintf(\":%s %.0f times at 2^{%.3g}\", at, y, log(n) / log(2)) } { t[$1] = $2 } END { print text }'")

set logscale x 2
set xrange [200:2.2e7]
set xtics ("256" 2**8, "4K" 2**12, "64K" 2**16, "1M" 2**20, "16M" 2**24)
set xlabel "size n of the system"
eval time_axis
set yrange [*:100]
set format y "10^{%T}"

do for [t in "svg png"] {
    eval to(t, "pogorelskikh2019_fig2", 760, 560)
    heading = headline("One system: Thomas and parallel cyclic reduction (PL19 Fig. 2)", \
        also(also(also(about_both(csv, own_cpu), "times without transfers"), numbers_of(csv)), \
        "the paper's points are illegible; its text: PARACR ".sprintf("%g", factor)." times faster"))
    eval panels(1, 2, 3)
    do for [type in "s d"] {
        set title (type eq "s" ? "(a) single" : "(b) double").faster(type) font ",12"
        set ylabel type eq "s" ? "time [s]" : ""
        if (type eq "s") { unset key } else { eval legend(3)." noenhanced" }
        plot 1e-5 with lines ls 30 notitle, 1e-2 with lines ls 30 notitle, \
             for [i = 6:1:-1] ref(csv, where(type, i), "n", "median_ms") using 1:(1e-3*$2) with linespoints ls 10+i notitle, \
             rows(leading(csv), csv, where(type, 1), "n", "median_ms") using 1:(1e-3*$2/factor) with lines ls 32 notitle, \
             for [i = 6:1:-1] own(csv, where(type, i), "n", "median_ms") using 1:(1e-3*$2) with linespoints ls i notitle, \
             for [i = 6:1:-1] hollow(csv, where(type, i), "n", "median_ms") using 1:(1e-3*$2) with points ls 40+i notitle, \
             for [i = 1:6] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), label(i)), \
             keyentry with lines ls 32 title titled(series(1), sprintf("thomas_shared / %g", factor))
    }
    unset multiplot
}
