# One tridiagonal system: unknowns per second against n in all number types, without and with
# pivoting, beside cuSPARSE. Look at how near the curves come to the dash-dotted limits at large n.
# The grey curves are the floors of that size: a kernel that only reads the four arrays and writes x
# (pale, 5 words per row), and one that reads them twice, with a grid barrier between (dark, 9). Up to
# the size of the caches they lie above the limits of memory. A file without them shows none.
# The dash-dotted lines are the limits of memory for a method that moves 9 words per row (dark) and
# 5 words per row (pale) at the speed of the copy in the same run.
# Shows: @(nshape|tridiagonal|tdse_*).csv
# Needs: @(tridiagonal|nshape_tridiagonal).csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = tridiagonal_csv
floors = "floor_9 floor_5"
floor_names = "'floor: moves 9 words a row' 'floor: moves 5 words a row'"
types = "s d c z"
sizes = "4 8 8 16"
title_of(type) = type eq "s" ? "(a) single" : type eq "d" ? "(b) double" : type eq "c" ? "(c) single complex" : "(d) double complex"
variants = "tridiagonal tridiagonal_pivoted cusparse_gtsv2_nopivot cusparse_gtsv2"
names = "'without pivoting' 'with scaled partial pivoting' 'cuSPARSE gtsv2\\_nopivot' 'cuSPARSE gtsv2'"

# rates(): lines "n rate", with the rate in 10^9 unknowns per second. A curve leaves out a size that
# is within a quarter of a power of two that it has, such as 1000 beside 1024: two points that stand
# above each other would look like a jump.
rates(dir, variant, type) = computed(dir, csv, sprintf("$col[\"status\"] == \"ok\" && $col[\"median_ms\"] != \"\" && $col[\"type\"] == \"%s\"" \
    ." && $col[\"phase\"] == \"total\" && $col[\"variant\"] == \"%s\" { print $col[\"n\"], $col[\"n\"] / $col[\"median_ms\"] / 1e6 }", type, variant)) \
    ." | awk '{ rate[$1] = $2 } END { for (p = 1; p < 1e12; p *= 2) if (p in rate) for (n in rate) if (n + 0 != p && n + 0 > p / 1.25 && n + 0 < p * 1.25) delete rate[n]; for (n in rate) print n, rate[n] }' | sort -n"
# copy(): the bandwidth of the copy in GB/s at the largest n.
number(text) = words(text) < 1 ? 0 : real(text) # not real("0".text): gnuplot reads digits after a 0 as octal
copy(dir) = number(system(computed(dir, csv, "$col[\"variant\"] == \"copy\" && $col[\"median_ms\"] != \"\" { if ($col[\"n\"] + 0 >= n) { n = $col[\"n\"] + 0; r = $col[\"bytes\"] / $col[\"median_ms\"] / 1e6 } } END { print r + 0 }")[3:*]))
shown(dir, variant, type) = rates(dir, variant, type).noted(source(dir), "variant=".variant." type=".type)
series(v) = "variant=".word(variants, v)
last(dir, variant, type) = system(rates(dir, variant, type)[3:*]." | tail -n 1")
last_rate(dir, variant, type) = words(last(dir, variant, type)) < 2 ? 0 : real(word(last(dir, variant, type), 2))

from = leading(csv)
speed = copy(from)
share(type, size) = speed > 0 && last_rate(from, "tridiagonal", type) > 0 ? sprintf(": %.0f%%, %.0f%%", \
    900 * size * last_rate(from, "tridiagonal", type) / speed, 900 * size * last_rate(from, "tridiagonal_pivoted", type) / speed) : ""

# Styles of the floors: 51 and 52 of this run, 61 and 62 of the reference. They have no symbols.
do for [i = 1:2] {
    set style line 50 + i lc rgb word("#555555 #aaaaaa", i) lw 2   dt 1
    set style line 60 + i lc rgb word("#555555 #aaaaaa", i) lw 1.5 dt (9,5)
}
series_of_floor(f) = "variant=".word(floors, f)
floor_listed(f) = drawn(series_of_floor(f)) > 1 ? 60 + f : 50 + f

do for [t in "svg png"] {
    eval to(t, "tridiagonal_speed", 760, 790)
    heading = headline("One tridiagonal system: unknowns per second", \
        also(about(csv), speed > 0 ? sprintf("dash-dotted: 9 words a row (dark), 5 (pale) at the copy's %.0f GB/s", speed) : "") \
        .newline."percentages at the largest n: without pivoting, with pivoting, of the limit of 9 words".(numbers_of(csv) eq "" ? "" : "; of the reference"))
    lines = last_rate(from, "floor_5", "d") > 0 || last_rate(compared(csv), "floor_5", "d") > 0 ? 3 : 2
    eval panels(2, 2, lines)
    set logscale x 2
    set logscale y 10
    set format y "%g"
    set xrange [48:4e8]
    set xtics ("2^{6}" 2**6, "2^{12}" 2**12, "2^{18}" 2**18, "2^{24}" 2**24)
    set xlabel "n"
    do for [i = 1:4] {
        type = word(types, i)
        size = real(word(sizes, i))
        set yrange [0.0005:*]
        set title title_of(type).share(type, size)
        set ylabel i % 2 ? "10^9 unknowns/s" : ""
        if (i == 4) { eval legend(lines) } else { unset key }
        plot (speed > 0 ? NaN : 1) with lines ls 30 notitle, \
             (speed > 0 ? speed / 9 / size : NaN) with lines ls 33 lw 2 notitle, \
             (speed > 0 ? speed / 5 / size : NaN) with lines ls 34 lw 2 notitle, \
             for [f = 1:2] shown(compared(csv), word(floors, f), type) with lines ls 60 + f notitle, \
             for [f = 1:2] shown(results, word(floors, f), type) with lines ls 50 + f notitle, \
             for [v = 4:1:-1] shown(compared(csv), word(variants, v), type) with linespoints ls 10 + v notitle, \
             for [v = 4:1:-1] shown(results, word(variants, v), type) with linespoints ls v notitle, \
             for [v = 1:4] keyentry with linespoints ls listed(v, series(v)) title titled(series(v), word(names, v)), \
             for [f = 1:2] keyentry with lines ls floor_listed(f) title titled(series_of_floor(f), word(floor_names, f))
    }
    unset multiplot
}
