# W13 Table I: time and bandwidth of the rearrangement alone, through global memory and through 32 ×
# 32 tiles of shared memory, beside a large copy in the same run. Look at the distance of the curves
# in (a): the paper finds tiles 2 to 3 times faster.
# Arrays of these sizes fit into the L2 cache of a recent GPU. Therefore a transposition may exceed
# the bandwidth of the large copy, which is limited by memory.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_g.csv"
variants = "transpose_global transpose_tile transpose_padded"
names = "'global memory' 'tiles' 'padded tiles'"
where(i) = "type=s phase=rearrange variant=".word(variants, i)
position(n) = n == 256000 ? 1 : n == 262144 ? 2 : n == 1000000 ? 3 : n == 1048576 ? 4 : NaN
side(i) = 0.22 * (i - 2)
gbs(n, ms) = 8e-6 * n / ms # 4 bytes read and 4 written for each element
copied = "type=s variant=copy"
speed(dir) = number(rows(dir, csv, copied, "n", "median_ms")) > 0 ? \
    gbs(number(rows(dir, csv, copied, "n", "n")), number(rows(dir, csv, copied, "n", "median_ms"))) : NaN
own_speed = speed(results)
ref_speed = speed(compared(csv))

set xrange [0.5:4.5]
set xtics ("256·10^3" 1, "256K" 2, "10^6" 3, "1M" 4)
set xlabel "N"
set logscale y
set format y "%g"

do for [t in "svg png"] {
    eval to(t, "wakatani2013_table1", 760, 500)
    heading = headline("The rearrangement alone (W13 Table I)", \
        also(also(also(about(csv), "single precision"), "(b): each element read and written once"), "open symbols: the paper, GTX 590, whose 256K and 1M may mean either size"))
    eval panels(1, 2, 1)
    do for [panel = 0:1] {
        y(n, ms) = panel ? gbs(n, ms) : ms
        set title panel ? "(b) bandwidth [GB/s]" : "(a) time [ms]"
        if (panel) { set yrange [4:*]; eval legend(1) } else { set yrange [*<0.002:1]; unset key }
        plot (panel ? 10 : 1) with lines ls 30 notitle, \
             (panel ? ref_speed : NaN) with lines ls 34 notitle, \
             (panel ? own_speed : NaN) with lines ls 33 notitle, \
             for [i = 1:3] ref(csv, where(i), "n", "median_ms") using (position($1)+side(i)):(y($1, $2)) with linespoints ls 10+i notitle, \
             for [i = 1:3] own(csv, where(i), "n", "median_ms") using (position($1)+side(i)):(y($1, $2)) with linespoints ls i notitle, \
             for [i = 1:3] paper("wakatani2013_table1.csv", "variant=".word(variants, i), "n", "median_ms") using (position($1)+side(i)):(y($1, $2)) with points ls 20+i notitle, \
             for [i = 1:3] keyentry with linespoints ls listed(i, "variant=".word(variants, i)) title titled("variant=".word(variants, i), word(names, i)), \
             keyentry with lines ls (own_speed > 0 ? 33 : 34) title own_speed > 0 || ref_speed > 0 ? "large copy" : ""
    }
    unset multiplot
}
