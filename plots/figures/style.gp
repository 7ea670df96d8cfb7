# Styles and functions that all figures share. To draw one figure, run from the top of the
# repository:
#   gnuplot -e "results='results/x'; reference='plots/reference/y'; out='results/x/figures'" \
#       plots/figures/wakatani2012_fig4.gp
# results: the directory of the run to show. reference: the directory of a committed run of a GPU,
# or '' for none. out: the directory for the SVG and PNG files. If a CSV file is missing or has no
# times (kernels on the CPU device), its curves are not drawn and the subtitle says so.
# notes: the file in which the figure notes what it draws (see noted()); by default it is in `out`.
if (!exists("results")) results = ""
if (!exists("reference")) reference = ""
if (!exists("out")) out = "."
if (!exists("notes")) notes = out."/notes.tsv"
system sprintf("rm -f '%s'", notes)

set encoding utf8

# Line styles of curve i = 1 … 7:
#   i       this run: solid, filled symbols
#   10 + i  the reference: pale, dashed, thin
#   20 + i  the points of the paper: open symbols
#   40 + i  times of this run that other load disturbed: small open symbols without a line
# The curves differ not only in colour but also in lightness and symbol, so that they can be told
# apart in a grey print.
dark = "#12355b #d1495b #2a9d6f #cf8500 #7d4fa3 #6b4f3a #1b998b"
pale = "#7d92ab #dc8f98 #74b598 #dba94a #a98fc6 #ab9a8b #6dbcb2"
filled = "7 5 9 13 11 15 3"
open = "6 4 8 12 10 14 3"
do for [i = 1:7] {
    set style line i      lc rgb word(dark, i) lw 2   dt 1     pt int(word(filled, i)) ps 0.9
    set style line 10 + i lc rgb word(pale, i) lw 1.5 dt (9,5) pt int(word(filled, i)) ps 0.6
    set style line 20 + i lc rgb word(dark, i) lw 1.5          pt int(word(open, i))   ps 1.2
    set style line 40 + i lc rgb word(dark, i) lw 1.2          pt int(word(open, i))   ps 0.9
}
# An eighth curve in grey, of this run and of the reference; its cross cannot be open.
set style line  8 lc rgb "#888888" lw 2   dt 1     pt 2 ps 0.9
set style line 18 lc rgb "#bbbbbb" lw 1.5 dt (9,5) pt 2 ps 0.6
set style line 48 lc rgb "#888888" lw 1.2          pt 2 ps 0.9
# Transparent: a curve in this style only gives an axis a range if no data were measured.
set style line 30 lc rgb "#ff000000"
set style line 31 lc rgb "#999999" lw 1
set style line 32 lc rgb "#333333" lw 1.2 dt (3,5)
set style line 33 lc rgb "#555555" lw 1.2 dt (9,5,2,5)
set style line 34 lc rgb "#aaaaaa" lw 1.2 dt (9,5,2,5)

set grid lt 1 lc rgb "#d8d8d8" lw 0.7
set tics nomirror scale 0.5
set border 3 lc rgb "#555555"
set samples 25 # enough for the straight lines; a curve sets more

# to(): the gnuplot commands that open the output file NAME.svg or NAME.png. Use: `do for [t in "svg
# png"] { eval to(t, "NAME", width, height); … }`. The size is in pixels of the SVG, whose letters
# are 14 high: they stay legible if a page shows the figure smaller. The SVG has no background and a
# name of its own, so that a page can contain it.
width = height = 0
to(t, name, w, h) = sprintf("width = %d; height = %d; noting = %d; ", w, h, t eq "svg") \
    .(t eq "svg" \
    ? sprintf("set terminal svg size %d,%d dynamic font 'DejaVu Sans,sans-serif,14' name '%s'", w, h, name) \
    : sprintf("set terminal pngcairo size %d,%d font 'DejaVu Sans,13' linewidth 1.25 pointscale 1.5 background 'white'", 1.25 * w, 1.25 * h)) \
    .sprintf("; set output '%s/%s.%s'", out, name, t)

