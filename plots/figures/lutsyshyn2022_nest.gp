# How many nested applications of the method are best, against the size n of one complex system: the
# n_it of 1 to 8 with the shortest time over P1 (L22-2 b), and that time over the best one for every
# n_it. Look at (a): L22 5.4.1 expects n_it* ~ log n, a straight line here, if there is a thread for
# each block; the launches of each application, which it leaves out, keep n_it* below ln n - 1.
# Shows: nshape.csv
# Needs: nshape.csv
load "plots/figures/style.gp"

csv = "nshape.csv"
at = "type=z phase=total variant=nshape nest="
from = leading(csv)
# best: "n n_it ms", for every n at which each n_it from 1 to 8 was run; times(): "n_it ratio" at one n
all = "awk -F, '$1 == \"nshape\" && $2 == \"nshape\" && $3 == \"z\" && $13 == \"total\" && $23 == \"ok\" && $17 > 0 { k = $4 \" \" $10; if (!(k in t) || $17 < t[k]) t[k] = $17; n[$4] } END { for (i in n) { b = 0; all = 1; for (j = 1; j <= 8; j++) { k = i \" \" j; if (!(k in t)) all = 0; else if (!b || t[k] < t[i \" \" b]) b = j } if (all) for (j = 1; j <= 8; j++) print i, j, t[i \" \" j] / t[i \" \" b], b } }' '".from."/".csv."' | sort -n -k1,1 -k2,2"
count = int(system(all." | awk '{ n[$1] } END { for (i in n) c++; print c + 0 }'"))
size(k) = system(all." | awk '$2 == 1 && ++i == ".k." { print $1 }'")
if (count == 0) exit

set logscale x 10
set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
set format x "10^{%T}"
do for [t in "svg png"] {
    eval to(t, "lutsyshyn2022_nest", 760, 520)
    heading = headline("The best number of nested applications", also(also(about(csv), "double complex"), numbers_of(csv)))
    eval panels(1, 2, 3)
    set title "(a) n_{it} with the shortest time over P_1"
    set xlabel "rows n of the system"
    set ylabel "n_{it}"
    set yrange [0:8.5]
    unset key
    set arrow 1 from 6.25e5, graph 0 to 6.25e5, graph 1 nohead ls 31
    plot [x = *:*] log(x) - 1 < 8.5 ? log(x) - 1 : NaN with lines ls 32 notitle, \
         "< ".all." | awk '$2 == $4 { print $1, $4 }'".noted(source_of(csv), "best") using 1:2 with linespoints ls 1 notitle
    unset arrow 1
    unset logscale x
    set format x "%g"
    set title "(b) its time over that of the best n_{it}"
    set xlabel "n_{it}"
    unset ylabel
    set xrange [0.8:8.2]
    set yrange [0.9:*]
    set logscale y 2
    eval legend(3)
    plot for [k = 1:count] "< ".all." | awk '$1 == ".size(k)." { print $2, $3 }'".noted(source_of(csv), "n=".size(k)) using 1:2 with linespoints ls k notitle, \
         for [k = 1:count] keyentry with linespoints ls k title "n = ".size(k), \
         keyentry with lines ls 32 title "ln n - 1 (L22)", \
         keyentry with lines ls 31 title "80 n bytes = 50 MB"
    unset multiplot
    unset logscale y
    set logscale x 10
    set format x "10^{%T}"
    set autoscale x
    set autoscale xfix
}
