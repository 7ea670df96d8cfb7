# An equaliser of four sections of order 2: a sound before and after, the gain of each section and of
# all, and the speed. Look at the narrow peak in (a), a whistle of 1 kHz, which the second section
# removes, at (b), where the points are measured by an impulse and the lines are the design, and at
# (c), how much more time than the filter the copies between PCM in main memory and the GPU take.
# Shows: equaliser*.csv
# Needs: equaliser_bands.csv
load "plots/figures/style.gp"

csv = "equaliser.csv"
bands_csv = "equaliser_bands.csv"
K = 6
variants = "equaliser equaliser_double equaliser equaliser_serial equaliser_serial equaliser_cpu"
phases = "filter filter total filter total filter"
names = "'filter.h' 'filter.h, in double precision' 'filter.h, from PCM to PCM' 'serial loop, one core' 'serial, from PCM to PCM' 'filter\\_cpu.h, one core'"
where(i) = "type=s phase=".word(phases, i)." variant=".word(variants, i)
series(i) = where(i)
x_column = "n"
y_column = "median_ms"
at_y(n, ms) = n / ms / 1e3
from = leading(csv)
copy = ms_of_byte(from, csv)
shown(name, k) = sprintf("< awk -F, '$1 + 0 > 0 { print $1, $%d }' '%s/%s'", k, holder(bands_csv), bands_csv).noted(source_of(bands_csv), name)

eval to("equaliser", 760, 860)
heading = headline("An equaliser: four recurrences of order 2 in one pass", about_both(csv, 1))
set multiplot title heading
left = 80. / width
middle = 0.5 + 45. / width
right = 1 - 20. / width
set tmargin at screen at_top(30)
set bmargin at screen at_top(300)
set logscale x
set xrange [30:20000]
set xtics ("50" 50, "200" 200, "1k" 1000, "5k" 5000, "20k" 20000)
set xlabel "frequency [Hz]"

# (a)
set lmargin at screen left
set rmargin at screen middle - 75. / width
set yrange [-90:0]
set title "(a) level of bands a twelfth of an octave wide"
set ylabel "level [dB of full scale]"
set key top right samplen 2
plot for [k = 2:3] shown(word(". before after", k), k) with lines ls k - 1 title word(". before after", k)

# (b)
set lmargin at screen middle
set rmargin at screen right
set yrange [-26:8]
set title "(b) gain: sections (grey), all, measured"
set ylabel "gain [dB]"
set key bottom right samplen 2
plot for [k = 6:9] shown("section", k) with lines ls 34 notitle, \
     shown("designed", 4) with lines ls 1 title "designed", \
     shown("measured", 5) every 3 with points ls 22 title "measured"

# (c)
set lmargin at screen left
set tmargin at screen at_top(400)
set bmargin at screen at_bottom(4, 74)
set autoscale xfix
set xrange [*:*]
set xtics ("2^{12}" 2**12, "2^{16}" 2**16, "2^{20}" 2**20, "2^{24}" 2**24, "2^{26}" 2**26)
set logscale x 2
set offsets graph 0.05, graph 0.05, 0, 0
eval decades("y")
set yrange [*:*]
set title "(c) speed, single precision"
set xlabel "samples"
set ylabel "million samples per second"
eval legend(4)
plot @curves, @entries, \
     (copy == 0 ? "< true" : rows(from, csv, where(1), "n", "bytes")) using 1:($1 / ($2 * copy) / 1e3) with lines ls 33 title copy > 0 ? "least traffic at copy speed" : ""
