# How much speed-up transfers leave: speed-up over Thomas on all cores of the CPU against the number
# of systems, n = 4095, contiguous, without and with transfers. Look at how little of (a) and (b)
# remains in (c) and (d): all kernels lie near the dash-dotted line there, the transfers alone.
# Transfers copy four arrays to the GPU and x back. Two lines show the transfers alone, from pinned
# memory (dash-dotted) and from pageable memory (dotted). A solver whose data are on the CPU cannot
# be faster than these. The CPU of each run is the baseline of its speed-ups.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv"
variants = "thomas_shared paracr_partial thomas_tile paracr_block"
# The baseline is the fastest row that meets this condition. The condition names no number of cores,
# so rows with any number of cores meet it.
baseline = "variant=thomas_cpu phase=total"
at(type) = "n=4095 batch>=5000 type=".type." "
phases = "total total+transfers"
titles = "'(a) kernels alone, single' '(b) kernels alone, double' '(c) with transfers, single' '(d) with transfers, double'"
series(i) = "variant=".word(variants, i)
one_thread = "variant=thomas_cpu phase=total cores=1"
moved(how) = "variant=transfers phase=".how
own_cpu = any(rows(results, csv, at("s").one_thread, "batch", "median_ms"))

set xrange [4000:26000]
set xtics ("5000" 5000, "15000" 15000, "25000" 25000)
set xlabel "systems"
eval speedup_axis
set ytics ("1/64" 2.**-6, "1/32" 2.**-5, "1/16" 2.**-4, "1/8" 2.**-3, "1/4" 2.**-2, "1/2" 2.**-1, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
# Both rows of panels have the ranges of their two panels together.
rows_of(dir, phase, type, i) = rows(dir, csv, "phase=".phase." ".at(type).series(i), "batch", "speedup")

do for [t in "svg png"] {
    eval to(t, "pogorelskikh2019_transfers", 760, 800)
    heading = headline("With and without transfers, speed-up over thomas\\_cpu", \
        also(also(about_both(csv, own_cpu), "all cores: ".cores_of_both(csv, own_cpu)), "contiguous, n = 4095; transfers: pinned memory, four arrays to the GPU and x back"))
    eval panels(2, 2, 3)
    do for [panel = 0:3] {
        type = panel % 2 ? "d" : "s"
        phase = word(phases, 1 + panel / 2)
        set title word(titles, panel + 1)
        set ylabel panel % 2 ? "" : "speed-up over all cores"
        if (panel < 3) { unset key } else { eval legend(3)." noenhanced" }
        plot 1 with lines ls 31 notitle, \
             0.06 with lines ls 30 notitle, 2 with lines ls 30 notitle, \
             for [y in "s d"] for [i = 1:4] rows_of(results, phase, y, i) with lines ls 30 notitle, \
             for [y in "s d"] for [i = 1:4] rows_of(compared(csv), phase, y, i) with lines ls 30 notitle, \
             for [y in "s d"] rows(leading(csv), csv, at(y).one_thread, "batch", "speedup") with lines ls 30 notitle, \
             for [y in "s d"] (panel < 2 ? "< true" : rows(leading(csv), csv, at(y).moved("pinned"), "batch", "speedup")) with lines ls 30 notitle, \
             for [y in "s d"] (panel < 2 ? "< true" : rows(leading(csv), csv, at(y).moved("pageable"), "batch", "speedup")) with lines ls 30 notitle, \
             ref(csv, at(type).one_thread, "batch", "speedup") with linespoints ls 16 notitle, \
             own(csv, at(type).one_thread, "batch", "speedup") with linespoints ls 6 notitle, \
             hollow(csv, at(type).one_thread, "batch", "speedup") with points ls 46 notitle, \
             (panel < 2 ? "< true" : ref(csv, at(type).moved("pinned"), "batch", "speedup")) with lines ls 34 notitle, \
             (panel < 2 ? "< true" : own(csv, at(type).moved("pinned"), "batch", "speedup")) with lines ls 33 notitle, \
             (panel < 2 ? "< true" : ref(csv, at(type).moved("pageable"), "batch", "speedup")) with lines ls 32 lc rgb "#aaaaaa" notitle, \
             (panel < 2 ? "< true" : own(csv, at(type).moved("pageable"), "batch", "speedup")) with lines ls 32 notitle, \
             for [i = 4:1:-1] ref(csv, "phase=".phase." ".at(type).series(i), "batch", "speedup") with linespoints ls 10+i notitle, \
             for [i = 4:1:-1] own(csv, "phase=".phase." ".at(type).series(i), "batch", "speedup") with linespoints ls i notitle, \
             for [i = 4:1:-1] hollow(csv, "phase=".phase." ".at(type).series(i), "batch", "speedup") with points ls 40+i notitle, \
             for [i = 1:4] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(variants, i)), \
             keyentry with linespoints ls listed(6, one_thread) title titled(one_thread, "thomas_cpu, one thread"), \
             keyentry with lines ls (drawn(moved("pinned")) == 2 ? 34 : 33) title titled(moved("pinned"), "transfers alone, pinned"), \
             keyentry with lines ls 32 title titled(moved("pageable"), "transfers alone, pageable")
    }
    unset multiplot
}
