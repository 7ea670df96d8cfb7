# The four times of propagation that W12 quotes, read as those of G = 4 (as its text says), 8, 16 or
# 32, beside the rest of the paper. Look at (b): only with G = 16 do all speed-ups of Fig. 4 and 7
# imply the same CPU; and in (a) G = 4 and 8 exceed the ends of the paper's axes.
# An arrow ends where an axis of the paper ends that shows the propagation of this many parts. Panel
# (b): published speed-up times total time, of which propagation is that of the line in (a) and the
# other phases are the model's.
# Shows: p*.csv
load "plots/figures/style.gp"
load "plots/figures/wakatani2012.inc"

Gs = "4 8 16 32"
reading(i) = "reading=".word(Gs, i)
read_as(i, program) = system(run_model." -v part=readings ".model_files." | awk -F, '$1 == ".word(Gs, i)." ".program."'")
beta_of(i) = real(read_as(i, "&& $2 ~ /^beta .us/ { print $3 }"))
# verdict(): with how many statements of the paper a reading agrees (pscheme_gpu/README.md).
verdict(i) = read_as(i, "&& $7 != \"\" { n++; k += $7 == \"for\" } END { print k \" of \" n }")

set logscale x 2
eval to("wakatani2012_readings", 760, 540)
eval panels(1, 2, 3, headline("Which G do W12's quoted times of propagation belong to?", \
    also("the paper's numbers, Tesla C1060, N = 256K; a reading agrees with … of 6 statements of the paper", \
    also("the model: wakatani2012\\_model.awk, from counted accesses", \
    also("open symbols in (a): the quoted times", "(b), from published speed-ups: lines with 32 blocks, large open symbols with 4")))))
unset key
set title "(a) propagation [ms]"
set xrange [45:23000]
set xtics (64, 256, "1K" 2**10, "4K" 2**12, "16K" 2**14)
set xlabel "P = G·T, parts"
set logscale y 10
set yrange [0.05:50]
set ytics autofreq
set format y "%g"
unset ylabel
set arrow 1 from 8192, 0.05 to 8192, axis_end(5, "b") size graph 0.03,20 filled ls 33
set arrow 2 from 16384, 0.05 to 16384, axis_end(3, "d") size graph 0.03,20 filled ls 33
set label 1 "ends of the axes\nof Fig. 5 (b), 3 (d)" at 7000, 0.1 right font ",11" tc rgb "#555555"
plot for [G in "4 32"] model("n=262144 variant=rearranged phase=propagate blocks=".G, "median_ms") using (int(G) * $1):2 with lines ls 32 notitle, \
     for [i = 1:4] modelled("implied", reading(i), "parts", "propagate_ms") with lines ls i dt 3 lw 1.5 notitle, \
     for [i = 1:4] printed(word(Gs, i)) with points ls 20+i notitle
unset arrow
unset label
set title "(b) time of one CPU thread [ms]"
eval threads_axis
set yrange [0.8:10]
set ytics (1, 2, 3, 4, 5, 6, 8)
eval legend(3)
plot for [i = 1:4] modelled("implied", reading(i)." n=262144 blocks=32", "threads", "cpu_ms") with linespoints ls i lw (i == 3 ? 4 : 2) notitle, \
     for [i = 1:4] modelled("implied", reading(i)." n=262144 blocks=4", "threads", "cpu_ms") with points ls 20+i ps 1.6 notitle, \
     for [i = 1:4] keyentry with linespoints ls i title sprintf("read as G = %s: %.2f µs a part, %s", word(Gs, i), beta_of(i), verdict(i)), \
     keyentry with lines ls 32 title "the model, counted"
