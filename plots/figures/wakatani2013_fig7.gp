# W13 Fig. 7: speed-up of P-scheme/G in case H (1000 operations for each s) against T for G = 16, 32, 64, 128 and the
# number of multiprocessors. The strip above marks for each G the T that the paper found best, T = P_opt/G
# with the paper's P_opt, and with the P_opt fitted to the phases measured here (fit.awk).
# Shows: p*.csv
load "plots/figures/style.gp"

case = "H"
ratio = 92.8 # 91.7 + 1.1
level = "up to 400"
figure = "wakatani2013_fig7"
heading = "Speed-up of P-scheme/G, case H, single precision (W13 Fig. 7)"
load "plots/figures/wakatani2013_popt.inc"
