# How much speed-up transfers leave: speed-up over Thomas on all cores of the CPU against the number
# of systems, n = 4095, contiguous, without and with transfers.
# Transfers copy four arrays to the GPU and x back. Two lines show the transfers alone, from pinned
# memory (dash-dotted) and from pageable memory (dotted). A solver whose data are on the CPU cannot
# be faster than these.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv"
variants = "thomas_shared paracr_partial thomas_tile paracr_block"
# The baseline is the fastest row that meets this condition. The condition names no number of cores,
# so rows with any number of cores meet it.
baseline = "variant=thomas_cpu phase=total"
at(type) = "n=4095 type=".type." "
phases = "total total+transfers"
titles = "'(a) kernels alone, single precision' '(b) kernels alone, double precision' '(c) with transfers, single precision' '(d) with transfers, double precision'"

set xrange [4000:26000]
set xtics 5000
set xlabel "systems"
eval speedup_axis
set ylabel "speed-up over the CPU, ".all_cores(csv)

do for [t in "svg png"] {
    eval to(t, "pogorelskikh2019_transfers", 1000, 900)
    set multiplot layout 2,2 margins 0.08,0.98,0.13,0.87 spacing 0.10,0.13 title headline("With and without transfers, speed-up over thomas\\_cpu on ".all_cores(csv), \
        about(csv, "GPU").newline."contiguous layout, n = 4095; transfers: pinned memory, four arrays to the GPU and x back")
    do for [panel = 0:3] {
        type = panel % 2 ? "d" : "s"
        phase = "phase=".word(phases, 1 + panel / 2)." "
        set title word(titles, panel + 1)
        if (panel < 3) { unset key } else { eval legend_columns." noenhanced" }
        plot 1 with lines ls 31 notitle, \
             0.5 with lines ls 30 notitle, 2 with lines ls 30 notitle, \
             for [y in "s d"] for [i = 1:4] rows(leading(csv), csv, phase.at(y)."variant=".word(variants, i), "batch", "speedup") with lines ls 30 notitle, \
             rows(leading(csv), csv, at(type)."variant=thomas_cpu phase=total cores=1", "batch", "speedup") with lines ls 6 notitle, \
             (panel < 2 ? "< true" : rows(leading(csv), csv, at(type)."variant=transfers phase=pinned", "batch", "speedup")) with lines ls 33 notitle, \
             (panel < 2 ? "< true" : rows(leading(csv), csv, at(type)."variant=transfers phase=pageable", "batch", "speedup")) with lines ls 32 notitle, \
             for [i = 4:1:-1] ref(csv, phase.at(type)."variant=".word(variants, i), "batch", "speedup") with linespoints ls 10+i notitle, \
             for [i = 4:1:-1] own(csv, phase.at(type)."variant=".word(variants, i), "batch", "speedup") with linespoints ls i notitle, \
             for [i = 4:1:-1] hollow(csv, phase.at(type)."variant=".word(variants, i), "batch", "speedup") with points ls 40+i notitle, \
             for [i = 1:4] keyentry with linespoints ls i title present(csv, word(variants, i)), \
             keyentry with lines ls 6 title "thomas_cpu, one thread", \
             keyentry with lines ls 33 title "transfers alone, pinned", \
             keyentry with lines ls 32 title "transfers alone, pageable"
    }
    unset multiplot
}
