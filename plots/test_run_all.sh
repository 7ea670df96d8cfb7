#!/bin/bash
# Tests run_all.sh and the scripts that it calls: the command line, the lines that a user sees, resuming an interrupted
# run, locks, paths, and how rows become points. The tests run in a copy of these scripts, in a directory with an odd
# name, where all programs are replaced by stubs, small scripts that write the rows of a result.
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
odd="$base/odd dir/it's"
tree="$odd/tree"
log="$base/log"
pid=''
# shellcheck disable=SC2317,SC2329 # not unreachable: the trap calls it
cleanup() {
    [ -z "$pid" ] || kill -9 -- "-$pid" 2>/dev/null
    rm -rf "$base"
}
trap cleanup EXIT

# run STATUS WHAT ARGUMENT…: run_all.sh must exit with STATUS. Its stdout goes to $log.out, its stderr to $log.
run() {
    "$tree/run_all.sh" "${@:3}" >"$log.out" 2>"$log"
    check "$2, exit status" test $? -eq "$1"
}
refuse() { refuses "$1" "$2" "$tree/run_all.sh" "${@:3}"; } # STATUS WORDS ARGUMENT…
# says WORDS: checks that the last run printed WORDS on stderr.
says() { check "says" grep -qF -- "$1" "$log"; }
# ends_with LINE…: the last run printed these lines on stdout, and at most ten lines, of at most 80 characters.
ends_with() {
    local line
    for line; do check "ends with '$line'" grep -qxF -- "$line" "$log.out"; done
    check "the end has ten lines" test "$(wc -l <"$log.out")" -le 10
    check "the end has 80 columns" test "$(grep -v 'report.html$' "$log.out" | wc -L)" -le 80
}

