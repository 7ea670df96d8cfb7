# How many nested applications of the method are best, against the size n of one complex system: the
# n_it with the shortest time over P1 (L22-2 b), and how much longer every other n_it takes. Look at
# the distance of (a) from ln n - 1, which L22 expects if there is a thread for each block, and at
# the two sides of (b): too few applications, and too many.
# L22 5.4.1 has no time for a launch, of which each application has some. Sizes are left out at
# which fewer n_it were run than at others.
# Shows: nshape.csv
# Needs: nshape.csv
load "plots/figures/style.gp"
load "plots/figures/lutsyshyn2022.inc"

from = leading(csv)
# all: "n, n_it, its shortest time over that of the best n_it, best n_it, largest n_it", for every n
# at which as many n_it were run as at any n, 3 at least.
all = computed(from, csv, timed("z", "nshape")." && $col[\"phase\"] == \"total\" { n = $col[\"n\"]; j = $col[\"nest\"] + 0; ms = $col[\"median_ms\"] + 0;" \
    ." if (!((n, j) in t) || ms < t[n, j]) t[n, j] = ms; if (!(n in best) || ms < t[n, best[n]]) best[n] = j; if (j > most[n]) most[n] = j; if (j > top) top = j }" \
    ." END { for (n in best) for (j = 1; j <= top; j++) if (most[n] == top && top > 2 && (n, j) in t) print n, j, t[n, j] / t[n, best[n]], best[n], top }")
chosen(program) = all." | awk '".program."'"
sizes = system(chosen("$2 == $4 { printf \"%s \", $1 }")[3:*])
top = int(last_of(chosen("{ print $1, $5 }"), 2))
# known: whether a larger n_it than the best was run, or as many as are allowed.
known = "($4 < $5 || $5 == 8)"
K = words(sizes)
set style line 37 lc rgb "#cccccc" lw 9
style(k) = k > 8 ? k - 8 + 10 : k # nine sizes or more repeat the colours, pale

set autoscale xfix
titles = "'(a) best n_{it}' '(b) time over that of the best n_{it}'"
y_name = "n_{it}"
eval to("lutsyshyn2022_nest", 760, 520)
eval panels(1, 2, 3, headline("The best number of nested applications (L22 5.4.1)", \
    also(also(about(csv), sprintf("double complex, n_{it} = 1 to %d", top)), numbers_of(csv))))
eval begin(1)
eval decades("x")
set offsets graph 0.05, graph 0.05, 0, 0
set xlabel "rows n of the system"
set yrange [0:14]
set label 1 "ln n − 1 (L22)" at 3e4, 10.3 right
plot "< printf '1e3\n1e6\n'" using 1:(1) with points ls 30 notitle, [x = *:*] log(x) - 1 with lines ls 32 lw 2 notitle, \
     chosen(known." && $3 <= 1.1 { print $1, $2 }") using 1:($2 - 0.5):(0):(1) with vectors nohead ls 37 notitle, \
     chosen(known." && $2 == $4 { print $1, $4 }").noted(source_of(csv), "best") using 1:2 with linespoints ls 1 notitle
unset logscale x
set offsets 0.4, 0.4, 0, 0
y_name = ""
eval begin(2)
set format x "%g"
set xtics ("−6" -6, "−4" -4, "−2" -2, "best" 0, "+2" 2, "+4" 4, "+6" 6)
set xlabel "n_{it} − best n_{it}"
set yrange [0.8:*]
set logscale y 2
set label 1 "too few" at graph 0.03, graph 0.04 left
set label 2 "too many" at graph 0.97, graph 0.04 right
plot 1 with lines ls 31 notitle, \
     for [k = 1:K] chosen("$1 == ".word(sizes, k)." { print $2 - $4, $3 }").noted(source_of(csv), "n=".word(sizes, k)) using 1:2 with linespoints ls style(k) notitle, \
     for [k = 1:K] keyentry with linespoints ls style(k) title k > K ? "" : "n = ".power(real(word(sizes, k))), \
     keyentry with lines ls 37 title "at most 10% longer"
