# PL19 Fig. 2: time to solve one system against its size, with Thomas and PARACR, beside cuSPARSE,
# the CPU and this repository's own kernels thomas_tile and paracr_block.
# Only 0, 50 and 100 s are legible on the paper's axes, so its points are not drawn.
# Shows: thomas_batch.csv
load "plots/figures/style.gp"

csv = "thomas_batch.csv"
variants = "thomas_shared paracr_partial thomas_tile paracr_block cusparse_strided thomas_cpu"
where(type, i) = "batch=1 phase=total type=".type." variant=".word(variants, i).(word(variants, i) eq "thomas_cpu" ? " cores=1" : "")
factor = number(paper("pogorelskikh2019_text.csv", "where=fig2", "ratio", "ratio"))
# faster(): text with the speed-up of PARACR over Thomas at the largest size that both have run. The
# times are those of this run, or of the reference if this run has none.
faster(type) = system("{ ".rows(leading(csv), csv, where(type, 1), "n", "median_ms")[3:*]."; ".rows(leading(csv), csv, where(type, 2), "n", "median_ms")[3:*]."; }" \
    ." | awk '($1 in t) { text = sprintf(\": at n = 2^{%.3g} PARACR %.3g times faster\", log($1) / log(2), t[$1] / $2) } { t[$1] = $2 } END { print text }'")
measured(i) = system(sprintf("grep -qsE ',%s,[sd],[0-9]+,1,' '%s/%s' '%s/%s' && echo %s", word(variants, i), results, csv, compared(csv), csv, word(variants, i).(word(variants, i) eq "thomas_cpu" ? ", one thread" : "")))

set logscale x 2
set xrange [800:2.2e7]
set xtics ("1K" 2**10, "16K" 2**14, "256K" 2**18, "4M" 2**22, "16M" 2**24)
set xlabel "size n of the system"
eval time_axis
set yrange [*:*]

do for [t in "svg png"] {
    eval to(t, "pogorelskikh2019_fig2", 1000, 600)
    set multiplot layout 1,2 margins 0.08,0.98,0.21,0.78 spacing 0.09 title headline("One system: Thomas and parallel cyclic reduction (PL19 Fig. 2)", \
        about(csv, "GPU").newline."times without transfers".newline."The sizes on the paper's axis are illegible, so none of its points are drawn; its text says: PARACR ".sprintf("%g", factor)." times faster.")
    do for [type in "s d"] {
        set title type eq "s" ? "(a) single precision".faster(type) : "(b) double precision".faster(type)
        if (type eq "s") { unset key } else { eval legend_columns." maxrows 3 noenhanced" }
        plot 0.01 with lines ls 30 notitle, 10 with lines ls 30 notitle, \
             for [i = 6:1:-1] ref(csv, where(type, i), "n", "median_ms") with linespoints ls 10+i notitle, \
             rows(leading(csv), csv, where(type, 1), "n", "median_ms") using 1:($2/factor) with lines ls 32 notitle, \
             for [i = 6:1:-1] own(csv, where(type, i), "n", "median_ms") with linespoints ls i notitle, \
             for [i = 6:1:-1] hollow(csv, where(type, i), "n", "median_ms") with points ls 40+i notitle, \
             for [i = 1:6] keyentry with linespoints ls i title i <= 2 ? word(variants, i) : measured(i), \
             keyentry with lines ls 32 title sprintf("thomas_shared / %g (the paper)", factor)
    }
    unset multiplot
}