mkdir -p "$tree/build/cpu" "$tree/build/gpu" "$tree/common"
cp run_all.sh "$tree"
cp common/mpirun.sh "$tree/common"
printf '#!/bin/sh\nshift 3\nexec "$@"\n' >"$tree/common/slow_network.sh" # a stub that starts one rank
chmod +x "$tree/common/slow_network.sh"
cp build/cpu/report "$tree/build/cpu"
cp -r plots "$tree"
rm -rf "$tree"/plots/reference/*/
printf 'all:\n\t@echo "built: this line must not be seen"\n' >"$tree/Makefile"
# A stub of common/count.sh. It reports a race if the file `races` exists.
cat >"$tree/common/count.sh" <<'EOF'
#!/bin/bash
[ -d "$1" ] && [ ! -e "$(dirname "$0")/../races" ] && echo "counts of $1" || { echo "count: a race" >&2; false; }
EOF
chmod +x "$tree/common/count.sh"
# The stub of a program writes a few rows. Files in its tree change what it does: the run (PROGRAM or PROGRAM_RANKS) that
# `slow` names hangs half-way, that in `lost` writes nothing, the result of that in `wrong` fails verification, and the
# times of that in `late` are disturbed. `gpu` contains the device that --version prints.
cat >"$base/stub" <<'EOF'
#!/bin/bash
program=$(basename "$0")
tree=$(realpath "$0")
tree=${tree%/build/*}
device='CPU device'
case $0 in *build/*gpu/*) device=$(cat "$tree/gpu" 2>/dev/null || echo none) ;; esac
case $program in pscheme_cpu | pscheme_mpi) device='Some CPU (2 cores)' ;; esac
case ${1-} in
--version) printf '%s revision 1\ndevice: %s\ncompiler: none\n' "$program" "$device"; exit ;;
esac
for csv; do :; done
run=$(basename "$csv" .csv)
half=$csv
status=ok
grep -qx "$run" "$tree/wrong" 2>/dev/null && status='wrong result'
grep -qx "$run" "$tree/late" 2>/dev/null && status=disturbed
echo "started $0 $*" >>"$tree/started"
echo half >"$csv.new"
grep -qx "$run" "$tree/slow" 2>/dev/null && sleep 60
case $program in
pscheme_cpu) rows='substitution,s,1024,,,,,1,,,,p pscheme_eq13,s,1024,,,,,1,,,,p' date=3 ;;
pscheme_gpu) rows='serial,s,262144,,,,,1,,,,total' date=1 ;;
nshape) rows='thomas_cpu,z,100000,,,,,1,,,,total' date=2 ;;
*_mpi) rows="chain,s,1024,,,,,,,$RANKS,,propagate chain,s,1024,,,,,,,$RANKS,,total" date=2 ;;
*) rows='serial,s,262144,,,,,1,,,,total' date=2 ;;
esac
{
    printf '# program: %s\n# device: %s\n# compiler: none\n# date: 2026-01-0%s\n' "$program" "$device" $date
    echo program,variant,type,n,batch,blocks,threads,parts,cores,nest,ranks,case,phase,device,timer,samples,median_ms,q1_ms,q3_ms,min_ms,bytes,error,status
    for row in $rows; do
        echo "$program,$row,$device,clock,3,0.5,0.5,0.5,0.5,1,0,$status"
    done
} >"$csv.new"
grep -qx "$run" "$tree/lost" 2>/dev/null && rm "$half.new" && exit
mv "$half.new" "$csv"
[ "$status" != 'wrong result' ]
EOF
chmod +x "$base/stub"
# mpirun starts only rank 0; if the file `foreign` exists, every process as a rank 0 of its own, as that of another MPI
# library does. nproc prints the number in the file `cores`.
mkdir "$base/stubs"
cat >"$base/stubs/mpirun" <<EOF
#!/bin/bash
export RANKS=\$2
shift 2
[ ! -e "$base/foreign" ] || "\$@"
"\$@"
EOF
printf '#!/bin/sh\ncat "%s/cores"\n' "$base" >"$base/stubs/nproc"
chmod +x "$base"/stubs/*
# Most tests run without the runs of plots/paper_runs.list.
mv "$tree/plots/paper_runs.list" "$base"
touch "$tree/plots/paper_runs.list"
programs=() mpi_programs=()
eval "$(grep -E '^(mpi_)?programs[+]?=' run_all.sh)" # the tests below need pscheme_cpu and pscheme_gpu as the first two
all=$((${#programs[@]} + 3 * ${#mpi_programs[@]})) # each MPI program runs over 1, 2 and 4 ranks
for program in "${programs[@]}" "${mpi_programs[@]}"; do
    cp "$base/stub" "$tree/build/cpu/$program"
    cp "$base/stub" "$tree/build/gpu/$program"
done

# Most tests run with a PATH without gnuplot and mpirun, so they draw no figures and start no ranks.
mkdir "$base/bin"
full=$base/stubs:$PATH
(IFS=:; for directory in $full; do ln -s "$directory"/* "$base/bin/" 2>/dev/null; done)
rm -f "$base"/bin/gnuplot* "$base/bin/mpirun"
PATH=$base/bin

# Wrong command lines, a missing GPU and a build that fails.
refuse 2 "'--nonsense'" --nonsense
refuse 2 "--quick and --paper" --quick --paper
refuse 2 "'--quick=1'" --quick=1
refuse 2 "--device 'tpu'" --device tpu
refuse 2 "--device 'tpu'" --device=tpu
refuse 2 "--out needs a value" --out
refuse 2 "--out needs a value" --out=
touch "$base/file"
refuse 2 "--out '$base/file'" --out "$base/file"
refuse 2 "--out '$base/file/below'" --out="$base/file/below"
refuse 3 "--device gpu" --device gpu
refuse 3 "--device gpu" --device=gpu --out "$base/none"
check "--help has 80 columns" test "$("$tree/run_all.sh" --help | wc -L)" -le 80
check "bad command lines run nothing" test ! -e "$tree/started"
check "bad command lines build nothing" test ! -e "$tree/build/make.log"
printf 'all:\n\t@echo cause of the failure; false\n' >"$tree/failing"
mv "$tree/Makefile" "$tree/working" && mv "$tree/failing" "$tree/Makefile"
run 1 "a failing build"
says "cause of the failure"
mv "$tree/working" "$tree/Makefile"

# Without a terminal each step has a line at its start and one at its end, of at most 80 columns.
echo "NVIDIA H100 PCIe with a name that is as long as names of devices" >"$tree/gpu"
run 0 "lines" --out "$base/lines"
check "80 columns" test "$(grep -v '^sizes: \|^no gnuplot' "$log" | wc -L)" -le 80
check "no escapes" test "$(grep -c $'[\r\033]' "$log")" -eq 0
steps=$((${#programs[@]} + 3))
says "[2/$steps] pscheme_gpu: running"
check "seconds" grep -qE "^\[2/$steps\] pscheme_gpu: exit status 0, [0-9]+ s$" "$log"
check "counting" grep -qE "^\[$((steps - 2))/$steps\] counting: exit status 0, [0-9]+ s$" "$log"
check "drawing" grep -qE "^\[$((steps - 1))/$steps\] drawing: exit status 0, [0-9]+ s$" "$log"
check "report" grep -qE "^\[$steps/$steps\] report: exit status 0, [0-9]+ s$" "$log"
check "the seconds of each run" grep -qE "^seconds: pscheme_cpu [0-9]+, pscheme_gpu [0-9]+, pcr" "$log"
check "the time of all" grep -qE "^all steps of this call, .*: [0-9]+ s$" "$log"
ends_with "rows: $((${#programs[@]} + 1)) verified, 0 wrong" "Everything is verified. Open $base/lines/report.html"
check "claims" grep -q "^claims judged here: " "$log.out"

# On a terminal one line shows the progress. Failures stay and are red, unless NO_COLOR is set.
on_terminal() { # STATUS ENVIRONMENT…: runs run_all.sh on a pseudoterminal; its output goes to $log
    rm -rf "$base/tty"
    script -qec "env ${*:2} ${tree@Q}/run_all.sh --quick --out ${base@Q}/tty" /dev/null </dev/null >"$log" 2>&1
    check "on a terminal, exit status" test $? -eq "$1"
}
if command -v script >/dev/null; then
    echo pcr >"$tree/wrong"
    on_terminal 1 TERM=xterm NO_COLOR=
    says $'\r\033[K'"[1/$steps] pscheme_cpu: running … 0 s"
    says $'\r\033[K\033[31m'"[3/$steps] pcr: exit status 1"$'\033[0m'
    check "no lines of steps that succeeded" test "$(grep -c 'exit status 0' "$log")" -eq 0
    check "few lines" test "$(wc -l <"$log")" -le 15
    on_terminal 1 TERM=xterm NO_COLOR=1
    says $'\r\033[K'"[3/$steps] pcr: exit status 1"
    check "NO_COLOR" test "$(grep -c $'\033\[31m' "$log")" -eq 0
    rm "$tree/wrong"
    on_terminal 0 TERM=dumb
    check "TERM=dumb" test "$(grep -c $'\033' "$log")" -eq 0
fi
rm "$tree/gpu"

# A GPU of any name is accepted, and its results directory is named after it.
echo "Tesla T4" >"$tree/gpu"
run 0 "Tesla T4" --quick
says "kernels on: Tesla T4"
check "a directory of its own" test -f "$tree/results/tesla-t4/report.html"
(cd "$tree" && ./run_all.sh --quick >"$log.out" 2>"$log")
check "a short path" grep -qx "Everything is verified. Open results/tesla-t4/report.html" "$log.out"
rm "$tree/gpu"

# If the last lines cannot be printed, the run fails. Its results are there.
"$tree/run_all.sh" --quick --out "$base/lines" >/dev/full 2>"$log"
check "no room on stdout, exit status" test $? -eq 1
says "run_all.sh: standard output cannot be written"

# A results directory may begin with a hyphen, and it is not looked for in CDPATH.
mkdir -p "$base/-x" "$base/results" "$base/elsewhere/results"
(
    export CDPATH=$base/elsewhere
    cd "$base" && "$tree/plots/report.sh" -x '' && "$tree/plots/report.sh" results ''
) >"$log" 2>&1
check "report of -x and results" test -f "$base/-x/report.html" -a -f "$base/results/report.html"

# A report is written without gnuplot and MPI, too.
mv "$tree/build/cpu/nshape_mpi" "$base"
run 0 "no gnuplot" --quick --out "$odd/plain"
mv "$base/nshape_mpi" "$tree/build/cpu"
says "no gnuplot"
says "pscheme_mpi: left out, mpirun does not start it"
says "nshape_mpi: left out, no build/cpu/nshape_mpi"
check "no ranks" test "$(grep -c _mpi_ "$odd/plain/run.txt")" -eq 0
says "plots/draw.sh '$base/odd dir/it'\\''s/plain'"
check "no built: line" test "$(grep -c built: "$log")" -eq 0
check "counts" grep -qxF "counts of $odd/plain" "$odd/plain/counts.txt"
touch "$tree/races"
run 1 "a kernel that races" --quick --out "$odd/plain"
says "count: a race"
says "/$((${#programs[@]} + 3))] counting: exit status 1"
ends_with "Everything is verified. Open $odd/plain/report.html"
rm "$tree/races"
run 0 "no gnuplot, again" --quick --out "$odd/plain"
check "report" grep -q "no figures: install gnuplot" "$odd/plain/report.html"
check "devices that differ" grep -q "Some CPU (2 cores)" "$odd/plain/report.html"

PATH=$base/stubs:$PATH
echo 4 >"$base/cores"
# With TESTS=short without this part.
if [ "${TESTS-}" != short ]; then
# Numbers of ranks are powers of 2 up to the cores, at most 16. Results for more, left by another mode, are removed.
ranks() { check "ranks $1" test "$(sed -n 's/^pscheme_mpi_\([0-9]*\)\t.*/\1/p' "$base/mpi/run.txt" | xargs)" = "$1"; }
touch "$base/foreign"
run 0 "another MPI" --quick --out "$base/mpi"
says "pscheme_mpi: left out, mpirun does not start it"
ranks ""
rm "$base/foreign"
echo 6 >"$base/cores"
run 0 "6 cores" --paper --out "$base/mpi"
ranks "1 2 4"
echo 40 >"$base/cores"
run 0 "40 cores" --paper --out "$base/mpi"
says "pscheme_mpi_4: kept, exit status 0"
ranks "1 2 4 8 16"
check "its own ranks" grep -q "^nshape_mpi,.*,16,,total," "$base/mpi/nshape_mpi_16.csv"
echo 1 >"$base/cores"
run 0 "1 core, quick" --quick --out "$base/mpi"
ranks "1 2 4"
check "nothing left of 16" test ! -e "$base/mpi/pscheme_mpi_16.csv"
echo "Tesla T4" >"$tree/gpu"
rm "$tree/started"
run 0 "ranks on a GPU" --out "$base/mpi"
ranks 1
check "kernels on the GPU" grep -q "build/gpu/nshape_mpi --csv" "$tree/started"
check "no kernels" grep -q "build/cpu/pscheme_mpi --paper" "$tree/started"
rm "$tree/gpu"
echo 4 >"$base/cores"

