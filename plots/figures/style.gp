# Styles and functions that all figures share. To draw one figure, run from the top of the
# repository:
#   gnuplot -e "results='results/x'; reference='plots/reference/y'; out='results/x/figures'" \
#       plots/figures/wakatani2012_fig4.gp
# results: the directory of the run to show. reference: that of a committed run of a GPU, or '' for
# none. out: where the file goes. format: svg (default), then png, whose legend needs the notes of the
# SVG. notes: the file in which the figure notes what it draws (noted()), by default in `out`. Curves
# of a CSV file that is missing or has no times are not drawn, and the subtitle says so.
if (!exists("results")) results = ""
if (!exists("reference")) reference = ""
if (!exists("out")) out = "."
if (!exists("format")) format = "svg"
if (!exists("notes")) notes = out."/notes.tsv"
if (format eq "svg") { system sprintf("rm -f '%s'", notes) }

set encoding utf8

# Line styles of curve i = 1 … 7:
#   i       this run: solid, filled symbols
#   10 + i  the reference: pale, dashed, thin
#   20 + i  the points of the paper: open symbols
#   40 + i  times of this run that other load disturbed: small open symbols without a line
# Lightness and symbol differ, too, for grey prints.
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
# An eighth curve in grey; its cross cannot be open.
set style line  8 lc rgb "#888888" lw 2   dt 1     pt 2 ps 0.9
set style line 18 lc rgb "#bbbbbb" lw 1.5 dt (9,5) pt 2 ps 0.6
set style line 48 lc rgb "#888888" lw 1.2          pt 2 ps 0.9
# Transparent: gives an axis a range where no data were measured.
set style line 30 lc rgb "#ff000000"
set style line 31 lc rgb "#999999" lw 1
set style line 32 lc rgb "#333333" lw 1.2 dt (3,5)
set style line 33 lc rgb "#555555" lw 1.2 dt (9,5,2,5)
set style line 34 lc rgb "#aaaaaa" lw 1.2 dt (9,5,2,5)
set style line 35 lc rgb "#555555" lw 2
set style line 36 lc rgb "#aaaaaa" lw 2

set grid lt 1 lc rgb "#d8d8d8" lw 0.7
set tics nomirror scale 0.5
set border 3 lc rgb "#555555"
set samples 25 # enough for straight lines

# ---- output ----

# to(): opens the output file: `eval to("NAME", width, height)`. The size is in pixels of the SVG,
# whose letters are 14 high, so that they stay legible in a page. The SVG has no background and a
# name of its own. A narrow one is opened by panels() or one_panel(), when its height is known.
width = height = 0
narrow = format eq "narrow"
to(name, w, h) = sprintf("figure_name = '%s'; width = %d; height = %d; noting = %d; ", name, narrow ? 400 : w, h, format eq "svg") \
    .(narrow ? "set terminal unknown" : "eval opened(figure_name)")
opened(name) = (format eq "png" \
    ? sprintf("set terminal pngcairo size %d,%d font 'DejaVu Sans,13' linewidth 1.25 pointscale 1.5 background 'white'", 1.25 * width, 1.25 * height) \
    : sprintf("set terminal svg size %d,%d dynamic font 'DejaVu Sans,sans-serif,14' name '%s'", width, height, name)) \
    .sprintf("; set output '%s/%s.%s'", out, figure_name, narrow ? "narrow.svg" : format)

# noted(): the end of a shell pipeline that passes points on to gnuplot and adds the line "SOURCE,
# number of points, SERIES" to the file `notes`, of which figures.csv and legends are made. source:
# own (this run), ref (the reference) or paper. series: words that name the curve. The PNG has the
# points of the SVG and notes nothing.
noting = 0
noted(source, series) = noting ? sprintf(" | awk -v source=%s -v series='%s' -v notes='%s' -f plots/tables/note.awk", source, series, notes) : ""
# drawn(): what has been drawn so far of the series with all words of `series`: 1 points of this
# run, else 2 of the reference, else 3 of the paper, else 0 nothing.
drawn(series) = int(system(sprintf("awk -v series='%s' -f plots/tables/drawn.awk '%s' 2>/dev/null; echo 0", series, notes)))
# A line of the legend: `keyentry with linespoints ls listed(i, series) title titled(series, text)`
# has the style of the points that were drawn. Without points it has no title, so gnuplot omits it.
listed(i, series) = drawn(series) > 1 ? 10 * (drawn(series) - 1) + i : i
titled(series, text) = drawn(series) > 0 ? text : ""

