# DPCM, an example of a recurrence in W12: an image, the same image decoded after coarse quantisation,
# its quality against the bits of the code, and the speed of the decoders. Look at (b), where each
# row is a recurrence of its own, so that errors form streaks along rows, and at (c), where a
# predictor for each 32 pixels, the general recurrence, saves bits at the same quality.
# Shows: dpcm*.csv
# Needs: dpcm_quality.csv
load "plots/figures/style.gp"

csv = "dpcm_image.csv"
quality_csv = "dpcm_quality.csv"
times_csv = "dpcm.csv"
K = 4
variants = "dpcm dpcm_adaptive dpcm_cpu dpcm_serial"
names = "'recurrence.h, fixed predictor' 'recurrence.h, adaptive' 'recurrence\\_cpu.h, all cores' 'serial loop, one core'"
quality(name) = sprintf("< awk -F, '$1 == \"%s\" { print $3, $4 }' '%s/%s'", name, holder(quality_csv), quality_csv)
where(i) = "type=s phase=total variant=".word(variants, i)
x_column = "n"
y_column = "median_ms"
at_y(n, ms) = n * n / ms / 1e3
from = leading(times_csv)
copy = ms_of_byte(from, times_csv)

eval to("dpcm", 760, 900)
heading = headline("DPCM: each row of an image is a recurrence", about_both(times_csv, 1))
set multiplot title heading
unset key
in_column(k) = sprintf("set lmargin at screen %g; set rmargin at screen %g", (70. + 380 * k) / width, (370. + 380 * k) / width)
in_row(k) = sprintf("set tmargin at screen at_top(%d); set bmargin at screen at_top(%d)", 30 + 362 * k, 330 + 362 * k)

# (a), (b)
set palette gray
set cbrange [0:255]
set xrange [-0.5:127.5]
set yrange [127.5:-0.5]
unset colorbox
unset grid
unset tics
set border 15
eval in_row(0)
do for [k = 1:2] {
    eval in_column(k - 1)
    set title k == 1 ? "(a) original: 128 × 128 pixels of it" : sprintf("(b) decoded, quantiser's step %g", first_of_block(k))
    plot block(k).noted(source_of(csv), "image ".k) using 1:2:3 with image notitle
}

# (c)
set grid
set border 3
set tics nomirror
eval in_row(1)
eval in_column(0)
set xrange [0:*]
set yrange [20:*]
set title "(c) quality at steps 2, 4, 8, … 64"
set xlabel "bits a pixel (entropy)"
set ylabel "PSNR of the decoded image [dB]"
set key bottom right samplen 2
plot for [i = 1:2] quality(word("fixed adaptive", i)).noted(source_of(quality_csv), "quality ".i) with linespoints ls i \
    title word("'fixed predictor' 'adaptive'", i)

# (d)
csv = times_csv
eval in_column(1)
set logscale x 2
set offsets graph 0.05, graph 0.05, 0, 0
set autoscale xfix
set xrange [*:*]
eval decades("y")
set yrange [*:*]
set title "(d) speed, single precision"
set xlabel "N, of N × N pixels"
set ylabel "million pixels per second"
unset key
eval legend(3)
plot @curves, @entries, \
     (copy == 0 ? "< true" : rows(from, times_csv, where(1), "n", "bytes")) using 1:($1 * $1 / ($2 * copy) / 1e3) with lines ls 33 title copy > 0 ? "least traffic at copy speed" : ""