# The runs of plots/paper_runs.list: on a GPU only, those below the line --- with --paper alone. Started again, they are
# kept, as long as their options are the same.
cp "$base/paper_runs.list" "$tree/plots"
names=$(sed -n 's/^\([a-zA-Z0-9_]\{1,\}\) .*/\1/p' "$tree/plots/paper_runs.list")
check "runs of the list" test "$(wc -w <<<"$names")" -ge 9
more() { # WHAT NUMBER: as many of the runs in the list were done
    check "$1" test "$(cut -f 1 "$base/more/run.txt" | grep -cxF "$names")" -eq "$2"
}
listed=$(wc -w <<<"$names")
run 0 "no GPU, no runs of the list" --paper --out "$base/more"
more "none without a GPU" 0
echo "Tesla T4" >"$tree/gpu"
run 0 "quick on a GPU" --quick --out "$base/more"
more "none with --quick" 0
# no_l1: the build of the stub fails, so that this run is left out; then it succeeds
printf '.PHONY: gpu\nall:\ngpu:\n\t@echo no nvcc; false\n' >"$tree/Makefile"
rm "$base/more/samples.csv.gz"
run 0 "runs of the papers" --out "$base/more"
more "those above the line ---" 1
check "no samples" test ! -e "$base/more/samples.csv.gz"
run 0 "runs of the list" --paper --out "$base/more"
more "all but no_l1" $((listed - 2))
check "samples" gzip -t "$base/more/samples.csv.gz"
says "pscheme_gpu_tridiagonal_no_l1: left out, not built"
check "why" grep -qx "no nvcc" "$tree/build/no_l1.log"
check "a name with digits at its end" \
    grep -qE "build/gpu/pscheme_g --n 16M .*cpu_cores --csv $base/more/pscheme_g_16M.csv$" "$tree/started"
