# A gated linear recurrent network that learns which symbol was marked last: its loss, its gate after
# training, and the time of its recurrence. Look at (b), where the gate is almost 1 and falls only at
# a mark, and at (c), how much of a training step the recurrence takes. A network whose gate does not
# depend on the input (red) forgets old marks or mixes them with new ones.
# Shows: gated*.csv
# Needs: gated_training.csv
load "plots/figures/style.gp"

csv = "gated.csv"
training_csv = "gated_training.csv"
gate_csv = "gated_gate.csv"
K = 4
variants = "gated gated_cpu gated_cpu gated_serial"
phases = "recurrence total recurrence recurrence"
names = "'recurrence.h' 'whole training step, recurrence\\_cpu.h' 'recurrence\\_cpu.h, all cores' 'serial loop, one core'"
where(i) = "type=s phase=".word(phases, i)." variant=".word(variants, i)
series(i) = where(i)
x_column = "n"
y_column = "median_ms"
printed(file, program) = sprintf("< awk -F, '%s' '%s/%s'", program, holder(file), file)
loss(name) = printed(training_csv, sprintf("$1 == \"%s\" { print $2, $3 }", name))

eval to("gated", 760, 760)
heading = headline("A gated linear recurrence learns to remember", about_both(csv, 1))
set multiplot title heading
left = 80. / width
right = 1 - 20. / width
set lmargin at screen left
set tmargin at screen at_top(30)
set bmargin at screen at_top(240)

# (a)
set rmargin at screen 0.5 - 20. / width
set logscale y
set format y '10^{%T}'
set yrange [1e-4:5]
set xrange [0:*]
set title "(a) training; grey line: the loss of a guess"
set xlabel "step"
set ylabel "loss"
set key at graph 1, graph 0.72 right samplen 2
eval horizontal(1, 2.0794)
plot for [i = 1:2] loss(word("by_token fixed", i)).noted(source_of(training_csv), "loss ".i) with lines ls i \
    title word("'gate by token' 'fixed gate'", i)

# (b)
unset arrow 1
unset logscale y
set format y '%g'
set lmargin at screen 0.5 + 60. / width
set rmargin at screen right
set xrange [-1:128]
set yrange [0:1.05]
set title "(b) gate while it reads; bars: marks"
set xlabel "time (element of the sequence)"
set ylabel "a_t, mean of the channels"
unset key
plot printed(gate_csv, "$2 == 1 { print $1, 1.05 }") with impulses lc rgb "#dba94a" lw 4 notitle, \
     printed(gate_csv, "$1 + 0 == $1 { print $1, $3 }").noted(source_of(gate_csv), "gate") with lines ls 1 notitle

# (c)
set lmargin at screen left
set tmargin at screen at_top(340)
set bmargin at screen at_bottom(4, 74)
set logscale x 2
eval decades("y")
set xrange [*:*]
set yrange [*:*]
set autoscale xfix
set offsets graph 0.05, graph 0.05, 0, 0
set title "(c) time of solve and gradient, and of a training step"
set xlabel "length of the sequences"
set ylabel "time [ms]"
eval legend(4)
plot @curves, @entries