# ---- points ----

# csv, in all functions below: one or several CSV files, separated by blanks.
# files(): their paths as words of a shell command. A name of the form x_'*'.csv means all files
# x_*.csv: its apostrophes end and reopen those around the path, so the shell expands *.
rest_of(words) = strstrt(words, " ") ? words[strstrt(words, " ") + 1:*] : ""
first_word(words) = strstrt(words, " ") ? words[1:strstrt(words, " ") - 1] : words
files(dir, csv) = csv eq "" ? "" : sprintf("'%s/%s' ", dir, first_word(csv)).files(dir, rest_of(csv))
# computed(): the lines, sorted by number, that an awk program prints of the rows of these files.
computed(dir, csv, program) = dir eq "" ? "< true" : sprintf("< echo '%s' | awk -f plots/tables/columns.awk -f - %s | sort -n", program, files(dir, csv))
# timed(): the condition of an awk program that a row of this type and variant is verified and timed.
timed(type, variant) = sprintf("$col[\"status\"] == \"ok\" && $col[\"median_ms\"] != \"\" && $col[\"type\"] == \"%s\" && $col[\"variant\"] == \"%s\"", type, variant)
# source(): the source of points of a directory, for noted().
source(dir) = dir eq results ? "own" : "ref"
# rows(): the points (x, y) of the rows that meet the condition `where`, such as "variant=block
# n=262144", made by select.awk. own() takes them from this run, ref() from the reference, paper()
# from the paper's points; they note what they draw.
rows_with(flags, dir, csv, where, x, y) = dir eq "" ? "< true" : \
    sprintf("< awk -f plots/tables/columns.awk -f plots/tables/select.awk %s -v where='%s' -v baseline='%s' -v x=%s -v y=%s %s %s 2>/dev/null", \
            flags, where, baseline, x, y, files(dir, csv), baseline_csv eq "" ? "" : files(dir, baseline_csv))
rows(dir, csv, where, x, y) = rows_with("", dir, csv, where, x, y)
baseline = "" # empty: the baseline of speed-ups is select.awk's default, the variant `serial`
baseline_csv = "" # a second file of the run, with the rows of the baseline; empty: the same file
own(csv, where, x, y) = rows(results, csv, where, x, y).noted("own", where." ".y." ".csv)
# hollow(): the points of this run for which only a disturbed time was measured, of the row or of its
# baseline, which happens to times of the CPU.
hollow(csv, where, x, y) = rows_with("-v hollow=1", results, csv, where, x, y).noted("own", where." ".y." ".csv." hollow")
# each(): the points of all rows of this run, also of several with the same x.
each(csv, where, x, y) = rows_with("-v each=1", results, csv, where, x, y).noted("own", where." ".y." ".csv)
ref(csv, where, x, y) = rows(compared(csv), csv, where, x, y).noted("ref", where." ".y." ".csv)
paper(csv, where, x, y) = rows("plots/paper", csv, where, x, y).noted("paper", where." ".y." ".csv)

# Parts of a `plot` command, for the curves i = 1 … K of the rows of csv that meet
# where(i).also_where: y_column against x_column, drawn at at_x(i, x) and at_y(x, y). @curves: those
# of the reference, of this run, and its disturbed times; @undisturbed: without the last. @published:
# the paper's points, of the rows of points_csv that meet where(i), i = 1 … K_paper. @entries: the
# lines word(names, i) of the legend, for the curves that series(i) finds. gnuplot does not see an @
# behind an odd number of apostrophes in the same { }.
at_x(i, x) = x
at_y(x, y) = y
also_where = ""
series(i) = "variant=".word(variants, i)
undisturbed = "for [i = K:1:-1] ref(csv, where(i).also_where, x_column, y_column) using (at_x(i, $1)):(at_y($1, $2)) with linespoints ls 10+i notitle, " \
    ."for [i = K:1:-1] own(csv, where(i).also_where, x_column, y_column) using (at_x(i, $1)):(at_y($1, $2)) with linespoints ls i notitle"
curves = undisturbed.", for [i = K:1:-1] hollow(csv, where(i).also_where, x_column, y_column) using (at_x(i, $1)):(at_y($1, $2)) with points ls 40+i notitle"
published = "for [i = 1:K_paper] paper(points_csv, where(i), x_column, y_column) using (at_x(i, $1)):(at_y($1, $2)) with points ls 20+i notitle"
entries = "for [i = 1:K] keyentry with linespoints ls listed(i, series(i)) title titled(series(i), word(names, i))"

