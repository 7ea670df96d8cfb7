# Styles and functions that all figures share. A figure is drawn from the top of the repository:
#   gnuplot -e "results='results/x'; reference='plots/reference/y'; out='results/x/figures'" \
#       plots/figures/wakatani2012_fig4.gp
# results: the run to show. reference: a committed run of a real GPU, '' for none. out: where SVG
# and PNG go. If a file is missing or its times are empty (CPU device), the series is not drawn and
# the subtitle says so.
if (!exists("results")) results = ""
if (!exists("reference")) reference = ""
if (!exists("out")) out = "."

set encoding utf8

# Line styles of series i = 1 … 7:
#   i       this run: solid, filled symbols
#   10 + i  the reference: dashed, thin, lighter
#   20 + i  the points of the paper: open symbols
#   40 + i  times of this run that other load disturbed: small open symbols without a line
# Lightness and symbols differ as well as colours, so that a grey print tells the series apart.
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
set style line 30 lc rgb "#ff000000" # transparent: keeps an axis in range where nothing was measured
set style line 31 lc rgb "#999999" lw 1
set style line 32 lc rgb "#333333" lw 1.2 dt (3,5)
set style line 33 lc rgb "#555555" lw 1.2 dt (9,5,2,5)
set style line 34 lc rgb "#aaaaaa" lw 1.2 dt (9,5,2,5)

set grid lt 1 lc rgb "#d8d8d8" lw 0.7
set tics nomirror
set border 3 lc rgb "#555555"

# to(): the commands that open one of the two outputs. Use: `do for [t in "svg png"] { eval to(t,
# "name", width, height); … }`.
to(t, name, w, h) = (t eq "svg" \
    ? sprintf("set terminal svg size %d,%d font 'DejaVu Sans,sans-serif,12' background 'white' dynamic", w, h) \
    : sprintf("set terminal pngcairo size %d,%d font 'DejaVu Sans,10' background 'white'", w, h)) \
    .sprintf("; set output '%s/%s.%s'", out, name, t)

# rows(): the rows of a CSV file that meet the condition `where`, such as "variant=block n=262144",
# as points (x, y) for plot. See select.awk.
rows_with(flags, dir, csv, where, x, y) = dir eq "" ? "< true" : \
    sprintf("< awk -f plots/tables/columns.awk -f plots/tables/select.awk %s -v where='%s' -v baseline='%s' -v x=%s -v y=%s '%s/%s' 2>/dev/null", \
            flags, where, baseline, x, y, dir, csv)
rows(dir, csv, where, x, y) = rows_with("", dir, csv, where, x, y)
baseline = "" # the default of select.awk: the serial row of the same file
own(csv, where, x, y) = rows(results, csv, where, x, y)
# hollow(): the points of own() that rest on a time disturbed by other load. Drawn where a figure
# shows times of the CPU or speed-ups over them.
hollow(csv, where, x, y) = rows_with("-v hollow=1", results, csv, where, x, y)
ref(csv, where, x, y) = rows(compared(csv), csv, where, x, y)
paper(csv, where, x, y) = rows("plots/paper", csv, where, x, y)

# number(): the y of the first row, or 0 if there is none.
text_of(command) = system(command[3:*]." | awk 'NR == 1 { print $2 }'")
number(command) = text_of(command) eq "" ? 0 : real(text_of(command))
# popt(): P_opt in single precision as fit.awk fits it, for `rearranged` (W12) or `extended(case)`
# (W13). 0: not fitted.
rearranged = "variant=rearranged"
extended(case) = "variant=extended case=".case
popt(dir, which, n) = number(rows(dir, "fit.csv", which." type=s blocks= n=".n, "n", "popt"))

# device(): the device of a run, empty if nothing was timed there. compared(): the reference, empty
# if its device is the same as that of this run.
device(dir, csv) = dir eq "" ? "" : \
    system(sprintf("awk -f plots/tables/columns.awk -f plots/tables/device.awk '%s/%s' 2>/dev/null", dir, csv))
compared(csv) = device(reference, csv) eq "" || device(reference, csv) eq device(results, csv) ? "" : reference
# name(): the device for a title, with the characters escaped that gnuplot reads as markup.
name(dir, csv) = system(sprintf("awk -f plots/tables/columns.awk -f plots/tables/device.awk '%s/%s' 2>/dev/null | sed 's/[_^@&~{}]/\\\\&/g'", dir, csv))

newline = "}\n{/*0.85 " # within the subtitle of headline()

untimed(csv) = system(sprintf("test -f '%s/%s' && echo ' (kernels on the CPU device are verified, not timed)'", results, csv))

# leading(): this run, or the reference if this run has no times. Guides and numbers are taken from
# it.
leading(csv) = device(results, csv) eq "" ? compared(csv) : results
# present(): the name of variant v, empty if neither run has it.
present(csv, v) = system(sprintf("grep -qs ',%s,' '%s/%s' '%s/%s' && echo %s", v, results, csv, compared(csv), csv, v))

# most_cores(): the largest number of cores of the CPU variants (*_cpu) in a run, as "16 cores".
# all_cores(): the same of the leading run, for texts.
most_cores(dir, csv) = dir eq "" ? "" : system(sprintf("awk -F, '$2 ~ /_cpu$/ && $9 + 0 > c { c = $9 + 0 } END { if (c) print c (c > 1 ? \" cores\" : \" core\") }' '%s/%s' 2>/dev/null", dir, csv))
all_cores(csv) = most_cores(leading(csv), csv) ne "" ? most_cores(leading(csv), csv) : "all cores"

note_hollow(csv) = system(sprintf("grep -qs ',disturbed$' '%s/%s' && echo 1", results, csv)) eq "" ? "" : \
    "small hollow symbols: disturbed by other load"

# about(): the subtitle, which names this run (solid) and the reference (dashed).
about(csv, what) = \
    (device(results, csv) ne "" ? "solid: this run, ".name(results, csv).(note_hollow(csv) eq "" ? "" : "; ".note_hollow(csv)) \
                                : "this run: no ".what." times".untimed(csv)) \
    .(compared(csv) eq "" ? "" : newline."dashed: reference, ".name(reference, csv))
c1060 = newline."open symbols: the paper, Tesla C1060"
gtx590 = newline."open symbols: the paper, GTX 590 and Core i7 875K"
over_paper = newline."speed-up over cpu\\_paper: one CPU thread without SIMD, the paper's baseline"
headline(title, subtitle) = "{/:Bold ".title."}\n{/*0.85 ".subtitle."}"

# The x axis of most figures.
threads_axis = "set logscale x 2; set xrange [13:630]; set xtics (16, 32, 64, 128, 256, 512); set xlabel 'T, threads per block'"
speedup_axis = "set logscale y 2; set format y '%g'; set ylabel 'speed-up over one CPU thread'"
time_axis = "set logscale y 10; set format y '%g'; set ylabel 'time [ms]'; set yrange [0.001:30]"

# One legend below all panels: `eval legend` before the last panel, `unset key` before the others.
legend = "set key at screen 0.5, screen 0.045 center center horizontal maxrows 2 samplen 2"
# The same in columns of two, for longer names.
legend_columns = "set key at screen 0.5, screen 0.045 center center vertical maxrows 2 samplen 2"
