# The ladder of kernels at N = 1M: speed-up over one CPU thread against P = G·T, best over G for each P. A
# vertical line marks the P_opt fitted to the phases of the rearranged kernels (eq. 14-18).
load "plots/style.gp"

csv = "pscheme_gpu.csv"
variants = "block rearranged register recompute ahead"
where(i) = "type=s phase=total n=1048576 variant=".word(variants, i)
own_popt = device(results, csv) eq "" ? 0 : popt(results, "1048576")
ref_popt = popt(compared(csv), "1048576")

eval speedup_axis
set logscale x 2
set xrange [50:20000]
set xtics (64, 128, 256, 512, "1K" 1024, "2K" 2048, "4K" 4096, "8K" 8192, "16K" 16384)
set xlabel "P = G·T, threads"
# The names stand outside the two lines.
right = "left offset 0.5,0"
left = "right offset -0.5,0"
own_side = own_popt < ref_popt ? left : right
ref_side = own_popt < ref_popt ? right : left
if (own_popt > 0) {
    set arrow 1 from first own_popt, graph 0 to first own_popt, graph 1 nohead ls 33
    set label 1 sprintf("P_{opt} of rearranged, fitted: %.0f", own_popt) at first own_popt, graph 0.04 @own_side
}
if (ref_popt > 0) {
    set arrow 2 from first ref_popt, graph 0 to first ref_popt, graph 1 nohead ls 34
    set label 2 sprintf("reference: %.0f", ref_popt) at first ref_popt, graph 0.04 @ref_side tc rgb "#888888"
}

do for [t in "svg png"] {
    eval to(t, "wakatani2012_ladder", 800, 620)
    eval legend
    set bmargin 7
    set title headline("Kernel ladder of P-scheme, N = 1M, single precision", about(csv, "GPU").newline."for each P the best of all G")
    plot 1 with lines ls 31 notitle, \
         for [i = 5:1:-1] ref(csv, where(i), "parts", "speedup") with linespoints ls 10+i notitle, \
         for [i = 5:1:-1] own(csv, where(i), "parts", "speedup") with linespoints ls i notitle, \
         for [i = 1:5] keyentry with linespoints ls i title word(variants, i)
}
