# Every kernel of PL19's methods and our tridiagonal_batch in both memory layouts: time per unknown
# at n = 4095 and the largest batch, beside cuSPARSE and the CPU. Look at which kernels gain from
# interleaved systems, and at how near they come to their bar. tridiagonal_batch_shared has one
# matrix for all systems, _constant one with constant diagonals.
# A bar's upper half is for contiguous systems, its lower half for interleaved ones. A point lies
# left of its bar only if caches help.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv tridiagonal_batch.csv"
variants = "thomas_global thomas_shared thomas_tile sericr_global sericr_shared paracr_global paracr_shared paracr_partial paracr_block" \
    ." tridiagonal_batch tridiagonal_batch_pivoted tridiagonal_batch_shared tridiagonal_batch_constant" \
    ." cusparse_strided cusparse_interleaved_thomas cusparse_interleaved_lu cusparse_interleaved_qr interleave thomas_cpu"
K = words(variants)
points(dir, order, type, interleaved) = dir eq "" ? "< true" : \
    sprintf("< awk -f plots/tables/columns.awk -f plots/tables/layouts.awk -v order='%s' -v type=%s -v interleaved=%d plots/tables/batch_variants.csv %s", order, type, interleaved, files(dir, csv))
shown(dir, type, interleaved) = points(dir, variants, type, interleaved).noted(source(dir), "interleaved=".interleaved." type=".type)
layout(l) = "interleaved=".l
batch(dir) = system(points(dir, "batch", "s", 0)[3:*])
about_batch = batch(results) ne "" ? batch(results) : batch(compared(csv))
own_cpu = any(rows(results, csv, "variant=thomas_cpu n=4095 phase=total", "batch", "median_ms"))
label(v) = v eq "interleave" ? "rearrangement alone" : v
side(l) = 0.28 * (l - 0.5)

eval decades("x")
set xlabel "time per unknown [ns]"
set yrange [K + 0.6:0.4]
set ytics noenhanced scale 0 font ",12"
do for [i = 1:3] { eval horizontal(i, int(word("9 13 17", i)) + 0.5) }
titles = "'(a) single precision' '(b) double precision'"

if (narrow) { exit } # its panels have margins of their own
eval to("pogorelskikh2019_layouts", 760, 740)
eval panels(1, 2, 2, headline("Contiguous and interleaved systems, n = 4095".(about_batch eq "" ? "" : ", ".about_batch." systems"), \
    also(also(also(about_both(csv, own_cpu), "times without transfers"), "rearrangement: four arrays to the interleaved layout and x back"), \
    "thomas\\_cpu: ".cores_of_both(csv, own_cpu))))
do for [p = 1:2] {
    type = word("s d", p)
    eval begin(p)
    set lmargin at screen (284 * p - 72.) / width
    set rmargin at screen (284 * p + 176.) / width
    do for [i = 1:K] { set ytics add ((p == 1 ? label(word(variants, i)) : "") i) }
    plot for [x in "0.01 1"] "< echo ".x using 1:(1) with points ls 30 notitle, \
         for [y in "s d"] for [l = 0:1] for [k = 2:3] points(results, variants, y, l) using k:1 with points ls 30 notitle, \
         for [l = 0:1] points(compared(csv), variants, type, l) using 3:($1 - 0.36 * (1 - l)):(0):(0.36) with vectors nohead ls 36 notitle, \
         for [l = 0:1] points(results, variants, type, l) using 3:($1 - 0.36 * (1 - l)):(0):(0.36) with vectors nohead ls 35 notitle, \
         for [l = 0:1] shown(compared(csv), type, l) using 2:($1 + side(l)) with points ls 11+l ps 1 notitle, \
         for [l = 0:1] shown(results, type, l) using 2:($1 + side(l)) with points ls 1+l ps 1.2 notitle, \
         for [l = 0:1] keyentry with points ls listed(1+l, layout(l)) ps 1.2 title titled(layout(l), l ? "interleaved" : "contiguous"), \
         keyentry with lines ls (drawn("") == 1 ? 35 : 36) title titled("", "least bytes at the speed of a large copy")
}
