# A free Gaussian packet: |psi|^2 against x and t, by Crank-Nicolson on the N-shaped partition
# method. Look at the snapshots: they lie on the exact dotted curves while the packet spreads.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_free.csv
load "plots/figures/style.gp"

scene = "free"
title_of = "Free Gaussian packet, σ = 1, k = 2"
what = "dotted, exact: the packet's mean (above) and |ψ|² (below)"
xs = "[-10:40]"
ys = "[0:0.42]"
least = 0
top = 0.4
path(t) = 2*t
spread(t) = sqrt(1 + t*t/4)
exact(x, t) = exp(-(x - 2*t)**2/(2*spread(t)**2))/(sqrt(2*pi)*spread(t))
load "plots/figures/tdse.inc"
