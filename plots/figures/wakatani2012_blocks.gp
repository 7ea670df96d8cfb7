# W12 section V-F, maximise G first: speed-up of P-scheme over one CPU thread against P = G·T, for
# the paper's largest G, for as many blocks as this GPU has multiprocessors, and for more. Look at
# the highest point of each curve: if the paper's policy is right, no other lies above that of a
# block for each multiprocessor.
# The paper's GPU had 30 multiprocessors, so its G = 32 was that number.
# Shows: pscheme_gpu_blocks.csv
# Needs: pscheme_gpu_blocks.csv
load "plots/figures/style.gp"

csv = "pscheme_gpu_blocks.csv"
baseline = "program=pscheme_gpu variant=serial phase=total"
baseline_csv = "pscheme_gpu.csv"
# Gs: the paper's largest G, which is in the file of the baseline, and the larger ones of the run.
Gs = "32 ".(leading(csv) eq "" ? "" : system(sprintf("awk -F, '$2 == \"rearranged\" && $6 + 0 > 0 { print $6 }' '%s/%s' 2>/dev/null | sort -nu | tr '\\n' ' '", leading(csv), csv)))
K = words(Gs)
series(i) = "blocks=".word(Gs, i)
where(i) = "variant=rearranged type=s phase=total n=".word("262144 1048576", p)." ".series(i)
name_of(i) = "G = ".word(Gs, i).(i == 1 ? ", the paper's largest" : i == 2 ? ", all multiprocessors" : sprintf(", %d × them", int(word(Gs, i)) / int(word(Gs, 2))))
titles = "'(a) N = 256K' '(b) N = 1M'"

set logscale x 2
set xrange [220:40000]
set xtics (256, "1K" 2**10, "4K" 2**12, "16K" 2**14)
set xlabel "P = G·T, threads"
x_column = "parts"
eval linear_axis
set yrange [0:*]

eval to("wakatani2012_blocks", 760, 500)
eval panels(1, 2, 2, headline("P-scheme with a block for each multiprocessor (W12 V-F)", also(about(csv), "single precision, rearranged")))
do for [p = 1:2] {
    eval begin(p)
    plot 1 with lines ls 31 notitle, @curves, \
         for [i = 1:K] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), name_of(i))
}
