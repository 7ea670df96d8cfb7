# Styles and functions that all figures share. To draw one figure, run from the top of the
# repository:
#   gnuplot -e "results='results/x'; reference='plots/reference/y'; out='results/x/figures'" \
#       plots/figures/wakatani2012_fig4.gp
# results: the directory of the run to show. reference: the directory of a committed run of a GPU,
# or '' for none. out: the directory for the SVG and PNG files. If a CSV file is missing or has no
# times (kernels on the CPU device), its curves are not drawn and the subtitle says so.
if (!exists("results")) results = ""
if (!exists("reference")) reference = ""
if (!exists("out")) out = "."

set encoding utf8

# Line styles of curve i = 1 … 7:
#   i       this run: solid, filled symbols
#   10 + i  the reference: dashed, thin, lighter
#   20 + i  the points of the paper: open symbols
#   40 + i  times of this run that other load disturbed: small open symbols without a line
# The curves differ not only in colour but also in lightness and symbol, so that they can be told
# apart in a grey print.
dark = "#12355b #d1495b #2a9d6f #e9a100 #7d4fa3 #6b4f3a #1b998b"
pale = "#7d92ab #e5a1a9 #8cc7ae #f0ca73 #bba3d0 #b8a99c #8fd0c8"
filled = "7 5 9 13 11 15 3"
open = "6 4 8 12 10 14 3"
do for [i = 1:7] {
    set style line i      lc rgb word(dark, i) lw 2   dt 1     pt int(word(filled, i)) ps 0.9
    set style line 10 + i lc rgb word(pale, i) lw 1.5 dt (9,5) pt int(word(filled, i)) ps 0.5
    set style line 20 + i lc rgb word(dark, i) lw 1.5          pt int(word(open, i))   ps 1.7
    set style line 40 + i lc rgb word(dark, i) lw 1.2          pt int(word(open, i))   ps 0.9
}
# Transparent: a curve in this style only gives an axis a range if no data were measured.
set style line 30 lc rgb "#ff000000"
set style line 31 lc rgb "#999999" lw 1
set style line 32 lc rgb "#333333" lw 1.2 dt (3,5)
set style line 33 lc rgb "#555555" lw 1.2 dt (9,5,2,5)
set style line 34 lc rgb "#aaaaaa" lw 1.2 dt (9,5,2,5)

set grid lt 1 lc rgb "#d8d8d8" lw 0.7
set tics nomirror
set border 3 lc rgb "#555555"

# to(): the gnuplot commands that open the output file NAME.svg or NAME.png. Use: `do for [t in "svg
# png"] { eval to(t, "NAME", width, height); … }`.
to(t, name, w, h) = (t eq "svg" \
    ? sprintf("set terminal svg size %d,%d font 'DejaVu Sans,sans-serif,12' background 'white' dynamic", w, h) \
    : sprintf("set terminal pngcairo size %d,%d font 'DejaVu Sans,10' background 'white'", w, h)) \
    .sprintf("; set output '%s/%s.%s'", out, name, t)

# rows(): the points (x, y) of a CSV file for `plot`, made by select.awk from the rows that meet the
# condition `where`, such as "variant=block n=262144". own() takes them from this run, ref() from
# the reference, paper() from the paper's points.
rows_with(flags, dir, csv, where, x, y) = dir eq "" ? "< true" : \
    sprintf("< awk -f plots/tables/columns.awk -f plots/tables/select.awk %s -v where='%s' -v baseline='%s' -v x=%s -v y=%s '%s/%s' 2>/dev/null", \
            flags, where, baseline, x, y, dir, csv)
rows(dir, csv, where, x, y) = rows_with("", dir, csv, where, x, y)
baseline = "" # empty: the baseline of speed-ups is select.awk's default, the variant `serial`
own(csv, where, x, y) = rows(results, csv, where, x, y)
# hollow(): the points of this run for which only a disturbed time was measured, either of the row
# itself or of its baseline. A time is disturbed if other load on the machine slowed it down. This
# happens to times of the CPU, so figures with such times, or with speed-ups over them, draw these
# points.
hollow(csv, where, x, y) = rows_with("-v hollow=1", results, csv, where, x, y)
ref(csv, where, x, y) = rows(compared(csv), csv, where, x, y)
paper(csv, where, x, y) = rows("plots/paper", csv, where, x, y)

