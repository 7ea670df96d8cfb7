# P-scheme over MPI ranks (W12 section II): time against the number of ranks at the largest n, and
# the share of propagation in the time of the three phases. Look at how near the curves stay to the
# dotted line, the time of P-scheme on one core divided by the ranks, as long as each rank has a
# core.
# In problem B the product of more than 5.7M factors s is subnormal. Many CPUs take over a hundred
# cycles for such a number, so a rank with more rows is slow.
# Shows: p*.csv
# Needs: pscheme_mpi_*.csv
load "plots/figures/style.gp"

csv = "pscheme_mpi_'*'.csv"
# The first two variants solve problem B, the last two problem A. core_variants run on one core.
titles = "'(a) problem B, linear recurrence' '(b) problem A, tridiagonal system' '(c) problem B, linear recurrence' '(d) problem A, tridiagonal system'"
rank_variants = "chain exscan tridiagonal_chain tridiagonal_exscan"
core_variants = "recurrence recurrence_pscheme substitution pscheme_map"
names = "'chain, rank to rank' 'MPI\\_Exscan' 'one core, serial' 'one core, P-scheme'"

from = leading(csv)
largest(x) = int(last_of(rows(from, csv, "type=s phase=total", x, "n"), 1))
n = largest("n")
size = n % 2**20 ? sprintf("%d", n) : sprintf("%dM", n / 2**20)
ranks = largest("ranks")
cores = int(system("echo '".device(from, csv)."' | awk '{ sub(/.*\\(/, \"\"); print $1 + 0 }'")) # the number in a name such as "… (2 cores)"
K = 2
where(i) = "type=s n=".n." phase=total variant=".word(rank_variants, 2 * problem + i)
one(dir, problem, i) = number(rows(dir, "pscheme_cpu.csv", "type=s n=".n." cores=1 phase=total variant=".word(core_variants, 2 * problem + i), "n", "median_ms"))
NORMAL_ROWS = 5.7e6 # -log(FLT_MIN) * 65536: the products of more s are subnormal (common/problems.h)
# share(): the share of propagation in the sum of the three phases. The total is timed differently:
# all ranks wait for each other between two timed phases, but not within a timed total.
share(dir, i) = computed(dir, csv, timed("s", word(rank_variants, 2 * problem + i)).sprintf(" && $col[\"n\"] == %d && $col[\"phase\"] != \"total\" { r = $col[\"ranks\"]; all[r] += $col[\"median_ms\"]; phases[r]++; if ($col[\"phase\"] == \"propagate\") part[r] = $col[\"median_ms\"] }" \
    ." END { for (r in part) if (phases[r] == 3) print r, 100 * part[r] / all[r] }", n)).noted(source(dir), "share ".series(2 * problem + i))
series(i) = "variant=".word(rank_variants, i)
share_name = "propagation's share [%]"
any_core(i) = one(results, 0, i) + one(results, 1, i) + one(compared(csv), 0, i) + one(compared(csv), 1, i) > 0

set logscale x 2
set xrange [0.9:1.1 * (ranks > 2 ? ranks : 2)]
set xlabel "ranks"
x_column = "ranks"
eval time_axis
if (ranks > cores && cores > 0) { eval beyond_cores(cores) }

eval to("wakatani2012_mpi", 760, 790)
eval panels(2, 2, 2, headline("P-scheme over MPI ranks, n = ".size." (W12 section II)", \
    also(also(about(csv), one(from, 0, 2) > 0 ? "dotted: P-scheme on one core / ranks" : ""), "single precision")))
y_name = "time [ms]"
set yrange [*:*]
do for [p = 1:2] {
    problem = p - 1
    eval begin(p)
    alone = one(from, problem, 2)
    if (p == 1 && n > NORMAL_ROWS) {
        set label 2 sprintf("up to %d rank%s products\nof s are subnormal", floor(n / NORMAL_ROWS), n < 2 * NORMAL_ROWS ? ":" : "s:") \
            at graph 0.36, graph 0.9 font ",11" tc rgb "#555555"
    } else { unset label 2 }
    plot (alone > 0 ? NaN : 1) with lines ls 30 notitle, or_nan(alone) / x with lines ls 32 notitle, \
         for [i = 2:1:-1] or_nan(one(compared(csv), problem, i)) with lines ls 12+i notitle, \
         for [i = 2:1:-1] or_nan(one(results, problem, i)) with lines ls 2+i notitle, @curves
}
y_name = share_name
set yrange [*:100]
do for [p = 3:4] {
    problem = p - 3
    eval begin(p)
    plot 10 with lines ls 30 notitle, \
         for [i = 2:1:-1] share(compared(csv), i) with linespoints ls 10+i notitle, \
         for [i = 2:1:-1] share(results, i) with linespoints ls i notitle, \
         @entries, for [i = 3:4] keyentry with lines ls i title any_core(i - 2) ? word(names, i) : ""
}
