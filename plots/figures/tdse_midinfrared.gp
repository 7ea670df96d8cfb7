# A soft-core atom in a mid-infrared pulse (3.2 µm, four cycles), the paper's motive for large grids
# (L22 3): the probability that the electron is far from the atom, against time. Look at the steps:
# the atom is ionised when the field is strongest, and between two steps electrons return.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_midinfrared.csv
load "plots/figures/style.gp"

csv = "tdse_midinfrared.csv"
points(column) = printed_by(sprintf("/^[0-9]/ { print $1, $%d }", column)).noted(source_of(csv), "column ".column)

set xlabel "t [atomic units]"
set ylabel "probability of |x| > 100"
set xrange [0:1765]
set yrange [0:0.13]
set y2range [-0.5:0.07]
eval to("tdse_midinfrared", 640, 460)
eval one_panel(1, headline("Atom V = -1/√(x² + 2) in a mid-infrared pulse, 200000 points", \
    also(whose(csv), "E = 0.05 sin²(πt/1765) sin(0.01424 t), Δx = 0.1, Δt = 0.025")))
plot points(2) using 1:2 axes x1y2 with lines ls 18 dt 1 title "field E(t), on a scale of its own", \
     points(3) using 1:2 with lines ls 1 title "probability of |x| > 100"
