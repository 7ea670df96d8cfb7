# W13 Fig. 6: speed-up of P-scheme/G in case M (400 operations for each s) against T, for G = 16,
# 32, 64, 128, the number of multiprocessors, four and eight times as many, and the T that the cost
# model predicts. Look at the highest points: they lie at a larger G·T than in case L, because a
# part costs more.
# Shows: p*.csv
load "plots/figures/style.gp"

case = "M"
ratio = 21.1 # (alpha + gamma)/beta = 20 + 1.1, W13 eq. 6
level = "about 183"
figure = "wakatani2013_fig6"
load "plots/figures/wakatani2013_popt.inc"
