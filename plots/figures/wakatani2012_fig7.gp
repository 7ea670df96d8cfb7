# W12 Fig. 7: speed-up of parallel cyclic reduction (PCR) and of P-scheme over one CPU thread
# against T, G = 32, and of PCR with the best of all G. Look at the highest point of each method:
# P-scheme reaches its own with few threads, PCR needs as many as the GPU can run.
# PCR was run with more blocks than the paper's G if it was run with T = 1024, too. The serial time
# is that of pscheme_gpu, as in the other figures of W12.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

csv = "pcr.csv"
points_csv = "wakatani2012_fig7.csv"
K_paper = 2
titles = size_titles
names = "'PCR, G = 32' 'P-scheme, G = 32' 'PCR, best of all G'"
series(i) = word("'blocks=32 variant=pcr' 'blocks=32 variant=pscheme' program=pcr", i)
where(i) = series(i)." n=".word(sizes, p).(i == 3 ? " variant=pcr" : "")
also_where = " type=s phase=total"
baseline = "program=pscheme_gpu variant=serial phase=total"
baseline_csv = "pscheme_gpu.csv"
# curves_of(): how many curves a run has: 3 with PCR at more than the paper's G.
curves_of(dir) = any(rows(dir, csv, "variant=pcr threads=1024".also_where, "threads", "median_ms")) ? 3 : 2

eval threads_axis
set xrange [13:1300]
set xtics (16, 64, 256, 1024)
eval linear_axis

eval to("wakatani2012_fig7", 760, 480)
eval panels(1, 2, 1, headline("PCR and P-scheme (W12 Fig. 7)", also(about_single(csv), c1060)))
do for [p = 1:2] {
    eval begin(p)
    eval "set yrange ".top_of(7, word("a b", p))
    plot 1 with lines ls 31 notitle, \
         for [i = curves_of(compared(csv)):1:-1] ref(csv, where(i).also_where, "threads", "speedup") with linespoints ls 10+i notitle, \
         for [i = curves_of(results):1:-1] own(csv, where(i).also_where, "threads", "speedup") with linespoints ls i notitle, \
         for [i = curves_of(results):1:-1] hollow(csv, where(i).also_where, "threads", "speedup") with points ls 40+i notitle, \
         @published, for [i = 1:3] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(names, i))
}
