# SIMD lanes and cores of a CPU as the processors of P-scheme and of the N-shaped partition method:
# time per row against n, beside Thomas, LAPACK, and P-scheme as in W12, which computes one row at a
# time. Look at how far the lanes push the curves below Thomas, and at the n from which several
# cores help.
# The dash-dotted lines are the limit of memory: 9 words a row, in (c) 3, at the speed of the copy
# in the same run. They begin at the n where the copy is fastest, because starting the threads
# dominates smaller copies.
# Shows: @(tridiagonal|nshape_lanes).csv
load "plots/figures/style.gp"

csv = "tridiagonal.csv nshape_lanes.csv" # the second: runs of the CPU variants alone
scheme = "pscheme_cpu.csv"
panel_total = device(results, scheme) eq "" ? 2 : 3
titles = "'(a) system, double' '(b) system, single' '(c) recurrence, single'"
y_name = "time per row [ns]"
most = most_cores(results, csv) eq "" ? 1 : int(word(most_cores(results, csv), 1))
cores(all) = all ? most : 1

# The curves on one core, then those on several. of(): the variant of curve i in panel p, or "".
K = most > 1 ? 7 : 5
systems = "lapack_gtsv thomas_cpu pscheme_map pscheme_lanes nshape_lanes pscheme_lanes nshape_lanes"
loops = "'' recurrence recurrence_pscheme recurrence_lanes '' recurrence_lanes ''"
of(i) = word(p == 3 ? loops : systems, i)
style(i) = int(word("6 4 5 2 1 2 1", i))
own_file(i) = p == 3 || i == 3 || i == 4 || i == 6 ? scheme : csv
condition(variant, cores) = sprintf("type=%s phase=total variant=%s cores=%d", p == 1 ? "d" : "s", variant, cores)
points(i) = of(i) eq "" ? "< true" : own(own_file(i), condition(of(i), cores(i > 5)), "n", "median_ms")
late(i) = of(i) eq "" ? "< true" : hollow(own_file(i), condition(of(i), cores(i > 5)), "n", "median_ms")
any_late = note_hollow(csv) ne "" || panel_total == 2 ? note_hollow(csv) : note_hollow(scheme)
# roofline(): the limit of memory. The copy moves two words per element.
roofline(cores) = rows(results, csv, condition("copy_cpu", cores), "n", "median_ms").sprintf(" | awk '{ n[NR] = $1; ms[NR] = $2; if (NR == 1 || $2 / $1 < ms[best] / n[best]) best = NR } " \
    ."END { for (i = best; i <= NR; i++) if (i) print n[i], ms[i] * %d / 2 }'", p == 3 ? 3 : 9)
# gains(): the speed-ups at the largest n, as text.
ours = "nshape_lanes nshape_lanes recurrence_lanes"
gain(all) = rows(results, p == 3 ? scheme : csv, condition(word(ours, p), cores(all)), "n", "speedup")
gain_text(all, name) = any(gain(all)) ? sprintf("\n%s: %.1f times %s", name, last_of(gain(all), 2), p == 3 ? "the loop" : "LAPACK") : ""
gains(p) = any(gain(0)) ? (p == 3 ? "P-scheme" : "N-shaped partition")." at n = ".power(last_of(gain(0), 1)).":" \
    .gain_text(0, "one core").(most > 1 ? gain_text(1, sprintf("%d cores", most)) : "") : ""
ns(ms, n) = 1e6 * ms / n
either(a, b) = drawn("cores=1 variant=".a) || drawn("cores=1 variant=".b)
thin = most > 1 ? "lw 1.2 dt 2 ps 0.7" : "" # one core

set logscale x 2
set logscale y 10
set xrange [70:4e7]
set xtics ("2^{8}" 2**8, "2^{14}" 2**14, "2^{20}" 2**20)
set format y "%g"
set xlabel "n"

eval to("lutsyshyn2022_lanes", panel_total == 3 ? 860 : 760, 600)
eval panels(1, panel_total, 4, headline("SIMD lanes and cores as processors", \
    also(also("".header(results, csv, "cpu"), most > 1 ? sprintf("dashed: one core; solid: %d cores", most) : "one core"), any_late)))
do for [p = 1:panel_total] {
    eval begin(p)
    set yrange [*:300<*]
    baseline = "phase=total cores=1 variant=".(p == 3 ? "recurrence" : "lapack_gtsv")
    set label 1 gains(p) at graph 0.04, graph 0.97 left font ",12"
    plot 300 with lines ls 30 notitle, \
         for [all = most > 1:0:-1] roofline(cores(all)) using 1:(ns($2, $1)) with lines ls 33 + all lw 1.8 notitle, \
         for [i = 1:5] points(i) using 1:(ns($2, $1)) with linespoints ls style(i) @thin notitle, \
         for [i = 6:K] points(i) using 1:(ns($2, $1)) with linespoints ls style(i) lw 3 notitle, \
         for [i = 1:K] late(i) using 1:(ns($2, $1)) with points ls 40 + style(i) notitle, \
         keyentry with linespoints ls 6 @thin title titled("variant=lapack_gtsv", "LAPACK gtsv"), \
         keyentry with linespoints ls 4 @thin title titled("variant=thomas_cpu", panel_total == 3 ? "Thomas; (c) serial loop" : "Thomas"), \
         keyentry with linespoints ls 5 @thin title either("pscheme_map", "recurrence_pscheme") ? "P-scheme as in W12" : "", \
         keyentry with linespoints ls 2 title either("pscheme_lanes", "recurrence_lanes") ? "P-scheme, lanes" : "", \
         keyentry with linespoints ls 1 title titled("variant=nshape_lanes", "N-shaped partition, lanes"), \
         keyentry with lines ls 33 lw 1.8 title "limit of memory, one core", \
         for [i = 2:most > 1 ? 2 : 1] keyentry with lines ls 34 lw 1.8 title sprintf("limit of memory, %d cores", most)
}
