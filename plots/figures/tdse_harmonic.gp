# A coherent state of the harmonic oscillator: |psi|^2 against x and t, by Crank-Nicolson on the
# N-shaped partition method. Look at the width of the packet, which stays the same while its mean
# follows the cosine of a classical particle.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_harmonic.csv
load "plots/figures/style.gp"

scene = "harmonic"
title_of = "Coherent state of a harmonic oscillator, ω = 1, from x = 3"
what = "dotted, exact: the packet's mean (above) and |ψ|² (below)"
xs = "[-6:6]"
ys = "[0:0.65]"
least = 0
top = 0.6
path(t) = 3*cos(t)
exact(x, t) = exp(-(x - 3*cos(t))**2)/sqrt(pi)
load "plots/figures/tdse.inc"
