# Depth of field by diffusion: a sharp image, the circle of confusion of its pixels, the image that
# tridiagonal systems along rows and columns make of it, and the speed. Look at the edges of the ball
# in focus in (c): they are sharp although the floor behind them is not, as no grey flows through the
# edge of what is sharp.
# Shows: depth_of_field*.csv
# Needs: depth_of_field_image.csv
load "plots/figures/style.gp"

csv = "depth_of_field.csv"
image_csv = "depth_of_field_image.csv"
K = 5
variants = "depth_of_field depth_of_field depth_of_field depth_of_field_cpu depth_of_field_serial"
phases = "rows columns total total total"
names = "'tridiagonal\\_batch.h, rows alone' 'columns alone' 'all, with the matrices' 'tridiagonal\\_batch\\_cpu.h, all cores' 'serial loops, one core'"
where(i) = "type=s phase=".word(phases, i)." variant=".word(variants, i)
series(i) = where(i)
x_column = "n"
y_column = "median_ms"
at_y(n, ms) = n * n / ms / 1e3
from = leading(csv)
copy = ms_of_byte(from, csv)
SIDE = 160
shown(k) = sprintf("< awk -F, '$1 + 0 == $1 { print $1, $2, $%d }' '%s/%s'", k, holder(image_csv), image_csv).noted(source_of(image_csv), "image ".k)

eval to("depth_of_field", 760, 930)
heading = headline("Depth of field: heat that flows where the image is to be blurred", about_both(csv, 1))
set multiplot title heading
unset key
in_column(k) = sprintf("set lmargin at screen %g; set rmargin at screen %g", (70. + 380 * k) / width, (370. + 380 * k) / width)
in_row(k) = sprintf("set tmargin at screen at_top(%d); set bmargin at screen at_top(%d)", 30 + 390 * k, 330 + 390 * k)

# (a), (b), (c)
set xrange [-0.5:SIDE - 0.5]
set yrange [SIDE - 0.5:-0.5]
unset grid
unset tics
set border 15
set palette gray
set cbrange [0:1]
unset colorbox
eval in_row(0)
eval in_column(0)
set title "(a) sharp image"
plot shown(3) using 1:2:3 with image notitle
eval in_row(1)
set title "(c) blurred by its depth"
plot shown(5) using 1:2:3 with image notitle
eval in_row(0)
eval in_column(1)
set title "(b) circle of confusion; blue: too near"
set palette defined (-9 "#12355b", 0 "#ffffff", 9 "#b5452c")
set cbrange [-9:9]
set cbtics ("6 pixels" -6, "in focus" 0, "6 pixels" 6) font ",12"
set colorbox user horizontal origin (460. / width), at_top(345) size 280. / width, 9. / height
plot shown(4) using 1:2:3 with image notitle

# (d)
unset colorbox
set grid
set border 3
set xtics nomirror
set ytics nomirror
eval in_row(1)
set logscale x 2
set offsets graph 0.05, graph 0.05, 0, 0
set autoscale xfix
set xrange [*:*]
eval decades("y")
set yrange [*:*]
set title "(d) speed, single precision"
set xlabel "N, of N × N pixels"
set ylabel "million pixels per second"
eval legend(3)
plot @curves, @entries, \
     (copy == 0 ? "< true" : rows(from, csv, where(3), "n", "bytes")) using 1:($1 * $1 / ($2 * copy) / 1e3) with lines ls 33 title copy > 0 ? "all: least traffic at copy speed" : ""
