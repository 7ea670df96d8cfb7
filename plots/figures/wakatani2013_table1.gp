# W13 Table I: time and bandwidth of the rearrangement alone, through global memory and through 32 ×
# 32 tiles of shared memory, beside a large copy in the same run.
# Arrays of these sizes fit into the L2 cache of a recent GPU. Therefore a transposition may exceed
# the bandwidth of the large copy, which is limited by memory.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_g.csv"
variants = "transpose_global transpose_tile transpose_padded"
names = "'global memory' 'tiles' 'padded tiles'"
where(i) = "type=s phase=rearrange variant=".word(variants, i)
sizes = "256000 262144 1000000 1048576"
position(n) = n == 256000 ? 1 : n == 262144 ? 2 : n == 1000000 ? 3 : n == 1048576 ? 4 : NaN
side(i) = 0.22 * (i - 2)
gbs(n, ms) = 8e-6 * n / ms # 4 bytes read and 4 written for each element
copy(dir) = number(rows(dir, csv, "type=s variant=copy", "n", "median_ms"))
ceiling(dir) = copy(dir) > 0 ? gbs(number(rows(dir, csv, "type=s variant=copy", "n", "n")), copy(dir)) : NaN
own_ceiling = ceiling(results)
ref_ceiling = ceiling(compared(csv))

set xrange [0.5:4.5]
set xtics ("256·10^3" 1, "256K" 2, "10^6" 3, "1M" 4)
set xlabel "N"
set logscale y
set format y "%g"

do for [t in "svg png"] {
    eval to(t, "wakatani2013_table1", 1000, 560)
    set multiplot layout 1,2 margins 0.08,0.98,0.20,0.80 spacing 0.10 title headline("The rearrangement alone, single precision (W13 Table I)", \
        about(csv, "GPU").newline."open symbols: the paper, GTX 590, whose 256K and 1M may mean either size")
    set title "(a) time"
    set ylabel "time [ms]"
    set yrange [*<0.002:1]
    unset key
    plot 1 with lines ls 30 notitle, \
         for [i = 1:3] ref(csv, where(i), "n", "median_ms") using (position($1)+side(i)):2 with linespoints ls 10+i notitle, \
         for [i = 1:3] own(csv, where(i), "n", "median_ms") using (position($1)+side(i)):2 with linespoints ls i notitle, \
         for [i = 1:3] paper("wakatani2013_table1.csv", "variant=".word(variants, i), "n", "median_ms") using (position($1)+side(i)):2 with points ls 20+i notitle
    set title "(b) bandwidth (each element read once, written once)"
    set ylabel "GB/s"
    set yrange [4:*]
    eval legend
    plot 10 with lines ls 30 notitle, \
         ref_ceiling with lines ls 34 notitle, \
         own_ceiling with lines ls 33 notitle, \
         for [i = 1:3] ref(csv, where(i), "n", "median_ms") using (position($1)+side(i)):(gbs($1, $2)) with linespoints ls 10+i notitle, \
         for [i = 1:3] own(csv, where(i), "n", "median_ms") using (position($1)+side(i)):(gbs($1, $2)) with linespoints ls i notitle, \
         for [i = 1:3] paper("wakatani2013_table1.csv", "variant=".word(variants, i), "n", "median_ms") using (position($1)+side(i)):(gbs($1, $2)) with points ls 20+i notitle, \
         for [i = 1:3] keyentry with linespoints ls i title word(names, i), \
         keyentry with lines ls 33 title "large copy"
    unset multiplot
}
