# W13 Fig. 6: speed-up of P-scheme/G in case M (400 operations for each s) against T for G = 16, 32, 64, 128 and the
# number of multiprocessors. The strip above marks for each G the T that the paper found best, T = P_opt/G
# with the paper's P_opt, and with the P_opt fitted to the phases measured here (fit.awk).
# Shows: p*.csv
load "plots/figures/style.gp"

case = "M"
ratio = 21.1 # 20 + 1.1
level = "about 183"
figure = "wakatani2013_fig6"
heading = "Speed-up of P-scheme/G, case M, single precision (W13 Fig. 6)"
load "plots/figures/wakatani2013_popt.inc"
