# W13 Fig. 5: speed-up of P-scheme/G in case L (constant s) against T, for G = 16, 32, 64, 128, the
# number of multiprocessors, four and eight times as many, and the T that the cost model predicts.
# Look at the highest points: with a larger G they move to a smaller T, so that G·T stays about the
# same.
# Shows: p*.csv
load "plots/figures/style.gp"

case = "L"
ratio = 2.7 # (alpha + gamma)/beta = 1.6 + 1.1, W13 eq. 6
level = ""
figure = "wakatani2013_fig5"
load "plots/figures/wakatani2013_popt.inc"
