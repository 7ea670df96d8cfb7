# SIMD lanes and cores of a CPU as the processors of P-scheme and of the N-shaped partition method:
# time per row against n, beside Thomas, LAPACK, and P-scheme as in W12, which computes one row at a
# time. Look at how far the lanes push the curves below Thomas, and at the n from which several
# cores help.
# The dash-dotted lines are the limit of memory, "9 words a row" in the legend: the time in which the
# words of a row move at the speed of the copy in the same run. They begin at the n where the copy
# is fastest, because starting the threads dominates the time of smaller copies. Only this run is
# drawn, not the reference.
# Shows: @(tridiagonal|nshape_lanes).csv
load "plots/figures/style.gp"

csv = lanes_csv
scheme = "pscheme_cpu.csv"
panel_count = device(results, scheme) eq "" ? 2 : 3
titles = "'(a) system, double' '(b) system, single' '(c) recurrence, single'"
types = "d s s"
words_a_row = "9 9 3"
serial = "thomas_cpu thomas_cpu recurrence"
scalar = "pscheme_map pscheme_map recurrence_pscheme"
lanes = "pscheme_lanes pscheme_lanes recurrence_lanes"
most = most_cores(results, csv) eq "" ? 1 : int(word(most_cores(results, csv), 1))
cores(all) = all ? most : 1

where(panel, variant, cores) = sprintf("type=%s phase=total variant=%s cores=%d", word(types, panel), variant, cores)
from(file, panel, variant, cores) = own(file, where(panel, variant, cores), "n", "median_ms")
system_only(panel, variant, cores) = panel == 3 ? "< true" : from(csv, panel, variant, cores)
late(file, panel, variant, cores) = hollow(file, where(panel, variant, cores), "n", "median_ms")
system_late(panel, variant, cores) = panel == 3 ? "< true" : late(csv, panel, variant, cores)
any_late = note_hollow(csv) ne "" || panel_count == 2 ? note_hollow(csv) : note_hollow(scheme)
# roofline(): the limit of memory. The copy reads one word and writes one word per element. The
# method moves words_a_row words per row, so it needs at least words_a_row / 2 times the time of the
# copy.
roofline(panel, cores) = rows(results, csv, where(panel, "copy_cpu", cores), "n", "median_ms").sprintf(" | awk '{ n[NR] = $1; ms[NR] = $2; if (NR == 1 || $2 / $1 < ms[best] / n[best]) best = NR } " \
    ."END { for (i = best; i <= NR; i++) if (i) print n[i], ms[i] * %s / 2 }'", word(words_a_row, panel))
# gain(): the speed-ups that are written above the curves.
gain(panel, cores) = rows(results, panel == 3 ? scheme : csv, where(panel, panel == 3 ? "recurrence_lanes" : "nshape_lanes", cores), "n", "speedup")
ns(ms, n) = 1e6 * ms / n
has_any(list, cores) = (drawn("variant=".word(list, 1)." cores=".cores) || drawn("variant=".word(list, 3)." cores=".cores))

set logscale xy 2
set xrange [70:4e7]
set xtics ("2^{8}" 2**8, "2^{14}" 2**14, "2^{20}" 2**20)
set format y "%g"
set xlabel "n"
# The numbers above the curves are placed on this axis, from 0 (lower end of the panel) to 1 (upper
# end).
set y2range [0:1]
set offsets 0, 0, graph 0.2, 0 # room for them

do for [t in "svg png"] {
    eval to(t, "lutsyshyn2022_lanes", panel_count == 3 ? 860 : 760, 600)
    heading = headline("SIMD lanes and cores as processors", \
        also(also(also("this run, ".header(results, csv, "cpu"), "filled symbols: one core".(most > 1 ? sprintf("; open symbols: %d cores", most) : "")), any_late), \
        "numbers: speed-up of the N-shaped partition over LAPACK".(panel_count == 3 ? "; in (c) of P-scheme over the serial loop" : "") \
        .newline.(most > 1 ? sprintf("upper number: one core, lower: %d cores", most) : "on one core")))
    eval panels(1, panel_count, 4)
    do for [p = 1:panel_count] {
        set title word(titles, p)
        set ylabel p == 1 ? "time per row [ns]" : ""
        top = p == 3 ? 8 : 256
        set yrange [*:top<*]
        baseline = "phase=total cores=1 variant=".(p == 3 ? "recurrence" : "lapack_gtsv")
        if (p == panel_count) { eval legend(4) } else { unset key }
        plot top with lines ls 30 notitle, \
             for [all = most > 1:0:-1] roofline(p, cores(all)) using 1:(ns($2, $1)) with lines ls 33 + all lw 1.8 notitle, \
             system_only(p, "lapack_gtsv", 1) using 1:(ns($2, $1)) with linespoints ls 6 notitle, \
             from(p == 3 ? scheme : csv, p, word(serial, p), 1) using 1:(ns($2, $1)) with linespoints ls 4 notitle, \
             from(scheme, p, word(scalar, p), 1) using 1:(ns($2, $1)) with linespoints ls 5 notitle, \
             for [all = most > 1:0:-1] from(scheme, p, word(lanes, p), cores(all)) using 1:(ns($2, $1)) with linespoints ls 20 * all + 2 notitle, \
             for [all = most > 1:0:-1] system_only(p, "nshape_lanes", cores(all)) using 1:(ns($2, $1)) with linespoints ls 20 * all + 1 notitle, \
             system_late(p, "lapack_gtsv", 1) using 1:(ns($2, $1)) with points ls 46 notitle, \
             late(p == 3 ? scheme : csv, p, word(serial, p), 1) using 1:(ns($2, $1)) with points ls 44 notitle, \
             late(scheme, p, word(scalar, p), 1) using 1:(ns($2, $1)) with points ls 45 notitle, \
             for [all = most > 1:0:-1] late(scheme, p, word(lanes, p), cores(all)) using 1:(ns($2, $1)) with points ls 42 notitle, \
             for [all = most > 1:0:-1] system_late(p, "nshape_lanes", cores(all)) using 1:(ns($2, $1)) with points ls 41 notitle, \
             for [all = 0:most > 1] gain(p, cores(all)) using 1:(0.96 - 0.05 * all):(int($0) % 2 == 0 ? sprintf($2 < 0.95 ? "%.1g" : "%.1f", $2) : "") axes x1y2 with labels font ",11" notitle, \
             keyentry with linespoints ls 6 title titled("variant=lapack_gtsv", "LAPACK gtsv"), \
             keyentry with linespoints ls 4 title titled("variant=thomas_cpu", panel_count == 3 ? "Thomas; (c) serial loop" : "Thomas"), \
             keyentry with linespoints ls 5 title has_any(scalar, 1) ? "P-scheme as in W12" : "", \
             keyentry with linespoints ls 2 title has_any(lanes, 1) ? "P-scheme, lanes" : "", \
             keyentry with linespoints ls 1 title titled("variant=nshape_lanes", "N-shaped partition, lanes"), \
             keyentry with lines ls 33 lw 1.8 title (panel_count == 3 ? "9 words a row, (c) 3" : "9 words a row").", one core", \
             for [i = 2:most > 1 ? 2 : 1] keyentry with lines ls 34 lw 1.8 title sprintf("the same, %d cores", most)
    }
    unset multiplot
}
