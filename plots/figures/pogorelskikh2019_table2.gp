# PL19 Table 2: speed-up of serial cyclic reduction (SERICR) on the GPU over SERICR on one CPU
# thread against the number of systems, n = 4095. Look at the line at 1: the paper's points lie
# below it, because its GPU recomputes what its CPU stores.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

variants = "sericr_shared sericr_global"
K_paper = 2
cpu = "sericr_cpu"
figure = "pogorelskikh2019_table2"
title_of = "Serial cyclic reduction, speed-up over one CPU thread (PL19 Table 2)"
note = "times without transfers; speed-up over sericr\\_cpu, which keeps all levels"
load "plots/figures/pogorelskikh2019.inc"
