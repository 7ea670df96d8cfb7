# The light that an atom in a laser pulse emits: intensity of the high harmonics, from the force on
# its electron, against the energy that the electron brings back. Look at the end of the plateau: it
# lies near 3.17 U_p, the most that a classical electron can gain in the field.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_laser_harmonics.csv
load "plots/figures/style.gp"

scenes = "midinfrared laser"
names = "'3.2 µm, E = 0.05, U_p = 3.08' '800 nm, E = 0.0755, U_p = 0.44'"
spectrum(i) = (csv = "tdse_".word(scenes, i)."_harmonics.csv", printed_by("/^[0-9]/ && $2 > -0.15 { print $2, $3 }").noted(source_of(csv), word(scenes, i)))

eval decades("y")
set xrange [-0.2:5]
set yrange [1e-14:1e2]
set xlabel "(ω − I_p)/U_p"
set ylabel "intensity of the light [arbitrary units]"
eval vertical(1, 3.17, 32)
csv = "tdse_laser_harmonics.csv"
eval to("tdse_harmonics", 640, 460)
eval one_panel(1, headline("High harmonics of an atom V = -1/√(x² + 2) in a laser pulse", \
    also(whose(csv), "four cycles; dotted: I_p + 3.17 U_p, I_p = 0.5")))
plot for [i = 1:2] spectrum(i) with lines ls i lw 1 notitle, \
     for [i = 1:2] keyentry with lines ls i title titled(word(scenes, i), word(names, i))
