# W13 Fig. 4: speed-up over the paper's CPU baseline against T for N = 256K and G = 32, without
# rearrangement (GPU1) and with it (GPU2), cases M and H. Look at how much higher GPU2 gets, and at
# which T.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_g.csv"
points_csv = "wakatani2013_fig4.csv"
baseline = "variant=cpu_paper phase=total"
K = K_paper = 2
variants = "extended block"
names = "'GPU2: P-scheme/G (extended)' 'GPU1: no rearrangement (block)'"
where(i) = "n=262144 blocks=32 case=".word("M H", p)." variant=".word(variants, i)
also_where = " type=s phase=total"
titles = "'(a) case M, 400 operations per s' '(b) case H, 1000 operations per s'"

eval threads_axis
set xrange [13:1260]
set xtics add (1024)
eval speedup_axis

eval to("wakatani2013_fig4", 760, 500)
eval panels(1, 2, 1, headline("P-scheme/G with and without rearrangement, N = 256K, G = 32 (W13 Fig. 4)", \
    also(also(about_single(csv), gtx590), over_paper)))
do for [p = 1:2] {
    eval begin(p)
    plot @curves, @published, @entries
}
