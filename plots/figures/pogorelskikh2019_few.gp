# The number of systems from which on a GPU pays: speed-up over Thomas on one CPU thread against the
# number of systems, n = 4095, contiguous, without and with transfers. Look at where the curves with
# transfers cross the line at 1: the paper did not run fewer than 5000 systems, the dotted line,
# because a GPU would not pay.
# Transfers copy four arrays to the GPU and x back, from and to pinned memory.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv"
baseline = "variant=thomas_cpu phase=total cores=1"
K = 5
names = "thomas_shared 'thomas_shared with transfers' paracr_partial 'paracr_partial with transfers'"
titles = "'(a) single' '(b) double'"
curve(i) = word("thomas_shared thomas_shared paracr_partial paracr_partial thomas_cpu", i)
series(i) = "variant=".curve(i).(i == K ? "" : " phase=".(i % 2 ? "total " : "total+transfers "))
where_type(type, i) = "n=4095 type=".type." variant=".curve(i)." phase=".(i == 2 || i == 4 ? "total+transfers" : "total")
where(i) = where_type(type, i)
own_cpu = any(rows(results, csv, where_type("s", K)." cores=1", "batch", "median_ms"))
# pays(): the number of systems, between two that were run, at which thomas_shared with transfers is
# as fast as one CPU thread, or empty.
pays(type) = system(rows(leading(csv), csv, where_type(type, 2), "batch", "speedup")[3:*] \
    ." | awk '{ if (y && y < 1 && $2 >= 1) at = x * exp(log($1 / x) * -log(y) / log($2 / y)); x = $1; y = $2 } END { if (at) printf \"%.0f\", at }'")
saying = pays("s") eq "" || pays("d") eq "" ? "" : "thomas\\_shared with transfers pays from ".pays("s")." systems (single) and ".pays("d")." (double)"

dotted = "dotted: the paper's smallest number of systems"

set logscale x 10
set xrange [40:30000]
set xtics ("50" 50, "200" 200, "1000" 1000, "5000" 5000, "25000" 25000)
set xlabel "systems"
x_column = "batch"
eval speedup_axis
eval vertical(1, 5000, 32)
key_options = " noenhanced"

eval to("pogorelskikh2019_few", 760, 540)
eval panels(1, 2, 3, headline("Few systems: the number from which on a GPU pays (PL19)", \
    also(also(about_both(csv, own_cpu), "transfers: pinned memory"), also(numbers_of(csv), also(dotted, saying)))))
do for [p = 1:2] {
    type = word("s d", p)
    eval begin(p)
    plot 1 with lines ls 31 notitle, 0.5 with lines ls 30 notitle, 128 with lines ls 30 notitle, \
         for [y in "s d"] for [i = 1:K] rows(leading(csv), csv, where_type(y, i), "batch", "speedup") with lines ls 30 notitle, \
         @curves, for [i = 1:4] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(names, i)), \
         keyentry with linespoints ls listed(K, series(K)) title titled(series(K), "thomas_cpu, ".cores_of_both(csv, own_cpu))
}
