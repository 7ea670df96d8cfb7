# PL19 Table 3: speed-up of parallel cyclic reduction (PARACR) over the serial one (SERICR) on one
# CPU thread against the number of systems, n = 4095, for each choice of the data kept in shared
# memory. Look at the distance of partial and shared in (e) and (f), the ratios to paracr_global:
# the paper's "partial", the source data alone in shared memory, is the fastest of its three.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

variants = "paracr_partial paracr_shared paracr_global paracr_block"
K_paper = 3
cpu = "sericr_cpu"
figure = "pogorelskikh2019_table3"
title_of = "Parallel cyclic reduction, speed-up over one CPU thread (PL19 Table 3)"
note = "times without transfers; speed-up over sericr\\_cpu, the paper's baseline"
over = "paracr_global"
over_low = 0.5
over_high = 1.15
load "plots/figures/pogorelskikh2019.inc"
