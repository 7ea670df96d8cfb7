# W13 Fig. 1, the same as W12 Fig. 1: original substitution and P-scheme on one CPU thread, time per
# row against the size of the system. Look at how far P-scheme lies above the substitution: the
# paper finds a factor of 2, the dotted line.
# Shows: p*.csv
figure = "wakatani2013_fig1"
load "plots/figures/wakatani2012_fig1.gp"