check "continued lines" grep -qE " block,[a-z_,]*,transpose_padded,cpu_paper,cpu_lanes,cpu_cores --csv" "$tree/started"
check "the CPU build over the slow network" grep -qE "build/cpu/nshape_mpi --n 30000,300000 " "$tree/started"
check "the file of a run" test -f "$base/more/tridiagonal_pivoting.csv"
for name in $names; do
    check "$name in times.csv" test "${name%_no_l1}" != "$name" -o \
        "$(grep -cE "^$name,[0-9]+$" "$base/more/times.csv")" -eq 1
done
check "the revision in times.csv" grep -qx "# revision: 1" "$base/more/times.csv"
check "counting in times.csv" grep -qE "^counting,[0-9]+$" "$base/more/times.csv"
cat >"$tree/Makefile" <<'EOF'
.PHONY: gpu
all:
gpu:
	@echo "$$NVCC_APPEND_FLAGS" >build/flags
	@mkdir -p $(BUILD)/gpu && cp build/gpu/$(ONLY) $(BUILD)/gpu
EOF
rm "$tree/started"
sed -i 's/--batch 1,16,132/--batch 1,16/' "$tree/plots/paper_runs.list"
run 0 "runs of the list, again" --paper --out "$base/more"
check "three ran again" test "$(wc -l <"$tree/started")" -eq 3
check "that without L1" grep -q "build/no_l1/gpu/pscheme_gpu --n 1M" "$tree/started"
check "compiled without L1" grep -qx -- "-Xptxas -dlcm=cg" "$tree/build/flags"
check "that with other options" grep -q "tridiagonal_batch_small.csv" "$tree/started"
says "tridiagonal_batch_sizes: kept, exit status 0"
more "all" "$listed"
printf '#!/bin/sh\nexit 3\n' >"$tree/common/slow_network.sh"
run 0 "no slow network" --paper --out "$base/more"
says "nshape_mpi_slow_2: left out, common/slow_network.sh does not start it"
run 0 "quick after that" --quick --out "$base/more"
more "none is left" 0
check "nor its file" test ! -e "$base/more/pscheme_g_16M.csv"
rm "$tree/gpu"
: >"$tree/plots/paper_runs.list"
printf 'all:\n' >"$tree/Makefile"
fi

