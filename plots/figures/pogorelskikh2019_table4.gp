# PL19 Table 4: time of the paper's best Thomas and best PARACR kernels against the number of
# systems, n = 4095, beside this repository's own kernels thomas_tile and paracr_block. Look at the
# distance of thomas_shared and paracr_partial: the paper finds a factor of 6.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

variants = "thomas_shared paracr_partial thomas_tile paracr_block"
K_paper = 2
cpu = "thomas_cpu"
points_y = "seconds"
own_y = "median_ms"
scale = 1e-3
eval time_axis
set yrange [*:*]
y_name = "time [s]"
figure = "pogorelskikh2019_table4"
title_of = "Thomas and PARACR, time for all systems (PL19 Table 4)"
note = "times without transfers"
load "plots/figures/pogorelskikh2019.inc"
