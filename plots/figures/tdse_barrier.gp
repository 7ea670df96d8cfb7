# Tunnelling through a square barrier: |psi|^2 against x and t, by Crank-Nicolson on the N-shaped
# partition method. Look at the fringes left of the barrier, where the reflected packet meets the
# one that still arrives, and at the packet that has passed.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_barrier.csv
load "plots/figures/style.gp"

scene = "barrier"
title_of = "Tunnelling through a barrier |x| < 1/2 of height 1.25, k = 1.5, σ = 3"
what = "dotted: path of the packet's mean if there were no barrier"
xs = "[-50:50]"
ys = "[1e-6:1]"
least = 1e-6
top = 0.3
path(t) = -25 + 1.5*t
exact(x, t) = NaN
load "plots/figures/tdse.inc"
