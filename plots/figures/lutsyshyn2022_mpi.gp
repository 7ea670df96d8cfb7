# The N-shaped partition method over MPI ranks (L22 section 5.2, 6.2): time of a step against the
# number of ranks at the largest n, and how long a rank waits for messages with each measure that
# hides this wait. Look at (b): whose quartiles lie below those of the plain step.
# Panel (b) shows the ranks over a slow network (common/slow_network.sh) if this run or the
# reference has them, because there is more to hide. There a number stands where the quartiles do not
# overlap those of the plain step. The time of several wave functions "in flight" is divided by
# their number.
# Shows: @(nshape|nshape_mpi_slow_*|tdse_*).csv
# Needs: nshape_mpi_*.csv
load "plots/figures/style.gp"

csv = "nshape_mpi_'[0-9]*'.csv"
slow = "nshape_mpi_slow_'*'.csv"
variants = "step step_early step_inverse step_kept step_ahead step_flight step_alone solve"
names = "'plain step' 'JD sent early' '… and 1/a during RS' 'factors kept' 'factors made ahead' 'several in flight' 'root without rows' 'one given system'"
K = words(variants)
hiding = 6 # panel (b) shows the first six variants

from = leading(csv)
command(dir, where, x, y) = rows(dir, csv, where, x, y)[3:*]
# largest(): the largest value, up to `most`, of column x in the rows of the variant `step`.
largest(where, x, most) = int(system(command(from, "type=z variant=step ".where, x, x)." | awk '$1 <= ".most." { n = $1 } END { print n + 0 }'"))
n = largest("phase=total", "n", "1e18")
# cores: from a comment of the CSV files, because the column `device` of ranks on GPUs lacks it.
cores = int(system("sed -n 's/^# cpu: .*(\\([0-9]*\\) core.*/\\1/p' '".from."/nshape_mpi_'[0-9]*'.csv' 2>/dev/null | awk '$1 > n { n = $1 } END { print n + 0 }'"))
# Panel (a) also shows times that other load disturbed, perhaps with more ranks than undisturbed ones.
most = largest("phase=total n=".n, "ranks", "1e18")
disturbed = int(system(rows_with("-v hollow=1", from, csv, "type=z variant=step phase=total n=".n, "ranks", "n")[3:*]." | awk '{ n = $1 } END { print n + 0 }'"))
if (disturbed > most) { most = disturbed }
ranks = largest("phase=wait n=".n, "ranks", cores > 0 ? sprintf("%d", cores) : "1e18")
where(v, phase) = "type=z n=".n." phase=".phase." variant=".v
batch(v) = (b = number(rows(from, csv, where(v, "total"), "n", "batch")), b > 0 ? b : 1)
# times(): ranks, median and quartiles of the times of variant v.
quantile(flags, dir, v, y) = rows_with(flags, dir, csv, where(v, "total"), "ranks", y)[3:*]
times(flags, dir, v) = dir eq "" ? "< true" : "< { ".quantile(flags, dir, v, "median_ms")."; ".quantile(flags, dir, v, "q1_ms")."; ".quantile(flags, dir, v, "q3_ms") \
    .sprintf("; } | awk '{ t[$1] = t[$1] \" \" $2 / %g } END { for (r in t) print r t[r] }' | sort -n", batch(v))
each(dir, v) = times("", dir, v).noted(source(dir), "variant=".v)
late(v) = times("-v hollow=1", results, v).noted("own", "variant=".v." hollow")
# beside(): the variants stand side by side at their number of ranks, so that none hides another.
beside(ranks, i) = ranks * 2**(0.07 * (i - 0.5 * (K + 1)))
# over: the directory that has the slow network's file. Without one (b) shows the ranks of (a).
over = holder(slow)
wait_csv = over eq "" ? csv : slow
wait_from = over eq "" ? from : over
wait_n = over eq "" ? n : int(system(rows(over, slow, "type=z variant=step phase=wait", "n", "n")[3:*]." | awk 'END { print $1 + 0 }'"))
wait_ranks = over eq "" ? ranks : int(system(rows(over, slow, "type=z variant=step phase=wait n=".wait_n, "ranks", "n")[3:*]." | awk 'END { print $1 + 0 }'"))
network = over eq "" ? "" : header(over, slow, "network").", ".header(over, slow, "device")
wait(v, y) = number(rows(wait_from, wait_csv, "type=z n=".wait_n." phase=wait variant=".v." ranks=".wait_ranks, "n", y)) / batch(v)
highest = 0 # of the quartiles that are drawn
array waits[hiding]
array low[hiding]
array high[hiding]
do for [i = 1:hiding] {
    waits[i] = wait(word(variants, i), "median_ms")
    low[i] = waits[i] > 0 ? wait(word(variants, i), "q1_ms") : NaN
    high[i] = waits[i] > 0 ? wait(word(variants, i), "q3_ms") : NaN
    highest = high[i] > highest ? high[i] : highest
}
if (highest == 0) { highest = 1 }
decided(i) = high[i] < low[1] || low[i] > high[1]
hidden(i) = over eq "" || i == 1 || waits[1] <= 0 || waits[i] <= 0 ? "" : !decided(i) ? "" \
    : waits[i] <= waits[1] ? sprintf("%.0f%%\nhidden", 100 - 100 * waits[i] / waits[1]) \
    : sprintf("%.0f%%\nmore", 100 * waits[i] / waits[1] - 100)