# What a figure draws is noted in the file `notes`, from which draw.sh makes figures.csv and from
# which a figure knows what its legend must explain. noted() is the end of a shell pipeline: it
# passes the points of a curve on to gnuplot and adds the line "SOURCE, number of points, SERIES" to
# the file. source is own (this run), ref (the reference) or paper. series is a list of words that
# name the curve. Only the SVG is noted, because the PNG has the same points.
noting = 0
noted(source, series) = noting ? sprintf(" | awk -v source=%s -v series='%s' -v notes='%s' -f plots/tables/note.awk", source, series, notes) : ""
# drawn(): what the figure has drawn so far of the series whose names contain all words of `series`:
# 1 points of this run, else 2 of the reference, else 3 of the paper, else 0 nothing.
drawn(series) = int(system(sprintf("awk -v series='%s' -f plots/tables/drawn.awk '%s' 2>/dev/null; echo 0", series, notes)))
# The style and the title of the line of a legend that explains the curves of style i: `keyentry
# with linespoints ls listed(i, series) title titled(series, text)`. The style is that of the points
# that were drawn. A series of which nothing was drawn has no title, so gnuplot leaves its line out.
listed(i, series) = drawn(series) > 1 ? 10 * (drawn(series) - 1) + i : i
titled(series, text) = drawn(series) > 0 ? text : ""

# csv, in all functions below, is the name of one or several CSV files, separated by blanks: rows are
# found by their variant in all those that a run has. The files of the solvers, by their name now and
# in runs before each solver had a program of its own:
recurrence_csv = "recurrence.csv pscheme_g_one_pass.csv"
tridiagonal_csv = "tridiagonal.csv nshape_tridiagonal.csv"
lanes_csv = "tridiagonal.csv nshape_lanes.csv"
accuracy_csv = "tridiagonal_accuracy.csv nshape_accuracy.csv"
# files(): their paths as words of a shell command.
rest_of(words) = strstrt(words, " ") ? words[strstrt(words, " ") + 1:*] : ""
first_word(words) = strstrt(words, " ") ? words[1:strstrt(words, " ") - 1] : words
files(dir, csv) = csv eq "" ? "" : sprintf("'%s/%s' ", dir, first_word(csv)).files(dir, rest_of(csv))
# computed(): the lines, sorted by number, that an awk program prints of the rows of these files.
computed(dir, csv, program) = dir eq "" ? "< true" : sprintf("< echo '%s' | awk -f plots/tables/columns.awk -f - %s | sort -n", program, files(dir, csv))
# source(): the source of points of a directory, for noted().
source(dir) = dir eq results ? "own" : "ref"
# rows(): the points (x, y) of CSV files for `plot`, made by select.awk from the rows that meet the
# condition `where`, such as "variant=block n=262144". own() takes them from this run, ref() from
# the reference, paper() from the paper's points; they note what they draw.
rows_with(flags, dir, csv, where, x, y) = dir eq "" ? "< true" : \
    sprintf("< awk -f plots/tables/columns.awk -f plots/tables/select.awk %s -v where='%s' -v baseline='%s' -v x=%s -v y=%s %s %s 2>/dev/null", \
            flags, where, baseline, x, y, files(dir, csv), baseline_csv eq "" ? "" : files(dir, baseline_csv))
rows(dir, csv, where, x, y) = rows_with("", dir, csv, where, x, y)
baseline = "" # empty: the baseline of speed-ups is select.awk's default, the variant `serial`
baseline_csv = "" # a second file of the same run that has the rows of the baseline; empty: the same file
own(csv, where, x, y) = rows(results, csv, where, x, y).noted("own", where." ".y." ".csv)
# hollow(): the points of this run for which only a disturbed time was measured, either of the row
# itself or of its baseline. A time is disturbed if other load on the machine slowed it down. This
# happens to times of the CPU, so figures with such times, or with speed-ups over them, draw these
# points.
hollow(csv, where, x, y) = rows_with("-v hollow=1", results, csv, where, x, y).noted("own", where." ".y." ".csv." hollow")
# each(): the points of all rows of this run, also of several with the same x.
each(csv, where, x, y) = rows_with("-v each=1", results, csv, where, x, y).noted("own", where." ".y." ".csv)
ref(csv, where, x, y) = rows(compared(csv), csv, where, x, y).noted("ref", where." ".y." ".csv)
paper(csv, where, x, y) = rows("plots/paper", csv, where, x, y).noted("paper", where." ".y." ".csv)

