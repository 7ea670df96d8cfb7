# PL19 Table 1: speed-up of Thomas over one CPU thread against the number of systems, n = 4095, with
# global memory, with shared memory and (not in the paper) with tiles in shared memory. Look at the
# order of the curves: in the paper shared memory lies above global memory.
# Panels (e) and (f) show the speed-up over thomas_global, which the paper's 47% are.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

variants = "thomas_shared thomas_global thomas_tile"
K_paper = 2
cpu = "thomas_cpu"
figure = "pogorelskikh2019_table1"
title_of = "Thomas on a GPU, speed-up over one CPU thread (PL19 Table 1)"
note = "times without transfers; speed-up over thomas\\_cpu"
over = "thomas_global"
over_low = 0.8
over_high = 2
load "plots/figures/pogorelskikh2019.inc"
