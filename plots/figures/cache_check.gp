# The model of a GPU's caches, which replays counted memory accesses on any machine, against Nsight
# Compute. Look at the two groups of launches far from the line, nearly all pre-computations: they
# store much and read next to nothing from DRAM. Of W12's all depends on how much of the last stores L2 still holds
# when they end. W13's run for 30 ms on few threads, and DRAM receives some 256 KiB every 13 ms even
# while a kernel only waits (dram_waiting.csv of the H200).
# Shows: cache_check.csv
load "plots/figures/style.gp"

csv = "cache_check.csv"
# pscheme_gpu has a variant `tridiagonal` of type s, too.
parts = "'program=pscheme_gpu' 'program=pscheme_g' 'program=pcr' 'variant=nshape' 'program=thomas_batch' \
    'type=z variant=tridiagonal' 'program=tridiagonal_batch' 'program=recurrence'"
names = "'P-scheme (W12)' 'P-scheme (W13)' 'PCR' 'N-shape' 'Thomas, SERICR, PARACR, batches' 'tridiagonal solvers'"
style(i) = int(word("1 2 3 4 5 6 5 2", i))
series(i) = word(parts, i)
K = 6
# points(): lines "x y", of all launches that have both columns and meet the condition `where`.
points(where, x, y) = rows_with("-v each=1", results, csv, where, x, y)
counted(x, y, condition) = system(points("", x, y)[3:*].sprintf(" | awk '%s { n++ } END { printf \"%%d of %%d\", n, NR }'", condition))
# above(): those above the axis of (a), which end at `top`.
top = 80
above(where) = points(where, "dram_ncu", "difference").sprintf(" | awk '$2 > %d'", top)
extremes = system(above("")[3:*]." | awk '{ print $2 }' | sort -n | awk '{ y[NR] = $1 } END { if (NR) printf \", %+.0f\", y[1]; if (NR > 1) printf \" to %+.0f\", y[NR]; if (NR) printf \" %%\" }'")

eval to("cache_check", 760, 510)
eval panels(1, 2, 3, headline("Caches: predicted from counted accesses, and measured", \
    "a point for each profiled launch; lines: equal; dotted: 5 % more or less; open: above the axis"))
unset key
set title "(a) bytes of DRAM: ".counted("dram_ncu", "difference", "$2 >= -5 && $2 <= 5")." within 5 %"
eval decades("x")
set xrange [3e3:3e10]
set yrange [-100:top]
set xlabel "measured [bytes]"
set ylabel "predicted over measured [%]"
set label 1 "W12".extremes.":\nL2 keeps last stores\nthat the model writes" at first 4.5e5, first 71 font ",12"
set label 2 "W13, 30 ms long: every\n13 ms something else\nwrites 256 KiB" at first 2.2e6, first -66 font ",12"
plot 0 with lines ls 31, 5 with lines ls 32, -5 with lines ls 32, \
     for [i = 1:8] each(csv, series(i), "dram_ncu", "difference") with points ls style(i), \
     for [i = 1:8] above(series(i)) using 1:(top) with points ls 20 + style(i)

unset label
set title "(b) hits in L1: ".counted("l1_ncu", "l1", "$1 - $2 <= 10 && $2 - $1 <= 10")." within 10"
unset logscale
set format xy "%g"
set xrange [-3:103]
set yrange [-3:103]
set xlabel "measured [% of loaded sectors]"
set ylabel "predicted [%]"
eval legend(3)
plot x with lines ls 31 notitle, for [i = 1:8] each(csv, series(i), "l1_ncu", "l1") with points ls style(i) notitle, \
     for [i = 1:K] keyentry with points ls i title titled(series(i), word(names, i))
