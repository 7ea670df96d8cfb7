# W13 Table I: time and bandwidth of the rearrangement alone, through global memory and through 32 ×
# 32 tiles of shared memory, beside a large copy in the same run. Look at the numbers in (a), how
# many times faster than global memory the tiles are: the paper finds 2 to 3 times.
# The bandwidth is that of reading and writing each element once. Arrays of these sizes fit into the
# L2 cache of a recent GPU, so a transposition may exceed the bandwidth of the large copy. The
# paper's 256K and 1M may mean either size.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_g.csv"
points_csv = "wakatani2013_table1.csv"
K = K_paper = 3
variants = "transpose_global transpose_tile transpose_padded"
names = "'global memory' 'tiles' 'padded tiles'"
where(i) = "variant=".word(variants, i)
also_where = " type=s phase=rearrange"
titles = "'(a) time [ms]' '(b) bandwidth [GB/s]'"
position(n) = n == 256000 ? 1 : n == 262144 ? 2 : n == 1000000 ? 3 : n == 1048576 ? 4 : NaN
at_x(i, n) = position(n) + 0.22 * (i - 2)
at_y(n, ms) = p == 2 ? 8e-6 * n / ms : ms # 4 bytes read and 4 written for each element
speed(dir) = ms_of_byte(dir, csv) > 0 ? 1e-6 / ms_of_byte(dir, csv) : NaN
own_speed = speed(results)
ref_speed = speed(compared(csv))
# gain(): how many times faster than global memory variant i is, as text below its points in (a).
gain(dir, csv, i) = p == 2 ? "< true" : "< { ".rows(dir, csv, where(1), "n", "median_ms")[3:*]."; ".rows(dir, csv, where(i), "n", "median_ms")[3:*] \
    ."; } | awk '{ if ($1 in ms) print $1, $2, ms[$1] / $2; ms[$1] = $2 }'"
gains = "using (at_x(i, $1)):2:(sprintf('%.1f', $3)) with labels offset 0,-0.9 font ',11' notitle"

x_column = "n"
set xrange [0.5:4.5]
set xtics ("256·10^3" 1, "256K" 2, "10^6" 3, "1M" 4)
set xlabel "N"
y_column = "median_ms"
set logscale y
set format y "%g"

eval to("wakatani2013_table1", 760, 500)
eval panels(1, 2, 1, headline("The rearrangement alone (W13 Table I)", \
    also(about_single(csv), "numbers: times faster than global memory; open symbols: the paper, GTX 590")))
do for [p = 1:2] {
    eval begin(p)
    if (p == 1) { set yrange [*<0.001:1] } else { set yrange [4:*] }
    plot (p == 1 ? 1 : 10) with lines ls 30 notitle, \
         (p == 1 ? NaN : ref_speed) with lines ls 34 notitle, \
         (p == 1 ? NaN : own_speed) with lines ls 33 notitle, @published, \
         for [i = 1:K] ref(csv, where(i).also_where, "n", "median_ms") using (at_x(i, $1)):(at_y($1, $2)) with points ls 10+i notitle, \
         for [i = 1:K] own(csv, where(i).also_where, "n", "median_ms") using (at_x(i, $1)):(at_y($1, $2)) with points ls i ps 1.3 notitle, \
         for [i = 2:3] gain(leading(csv), csv, i) @gains, for [i = 2:2] gain("plots/paper", points_csv, i) @gains, \
         for [i = 1:K] keyentry with points ls listed(i, series(i)) title titled(series(i), word(names, i)), \
         keyentry with lines ls (own_speed > 0 ? 33 : 34) title own_speed > 0 || ref_speed > 0 ? "large copy" : ""
}
