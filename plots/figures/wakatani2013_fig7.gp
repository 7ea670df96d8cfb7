# W13 Fig. 7: speed-up of P-scheme/G in case H (1000 operations for each s) against T, for G = 16,
# 32, 64, 128, the number of multiprocessors, four and eight times as many, and the T that the cost
# model predicts. Look at the highest points: they lie at the largest G·T of the three cases.
# Shows: p*.csv
load "plots/figures/style.gp"

case = "H"
ratio = 92.8 # (alpha + gamma)/beta = 91.7 + 1.1, W13 eq. 6
level = "up to 400"
figure = "wakatani2013_fig7"
load "plots/figures/wakatani2013_popt.inc"