# number(): y of the first point that rows() gives, or 0 if there is none. text_of() is the same
# number as text, or empty. any(): whether rows() gives a point. last_point(): its last, "x y".
text_of(command) = system(command[3:*]." | awk 'NR == 1 { print $2 }'")
number(command) = text_of(command) eq "" ? 0 : real(text_of(command))
any(command) = text_of(command) ne ""
last_point(command) = system(command[3:*]." | tail -n 1")
# last_of(): its x (k = 1) or y (k = 2), or 0.
last_of(command, k) = words(last_point(command)) < 2 ? 0 : real(word(last_point(command), k))
# values(): the different values of column x of these rows, such as "1 2 4".
values(dir, csv, where, x) = system(rows(dir, csv, where, x, x)[3:*]." | awk '{ printf \"%s \", $1 }'")
# ms_of_byte(): the time per byte of a large copy, 0 if it was not measured.
copied(dir, csv, y) = number(rows(dir, csv, "variant=copy type=s", "n", y))
ms_of_byte(dir, csv) = copied(dir, csv, "bytes") > 0 ? copied(dir, csv, "median_ms") / copied(dir, csv, "bytes") : 0
# popt(): the P_opt by which W12-4 and W13-4 are judged, fitted through the origin for W12 and with
# a constant in each phase for W13, in single precision, for the variant `which`: rearranged
# (W12) or extended(case) (W13). It is 0 if fit.csv has none.
rearranged = "variant=rearranged"
extended(case) = "variant=extended case=".case
popt(dir, which, n) = number(rows(dir, "fit.csv", which." type=s blocks= n=".n, "n", which eq rearranged ? "popt" : "popt1"))
# or_nan(): a number for `plot` that is not drawn if it is 0. power(): n as text such as 3·10^7, or
# 2^31 if it is a power of 2.
or_nan(y) = y > 0 ? y : NaN
power(n) = n < 1 ? "0" : abs(log(n) / log(2) - floor(log(n) / log(2) + 0.5)) < 1e-9 ? sprintf("2^{%.0f}", log(n) / log(2)) \
    : (e = floor(log10(n) + 1e-9), m = n / 10.**e, (m > 1 ? sprintf("%.3g·", m) : "").sprintf("10^{%d}", e))

# ---- whose run ----

# device(): the device that a run was timed on, or empty if it has no times in this file.
# compared(): the reference, or empty if this run was timed on the same device. name(): the device
# for a title, without numbers of devices; what gnuplot reads as markup is escaped.
escape = "sed 's/[_^@&~{}]/\\\\&/g'"
device(dir, csv) = dir eq "" ? "" : \
    system(sprintf("awk -f plots/tables/columns.awk -f plots/tables/device.awk %s", files(dir, csv)))
compared_csv = leading_csv = "" # of the last calls, whose answers are compared_dir and leading_dir
compared(csv) = csv eq compared_csv ? compared_dir \
    : (compared_csv = csv, compared_dir = device(reference, csv) eq "" || device(reference, csv) eq device(results, csv) ? "" : reference)
name(dir, csv) = system(sprintf("echo '%s' | sed 's/[0-9]* x //g' | %s", device(dir, csv), escape))
# header(): the text of the line "# KEY: …" of a CSV file.
header(dir, csv, key) = dir eq "" ? "" : system(sprintf("sed -n '/^# %s: /{ s///; p; q; }' %s 2>/dev/null | %s", key, files(dir, csv), escape))

# leading(): the directory of the run whose times give the guide lines and the numbers in titles:
# this run, or the reference if this run has no times in the file.
leading(csv) = csv eq leading_csv ? leading_dir \
    : (leading_csv = csv, leading_dir = device(results, csv) eq "" ? compared(csv) : results)
# has(): whether a run has a file. For figures that show the whole file of one run: holder() is this
# run if it has the file, else the reference; whose() is its name for the subtitle; source_of() is
# its source for noted().
has(dir, csv) = dir ne "" && system(sprintf("ls %s 2>/dev/null", files(dir, csv))) ne ""
holder(csv) = has(results, csv) ? results : has(reference, csv) ? reference : ""
whose(csv) = (holder(csv) eq results ? "" : "reference, ").machine(holder(csv), csv)
machine(dir, csv) = header(dir, csv, "device") eq "CPU device" ? header(dir, csv, "cpu") \
    : header(dir, csv, "device").(header(dir, csv, "cpu") eq "" || header(dir, csv, "cpu") eq header(dir, csv, "device") ? "" : ", ".header(dir, csv, "cpu"))
