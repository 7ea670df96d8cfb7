# One tridiagonal system, in all number types, without and with pivoting, beside cuSPARSE: share of the
# speed at which memory moves 9 words a row, against n. Look at the largest n, whose shares stand in
# the titles: there the solver is nearly as fast as its two readings of the arrays.
# At 100% it reads four arrays twice and writes x once (9 words a row), as fast as the large triad of
# the same run moves words. The grey curves are kernels that only move so many words: they show what
# the cache gives.
# Below 2^14 latency decides: solvers/tridiagonal.md has times.
# Shows: @(nshape|tridiagonal|tdse_*).csv
# Needs: tridiagonal.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "tridiagonal.csv"
titles = "'(a) single' '(b) double' '(c) single complex' '(d) double complex'"
y_name = "% of the 9-word roofline"
# The solvers, and the floors, which have no symbols.
variants = "tridiagonal tridiagonal_pivoted cusparse_gtsv2_nopivot cusparse_gtsv2 floor_9 floor_5"
names = "'without pivoting' 'with scaled partial pivoting' 'cuSPARSE gtsv2\\_nopivot' 'cuSPARSE gtsv2' 'floor: only moves 9 words a row' 'floor: only moves 5 words a row'"
do for [i = 5:6] {
    set style line i      lc rgb word("#555555 #aaaaaa", i - 4) lw 2   dt 1
    set style line 10 + i lc rgb word("#555555 #aaaaaa", i - 4) lw 1.5 dt (9,5)
}

# shares(): lines "n share"; the large triad comes first in the file. A size within a quarter of a power
# of two that the curve has, such as 10^6 beside 2^20, is left out: two points above each other look
# like a jump.
shares(dir, i) = computed(dir, csv, "$col[\"variant\"] == \"triad\" && !peak { peak = $col[\"bytes\"] / $col[\"median_ms\"] } ".timed(type, word(variants, i)) \
    .sprintf(" && $col[\"n\"] >= 16384 && $col[\"phase\"] == \"total\" && peak { share[$col[\"n\"]] = 900 * %d * $col[\"n\"] / $col[\"median_ms\"] / peak }", size) \
    ." END { for (p = 1; p < 1e12; p *= 2) if (p in share) for (n in share) if (n + 0 != p && n + 0 > p / 1.25 && n + 0 < p * 1.25) delete share[n]; for (n in share) print n, share[n] }")
shown(dir, i) = shares(dir, i).noted(source(dir), series(i)." type=".type)
last_share(i) = last_of(shares(leading(csv), i), 2)
# cached(): the largest n at which floor i is 5% faster than the memory, or 0.
cached(i) = real(system(shares(leading(csv), i)[3:*]." | awk '$2 > 105 { n = $1 } END { print n + 0 }'"))

set logscale x 2
set xrange [1.2e4:4e8]
set xtics ("2^{14}" 2**14, "2^{18}" 2**18, "2^{22}" 2**22, "2^{26}" 2**26)
set yrange [0:200]
eval to("tridiagonal_speed", 760, 740)
eval panels(2, 2, 3, headline("One tridiagonal system at the speed of memory", \
    also(about(csv), "in titles: the largest n, without and with pivoting".(numbers_of(csv) eq "" ? "" : ", of the reference")) \
    .newline."dash-dotted: 9 words a row (dark) and 5 (pale) at the speed of the triad; shaded: arrays in the cache"))
do for [p = 1:4] {
    type = word("s d c z", p)
    size = int(word("4 8 8 16", p))
    eval begin(p)
    set xlabel p > 2 ? "n" : ""
    set title word(titles, p).(last_share(1) > 0 ? sprintf(": %.0f%%, %.0f%%", last_share(1), last_share(2)) : "")
    unset object
    if (cached(5) > 0) {
        set object 1 rectangle from graph 0, graph 0 to first sqrt(2) * cached(5), graph 1 behind fc rgb "#f0f0f0" fs noborder
    }
    plot 100 with lines ls 33 lw 2 notitle, 180 with lines ls 34 lw 2 notitle, \
         for [f = 5:6] shown(compared(csv), f) with lines ls 10 + f notitle, \
         for [f = 5:6] shown(results, f) with lines ls f notitle, \
         for [v = 4:1:-1] shown(compared(csv), v) with linespoints ls 10 + v notitle, \
         for [v = 4:1:-1] shown(results, v) with linespoints ls v notitle, \
         for [v = 1:4] keyentry with linespoints ls listed(v, series(v)) title titled(series(v), word(names, v)), \
         for [f = 5:6] keyentry with lines ls listed(f, series(f)) title titled(series(f), word(names, f))
}
