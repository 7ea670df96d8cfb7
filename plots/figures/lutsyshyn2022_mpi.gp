# The N-shaped partition method over MPI ranks (L22 section 5.2, 6.2): time of a step against the
# number of ranks at the largest n, and how long a rank waits for messages with each measure that
# hides this wait. Look at (b): which measure leaves the shortest bar.
# If several wave functions are computed at the same time ("in flight"), the time is divided by
# their number.
# Shows: @(nshape|tdse_*).csv
# Needs: nshape_mpi_*.csv
load "plots/figures/style.gp"

# The shell command puts the file name between apostrophes. The apostrophes in the name end and
# reopen this quotation, so the shell expands * to all numbers of ranks.
csv = "nshape_mpi_'*'.csv"
variants = "step step_early step_inverse step_kept step_ahead step_flight step_alone solve"
names = "'plain step' 'JD sent early' '… and 1/a during RS' 'factors kept' 'factors made ahead' 'several in flight' 'root without rows' 'one given system'"
hiding = 6 # panel (b) shows the first six variants

from = leading(csv)
command(dir, where, x, y) = rows(dir, csv, where, x, y)[3:*]
# largest(): the largest value, up to `most`, of column x in the rows of the variant `step`.
largest(where, x, most) = int(system(command(from, "type=z variant=step ".where, x, x)." | awk '$1 <= ".most." { n = $1 } END { print n + 0 }'"))
n = largest("phase=total", "n", "1e18")
# The number of cores is read from a comment of the CSV files. The column `device` does not contain
# it if all ranks use GPUs, but these ranks need CPU cores, too.
cores = int(system("sed -n 's/^# cpu: .*(\\([0-9]*\\) core.*/\\1/p' '".from."/nshape_mpi_'*'.csv' 2>/dev/null | awk '$1 > n { n = $1 } END { print n + 0 }'"))
most = largest("phase=total n=".n, "ranks", "1e18")
ranks = largest("phase=wait n=".n, "ranks", cores > 0 ? sprintf("%d", cores) : "1e18")
where(v, phase) = "type=z n=".n." phase=".phase." variant=".v
# batch(v): the number of wave functions that variant v computes at the same time. of_one(v) divides
# times by this number.
batch(v) = (b = number(rows(from, csv, where(v, "total"), "n", "batch")), b > 0 ? b : 1)
of_one(v) = sprintf(" | awk '{ print $1, $2 / %g }'", batch(v))
each(dir, v) = rows(dir, csv, where(v, "total"), "ranks", "median_ms").of_one(v).noted(dir eq results ? "own" : "ref", "variant=".v)
late(v) = rows_with("-v hollow=1", results, csv, where(v, "total"), "ranks", "median_ms").of_one(v).noted("own", "variant=".v." hollow")
series(i) = "variant=".word(variants, i)
wait(v, y) = number(rows(from, csv, where(v, "wait")." ranks=".ranks, "n", y)) / batch(v)
array waits[hiding]
array low[hiding]
array high[hiding]
do for [i = 1:hiding] {
    v = word(variants, i)
    waits[i] = wait(v, "median_ms")
    low[i] = waits[i] > 0 ? wait(v, "q1_ms") : NaN
    high[i] = waits[i] > 0 ? wait(v, "q3_ms") : NaN
}
hidden(i) = i == 1 || waits[1] <= 0 || waits[i] <= 0 ? "" : waits[i] <= waits[1] ? sprintf("%.0f%%\nhidden", 100 - 100 * waits[i] / waits[1]) \
    : sprintf("%.0f%%\nmore", 100 * waits[i] / waits[1] - 100)
# This name() replaces the one of style.gp. It returns the device of the run with the most ranks,
# without the number of each device: "1 x GPU + 3 x CPU (16 cores)" becomes "GPU + CPU (16 cores)".
name(dir, csv) = system(sprintf("awk -F, '$2 == \"step\" && $11 + 0 >= r { r = $11 + 0; d = $14 } END { print d }' '%s/%s' 2>/dev/null | sed 's/[0-9]* x //g; s/[_^@&~{}]/\\&/g'", dir, csv))
mixed = strstrt(name(from, csv), " + ") > 0
# alone: the time of one rank, where the line of ideal scaling begins, or 0 if this line is not
# drawn. It is drawn only if all ranks use GPUs, because then each rank adds a GPU. On a CPU one
# rank already uses all cores.
alone = mixed || number(rows(from, csv, where("step", "total")." ranks=1", "ranks", "cores")) > 0 ? 0 : number(rows(from, csv, where("step", "total")." ranks=1", "ranks", "median_ms"))

do for [t in "svg png"] {
    eval to(t, "lutsyshyn2022_mpi", 760, 600)
    heading = headline("N-shaped method over MPI ranks, n = ".n." (L22 5.2, 6.2)", also(also(also(about(csv), "double complex"), \
        alone > 0 ? "dotted: plain step of one rank / ranks" : mixed ? "a rank for each GPU, the others share the cores" : "one rank has all the cores, more share them"), \
        "bars: the mean over the ranks, median and quartiles"))
    eval panels(1, 2, 6)
    set logscale xy 2
    set xrange [0.9:1.1 * (most > 2 ? most : 2)]
    set format y "%g"
    set xlabel "ranks"
    set title "(a) time per step and system [ms]"
    if (most > cores && cores > 0) {
        set object 1 rectangle from sqrt(2) * cores, graph 0 to graph 1, graph 1 behind fc rgb "#f0f0f0" fs noborder
        set label 1 "ranks > cores" at graph 0.98, graph 0.06 right tc rgb "#777777"
    }
    unset key
    plot (most > 0 ? NaN : 1) with lines ls 30 notitle, (alone > 0 ? alone : NaN) / x with lines ls 32 notitle, \
         for [i = words(variants):1:-1] each(compared(csv), word(variants, i)) with linespoints ls 10+i notitle, \
         for [i = words(variants):1:-1] each(results, word(variants, i)) with linespoints ls i notitle, \
         for [i = words(variants):1:-1] late(word(variants, i)) with points ls 40+i notitle
    unset object 1
    unset label 1
    unset logscale
    set xrange [0.4:hiding + 0.6]
    set yrange [0:*<1e9]
    set offsets 0, 0, graph 0.14, 0
    set xlabel ""
    set xtics rotate by 35 right scale 0 () font ",12"
    do for [i = 1:hiding] { set xtics add (word(names, i) i) }
    set title ranks == 0 ? "(b) wait: no undisturbed times" \
        : sprintf("(b) wait that remains [ms], %d rank%s%s", ranks, ranks == 1 ? "" : "s", from eq results ? "" : ", reference")
    set style fill solid 0.85 noborder
    eval legend(3)
    plot for [i = 1:hiding] '+' using (i):(waits[i]):(0.6) every ::0::0 with boxes lc rgb word(dark." #888888", i) notitle, \
         '+' using (int($0) + 1):(low[int($0) + 1]):(0):(high[int($0) + 1] - low[int($0) + 1]) every ::0::hiding-1 with vectors heads size graph 0.01,90 lc rgb "#333333" lw 1.2 notitle, \
         '+' using (int($0) + 1):(high[int($0) + 1]):(hidden(int($0) + 1)) every ::0::hiding-1 with labels offset 0,1.4 font ",11" notitle, \
         for [i = 1:words(variants)] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(names, i))
    set offsets
    set xtics norotate scale 0.5 autofreq font ",14"
    set yrange [*:*]
    unset multiplot
}
