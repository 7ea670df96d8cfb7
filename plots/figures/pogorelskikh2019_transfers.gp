# How much speed-up transfers leave: speed-up over Thomas on all cores of the CPU against the number
# of systems, n = 4095, contiguous, without and with transfers. Look at how little of (a) and (b)
# remains in (c) and (d): all kernels lie near the dash-dotted line there, the transfers alone.
# A solver whose data are on the CPU cannot be faster than the transfers. The CPU of each run is the
# baseline of its speed-ups.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv"
K = 4
names = variants = "thomas_shared paracr_partial thomas_tile paracr_block"
# The condition names no number of cores: the baseline is the fastest row of any number.
baseline = "variant=thomas_cpu phase=total"
at(type) = "n=4095 batch>=5000 type=".type." "
where_panel(p, type, i) = at(type).series(i)." phase=".(p < 3 ? "total" : "total+transfers")
where(i) = where_panel(p, type, i)
titles = "'(a) kernels alone, single' '(b) kernels alone, double' '(c) with transfers, single' '(d) with transfers, double'"
one_thread = "variant=thomas_cpu phase=total cores=1"
moved(how) = "variant=transfers phase=".how
moved_rows(dir, type, how) = p < 3 ? "< true" : rows(dir, csv, at(type).moved(how), "batch", "speedup")
moved_shown(dir, how) = p < 3 ? "< true" : moved_rows(dir, type, how).noted(source(dir), moved(how)." ".type)
own_cpu = any(rows(results, csv, at("s").one_thread, "batch", "median_ms"))

eval systems_axis
eval speedup_axis
y_name = "speed-up over all cores"
set ytics ("1/64" 2.**-6, "1/32" 2.**-5, "1/16" 2.**-4, "1/8" 2.**-3, "1/4" 2.**-2, "1/2" 2.**-1, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
key_options = " noenhanced"

eval to("pogorelskikh2019_transfers", 760, 800)
eval panels(2, 2, 3, headline("With and without transfers, speed-up over thomas\\_cpu", \
    also(also(about_both(csv, own_cpu), "all cores: ".cores_of_both(csv, own_cpu)), "contiguous, n = 4095; transfers: pinned memory, four arrays to the GPU and x back")))
do for [p = 1:4] {
    type = word("s d s d", p)
    eval begin(p)
    # Transparent curves: both panels of a row have the ranges of the two together.
    plot 1 with lines ls 31 notitle, 0.06 with lines ls 30 notitle, 2 with lines ls 30 notitle, \
         for [y in "s d"] for [i = 1:K] rows(results, csv, where_panel(p, y, i), "batch", "speedup") with lines ls 30 notitle, \
         for [y in "s d"] for [i = 1:K] rows(compared(csv), csv, where_panel(p, y, i), "batch", "speedup") with lines ls 30 notitle, \
         for [y in "s d"] rows(leading(csv), csv, at(y).one_thread, "batch", "speedup") with lines ls 30 notitle, \
         for [y in "s d"] for [how in "pinned pageable"] moved_rows(leading(csv), y, how) with lines ls 30 notitle, \
         ref(csv, at(type).one_thread, "batch", "speedup") with linespoints ls 16 notitle, \
         own(csv, at(type).one_thread, "batch", "speedup") with linespoints ls 6 notitle, \
         hollow(csv, at(type).one_thread, "batch", "speedup") with points ls 46 notitle, \
         moved_shown(compared(csv), "pinned") with lines ls 34 notitle, \
         moved_shown(results, "pinned") with lines ls 33 notitle, \
         moved_shown(compared(csv), "pageable") with lines ls 32 lc rgb "#aaaaaa" notitle, \
         moved_shown(results, "pageable") with lines ls 32 notitle, @curves, @entries, \
         keyentry with linespoints ls listed(6, one_thread) title titled(one_thread, "thomas_cpu, one thread"), \
         keyentry with lines ls (drawn(moved("pinned")) == 2 ? 34 : 33) title titled(moved("pinned"), "transfers alone, pinned"), \
         keyentry with lines ls 32 title titled(moved("pageable"), "transfers alone, pageable")
}
