# The P-scheme kernels (W12), each of which adds one idea to the one before, at N = 1M: speed-up
# over one CPU thread against P = G·T, for each power of two the best. Look at how much each step of
# the ladder adds, and at how near its highest point lies to the predicted P_opt.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_gpu.csv"
variants = "block rearranged register recompute ahead"
names = "'parts one after the other (block)' 'array rearranged (rearranged)' '+ w_{i-1} in a register (register)' '+ products computed again (recompute)' '+ eight rows loaded at once (ahead)'"
where(i) = "type=s phase=total n=1048576 variant=".word(variants, i)
fitted = rearranged
parts_range = "[50:20000]"
figure = "wakatani2012_ladder"
title_of = "Kernel ladder of P-scheme, N = 1M"
note = "single precision; for each power of two the best P and G"
load "plots/figures/ladder.inc"
