# One tridiagonal system: unknowns per second against n in all number types, without and with
# pivoting, beside cuSPARSE. Look at how near the curves come to the dash-dotted limits at large n.
# The grey curves are the floors of that size: a kernel that only reads the four arrays and writes x
# (pale, 5 words per row), and one that reads them twice, with a grid barrier between (dark, 9).
# Shows: @(nshape|tridiagonal|tdse_*).csv
# Needs: @(tridiagonal|nshape_tridiagonal).csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = tridiagonal_csv
titles = "'(a) single' '(b) double' '(c) single complex' '(d) double complex'"
y_name = "10^9 unknowns/s"
# The solvers, and the floors, which have no symbols.
variants = "tridiagonal tridiagonal_pivoted cusparse_gtsv2_nopivot cusparse_gtsv2 floor_9 floor_5"
names = "'without pivoting' 'with scaled partial pivoting' 'cuSPARSE gtsv2\\_nopivot' 'cuSPARSE gtsv2' 'floor: moves 9 words a row' 'floor: moves 5 words a row'"
do for [i = 5:6] {
    set style line i      lc rgb word("#555555 #aaaaaa", i - 4) lw 2   dt 1
    set style line 10 + i lc rgb word("#555555 #aaaaaa", i - 4) lw 1.5 dt (9,5)
}

# rates(): lines "n rate", in 10^9 unknowns per second. A size within a quarter of a power of two that
# the curve has, such as 1000 beside 1024, is left out: two points above each other look like a jump.
rates(dir, i, type) = computed(dir, csv, timed(type, word(variants, i))." && $col[\"phase\"] == \"total\" { print $col[\"n\"], $col[\"n\"] / $col[\"median_ms\"] / 1e6 }") \
    ." | awk '{ rate[$1] = $2 } END { for (p = 1; p < 1e12; p *= 2) if (p in rate) for (n in rate) if (n + 0 != p && n + 0 > p / 1.25 && n + 0 < p * 1.25) delete rate[n]; for (n in rate) print n, rate[n] }' | sort -n"
shown(dir, i, type) = rates(dir, i, type).noted(source(dir), series(i)." type=".type)
last_rate(dir, i, type) = last_of(rates(dir, i, type), 2)

from = leading(csv)
# speed: the bandwidth of the copy in GB/s at the largest n.
speed = last_of(computed(from, csv, "$col[\"variant\"] == \"copy\" && $col[\"median_ms\"] != \"\" { print $col[\"n\"], $col[\"bytes\"] / $col[\"median_ms\"] / 1e6 }"), 2)
share(type, size) = speed > 0 && last_rate(from, 1, type) > 0 ? sprintf(": %.0f%%, %.0f%%", \
    900 * size * last_rate(from, 1, type) / speed, 900 * size * last_rate(from, 2, type) / speed) : ""
lines = last_rate(from, 6, "d") > 0 || last_rate(compared(csv), 6, "d") > 0 ? 3 : 2

set logscale x 2
set xrange [48:4e8]
set xtics ("2^{6}" 2**6, "2^{12}" 2**12, "2^{18}" 2**18, "2^{24}" 2**24)
set xlabel "n"
set logscale y 10
set format y "%g"
eval to("tridiagonal_speed", 760, 790)
eval panels(2, 2, lines, headline("One tridiagonal system: unknowns per second", \
    also(about(csv), speed > 0 ? sprintf("dash-dotted: 9 words a row (dark), 5 (pale) at the copy's %.0f GB/s", speed) : "") \
    .newline."percentages at the largest n: without pivoting, with pivoting, of the limit of 9 words".(numbers_of(csv) eq "" ? "" : "; of the reference")))
do for [p = 1:4] {
    type = word("s d c z", p)
    size = real(word("4 8 8 16", p))
    eval begin(p)
    set title word(titles, p).share(type, size)
    set yrange [0.0005:*]
    plot (speed > 0 ? NaN : 1) with lines ls 30 notitle, \
         or_nan(speed / 9 / size) with lines ls 33 lw 2 notitle, \
         or_nan(speed / 5 / size) with lines ls 34 lw 2 notitle, \
         for [f = 5:6] shown(compared(csv), f, type) with lines ls 10 + f notitle, \
         for [f = 5:6] shown(results, f, type) with lines ls f notitle, \
         for [v = 4:1:-1] shown(compared(csv), v, type) with linespoints ls 10 + v notitle, \
         for [v = 4:1:-1] shown(results, v, type) with linespoints ls v notitle, \
         for [v = 1:4] keyentry with linespoints ls listed(v, series(v)) title titled(series(v), word(names, v)), \
         for [f = 5:6] keyentry with lines ls listed(f, series(f)) title titled(series(f), word(names, f))
}
