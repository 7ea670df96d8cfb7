# W12 Fig. 8: speed-up with rearrangement against T for G = 4, 8, 16, 32, and the T that the cost
# model predicts. Look at whether the highest point of each curve lies below its marks in the strip.
# The scan of Fig. 8 is illegible, but the points of G = 32 are in Fig. 7, too, and one of G = 4 in
# the text.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

Gs = "4 8 16 32"
where(i) = "variant=rearranged n=".n." blocks=".word(Gs, i)
titles = size_titles
fitted = rearranged
best_csv = "wakatani2012_best.csv"
points_csv = "wakatani2012_fig8.csv"
level_of(n) = "n=".n." blocks="
levels = 0
paper_popt(n) = sqrt(n/2.)
paper_popt_name = "√(N/2) / G"
last_T = 1024
speedups = linear_axis
lowest_top(p) = top_of(8, word("a b", p))
figure = "wakatani2012_fig8"
title_of = "Speed-up of P-scheme, rearranged (W12 Fig. 8)"
note = "single precision; open symbols: the paper, Tesla C1060, legible for G = 32 and one point of G = 4"
load "plots/figures/popt.inc"
