# Time steps per second of the Schrödinger equation against the number of grid points: the scheme of
# L22 (section 5.2.4, 5.3) with its best number of blocks, on a GPU and on the cores of a CPU, and
# tridiagonal.h. Look at what it gains to keep the factors of T from step to step.
# With "T rebuilt" the matrix T is computed in every step, as a laser pulse requires.
# Shows: @(nshape|tdse_*).csv
# Needs: tdse_steps.csv
load "plots/figures/style.gp"

csv = "tdse_steps.csv"
K = 6
variants = "tdse_tridiagonal_kept tdse_tridiagonal_rebuilt tdse_kept tdse_rebuilt tdse_kept_cpu tdse_rebuilt_cpu"
names = "'tridiagonal.h, T kept' 'tridiagonal.h, T rebuilt' 'the paper, T kept' 'the paper, T rebuilt' 'all CPU cores, T kept' 'all CPU cores, T rebuilt'"
style(i) = int(word("1 3 2 4 5 6", i))
where(i) = "type=z phase=step variant=".word(variants, i)
own_cpu = any(rows(results, csv, where(5), "n", "median_ms"))

from = leading(csv)
at_n(i) = number(rows(from, csv, "n=300000 ".where(i), "n", "median_ms"))
gain(first, second, text) = at_n(first) > 0 && at_n(second) > 0 ? sprintf(", %.1f ".text, at_n(second) / at_n(first)) : ""
summary = at_n(1) > 0 ? sprintf("tridiagonal.h at n = 3·10^5: %.0f steps/s", 1000 / at_n(1)).gain(1, 3, "times the paper's (T kept)").gain(2, 4, "(T rebuilt)") : ""
copy = ms_of_byte(from, "nshape.csv")

eval decades("xy")
set offsets graph 0.03, graph 0.03, 0, 0
set autoscale xfix
set xlabel "n, points of the grid"
set ylabel "steps a second"
set yrange [*:*]
eval to("tdse_steps", 640, 560)
eval one_panel(4, headline("Time steps of ψ by Crank-Nicolson", also(also(about_both(csv, own_cpu), "double complex"), also(summary, numbers_of(csv)))))
plot "< printf '1e3\n1e7\n'" using 1:(1000) with points ls 30 notitle, \
     (copy == 0 ? "< true" : rows(from, csv, where(1), "n", "bytes")) using ($1 < 1e5 ? NaN : $1):(1000 / ($2 * copy)) with lines ls 33 notitle, \
     for [i = K:1:-1] ref(csv, where(i), "n", "median_ms") using 1:(1000 / $2) with linespoints ls 10 + style(i) notitle, \
     for [i = K:1:-1] own(csv, where(i), "n", "median_ms") using 1:(1000 / $2) with linespoints ls style(i) notitle, \
     for [i = 5:6] hollow(csv, where(i), "n", "median_ms") using 1:(1000 / $2) with points ls 40 + style(i) notitle, \
     for [i = 1:K] keyentry with linespoints ls listed(style(i), where(i)) title titled(where(i), word(names, i)), \
     keyentry with lines ls 33 title copy > 0 ? "T kept: least bytes at copy speed" : ""
