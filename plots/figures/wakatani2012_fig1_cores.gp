# P-scheme over CPU cores: speed-up over the serial code on one thread against the size of the
# system, a curve for each number of cores. Look at the size from which several cores
# make up for P-scheme's twice as much work, so that the curve rises above 1.
# Shows: p*.csv
load "plots/figures/style.gp"

csv = "pscheme_cpu.csv"
# cores_of(): the numbers of cores that were run, of more than five the smallest and the four largest.
cores_of(dir) = dir eq "" ? "" : system(sprintf("awk -F, '$2 == \"pscheme_map\" && $9 + 0 > 0 { print $9 }' '%s/%s' 2>/dev/null | sort -nu | awk '{ c[NR] = $1 } END { for (i = 1; i <= NR; i++) if (i == 1 || i > NR - 4) printf \"%%d \", c[i] }'", dir, csv))
shown = cores_of(device(results, csv) eq "" ? "" : results)
K = words(shown)
most = word(cores_of(compared(csv)), words(cores_of(compared(csv))))
variants = "pscheme_repeat pscheme_map recurrence_pscheme"
titles = "'(a) system, eq. 5 repeated' '(b) system, map kept' '(c) linear recurrence'"
where(v, cores) = "type=s phase=total variant=".word(variants, v)." cores=".cores
# over(v): the baseline of the speed-ups of panel v.
over(v) = "cores=1 phase=total variant=".word("substitution substitution recurrence", v)

eval size_axis
set xlabel "size n"
eval speedup_axis
y_name = "speed-up over one thread"
set ytics ("1/256" 2.**-8, "1/64" 2.**-6, "1/16" 2.**-4, "1/4" 2.**-2, "1" 1, "4" 4, "16" 16, "64" 64, "256" 256)

eval to("wakatani2012_fig1_cores", 860, 440)
eval panels(1, 3, 1, headline("P-scheme over CPU cores", about_single(csv)))
do for [v = 1:3] {
    eval begin(v)
    # All panels have the same range of y.
    plot 1 with lines ls 31 notitle, 0.25 with lines ls 30 notitle, 8 with lines ls 30 notitle, \
         for [w = 1:3] for [i = 1:K] (baseline = over(w), rows(results, csv, where(w, word(shown, i)), "n", "speedup")) with lines ls 30 notitle, \
         for [w = 1:3] (baseline = over(w), rows(compared(csv), csv, where(w, most), "n", "speedup")) with lines ls 30 notitle, \
         (baseline = over(v), ref(csv, where(v, most), "n", "speedup")) with linespoints ls 15 notitle, \
         for [i = 1:K] own(csv, where(v, word(shown, i)), "n", "speedup") with linespoints ls i notitle, \
         for [i = 1:K] hollow(csv, where(v, word(shown, i)), "n", "speedup") with points ls 40+i notitle, \
         for [i = 1:K] keyentry with linespoints ls i title titled("cores=".word(shown, i), word(shown, i).(word(shown, i) eq "1" ? " core" : " cores")), \
         keyentry with linespoints ls 15 title compared(csv) eq "" ? "" : "reference, ".most." cores"
}
