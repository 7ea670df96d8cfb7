# How many nested applications of the method are best, against the size n of one complex system: the
# n_it with the shortest time over P1 (L22-2 b), and the time of every n_it over that of the best.
# Look at (a): L22 5.4.1 expects n_it* ~ log n, a straight line here, if there is a thread for each
# block; the launches of each application, which it leaves out, keep n_it* below ln n - 1.
# In (a) open symbols are ties. Sizes are left out at which fewer n_it were run than at others.
# Shows: nshape.csv
# Needs: nshape.csv
load "plots/figures/style.gp"
load "plots/figures/lutsyshyn2022.inc"

from = leading(csv)
# all: "n, n_it, its shortest time over that of the best n_it, best n_it", for every n at which as
# many n_it were run as at any n, 3 at least. The last number is 0 if the best n_it is the largest
# that was run and below 8.
all = "awk -F, '$1 == \"nshape\" && $2 == \"nshape\" && $3 == \"z\" && $13 == \"total\" && $23 == \"ok\" && $17 > 0 { k = $4 \" \" $10; if (!(k in t) || $17 < t[k]) t[k] = $17; n[$4]; if ($10 + 0 > top) top = $10 + 0 } END { for (i in n) { b = m = 0; for (j = 1; j <= 8; j++) if ((i \" \" j) in t) m = j; for (j = 1; j <= 8; j++) if ((i \" \" j) in t && (!b || t[i \" \" j] < t[i \" \" b])) b = j; if (m == top && m >= 3) for (j = 1; j <= 8; j++) if ((i \" \" j) in t) print i, j, t[i \" \" j] / t[i \" \" b], b < m || m == 8 ? b : 0 } }' '".from."/".csv."' | sort -n -k1,1 -k2,2"
chosen(program) = "< ".all." | awk '".program."'"
sizes = system(all." | awk '$2 == 1 { printf \"%s \", $1 }'")
K = words(sizes)
style(k) = k > 8 ? k - 8 + 10 : k # nine sizes or more repeat the colours, pale

set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
titles = "'(a) best n_{it}' '(b) time over that of the best n_{it}'"
y_name = "n_{it} with the shortest time"
eval to("lutsyshyn2022_nest", 760, 520)
eval panels(1, 2, 3, headline("The best number of nested applications (L22 5.4.1)", also(also(about(csv), "double complex"), numbers_of(csv))))
eval begin(1)
eval decades("x")
set xlabel "rows n of the system"
set yrange [0:8.5]
eval vertical(1, 6.25e5, 31)
plot "< printf '1e3\n1e6\n'" using 1:(1) with points ls 30 notitle, [x = *:*] log(x) - 1 < 8.5 ? log(x) - 1 : NaN with lines ls 32 notitle, \
     chosen("$2 == $4 { print $1, $4 }").noted(source_of(csv), "best") using 1:2 with linespoints ls 1 notitle, \
     chosen("$4 && $2 != $4 && $3 <= 1.01 { print $1, $2 }") using 1:2 with points ls 21 notitle
unset arrow 1
unset logscale x
set format x "%g"
eval begin(2)
set xlabel "n_{it}"
set xrange [0.8:8.2]
set yrange [0.9:*]
set logscale y 2
plot 1 with lines ls 30 notitle, for [k = 1:K] chosen("$1 == ".word(sizes, k)." { print $2, $3 }").noted(source_of(csv), "n=".word(sizes, k)) using 1:2 with linespoints ls style(k) notitle, \
     for [k = 1:K] keyentry with linespoints ls style(k) title k > K ? "" : "n = ".power(real(word(sizes, k))), \
     keyentry with points ls 21 title "at most 1% longer", \
     keyentry with lines ls 32 title "ln n - 1 (L22)", \
     keyentry with lines ls 31 title "80 n bytes fill L2 (50 MB)"
