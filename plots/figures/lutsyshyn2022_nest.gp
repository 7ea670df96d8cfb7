# How many nested applications of the method are best, against the size n of one complex system: the
# n_it with the shortest time over P1 (L22-2 b), and the time of every n_it over that of the best.
# Look at (a): L22 5.4.1 expects n_it* ~ log n, a straight line here, if there is a thread for each
# block; the launches of each application, which it leaves out, keep n_it* below ln n - 1.
# In (a) open symbols are ties: other n_it that take at most 1% longer.
# Sizes are left out at which fewer n_it were run than at others: the best may not be among them.
# Shows: nshape.csv
# Needs: nshape.csv
load "plots/figures/style.gp"

csv = "nshape.csv"
hollow_rows = "^nshape,[^,]*,z,"
at = "type=z phase=total variant=nshape nest="
from = leading(csv)
# all: "n, n_it, its shortest time over that of the best n_it, best n_it", for every n at which as
# many n_it were run as at any n, 3 at least. The last number is 0 if the best n_it is the largest
# that was run and below 8.
all = "awk -F, '$1 == \"nshape\" && $2 == \"nshape\" && $3 == \"z\" && $13 == \"total\" && $23 == \"ok\" && $17 > 0 { k = $4 \" \" $10; if (!(k in t) || $17 < t[k]) t[k] = $17; n[$4]; if ($10 + 0 > top) top = $10 + 0 } END { for (i in n) { b = m = 0; for (j = 1; j <= 8; j++) if ((i \" \" j) in t) m = j; for (j = 1; j <= 8; j++) if ((i \" \" j) in t && (!b || t[i \" \" j] < t[i \" \" b])) b = j; if (m == top && m >= 3) for (j = 1; j <= 8; j++) if ((i \" \" j) in t) print i, j, t[i \" \" j] / t[i \" \" b], b < m || m == 8 ? b : 0 } }' '".from."/".csv."' | sort -n -k1,1 -k2,2"
count = int(system(all." | awk '{ n[$1] } END { for (i in n) c++; print c + 0 }'"))
# power(n): n as text, such as 3·10^5.
power(n) = (e = floor(log10(n) + 1e-9), m = n / 10.**e, (m > 1 ? sprintf("%.3g·", m) : "").sprintf("10^{%d}", e))
size(k) = system(all." | awk '$2 == 1 && ++i == ".k." { print $1 }'")

style(k) = k > 8 ? k - 8 + 10 : k # nine sizes or more repeat the colours, pale
set logscale x 10
set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
set format x "10^{%T}"
do for [t in "svg png"] {
    eval to(t, "lutsyshyn2022_nest", 760, 520)
    heading = headline("The best number of nested applications (L22 5.4.1)", also(also(about(csv), "double complex"), numbers_of(csv)))
    eval panels(1, 2, 3)
    set title "(a) best n_{it}"
    set xlabel "rows n of the system"
    set ylabel "n_{it} with the shortest time"
    set yrange [0:8.5]
    unset key
    set arrow 1 from 6.25e5, graph 0 to 6.25e5, graph 1 nohead ls 31
    plot "< printf '1e3\n1e6\n'" using 1:(1) with points ls 30 notitle, [x = *:*] log(x) - 1 < 8.5 ? log(x) - 1 : NaN with lines ls 32 notitle, \
         "< ".all." | awk '$2 == $4 { print $1, $4 }'".noted(source_of(csv), "best") using 1:2 with linespoints ls 1 notitle, \
         "< ".all." | awk '$4 && $2 != $4 && $3 <= 1.01 { print $1, $2 }'" using 1:2 with points ls 21 notitle
    unset arrow 1
    unset logscale x
    set format x "%g"
    set title "(b) time over that of the best n_{it}"
    set xlabel "n_{it}"
    unset ylabel
    set xrange [0.8:8.2]
    set yrange [0.9:*]
    set logscale y 2
    eval legend(3)
    plot 1 with lines ls 30 notitle, for [k = 1:count] "< ".all." | awk '$1 == ".size(k)." { print $2, $3 }'".noted(source_of(csv), "n=".size(k)) using 1:2 with linespoints ls style(k) notitle, \
         for [k = 1:count] keyentry with linespoints ls style(k) title size(k) eq "" ? "" : "n = ".power(real(size(k))), \
         keyentry with points ls 21 title "at most 1% longer", \
         keyentry with lines ls 32 title "ln n - 1 (L22)", \
         keyentry with lines ls 31 title "80 n bytes fill L2 (50 MB)"
    unset multiplot
    unset logscale y
    set logscale x 10
    set format x "10^{%T}"
    set autoscale x
    set autoscale xfix
}
