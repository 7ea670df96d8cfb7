# W13 Fig. 4: speed-up over the paper's CPU baseline against T for N = 256K and G = 32, without
# rearrangement (GPU1) and with it (GPU2), cases M and H. Look at how much higher GPU2 gets, and at
# which T.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_g.csv"
baseline = "variant=cpu_paper phase=total"
variants = "extended block"
names = "'GPU2: P-scheme/G (extended)' 'GPU1: no rearrangement (block)'"
where(case, i) = "n=262144 blocks=32 case=".case." variant=".word(variants, i)
total = " type=s phase=total"

eval threads_axis
set xrange [13:1260]
set xtics add (1024)
eval speedup_axis

do for [t in "svg png"] {
    eval to(t, "wakatani2013_fig4", 760, 500)
    heading = headline("P-scheme/G with and without rearrangement, N = 256K, G = 32 (W13 Fig. 4)", \
        also(also(also(about(csv), "single precision"), gtx590), over_paper))
    eval panels(1, 2, 1)
    do for [case in "M H"] {
        set title case eq "M" ? "(a) case M, 400 operations per s" : "(b) case H, 1000 operations per s"
        set ylabel case eq "M" ? "speed-up over one CPU thread" : ""
        if (case eq "M") { unset key } else { eval legend(1) }
        plot for [i = 2:1:-1] ref(csv, where(case, i).total, "threads", "speedup") with linespoints ls 10+i notitle, \
             for [i = 2:1:-1] own(csv, where(case, i).total, "threads", "speedup") with linespoints ls i notitle, \
             for [i = 2:1:-1] hollow(csv, where(case, i).total, "threads", "speedup") with points ls 40+i notitle, \
             for [i = 1:2] paper("wakatani2013_fig4.csv", where(case, i), "threads", "speedup") with points ls 20+i notitle, \
             for [i = 1:2] keyentry with linespoints ls listed(i, "variant=".word(variants, i)) title titled("variant=".word(variants, i), word(names, i))
    }
    unset multiplot
}
