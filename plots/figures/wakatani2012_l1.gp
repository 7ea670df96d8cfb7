# The phases of P-scheme with and without the L1 cache against T, N = 256K, G = 32: loads of a row or
# part find their element in L1 in (a) and bypass L1 in (b). Look at what (b) has of the paper's GPU,
# which had no such cache: pre-computation takes as long as determination, and propagation takes the
# same time in both layouts.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

K = 6
phases = "precompute precompute propagate propagate determine determine"
variants = "rearranged block rearranged block rearranged block"
names = "'precompute, rearranged' 'precompute, not rearranged' 'propagate, rearranged' 'propagate, not rearranged' 'determine, rearranged' 'determine, not rearranged'"
titles = "'(a) with L1' '(b) loads bypass L1'"
# The phases have the colours of Fig. 3 and 5. Those without rearrangement are dotted and open.
do for [i = 1:3] {
    set style line 50 + i lc rgb word(dark, i) lw 2 dt (2,4) pt int(word(open, i)) ps 1
    set style line 60 + i lc rgb word(pale, i) lw 1.5 dt (2,4) pt int(word(open, i)) ps 0.7
}
styled(kind, i) = (i + 1) / 2 + (i % 2 ? 0 : 50) + (kind == 2 ? 10 : 0)
where(panel, i) = "type=s n=262144 blocks=32 variant=".word(variants, i).(panel == 2 ? "_no_l1" : "")." phase=".word(phases, i)
series(i) = "phase=".word(phases, i)." variant=".word(variants, i)
# Neither panel is drawn for a run without times of (b).
points(dir, i) = !any(rows(dir, csv, where(2, 1), "threads", "median_ms")) ? "< true" \
    : rows(dir, csv, where(p, i), "threads", "median_ms").noted(source(dir), where(p, i))

eval threads_axis
eval time_axis

eval to("wakatani2012_l1", 760, 500)
eval panels(1, 2, 2, headline("P-scheme with and without L1, N = 256K, G = 32", about_single(csv)))
do for [p = 1:2] {
    eval begin(p)
    plot 0.01 with lines ls 30 notitle, \
         for [i = K:1:-1] points(compared(csv), i) with linespoints ls styled(2, i) notitle, \
         for [i = K:1:-1] points(results, i) with linespoints ls styled(1, i) notitle, \
         for [i = 1:K] keyentry with linespoints ls styled(drawn(series(i)), i) title titled(series(i), word(names, i))
}
