# Linear recurrences of every shape: the share of the triad's bandwidth that the solver reaches when
# the same number of elements is one long sequence or many short ones, contiguous along time or along
# channels, beside CUB's scan and one thread a channel. Look at which shapes cost the solver most, and
# at how many sequences one thread each needs: there are fewer of them from left to right.
# Shows: recurrence_shapes.csv
# Needs: recurrence_shapes.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "recurrence_shapes.csv"
K = 7
variants = "one_pass_batch one_pass_channels one_pass_batch one_pass_channels serial_channels serial_channels cub_scan"
types = "s s b b s b s"
names = "'single, contiguous time' 'single, contiguous channels' 'bfloat16, contiguous time' 'bfloat16, contiguous channels' " \
    ."'one thread a channel, single' 'one thread a channel, bfloat16' 'CUB DeviceScan, single, one sequence'"
series(i) = "variant=".word(variants, i)." type=".word(types, i)
style(i) = int(word("1 2 3 4 5 6 8", i))
thick(i) = i > 4 ? 1 : 2

# shares(): lines "time share" of the shapes of all elements. The largest triad is 100%.
rate = "$col[\"bytes\"] / $col[\"median_ms\"]"
shares(dir, i, phase) = computed(dir, csv, timed("s", "triad").sprintf(" && $col[\"n\"] > of { of = $col[\"n\"]; triad = %s } ", rate) \
    .sprintf("$col[\"type\"] == \"%s\" && $col[\"variant\"] ~ /^one_pass_/ && $col[\"n\"] > all { all = $col[\"n\"] } ", word(types, i)) \
    .timed(word(types, i), word(variants, i)).sprintf(" && $col[\"phase\"] == \"%s\" { k++; n[k] = $col[\"n\"]; rates[k] = %s; ", phase, rate) \
    ."time[k] = n[k] / ($col[\"batch\"] > 1 ? $col[\"batch\"] : 1) } " \
    ."END { for (i = 1; i <= k; i++) if (n[i] == all) print time[i], 100 * rates[i] / triad }")
phase(p) = p == 1 ? "total" : "gradient"
shown(dir, p, i) = shares(dir, i, phase(p)).noted(source(dir), series(i)." panel=".p)

all = last_of(rows(leading(csv), csv, "variant=one_pass_batch phase=total type=s batch=1", "n", "n"), 1)
titles = "'(a) w' '(b) gradient'"
y_name = "% of the triad"
set logscale x 2
set xrange [45:1e8]
set xtics ("2^{6}" 2**6, "2^{12}" 2**12, "2^{18}" 2**18, "2^{24}" 2**24)
set xlabel "time: elements of a sequence"
set yrange [0:105]
eval to("recurrence_shapes", 760, 520)
eval panels(1, 2, 4, headline("Recurrences of every shape, beside the triad", \
    also(about(csv), sprintf("%s elements in all, as (batch, time) or (time, channels); thin: peers", power(all)))))
do for [p = 1:2] {
    eval begin(p)
    plot 1 with lines ls 30 notitle, \
         for [i = K:1:-1] shown(compared(csv), p, i) with linespoints ls 10 + style(i) notitle, \
         for [i = K:1:-1] shown(results, p, i) with linespoints ls style(i) lw thick(i) notitle, \
         for [i = 1:K] keyentry with linespoints ls listed(style(i), series(i)) lw thick(i) title titled(series(i), word(names, i))
}