# number(): y of the first point that rows() gives, or 0 if there is none. text_of() is the same
# number as text, or empty.
text_of(command) = system(command[3:*]." | awk 'NR == 1 { print $2 }'")
number(command) = text_of(command) eq "" ? 0 : real(text_of(command))
# popt(): the P_opt that fits.c computes for single precision and the variant `which`: rearranged
# (W12) or extended(case) (W13). It is 0 if fit.csv has none.
rearranged = "variant=rearranged"
extended(case) = "variant=extended case=".case
popt(dir, which, n) = number(rows(dir, "fit.csv", which." type=s blocks= n=".n, "n", "popt"))

# device(): the device that a run was timed on, or empty if it has no times in this file.
# compared(): the reference, or empty if this run was timed on the same device.
# name(): the device for a title. Characters that gnuplot reads as markup are escaped.
escape = "sed 's/[_^@&~{}]/\\\\&/g'"
device(dir, csv) = dir eq "" ? "" : \
    system(sprintf("awk -f plots/tables/columns.awk -f plots/tables/device.awk %s", files(dir, csv)))
compared(csv) = device(reference, csv) eq "" || device(reference, csv) eq device(results, csv) ? "" : reference
name(dir, csv) = system(sprintf("awk -f plots/tables/columns.awk -f plots/tables/device.awk %s | %s", files(dir, csv), escape))
# header(): the text of the line "# KEY: …" of a CSV file.
header(dir, csv, key) = dir eq "" ? "" : system(sprintf("sed -n '/^# %s: /{ s///; p; q; }' %s 2>/dev/null | %s", key, files(dir, csv), escape))

# leading(): the directory of the run whose times give the guide lines and the numbers in titles.
# This is this run, or the reference if this run has no times in the file.
leading(csv) = device(results, csv) eq "" ? compared(csv) : results
# has(): whether a run has a file. holder(): for figures that show the whole file of one run, this
# run if it has the file, otherwise the reference. whose(): the name of this run for the subtitle.
has(dir, csv) = dir ne "" && system(sprintf("ls %s 2>/dev/null", files(dir, csv))) ne ""
holder(csv) = has(results, csv) ? results : has(reference, csv) ? reference : ""
whose(csv) = (holder(csv) eq results ? "this run, " : "reference, ").machine(holder(csv), csv)
machine(dir, csv) = header(dir, csv, "device") eq "CPU device" ? header(dir, csv, "cpu") \
    : header(dir, csv, "device").(header(dir, csv, "cpu") eq "" || header(dir, csv, "cpu") eq header(dir, csv, "device") ? "" : ", ".header(dir, csv, "cpu"))
# source_of(): the source of points of holder(csv), for noted().
source_of(csv) = holder(csv) eq results ? "own" : "ref"

# most_cores(): the largest number of cores in these rows, as text "16 cores", or empty.
most_cores(dir, csv) = dir eq "" ? "" : system(computed(dir, csv, "$col[\"cores\"] > c + 0 { c = $col[\"cores\"] } END { if (c) print c (c > 1 ? \" cores\" : \" core\") }")[3:*])
# cores_of_both(): the numbers of cores of this run, if own = 1, and of the reference: "2 cores,
# reference 16".
cores_of_both(csv, own) = !own || most_cores(results, csv) eq "" ? (most_cores(compared(csv), csv) eq "" ? "all cores" : "reference, ".most_cores(compared(csv), csv)) \
    : most_cores(results, csv).(most_cores(compared(csv), csv) eq "" ? "" : ", reference ".word(most_cores(compared(csv), csv), 1))

# also(): two parts of a subtitle, on one line if they fit into the width of the figure. newline
# ends a line of the subtitle and begins the next one.
newline = "}\n{/*0.85 "
last_line(text) = strstrt(text, newline) ? last_line(text[strstrt(text, newline) + strlen(newline):*]) : text
also(a, b) = a eq "" ? b : b eq "" ? a : a.(7.3 * (strlen(last_line(a)) + strlen(b) + 2) < width ? "; " : newline).b

