# A soft-core atom in a laser pulse of 800 nm: |psi|^2 against x and t, by Crank-Nicolson on the N-shaped
# partition method. Look at the packets that leave the atom each time the field is strong.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_laser.csv
load "plots/figures/style.gp"

scene = "laser"
title_of = "Atom V = -1/√(x² + 2) in a laser pulse, E = 0.0755 sin²(πt/441) sin(0.057 t)"
what = "dotted: the exact ground state (below)"
xs = "[-100:100]"
ys = "[1e-8:1]"
least = 1e-8
top = 1
path(t) = NaN
# At t = 0 the atom is in its ground state, whose exact |psi|^2 is ground(x) / norm. norm is the
# integral of ground(x) by the trapezoidal rule.
r(x) = sqrt(x*x + 2)
ground(x) = (1 + r(x))**2*exp(-2*r(x))
norm = 0
do for [i = -400:400] { norm = norm + 0.05*ground(0.05*i) }
exact(x, t) = t == 0 ? ground(x)/norm : NaN
load "plots/figures/tdse.inc"
