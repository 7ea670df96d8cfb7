# The P-scheme/G kernels (W13), each of which adds one idea to the one before, in case L at N = 1M:
# speed-up over the paper's CPU baseline against P = G·T, for each power of two the best. Look at
# the step from the block layout to the others, and at where they lie highest beside the predicted
# P_opt.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_g.csv"
baseline = "variant=cpu_paper phase=total"
variants = "block soa extended warp ends fused arrays"
names = variants
where(i) = "type=s case=L phase=total n=1048576 variant=".word(variants, i)
fitted = extended("L")
parts_range = "[200:180000]"
figure = "wakatani2013_ladder"
title_of = "Kernel ladder of P-scheme/G, case L, N = 1M"
note = also("single precision; for each power of two the best P and G", over_paper)
load "plots/figures/ladder.inc"
