# W13 Fig. 5: speed-up of P-scheme/G in case L (constant s) against T for G = 16, 32, 64, 128 and the
# number of multiprocessors. The strip above marks for each G the T that the paper found best, T = P_opt/G
# with the paper's P_opt, and with the P_opt fitted to the phases measured here (fit.awk).
# Shows: p*.csv
load "plots/figures/style.gp"

case = "L"
ratio = 2.7 # 1.6 + 1.1
level = ""
figure = "wakatani2013_fig5"
heading = "Speed-up of P-scheme/G, case L, single precision (W13 Fig. 5)"
load "plots/figures/wakatani2013_popt.inc"