source_of(csv) = holder(csv) eq results ? "own" : "ref"
# printed_by(): for such a figure, what an awk program prints of the lines of the file csv.
printed_by(program) = sprintf("< awk -F, '%s' '%s/%s' 2>/dev/null", program, holder(csv), csv)
# A file of fields over time has a block of rows for each time, its first column. block(): columns 2
# to 4 of the k-th block, k = 1, 2, …; first_of_block(): its time; block_count(0): how many there are.
in_blocks = "!/^[-0-9]/ { next } !k || $1 != last { last = $1; k++ } "
block(k) = printed_by(in_blocks.sprintf("k == %d { print $2, $3, $4 }", k))
first_of_block(k) = real(system(printed_by(in_blocks.sprintf("k == %d { print $1; exit }", k))[3:*]."; echo 0"))
block_count(x) = int(system(printed_by(in_blocks."END { print k + 0 }")[3:*]."; echo 0"))

# most_cores(): the largest number of cores in these rows, as text "16 cores", or empty.
most_cores(dir, csv) = dir eq "" ? "" : system(computed(dir, csv, "$col[\"cores\"] > c + 0 { c = $col[\"cores\"] } END { if (c) print c (c > 1 ? \" cores\" : \" core\") }")[3:*])
several(dir) = most_cores(dir, csv) ne "" && most_cores(dir, csv) ne "1 core"
# cores_of_both(): the numbers of cores of this run, if own = 1, and of the reference: "2 cores,
# reference 16".
cores_of_both(csv, own) = !own || most_cores(results, csv) eq "" ? (most_cores(compared(csv), csv) eq "" ? "all cores" : "reference, ".most_cores(compared(csv), csv)) \
    : most_cores(results, csv).(most_cores(compared(csv), csv) eq "" ? "" : ", reference ".word(most_cores(compared(csv), csv), 1))

# ---- titles ----

# also(): two parts of a subtitle, on one line if they fit into the width of the figure. newline
# ends a line of the subtitle and begins the next one.
newline = "}\n{/*0.85 "
last_line(text) = strstrt(text, newline) ? last_line(text[strstrt(text, newline) + strlen(newline):*]) : text
also(a, b) = a eq "" ? b : b eq "" ? a : a.(7.3 * (strlen(last_line(a)) + strlen(b) + 2) < width ? "; " : newline).b

# hollow_rows: a regular expression that matches the rows that a figure may draw, so that the
# subtitle does not explain symbols that are not there.
hollow_rows = ""
note_hollow(csv) = system(sprintf("grep -hs ',disturbed$' %s | grep -qE '%s' && echo 1", files(results, csv), hollow_rows)) eq "" ? "" : \
    "small hollow symbols: disturbed by other load"
# about(): the subtitle, which names this run (drawn solid) and the reference (drawn pale). cpu: the
# figure shows times of this run's CPU, too, the only ones of a run without a GPU.
about_own(csv, cpu) = device(results, csv) ne "" ? "solid: ".name(results, csv) \
    : !has(results, csv) ? "not in this run" \
    : cpu ? "solid: ".header(results, csv, "cpu").", no GPU" : "this run has no GPU"
about_both(csv, cpu) = also(also(about_own(csv, cpu), cpu || device(results, csv) ne "" ? note_hollow(csv) : ""), \
    compared(csv) eq "" ? "" : "pale: reference, ".name(reference, csv))
about(csv) = about_both(csv, 0)
about_single(csv) = also(about(csv), "single precision")
# numbers_of(): says in the subtitle that the numbers in titles are those of the reference.
numbers_of(csv) = leading(csv) eq results || leading(csv) eq "" ? "" : "numbers: the reference"

c1060 = "open symbols: the paper, Tesla C1060"
gtx590 = "open symbols: the paper, GTX 590 and Core i7 875K"
over_paper = "speed-up over cpu\\_paper: one CPU thread without SIMD, the paper's baseline"
# headline(): the title of a figure, whose bold first line is noted for figures.csv.
note_title(title) = !noting ? "" : system(sprintf("cat >>'%s' <<'END'\ntitle\t0\t%s\nEND", notes, title))
headline(title, subtitle) = (note_title(title), "{/:Bold ".title."}\n{/*0.85 ".subtitle."}")

# ---- panels and axes ----