# hollow_rows: a regular expression that matches the rows of which a figure draws some, for a figure
# of only a few rows of a file, so that the subtitle does not explain symbols that are not there.
hollow_rows = ""
note_hollow(csv) = system(sprintf("grep -hs ',disturbed$' %s | grep -qE '%s' && echo 1", files(results, csv), hollow_rows)) eq "" ? "" : \
    "small hollow symbols: disturbed by other load"
# about(): the subtitle, which names this run (drawn solid) and the reference (drawn pale). cpu says
# whether the figure shows times of this run's CPU beside those of its GPU: a run without a GPU has
# only these.
about_own(csv, cpu) = device(results, csv) ne "" ? "solid: this run, ".name(results, csv) \
    : !has(results, csv) ? "not in this run" \
    : cpu ? "solid: this run, ".header(results, csv, "cpu").", no GPU" : "this run has no GPU"
about_both(csv, cpu) = also(also(about_own(csv, cpu), cpu || device(results, csv) ne "" ? note_hollow(csv) : ""), \
    compared(csv) eq "" ? "" : "pale: reference, ".name(reference, csv))
about(csv) = about_both(csv, 0)
# numbers_of(): says in the subtitle that the numbers in titles are those of the reference.
numbers_of(csv) = leading(csv) eq results || leading(csv) eq "" ? "" : "numbers: the reference"
# any(): whether rows() gives a point.
any(command) = text_of(command) ne ""

c1060 = "open symbols: the paper, Tesla C1060"
gtx590 = "open symbols: the paper, GTX 590 and Core i7 875K"
over_paper = "speed-up over cpu\\_paper: one CPU thread without SIMD, the paper's baseline"
# headline(): the title of a figure, whose bold first line is noted for figures.csv.
note_title(title) = !noting ? "" : system(sprintf("cat >>'%s' <<'END'\ntitle\t0\t%s\nEND", notes, title))
headline(title, subtitle) = (note_title(title), "{/:Bold ".title."}\n{/*0.85 ".subtitle."}")

# panels(): `set multiplot` for a grid of panels below the title `heading` (made by headline()) and
# above a legend of `lines` lines: `eval panels(rows, columns, lines)`.
lines_of(text) = strstrt(text, "\n") ? 1 + lines_of(text[strstrt(text, "\n") + 1:*]) : 1
at_top(pixels) = 1 - (21. * lines_of(heading) + 20 + pixels) / height
at_bottom(lines, pixels) = (18. * lines + pixels) / height
panels(rows, columns, lines) = sprintf("set multiplot layout %d,%d margins %g,%g,%g,%g spacing %g,%g title heading", \
    rows, columns, 86. / width, 1 - 16. / width, at_bottom(lines, 74), at_top(34), 70. / width, 114. / height)
# One legend for all panels stands below them: write `eval legend(lines)` before the last panel and
# `unset key` before the others. The legend of a figure with one panel has the same place.
legend(lines) = sprintf("set key at screen 0.5, screen %g center center vertical maxrows %d samplen 2 spacing 1 width 0 font ',12'", \
    at_bottom(lines / 2., 6), lines)
one_panel(lines) = sprintf("set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at screen %g; set title heading", \
    92. / width, 1 - 20. / width, at_bottom(lines, 74), at_top(12))

# Settings of common axes: `eval threads_axis` sets the x axis, `eval speedup_axis`, `eval
# linear_axis` or `eval time_axis` the y axis.
threads_axis = "set logscale x 2; set xrange [13:630]; set xtics (16, 32, 64, 128, 256, 512); set xlabel 'T, threads per block'"
speedup_axis = "set logscale y 2; set format y '%g'; set ylabel 'speed-up over one CPU thread'"
linear_axis = "unset logscale y; set format y '%g'; set ylabel 'speed-up over one CPU thread'"
time_axis = "set logscale y 10; set format y '%g'; set ylabel 'time [ms]'; set yrange [0.001:30]"
