# A soft-core atom in a mid-infrared pulse (3.2 µm, four cycles), the paper's motive for large grids
# (L22 3): the ionisation against time, and the momenta of the electrons that have left. Look at (b):
# the spectrum falls beyond 2 U_p, the most that the field gives to an electron that leaves the atom,
# and ends near 10 U_p, that of an electron that returns and is scattered back.
# U_p = E²/(4 ω²) = 3.08; an electron with the energy c U_p has the momentum sqrt(2 c U_p).
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_midinfrared.csv
load "plots/figures/style.gp"

csv = "tdse_midinfrared.csv"
points(series) = sprintf("< awk -F, '$1 == \"%s\" { print $2, $3 }' '%s/%s' 2>/dev/null", series, holder(csv), csv).noted(source_of(csv), series)
strength = 0.05
omega = 0.01424
momentum(c) = sqrt(2 * c * strength**2 / (4 * omega**2))

do for [t in "svg png"] {
    eval to(t, "tdse_midinfrared", 760, 520)
    heading = headline("Atom V = -1/√(x² + 2) in a mid-infrared pulse, 200000 points", \
        also(whose(csv), "E = 0.05 sin²(πt/1765) sin(0.01424 t), Δx = 0.1, Δt = 0.025"))
    eval panels(1, 2, 2)
    set title "(a) ionisation"
    set xlabel "t"
    set ylabel "probability of |x| > 100"
    set xrange [0:1765]
    set xtics 500
    set yrange [0:*]
    unset key
    set y2range [-0.4:0.06]
    plot points("field") using 1:2 axes x1y2 with lines ls 18 dt 1 notitle, \
         points("left_atom") using 1:2 with lines ls 1 notitle
    set title "(b) density of the momenta that have left"
    set xlabel "momentum |k|"
    unset ylabel
    set xrange [0:10]
    set xtics 2
    set yrange [1e-10:1]
    set logscale y 100
    set format y "10^{%T}"
    set arrow 1 from momentum(2), graph 0 to momentum(2), graph 1 nohead ls 32
    set arrow 2 from momentum(10), graph 0 to momentum(10), graph 1 nohead ls 32
    set label 1 "2 U_p" at momentum(2), graph 0.96 offset 0.5,0
    set label 2 "10 U_p" at momentum(10), graph 0.96 right offset -0.5,0
    eval legend(2)
    plot points("left") using 1:2 with lines ls 2 notitle, \
         points("right") using 1:2 with lines ls 1 notitle, \
         keyentry with lines ls 1 title "(a) |x| > 100, (b) to the right", \
         keyentry with lines ls 2 title "(b) to the left", \
         keyentry with lines ls 18 dt 1 title "(a) the field E(t)"
    unset arrow 1
    unset arrow 2
    unset label 1
    unset label 2
    unset logscale y
    set format y "%g"
    unset multiplot
}
