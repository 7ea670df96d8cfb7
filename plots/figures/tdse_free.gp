# A free Gaussian packet: |psi|^2 against x and t, by Crank-Nicolson on the N-shaped partition
# method.
# Shows: @(nshape|tdse_*).csv
load "plots/figures/style.gp"

scene = "free"
heading = "Free Gaussian packet, σ = 1, k = 2"
what = "dotted, exact: the packet's mean (above) and |ψ|² (below)"
xs = "[-10:40]"
ys = "[0:0.42]"
snapshot_scale = "unset logscale y"
colours = "set cbrange [0:0.4]"
least = 0
path(t) = 2*t
width(t) = sqrt(1 + t*t/4)
exact(x, t) = exp(-(x - 2*t)**2/(2*width(t)**2))/(sqrt(2*pi)*width(t))
load "plots/figures/tdse.inc"