# Two runs at the same time: their builds do not overlap, and each writes its own results.
printf 'all:\n\tmkdir build/busy && sleep 0.3 && rmdir build/busy\n' >"$tree/Makefile"
"$tree/run_all.sh" --quick --out "$base/two" >/dev/null 2>&1 &
other=$!
run 0 "two at once" --quick --out "$base/one"
wait $other
check "two at once, the other" test $? -eq 0
printf 'all:\n' >"$tree/Makefile"

# A run that is killed leaves no incomplete file, and the results of the programs that were done are kept.
hang() { # RUN: starts run_all.sh and waits until the stub of RUN hangs
    echo "$1" >"$tree/slow"
    rm -f "$tree/started" "$base/r/$1.csv.new"
    setsid "$tree/run_all.sh" --quick --out "$base/r" >/dev/null 2>&1 &
    pid=$!
    for _ in {1..100}; do
        [ -f "$base/r/$1.csv.new" ] && return
        sleep 0.1
    done
}
end() {
    kill -9 -- "-$pid"
    wait "$pid" 2>/dev/null
    pid=''
    rm "$tree/slow"
}
hang pscheme_cpu
refuse 2 "another run writes there" --quick --out "$base/r"
end
check "no half CSV" test ! -e "$base/r/pscheme_cpu.csv"
check "nothing done" test ! -s "$base/r/run.txt"
hang pscheme_gpu
end
check "the first is done" test "$(wc -l <"$base/r/run.txt")" -eq 1
rm "$tree/started"
run 0 "resumed" --quick --out "$base/r"
says "pscheme_cpu: kept, exit status 0"
check "only the rest ran" test "$(wc -l <"$tree/started")" -eq $((all - 1))
rm "$base/r/pscheme_mpi_4.csv"
hang pscheme_mpi_4
end
rm "$tree/started"
run 0 "ranks resumed" --quick --out "$base/r"
says "pscheme_mpi_2: kept, exit status 0"
check "only those ranks ran" grep -qx "started .*/pscheme_mpi --quick --csv $base/r/pscheme_mpi_4.csv" "$tree/started"
check "and nothing else" test "$(wc -l <"$tree/started")" -eq 1
run 0 "all kept" --quick --out "$base/r"
check "nothing ran again" test "$(wc -l <"$tree/started")" -eq 1
run 0 "another mode" --paper --out "$base/r"
check "all ran in another mode" test "$(wc -l <"$tree/started")" -eq $((1 + all))
check "the paper's parameters" grep -q -- "--paper" "$tree/started"

