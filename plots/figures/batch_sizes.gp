# Batches of tridiagonal systems with 4 to 16384 rows each and 24 million rows in all: bandwidth
# reached by tridiagonal_batch and by cuSPARSE. Look at the dash-dotted line, above which a method
# moves fewer than 9 words a row, and at the rings, where cuSPARSE is faster than ours of the same
# layout, both with or both without pivoting.
# A bandwidth of 100% means that the five words of each row (a, b, c, d read once, x written once)
# move at the speed of the triad of the same run. A solver that does not read the first a and the
# last c of a system moves fewer: 4.5 if n = 4, which is 111%.
# Shows: @(thomas_batch|tridiagonal_batch)_*.csv
# Needs: tridiagonal_batch_sizes.csv
# Without times: not drawn (the axes would be empty)
load "plots/figures/style.gp"

csv = "tridiagonal_batch_sizes.csv"
variants = "tridiagonal_batch tridiagonal_batch_pivoted tridiagonal_batch_interleaved tridiagonal_batch_interleaved_pivoted cusparse_strided cusparse_interleaved_thomas cusparse_interleaved_lu"
names = "'contiguous' 'contiguous, pivoting' 'interleaved' 'interleaved, pivoting' 'cuSPARSE, contiguous' 'cuSPARSE, interleaved (Thomas)' 'cuSPARSE, interleaved, pivoting (LU)'"
K = words(variants)
# Ours have a colour for each layout, and open symbols with pivoting; cuSPARSE has other colours.
do for [i = 1:K] {
    of = int(word("1 1 2 2 3 4 0", i))
    symbol = int(word("7 6 5 4 9 13 2", i))
    set style line i      lc rgb (of ? word(dark, of) : "#888888") lw 2   dt 1     pt symbol ps 0.9
    set style line 10 + i lc rgb (of ? word(pale, of) : "#bbbbbb") lw 1.5 dt (9,5) pt symbol ps 0.6
}

# shares(): "n, bandwidth in percent of that of the triad", whose rows come first in the file. faster():
# those of cuSPARSE that are above ours of the same kind.
shares(dir, i) = computed(dir, csv, "$col[\"variant\"] == \"triad\" { ceiling = $col[\"bytes\"] / $col[\"median_ms\"] } ".timed(type, word(variants, i)) \
    ." && ceiling { print $col[\"n\"], 500 * ".word("4 8 8 16", p)." * $col[\"n\"] * $col[\"batch\"] / $col[\"median_ms\"] / ceiling }")
shown(dir, i) = shares(dir, i).noted(source(dir), series(i)." type=".type)
faster(i) = sprintf("< { %s; echo; %s; } | awk '!NF { peer = 1 } !peer { ours[$1] = $2 } peer && $1 in ours && $2 > ours[$1]'", \
    shares(leading(csv), int(word("0 0 0 0 1 3 4", i)))[3:*], shares(leading(csv), i)[3:*]).noted(source(leading(csv)), "faster")

set logscale x 2
set xrange [3:2.2e4]
set xtics ("4" 4, "16" 16, "64" 64, "256" 256, "1024" 1024, "4096" 4096, "16384" 16384)
set yrange [0:120]
y_name = "% of the 5-word roofline"
titles = "'(a) single precision' '(b) double precision' '(c) complex, single' '(d) complex, double'"
eval to("batch_sizes", 860, 780)
eval panels(2, 2, 4, headline("Tridiagonal systems at the speed of memory, 24 million rows in all", \
    also(about(csv), "dash-dotted: limit of a method that moves 9 words a row, not 5") \
    .newline."dotted: 5 words a row but for the first a and the last c of a system, which no solver needs"))
set samples 200
do for [p = 1:4] {
    type = word("s d c z", p)
    eval begin(p)
    set xlabel p > 2 ? "n, rows of a system" : ""
    plot 500. / 9 with lines ls 34 lw 2 notitle, 500 / (5 - 2. / x) with lines ls 32 notitle, \
         for [i = K:1:-1] shown(compared(csv), i) with linespoints ls 10 + i notitle, \
         for [i = K:1:-1] shown(results, i) with linespoints ls i notitle, \
         for [i = 5:K] faster(i) with points pt 6 ps 2 lw 1.5 lc rgb "#333333" notitle, @entries, \
         keyentry with points pt 6 ps 2 lw 1.5 lc rgb "#333333" title titled("faster", "cuSPARSE faster than ours of the same kind")
}
