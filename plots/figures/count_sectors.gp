# Memory accesses counted exactly on the CPU device: 32-byte sectors per request of a warp for each
# memory layout and for each level of PARACR, and bank conflicts of shared memory. Look at the
# distance of a point from its bar: block layouts need up to 8 times as many sectors as the bytes.
# A bar marks the smallest number of sectors that can hold the bytes of a request. Shown are
# accesses in which on average at least half of the warp's threads take part.
# Shows: counts.csv
# Needs: counts.csv
load "plots/figures/style.gp"

rows_a = "pscheme_gpu/block/s pscheme_gpu/rearranged/s pscheme_gpu/rearranged/d" \
    ." pscheme_g/block/s pscheme_g/soa/s pscheme_g/extended/s pscheme_g/fused/s" \
    ." pscheme_g/transpose_global/s pscheme_g/transpose_tile/s pscheme_g/transpose_padded/s" \
    ." thomas_batch/thomas_global/s thomas_batch/thomas_tile/s thomas_batch/thomas_global_interleaved/s" \
    ." nshape/nshape/s nshape/nshape/z"
names_a = "'P-scheme: block' 'rearranged' 'rearranged, double' 'P-scheme/G: block' 'soa' 'extended' 'fused'" \
    ." 'transposition: global' 'tile' 'padded' 'Thomas: contiguous' 'contiguous, by tiles' 'interleaved'" \
    ." 'N-shape: single' 'double complex'"
rows_c = "pscheme_g/transpose_tile/s pscheme_g/transpose_padded/s pscheme_g/fused/s thomas_batch/thomas_tile/s" \
    ." thomas_batch/paracr_shared/s thomas_batch/paracr_block/s thomas_batch/paracr_block/d"
names_c = "'transposition: tile' 'padded' 'P-scheme/G: fused' 'Thomas by tiles' 'PARACR: shared' 'block' 'block, double'"
count_points(options) = sprintf("< awk -f plots/tables/columns.awk -f plots/tables/count_points.awk %s '%s/counts.csv'", options, results)
counted(space, order) = count_points("-v space=".space." -v order='".order."'").noted("own", space)
levels(variant) = count_points("-v levels=thomas_batch/".variant."/s").noted("own", variant)

eval to("count_sectors", 760, 800)
heading = headline("Memory accesses, counted exactly on the CPU device", \
    "accesses of the source as written, mean over requests of at least half a warp".newline."the same on every machine")
set multiplot title heading
unset key
set lmargin at screen 150. / width
set rmargin at screen 372. / width
set tmargin at screen at_top(34)
set bmargin at screen at_bottom(2, 74)
set title "(a) global memory"
set logscale x 2
set xrange [0.9:36]
set xtics (1, 2, 4, 8, 16, 32)
set xlabel "sectors per request"
set yrange [words(rows_a) + 0.6:0.4]
set ytics scale 0 font ",12"
do for [i = 1:words(rows_a)] { set ytics add (word(names_a, i) i) }
do for [i = 1:4] { eval horizontal(i, int(word("3 7 10 13", i)) + 0.5) } # the last row of each method
plot counted("global", rows_a) using 4:($1 - 0.36):(0):(0.72) with vectors nohead ls 35, \
     counted("global", rows_a) using 2:($1 - 0.14) with points ls 1 ps 1.3, \
     counted("global", rows_a) using 3:($1 + 0.14) with points ls 2 ps 1.3

do for [i = 1:4] { unset arrow i }
unset ytics
set lmargin at screen 522. / width
set rmargin at screen 744. / width
set tmargin at screen at_top(34)
set bmargin at screen 0.56
set title "(b) PARACR, n = 127"
unset logscale x
set xrange [0.7:7.3]
set xtics 1
set xlabel "level"
set yrange [0:6]
set ytics 1 nomirror font ",12"
set ylabel "sectors per request"
plot for [l = 0:1] levels(l ? "paracr_global_interleaved" : "paracr_global") using 1:2 with linespoints ls 1 ps 1.1 dt 1+2*l, \
     for [l = 0:1] levels(l ? "paracr_global_interleaved" : "paracr_global") using 1:3 with linespoints ls 2 dt 1+2*l, \
     levels("paracr_global") using 1:4 with lines ls 35

unset ytics
set tmargin at screen 0.43
set bmargin at screen at_bottom(2, 74)
set title "(c) shared memory"
set logscale x 2
set xrange [0.9:40]
set xtics ("0" 1, "1" 2, "3" 4, "7" 8, "15" 16, "31" 32)
set xlabel "bank conflicts per request"
unset ylabel
set yrange [words(rows_c) + 0.6:0.4]
set ytics scale 0 font ",12"
do for [i = 1:words(rows_c)] { set ytics add (word(names_c, i) i) }
eval legend(2)
plot counted("shared", rows_c) using ($2 + 1):($1 - 0.14) with points ls 1 ps 1.3 notitle, \
     counted("shared", rows_c) using ($3 + 1):($1 + 0.14) with points ls 2 ps 1.3 notitle, \
     keyentry with points ls 1 ps 1.3 title "loads", \
     keyentry with points ls 2 ps 1.3 title "stores", \
     keyentry with lines ls 35 title "fewest sectors that hold the bytes", \
     keyentry with lines ls 31 lc rgb "#333333" dt 3 title "(b): interleaved systems"