# number(): y of the first point that rows() gives, or 0 if there is none. text_of() is the same
# number as text, or empty.
text_of(command) = system(command[3:*]." | awk 'NR == 1 { print $2 }'")
number(command) = text_of(command) eq "" ? 0 : real(text_of(command))
# popt(): the P_opt that fit.awk computes for single precision and the variant `which`: rearranged
# (W12) or extended(case) (W13). It is 0 if fit.csv has none.
rearranged = "variant=rearranged"
extended(case) = "variant=extended case=".case
popt(dir, which, n) = number(rows(dir, "fit.csv", which." type=s blocks= n=".n, "n", "popt"))

# device(): the device that a run was timed on, or empty if it has no times in this file.
# compared(): the reference, or empty if this run was timed on the same device.
device(dir, csv) = dir eq "" ? "" : \
    system(sprintf("awk -f plots/tables/columns.awk -f plots/tables/device.awk '%s/%s' 2>/dev/null", dir, csv))
compared(csv) = device(reference, csv) eq "" || device(reference, csv) eq device(results, csv) ? "" : reference
# name(): the device for a title. Characters that gnuplot reads as markup are escaped.
name(dir, csv) = system(sprintf("awk -f plots/tables/columns.awk -f plots/tables/device.awk '%s/%s' 2>/dev/null | sed 's/[_^@&~{}]/\\\\&/g'", dir, csv))

newline = "}\n{/*0.85 " # ends a line within the subtitle of headline() and begins the next one

untimed(csv) = system(sprintf("test -f '%s/%s' && echo ' (kernels on the CPU device are verified, not timed)'", results, csv))

# leading(): the directory of the run whose times give the guide lines and the numbers in titles.
# This is this run, or the reference if this run has no times in the file.
leading(csv) = device(results, csv) eq "" ? compared(csv) : results
# present(): the name of variant v if this run or the reference has rows of it, otherwise empty.
present(csv, v) = system(sprintf("grep -qs ',%s,' '%s/%s' '%s/%s' && echo %s", v, results, csv, compared(csv), csv, v))

# most_cores(): the largest number of cores that the CPU variants (*_cpu) of a run used, as text "16
# cores". all_cores(): the same text for the run leading(csv), or "all cores" if the number is
# unknown.
most_cores(dir, csv) = dir eq "" ? "" : system(sprintf("awk -F, '$2 ~ /_cpu$/ && $9 + 0 > c { c = $9 + 0 } END { if (c) print c (c > 1 ? \" cores\" : \" core\") }' '%s/%s' 2>/dev/null", dir, csv))
all_cores(csv) = most_cores(leading(csv), csv) ne "" ? most_cores(leading(csv), csv) : "all cores"

note_hollow(csv) = system(sprintf("grep -qs ',disturbed$' '%s/%s' && echo 1", results, csv)) eq "" ? "" : \
    "small hollow symbols: disturbed by other load"

# about(): the subtitle, which names this run (drawn solid) and the reference (drawn dashed).
about(csv, what) = \
    (device(results, csv) ne "" ? "solid: this run, ".name(results, csv).(note_hollow(csv) eq "" ? "" : "; ".note_hollow(csv)) \
                                : "this run: no ".what." times".untimed(csv)) \
    .(compared(csv) eq "" ? "" : newline."dashed: reference, ".name(reference, csv))
c1060 = newline."open symbols: the paper, Tesla C1060"
gtx590 = newline."open symbols: the paper, GTX 590 and Core i7 875K"
over_paper = newline."speed-up over cpu\\_paper: one CPU thread without SIMD, the paper's baseline"
headline(title, subtitle) = "{/:Bold ".title."}\n{/*0.85 ".subtitle."}"

# Settings of common axes: `eval threads_axis` sets the x axis, `eval speedup_axis` or `eval
# time_axis` the y axis.
threads_axis = "set logscale x 2; set xrange [13:630]; set xtics (16, 32, 64, 128, 256, 512); set xlabel 'T, threads per block'"
speedup_axis = "set logscale y 2; set format y '%g'; set ylabel 'speed-up over one CPU thread'"
time_axis = "set logscale y 10; set format y '%g'; set ylabel 'time [ms]'; set yrange [0.001:30]"

# One legend for all panels stands below them: write `eval legend` before the last panel and `unset
# key` before the others.
legend = "set key at screen 0.5, screen 0.045 center center horizontal maxrows 2 samplen 2"
# The same legend in columns of two lines, for longer names.
legend_columns = "set key at screen 0.5, screen 0.045 center center vertical maxrows 2 samplen 2"
