# W12 Fig. 7: speed-up of parallel cyclic reduction (PCR) and of P-scheme over one CPU thread
# against T, G = 32.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pcr.csv"
variants = "pcr pscheme"
names = "'PCR' 'P-scheme, rearranged'"
where(n, i) = "blocks=32 n=".n." variant=".word(variants, i)
total = " type=s phase=total"

eval threads_axis
eval speedup_axis

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig7", 1000, 540)
    set multiplot layout 1,2 margins 0.08,0.98,0.205,0.78 spacing 0.10 title headline("PCR and P-scheme, G = 32, single precision (W12 Fig. 7)", \
        about(csv, "GPU").c1060." (order of values inferred)")
    do for [n in "262144 1048576"] {
        set title n eq "262144" ? "(a) N = 256K" : "(b) N = 1M"
        if (n eq "262144") { unset key } else { eval legend }
        plot 1 with lines ls 31 notitle, \
             for [i = 2:1:-1] ref(csv, where(n, i).total, "threads", "speedup") with linespoints ls 10+i notitle, \
             for [i = 2:1:-1] own(csv, where(n, i).total, "threads", "speedup") with linespoints ls i notitle, \
             for [i = 2:1:-1] hollow(csv, where(n, i).total, "threads", "speedup") with points ls 40+i notitle, \
             for [i = 1:2] paper("wakatani2012_fig7.csv", where(n, i), "threads", "speedup") with points ls 20+i notitle, \
             for [i = 1:2] keyentry with linespoints ls i title word(names, i)
    }
    unset multiplot
}
