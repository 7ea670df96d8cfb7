# W12 Fig. 5: times of the three phases and their total against T for N = 1M, G = 4 and 16, with
# rearrangement. Look at where the total, the thick line, is shortest, and at where propagation
# begins to take more than half of it (grey).
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

where(i) = "type=s n=1048576 variant=rearranged blocks=".word("4 16", p)." phase=".word(phases, i)
titles = "'(a) G = 4' '(b) G = 16'"
do for [i = 4:14:10] { set style line i lc rgb i == 4 ? "black" : "#777777" lw 4 ps 1.2 }
ms(i, T) = number(rows(leading(csv), csv, where(i)." threads=".T, "threads", "median_ms"))

eval threads_axis
eval time_axis

eval to("wakatani2012_fig5", 760, 470)
eval panels(1, 2, 1, headline("Phases of P-scheme, N = 1M, rearranged (W12 Fig. 5)", \
    also(about_single(csv), "grey: propagation takes more than half; the paper's points are illegible")))
do for [p = 1:2] {
    walked = 0 # the least T at which propagation takes more than half
    do for [T in "512 256 128 64 32 16"] { if (2 * ms(2, T) > ms(4, T)) { walked = T } }
    if (walked) { set object 1 rectangle from walked / sqrt(2.), graph 0 to graph 1, graph 1 behind fc rgb '#ebebeb' fs noborder }
    eval begin(p)
    plot @undisturbed, @entries
    unset object 1
}