# This name() replaces the one of style.gp: the device of the run with the most ranks.
name(dir, csv) = system(sprintf("awk -F, '$2 == \"step\" && $11 + 0 >= r { r = $11 + 0; d = $14 } END { print d }' '%s/%s' 2>/dev/null | sed 's/[0-9]* x //g; s/[_^@&~{}]/\\&/g'", dir, csv))
mixed = strstrt(name(from, csv), " + ") > 0
# alone: the time of one rank, from which the line of ideal scaling falls, or 0 for no line: on a CPU
# one rank already uses all cores.
of_one(y) = number(rows(from, csv, where("step", "total")." ranks=1", "ranks", y))
alone = mixed || of_one("cores") > 0 ? 0 : of_one("median_ms")

eval to("lutsyshyn2022_mpi", 760, 600)
eval panels(1, 2, 6, headline("N-shaped method over MPI ranks, n = ".n." (L22 5.2, 6.2)", also(also(also(about(csv), "double complex"), \
    alone > 0 ? "dotted: plain step of one rank / ranks" : mixed ? "a rank for each GPU, the others share the cores" : "one rank has all the cores, more share them"), \
    also("whiskers: quartiles; (a): side by side; (b): the mean over the ranks".(network eq "" ? "" : sprintf(", n = %d", wait_n)), network))))
set logscale xy 2
set xrange [0.75:1.35 * (most > 2 ? most : 2)]
set format y "%g"
set xlabel "ranks"
set title "(a) time per step and system [ms]"
if (most > cores && cores > 0) { eval beyond_cores(cores) }
unset key
plot (most > 0 ? NaN : 1) with lines ls 30 notitle, (alone > 0 ? alone : NaN) / x with lines ls 32 notitle, \
     for [i = K:1:-1] each(compared(csv), word(variants, i)) using (beside($1, i)):2:3:4 with yerrorlines ls 10+i notitle, \
     for [i = K:1:-1] each(results, word(variants, i)) using (beside($1, i)):2:3:4 with yerrorlines ls i lw 1.2 ps 0.7 notitle, \
     for [i = K:1:-1] late(word(variants, i)) using (beside($1, i)):2:3:4 with yerrorbars ls 40+i lw 0.8 ps 0.7 notitle
unset object 1
unset label 1
unset logscale
set xrange [0.4:hiding + 0.6]
set yrange [0:highest * 1.2]
set errorbars 3
set xlabel ""
set xtics rotate by 35 right scale 0 () font ",12"
do for [i = 1:hiding] { set xtics add (word(names, i) i) }
set title wait_ranks == 0 ? "(b) wait: no undisturbed times" \
    : sprintf("(b) wait that remains [ms], %d rank%s%s", wait_ranks, wait_ranks == 1 ? "" : "s", wait_from eq results ? "" : ", reference")
eval legend(3)
plot (waits[1] > 0 ? waits[1] : NaN) with lines ls 32 notitle, \
     for [i = 1:hiding] '+' using (i):(waits[i]):(low[i]):(high[i]) every ::0::0 with yerrorbars ls i lw 1.5 ps 0.8 notitle, \
     '+' using (int($0) + 1):(high[int($0) + 1]):(hidden(int($0) + 1)) every ::0::hiding-1 with labels offset 0,1.6 font ",11" notitle, \
     @entries
