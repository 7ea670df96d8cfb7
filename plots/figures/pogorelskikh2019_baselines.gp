# The time of a row on one CPU thread, which PL19's Tables 1, 3 and 4 imply, beside its best kernels
# and the same of this run, against the number of systems, n = 4095. Look at (a): thomas_cpu lies
# below PARACR on the paper's GPU, and SERICR on the CPU, the baseline of Table 3, six to seven times
# above it.
# A speed-up of Table 1 or 3 times the kernel's time in Table 4 is the time of its baseline, if all
# tables include transfers, or none does.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv"
K = 4
names = variants = "sericr_cpu thomas_cpu paracr_partial thomas_shared"
where(i) = "n=4095 batch>=5000 type=s phase=total cores=".(i < 3 ? "1" : "")." variant=".word(variants, i)
at_y(batch, ms) = 1e6 * ms / 4095 / batch
titles = "'(a) the paper, from its tables' '(b) measured'"
own_cpu = any(rows(results, csv, where(2), "batch", "median_ms"))
key_options = " noenhanced"

eval systems_axis
eval time_axis
y_name = "time of a row [ns]"
set yrange [0.05:100]

eval to("pogorelskikh2019_baselines", 760, 480)
eval panels(1, 2, 2, headline("What PL19's tables imply about its CPU (Tables 1, 3, 4)", \
    also(about_both(csv, own_cpu), "open symbols: the paper; CPU: one thread; single precision, contiguous, without transfers")))
do for [p = 1:2] {
    eval begin(p)
    if (p == 1) {
        plot for [i = 1:K] paper("pogorelskikh2019_baselines.csv", "variant=".word(variants, i), "batch", "ns") with linespoints ls 20+i notitle
    } else {
        y_column = "median_ms"
        plot @curves, for [i = 1:K] keyentry with linespoints ls i title word(variants, i)
    }
}
