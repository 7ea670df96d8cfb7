# W12 Fig. 7: speed-up of parallel cyclic reduction (PCR) and of P-scheme over one CPU thread
# against T, G = 32. Look at the highest point of each method: P-scheme reaches its own with few
# threads, PCR needs many.
# How the order of the paper's values is known: plots/paper/wakatani2012_fig7.csv.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012_axes.inc"

csv = "pcr.csv"
variants = "pcr pscheme"
names = "'PCR' 'P-scheme, rearranged'"
where(n, i) = "blocks=32 n=".n." variant=".word(variants, i)
total = " type=s phase=total"

eval threads_axis
eval linear_axis

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig7", 760, 480)
    heading = headline("PCR and P-scheme, G = 32 (W12 Fig. 7)", also(also(about(csv), "single precision"), c1060.""))
    eval panels(1, 2, 1)
    do for [n in "262144 1048576"] {
        set title n eq "262144" ? "(a) N = 256K" : "(b) N = 1M"
        eval "set yrange ".top_of(7, n eq "262144" ? "a" : "b")
        set ylabel n eq "262144" ? "speed-up over one CPU thread" : ""
        if (n eq "262144") { unset key } else { eval legend(1) }
        plot 1 with lines ls 31 notitle, \
             for [i = 2:1:-1] ref(csv, where(n, i).total, "threads", "speedup") with linespoints ls 10+i notitle, \
             for [i = 2:1:-1] own(csv, where(n, i).total, "threads", "speedup") with linespoints ls i notitle, \
             for [i = 2:1:-1] hollow(csv, where(n, i).total, "threads", "speedup") with points ls 40+i notitle, \
             for [i = 1:2] paper("wakatani2012_fig7.csv", where(n, i), "threads", "speedup") with points ls 20+i notitle, \
             for [i = 1:2] keyentry with linespoints ls listed(i, "variant=".word(variants, i)) title titled("variant=".word(variants, i), word(names, i))
    }
    unset multiplot
}