# If a program fails verification, the others still run, and a second run_all.sh, which keeps the results, fails, too.
echo pscheme_gpu >"$tree/wrong"
run 1 "wrong result" --quick --out "$base/wrong"
check "the next program ran" test -f "$base/wrong/pcr.csv"
check "named in the report" grep -q "pscheme_gpu serial, type s, n = 262144: wrong result" "$base/wrong/report.html"
ends_with "rows: $((all + 3 * ${#mpi_programs[@]})) verified, 1 wrong" \
    "wrong: pscheme_gpu serial, type s, n = 262144: wrong result"
run 1 "wrong result, kept" --quick --out "$base/wrong"
says "pscheme_gpu: kept, exit status 1"
ends_with "wrong: pscheme_gpu serial, type s, n = 262144: wrong result"
printf '%s\n' "${programs[@]}" >"$tree/wrong"
run 1 "all wrong" --quick --out "$base/all_wrong"
ends_with "and $((${#programs[@]} - 2)) more"
echo pscheme_mpi_2 >"$tree/wrong"
run 1 "wrong result over ranks" --quick --out "$base/wrong_ranks"
says "pscheme_mpi_2: exit status 1"
says "pscheme_mpi_4: exit status 0"
ends_with "wrong: pscheme_mpi chain, type s, n = 1024: wrong result"
rm "$tree/wrong"

# A program that writes no rows has failed, even if its exit status is 0.
echo pscheme_mpi_2 >"$tree/lost"
run 1 "no rows" --quick --out "$base/lost"
says "pscheme_mpi_2: ended without a CSV file"
rm "$tree/lost"
run 0 "its rows" --quick --out "$base/lost"

