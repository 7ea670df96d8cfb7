# W13 Fig. 4: speed-up over the paper's CPU baseline against T for N = 256K and G = 32, without
# rearrangement (GPU1) and with it (GPU2), cases M and H.
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
    eval to(t, "wakatani2013_fig4", 1000, 540)
    set multiplot layout 1,2 margins 0.08,0.98,0.205,0.76 spacing 0.10 title headline("P-scheme/G with and without rearrangement, N = 256K, G = 32, single precision (W13 Fig. 4)", \
        about(csv, "GPU").gtx590.over_paper)
    do for [case in "M H"] {
        set title case eq "M" ? "(a) case M, 400 operations for each s" : "(b) case H, 1000 operations for each s"
        if (case eq "M") { unset key } else { eval legend }
        plot for [i = 2:1:-1] ref(csv, where(case, i).total, "threads", "speedup") with linespoints ls 10+i notitle, \
             for [i = 2:1:-1] own(csv, where(case, i).total, "threads", "speedup") with linespoints ls i notitle, \
             for [i = 2:1:-1] hollow(csv, where(case, i).total, "threads", "speedup") with points ls 40+i notitle, \
             for [i = 1:2] paper("wakatani2013_fig4.csv", where(case, i), "threads", "speedup") with points ls 20+i notitle, \
             for [i = 1:2] keyentry with linespoints ls i title word(names, i)
    }
    unset multiplot
}
