# The number of systems from which on a GPU pays: speed-up over Thomas on one CPU thread against the
# number of systems, n = 4095, contiguous, without and with transfers. Look at where the curves with
# transfers cross the line at 1: the paper did not run fewer than 5000 systems, the dotted line,
# because a GPU would not pay.
# Transfers copy four arrays to the GPU and x back, from and to pinned memory. One more curve is
# Thomas on all cores of the CPU.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv"
baseline = "variant=thomas_cpu phase=total cores=1"
at(type) = "n=4095 type=".type." "
series(i) = word("variant=thomas_shared variant=thomas_shared variant=paracr_partial variant=paracr_partial variant=thomas_cpu", i) \
    ." phase=".(i == 2 || i == 4 ? "total+transfers" : "total")
titles = "thomas_shared 'thomas_shared with transfers' paracr_partial 'paracr_partial with transfers'"
own_cpu = any(rows(results, csv, at("s").baseline, "batch", "median_ms"))
# pays(): the number of systems, between two that were run, at which thomas_shared with transfers is
# as fast as one CPU thread, or empty. saying(): the line of the subtitle with these numbers.
pays(type) = system(rows(leading(csv), csv, at(type).series(2), "batch", "speedup")[3:*] \
    ." | awk '{ if (y && y < 1 && $2 >= 1) at = x * exp(log($1 / x) * -log(y) / log($2 / y)); x = $1; y = $2 } END { if (at) printf \"%.0f\", at }'")
saying = pays("s") eq "" || pays("d") eq "" ? "" : "thomas\\_shared with transfers pays from ".pays("s")." systems (single) and ".pays("d")." (double)"

set logscale x 10
set xrange [40:30000]
set xtics ("50" 50, "200" 200, "1000" 1000, "5000" 5000, "25000" 25000)
set xlabel "systems"
eval speedup_axis
set arrow 1 from first 5000, graph 0 to first 5000, graph 1 nohead ls 32

do for [t in "svg png"] {
    eval to(t, "pogorelskikh2019_few", 760, 540)
    heading = headline("Few systems: the number from which on a GPU pays (PL19)", \
        also(also(about_both(csv, own_cpu), "transfers: pinned memory"), also(numbers_of(csv), also("dotted: the paper's smallest number of systems", saying))))
    eval panels(1, 2, 3)
    do for [type in "s d"] {
        set title type eq "s" ? "(a) single" : "(b) double"
        set ylabel type eq "s" ? "speed-up over one CPU thread" : ""
        if (type eq "s") { unset key } else { eval legend(3)." noenhanced" }
        plot 1 with lines ls 31 notitle, \
             0.5 with lines ls 30 notitle, 128 with lines ls 30 notitle, \
             for [y in "s d"] for [i = 1:5] rows(leading(csv), csv, at(y).series(i), "batch", "speedup") with lines ls 30 notitle, \
             for [i = 5:1:-1] ref(csv, at(type).series(i), "batch", "speedup") with linespoints ls 10+i notitle, \
             for [i = 5:1:-1] own(csv, at(type).series(i), "batch", "speedup") with linespoints ls i notitle, \
             for [i = 5:1:-1] hollow(csv, at(type).series(i), "batch", "speedup") with points ls 40+i notitle, \
             for [i = 1:4] keyentry with linespoints ls listed(i, series(i)." ") title titled(series(i)." ", word(titles, i)), \
             keyentry with linespoints ls listed(5, "variant=thomas_cpu") title titled("variant=thomas_cpu", "thomas_cpu, ".cores_of_both(csv, own_cpu))
    }
    unset multiplot
}
