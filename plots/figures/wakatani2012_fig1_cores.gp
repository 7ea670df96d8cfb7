# P-scheme over CPU cores: speed-up over the substitution on one thread against the size of the
# system, a curve for each number of cores.
# W12 Fig. 1 shows that P-scheme does about twice as much work as the substitution. Several cores
# can make up for this.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_cpu.csv"
# cores_of(): the numbers of cores that were run. If there are more than five, these are the
# smallest and the four largest.
cores_of(dir) = dir eq "" ? "" : system(sprintf("awk -F, '$2 == \"pscheme_map\" && $9 + 0 > 0 { print $9 }' '%s/%s' 2>/dev/null | sort -nu | awk '{ c[NR] = $1 } END { for (i = 1; i <= NR; i++) if (i == 1 || i > NR - 4) printf \"%%d \", c[i] }'", dir, csv))
shown = cores_of(device(results, csv) eq "" ? compared(csv) : results)
most = word(cores_of(compared(csv)), words(cores_of(compared(csv))))
where(variant, cores) = "type=s phase=total variant=".variant." cores=".cores
variants = "pscheme_repeat pscheme_map recurrence_pscheme"
titles = "'(a) tridiagonal, eq. 5 repeated' '(b) tridiagonal, map kept' '(c) linear recurrence'"
one = "substitution substitution recurrence"

set logscale x 2
set xrange [800:2.2e7]
set xtics ("1K" 2**10, "16K" 2**14, "256K" 2**18, "4M" 2**22)
set xlabel "size n"
eval speedup_axis
set ylabel "speed-up over the serial code on one thread"
set yrange [*<0.25:4<*]

do for [t in "svg png"] {
    eval to(t, "wakatani2012_fig1_cores", 1200, 500)
    set bmargin 6
    set multiplot layout 1,3 title headline("P-scheme over CPU cores, single precision", \
        about(csv, "CPU").(most eq "" ? "" : newline."of the reference only the curve of ".most." cores"))
    do for [v = 1:3] {
        set title word(titles, v)
        baseline = "cores=1 phase=total variant=".word(one, v)
        if (v == 3) { eval legend } else { unset key }
        plot 1 with lines ls 31 notitle, \
             ref(csv, where(word(variants, v), most), "n", "speedup") with linespoints ls 15 notitle, \
             for [i = 1:words(shown)] own(csv, where(word(variants, v), word(shown, i)), "n", "speedup") with linespoints ls i notitle, \
             for [i = 1:words(shown)] hollow(csv, where(word(variants, v), word(shown, i)), "n", "speedup") with points ls 40+i notitle, \
             for [i = 1:words(shown)] keyentry with linespoints ls i title word(shown, i).(word(shown, i) eq "1" ? " core" : " cores")
    }
    unset multiplot
}