# panels(): a grid of panels below the title `text` (made by headline()) and above a legend of
# `lines` lines: `eval panels(rows, columns, lines, text)`. `eval begin(p)` begins panel p, with the
# title word(titles, p); the y axis has a name in the first column, the last panel the legend of all.
# A narrow figure has one column of panels and one in its legend, where others have up to three.
lines_of(text) = strstrt(text, "\n") ? 1 + lines_of(text[strstrt(text, "\n") + 1:*]) : 1
at_top(pixels) = 1 - (21. * lines_of(heading) + 20 + pixels) / height
at_bottom(lines, pixels) = (18. * lines + pixels) / height
broken(text, pixels) = system(sprintf("awk -v width=%d -f plots/tables/break_title.awk <<'END'\n%s\nEND", pixels, text))
narrowed(pixels) = sprintf("heading = broken(heading, %d); key_lines = 3 * key_lines; ", pixels) \
    ."height = 21 * lines_of(heading) + 18 * key_lines + 14 + 378 * panel_count; eval opened(figure_name); "
panels(rows, columns, lines, text) = (heading = text, sprintf("panel_count = %d; panel_columns = %d; key_lines = %d; ", rows * columns, narrow ? 1 : columns, lines) \
    .(narrow ? narrowed(width) : "") \
    .sprintf("set multiplot layout %d,%d", narrow ? rows * columns : rows, narrow ? 1 : columns) \
    ." margins 86. / width, 1 - 16. / width, at_bottom(key_lines, 74), at_top(34) spacing 70. / width, 114. / height title heading")
titles = y_name = key_options = ""
begin(p) = "set title word(titles, ".p."); set ylabel ".(panel_columns == 1 || p % panel_columns == 1 ? "y_name; " : "''; ") \
    .(p < panel_count ? "unset key" : legend(key_lines).key_options)
legend(lines) = legend_of(narrow ? key_lines : lines)
legend_of(lines) = sprintf("set key at screen 0.5, screen %g center center vertical maxrows %d samplen 2 spacing 1 width 0 font ',12'", \
    at_bottom(lines / 2., 6), lines)
# one_panel(): a figure of one panel, with its legend in the same place.
one_panel(lines, text) = (heading = text, sprintf("panel_count = 1; key_lines = %d; ", lines).(narrow ? narrowed(width - 72) : "") \
    ."set lmargin at screen 92. / width; set rmargin at screen 1 - 20. / width; " \
    ."set bmargin at screen at_bottom(key_lines, 74); set tmargin at screen at_top(12); set title heading; eval legend(key_lines)")
# Lines across a panel: `eval vertical(tag, x, style)`, `eval horizontal(tag, y)`.
vertical(tag, x, style) = sprintf("set arrow %d from first %.17g, graph 0 to first %.17g, graph 1 nohead ls %d", tag, x, x, style)
horizontal(tag, y) = sprintf("set arrow %d from graph 0, first %g to graph 1, first %g nohead ls 31", tag, y, y)
# beyond_cores(): marks the part of a panel over the number of ranks that has more ranks than cores.
beyond_cores(cores) = sprintf("set object 1 rectangle from %.17g, graph 0 to graph 1, graph 1 behind fc rgb '#f0f0f0' fs noborder; ", sqrt(2) * cores) \
    ."set label 1 'ranks > cores' at graph 0.98, graph 0.06 right tc rgb '#777777'"

# Settings of common axes, with the columns that they show: `eval threads_axis`.
threads_axis = "x_column = 'threads'; set logscale x 2; set xrange [13:630]; set xtics (16, 32, 64, 128, 256, 512); set xlabel 'T, threads per block'"
size_axis = "x_column = 'n'; set logscale x 2; set xrange [800:2.2e7]; set xtics ('1K' 2**10, '16K' 2**14, '256K' 2**18, '4M' 2**22)"
systems_axis = "x_column = 'batch'; set xrange [4000:26000]; set xtics ('5000' 5000, '15000' 15000, '25000' 25000); set xlabel 'systems'"
speedup_name = "speed-up over one CPU thread"
speedup_axis = "y_column = 'speedup'; y_name = speedup_name; set logscale y 2; set format y '%g'; set ylabel y_name"
linear_axis = "y_column = 'speedup'; y_name = speedup_name; unset logscale y; set format y '%g'; set ylabel y_name"
time_axis = "y_column = 'median_ms'; y_name = 'time [ms]'; set logscale y 10; set format y '%g'; set ylabel y_name; set yrange [0.001:30]"
# Axes of sizes over many decades: `eval decades(axes)`.
decades(axes) = "set logscale ".axes." 10; set format ".axes." '10^{%T}'"