# A row with a disturbed time is no failure. No claim and no table uses its time; figures draw it as a hollow symbol.
echo pscheme_cpu >"$tree/late"
run 0 "disturbed" --quick --out "$base/late"
rm "$tree/late"
ends_with "rows: $((all + 1 + 3 * ${#mpi_programs[@]})) verified, 0 wrong, 2 disturbed by other load"
check "no claim" grep -q "^W12-1,,run,[^,]*,not measured here," "$base/late/claims.csv"
# selected WHAT POINTS OPTION…: select.awk makes POINTS, the numbers "x y x y …", from the rows below. The row for n = 1
# is ok, that for n = 2 is disturbed, n = 3 has both; for n = 4 the baseline is disturbed, for n = 5 the result is wrong.
selected() {
    (cd "$tree" && awk -f plots/tables/columns.awk -f plots/tables/select.awk -v where=variant=a -v x=n "${@:3}" "$base/rows.csv") >"$log"
    check "$1" test "$(xargs <"$log")" = "$2"
}
cat >"$base/rows.csv" <<'END'
variant,type,n,phase,median_ms,status
a,s,1,total,5,ok
a,s,2,total,6,disturbed
a,s,3,total,7,ok
a,s,3,total,1,disturbed
a,s,4,total,4,ok
a,s,5,total,4,wrong
serial,s,1,total,10,ok
serial,s,2,total,12,ok
serial,s,3,total,14,ok
serial,s,4,total,20,disturbed
serial,s,5,total,20,ok
END
selected "solid times" "1 5 3 7 4 4" -v y=median_ms
selected "hollow times" "2 6" -v y=median_ms -v hollow=1
selected "solid speed-ups" "1 2 3 2" -v y=speedup
selected "hollow speed-ups" "2 2 4 5" -v y=speedup -v hollow=1
selected "from n = 3 on" "3 7 4 4" -v y=median_ms -v where='variant=a n>=3'
selected "from n = 4 on" "4 4" -v y=median_ms -v where='n>=4 variant=a'
selected "each row" "1 5 3 7 4 4" -v y=median_ms -v each=1
selected "each row of the same x" "1 5 1 10" -v y=median_ms -v each=1 -v where='n=1'
selected "no such column" "" -v y=median_ms -v where='variant=a m>=0'

