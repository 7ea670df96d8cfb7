# The model of a GPU's caches, which replays counted memory accesses on any machine, against Nsight
# Compute on an H100 (one kernel on an H200). Look at the launches that move the least: they read
# little but their instructions, whose bytes are added to the prediction.
# Four launches, of which the model writes up to 7 MB to DRAM and the GPU next to nothing, lie above
# (a).
# Shows: cache_check.csv
load "plots/figures/style.gp"

csv = "cache_check.csv"
# pscheme_gpu has a variant `tridiagonal` of type s, too.
parts = "'program=pscheme_gpu' 'program=pscheme_g' 'program=pcr' 'variant=nshape' 'program=thomas_batch' \
    'type=z variant=tridiagonal' 'type=z variant=tridiagonal_pivoted' 'program=tridiagonal_batch' 'program=recurrence'"
names = "'P-scheme (W12)' 'P-scheme (W13)' 'PCR' 'N-shape' 'Thomas, SERICR, PARACR, batches' 'tridiagonal solvers'"
style(i) = int(word("1 2 3 4 5 6 6 5 2", i))
series(i) = word(parts, i)
K = 6

eval to("cache_check", 760, 500)
eval panels(1, 2, 3, headline("Caches: predicted from counted accesses, and measured", "a point for each profiled launch (beyond +40 % not shown); lines: equal; dotted: 5 % more or less"))
unset key
set title "(a) bytes read from DRAM and written"
eval decades("x")
set xrange [3e3:3e10]
set yrange [-100:40] # four launches lie above
set xlabel "measured [bytes]"
set ylabel "predicted over measured [%]"
plot 0 with lines ls 31, 5 with lines ls 32, -5 with lines ls 32, \
     for [i = 1:9] each(csv, series(i), "dram_ncu", "difference") with points ls style(i)

set title "(b) loaded sectors found in L1"
unset logscale
set format xy "%g"
set xrange [-3:103]
set yrange [-3:103]
set xlabel "measured [%]"
set ylabel "predicted [%]"
eval legend(3)
plot x with lines ls 31 notitle, for [i = 1:9] each(csv, series(i), "l1_ncu", "l1") with points ls style(i) notitle, \
     for [i = 1:K] keyentry with points ls i title titled(series(i), word(names, i))