# Figures are drawn in a directory with an odd name. run_all.sh fails if a figure cannot be drawn.
PATH=$full
if command -v gnuplot >/dev/null; then
    drawn=(wakatani2012_fig1 wakatani2012_fig3 wakatani2012_mpi wakatani2013_fig4 pogorelskikh2019_table1 lutsyshyn2022_scaling)
    # shellcheck disable=SC2046 # unquoted on purpose: words of find. With TESTS=short only these and two without data.
    [ "${TESTS-all}" = all ] || find "$tree/plots/figures" -name '*.gp' ! -name style.gp ! -name 'wakatani2012_fig5.gp' \
        ! -name count_sectors.gp $(printf '! -name %s.gp ' "${drawn[@]}") -delete
    run 0 "odd path" --quick --out "$odd/r"
    check "nothing missing" test "$(grep -c "not drawn" "$log")" -eq 0
    # figures.csv has a line for each figure that was drawn: for those that have any point to show.
    figures="$odd/r/figures/figures.csv"
    for figure in "$tree"/plots/figures/*.gp; do
        name=$(basename "$figure" .gp)
        lines=$(grep -c "^$name," "$figures")
        check "$name, one line or no figure" test "$lines" -eq "$(find "$odd/r/figures" -name "$name.svg" | wc -l)"
        [ "$lines" -eq 0 ] || check "$name in the report" grep -qF "<figure id=\"$name\"" "$odd/r/report.html"
    done
    for name in "${drawn[@]}"; do
        check "$name" test -s "$odd/r/figures/$name.svg" -a -s "$odd/r/figures/$name.png"
    done
    check "no empty figure" test ! -e "$odd/r/figures/wakatani2012_fig5.svg"
    check "own points" grep -q '^wakatani2012_fig1,2,0,0,"Substitution .* Fig. 1)","W12 Fig. 1: .* Look at ' "$figures"
    check "no own points" grep -q '^wakatani2012_fig3,0,0,18,"Phases of P-scheme, N = 256K' "$figures"
    check "a caption of two sentences" test "$(grep -vc 'Look at .*[.]"$' "$figures")" -eq 1
    # A legend names only what is drawn: nobody has times of determination, pscheme_cpu two of five variants.
    shows() { grep -qF ">$2<" "$odd/r/figures/$1.svg"; }
    shows_no() { ! shows "$@"; }
    check "the legend of the paper" shows wakatani2012_fig3 propagate
    check "no legend of an absent phase" shows_no wakatani2012_fig3 determine
    check "the legend of this run" shows wakatani2012_fig1 'P-scheme, eq. 13'
    check "no legend of an absent variant" shows_no wakatani2012_fig1 'P-scheme, map kept'
    # Several figures can stand in one page: they share no identifier, and each uses only its own.
    ids() { grep -oh "id=[\"'][^\"']*" "$@" | sort; }
    check "identifiers are unique" test -z "$(ids "$odd/r"/figures/*.svg | uniq -d)"
    one="$odd/r/figures/wakatani2012_fig3.svg"
    check "identifiers exist" test -z "$(comm -13 <(ids "$one" | cut -c 5- | sort) <(grep -o "href='#[^']*" "$one" | cut -c 8- | sort -u))"
    check "a font for machines without DejaVu" test "$(grep -c '"DejaVu Sans"' "$one")" -eq 0
    check "no background" grep -q '<rect x="0" y="0" .* fill="none"/>' "$one"
    check "nothing is hollow" test "$(grep -l "disturbed by other load" "$odd/r"/figures/*.svg | wc -l)" -eq 0
    find "$tree/plots" -name '*.gp' ! -name style.gp ! -name wakatani2012_mpi.gp ! -name 'wakatani2012_fig[13].gp' \
        -delete
    check "disturbed, drawn" "$tree/plots/draw.sh" "$base/late"
    check "hollow is explained" test "$(cd "$base/late/figures" && grep -l "disturbed by other load" ./*.svg | xargs)" = \
        "./wakatani2012_fig1.narrow.svg ./wakatani2012_fig1.svg"
    # The times of a GPU are points of this run, or of the reference if this run has no GPU.
    mkdir "$base/gpu" "$base/host"
    for device in "Tesla T4" "CPU device"; do
        printf '# device: %s\n# cpu: Some CPU (2 cores)\n' "$device"
        echo variant,type,n,blocks,threads,phase,device,median_ms,status
        for T in 16 32; do
            echo "rearranged,s,262144,4,$T,precompute,$device,$([ "$device" = "CPU device" ] || echo 0.5),ok"
        done
    done >"$base/rows.csv"
    head -n 5 "$base/rows.csv" >"$base/gpu/pscheme_gpu.csv"
    tail -n 5 "$base/rows.csv" >"$base/host/pscheme_gpu.csv"
    "$tree/plots/draw.sh" "$base/gpu" ''
    "$tree/plots/draw.sh" "$base/host" "$base/gpu"
    check "points of this run" grep -q '^wakatani2012_fig3,2,0,18,' "$base/gpu/figures/figures.csv"
    check "points of the reference" grep -q '^wakatani2012_fig3,0,2,18,' "$base/host/figures/figures.csv"
    check "solid" grep -qF '>solid: Tesla T4;' "$base/gpu/figures/wakatani2012_fig3.svg"
    check "no GPU, in plain words" grep -qF '>this run has no GPU; pale: reference, Tesla T4;' \
        "$base/host/figures/wakatani2012_fig3.svg"
    check "no line without its figure" test \
        "$(cut -d , -f 1 "$base/host/figures/figures.csv" | xargs)" = "figure wakatani2012_fig3"
    # A figure that cannot be written is an error, and so is a reference that does not exist.
    rm -r "$base/gpu/figures/wakatani2012_fig3.svg"
    mkdir "$base/gpu/figures/wakatani2012_fig3.svg"
    "$tree/plots/draw.sh" "$base/gpu" '' 2>"$log"
    check "no room for a figure, exit status" test $? -eq 1
    says "draw.sh: '$base/gpu': figures cannot be written"
    rmdir "$base/gpu/figures/wakatani2012_fig3.svg"
    "$tree/plots/draw.sh" "$base/gpu" "$base/nowhere" 2>"$log"
    check "no such reference, exit status" test $? -eq 2
    says "draw.sh: '$base/nowhere': no such directory"
    # A figure whose CSV files do not exist is neither drawn nor reported as missing.
    mkdir -p "$odd/plain/figures"
    touch "$odd/plain/figures/wakatani2012_mpi.png"
    check "no ranks, no figure" "$tree/plots/draw.sh" "$odd/plain"
    check "nor an old one" test ! -e "$odd/plain/figures/wakatani2012_mpi.png"
    echo 'plot nonsense(' >"$tree/plots/figures/broken.gp"
    run 1 "a broken figure" --quick --out "$odd/r"
    says "plots/figures/broken.gp: not drawn"
fi
finish
