#!/bin/bash
# Runs the tests that `make tests` has built. The last line is the total: "N passed, N failed".
#   common/test.sh [NAME…]   NAME: common, or a directory that has a tests.sh. Without names all of them are tested.
#   TESTS=all                everything (`make test-all`). Otherwise each kind of test runs at representative sizes:
#                            programs check with --quick, and jobs behind `full` are left out (`make test`).
#
# DIRECTORY/tests.sh names the tests of that directory. This script sources it. It calls these functions:
#   check_program PROGRAM WEIGHT     runs the program's --check in each build, and its command line with bad input
#   check_lanes PROGRAM VARIANT,…    runs --check of these variants, compiled for vectors of other processors
#   check_ranks PROGRAM              does the same as check_program for a program over MPI ranks, with 1 to 4 ranks
#   count_twice PROGRAM OPTION…      tests that the counts of this run are the same in a second run and with clang
#   job WEIGHT FUNCTION ARGUMENT…    any other test. FUNCTION may be run, expect or succeeds (see below)
#   full job …                       the same, with TESTS=all only
# A function PROGRAM_also in that file contains further tests of the program's command line.
#
# Each test is a job. As many jobs run at a time as there are cores. With JOBS=1 they run one after the other, which
# tests of timing need. In parentheses: the CPU seconds of a job, of its processes and of the system for them.
set -u
cd "$(dirname "$0")/.." || exit 2
export OMP_WAIT_POLICY=passive # threads that wait do not keep other threads from a core
export UCX_LOG_LEVEL=fatal     # where /sys is missing, as in a chroot, MPICH's library UCX prints errors on stdout
unset MAKEFLAGS MFLAGS         # a job that calls make must not inherit the options of this make
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# Every job has its own shell and values of these: two counters, the log file, and a directory for its files.
passed=0 failed=0 log='' scratch=''
export TESTS=${TESTS:-short} # some scripts that are jobs read it, too
full() { [ "$TESTS" != all ] || "$@"; }
quick=(--quick)
[ "$TESTS" != all ] || quick=()

# ---- what a job may call ----

# verdict STATUS TEXT: counts a test, which has passed if STATUS is 0. If it failed, prints TEXT and the end of the log.
verdict() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$2"
        tail -n 20 "$log"
    fi
}

# run LABEL COMMAND…: runs a test program and adds the numbers of its last line "N passed, N failed" to the counters.
run() {
    local label=$1 line status
    shift
    "$@" >"$log" 2>&1
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    printf '%-34s %s\n' "$label" "${line:-no result, exit status $status}"
    if [ -z "$line" ]; then
        failed=$((failed + 1))
        tail -n 20 "$log"
        return
    fi
    # shellcheck disable=SC2086 # unquoted on purpose: the words of the line become $1, $2, …
    set -- $line
    passed=$((passed + $1))
    failed=$((failed + $3))
    if [ "$status" -ne 0 ]; then
        [ "$3" -gt 0 ] || failed=$((failed + 1))
        grep -vE '^[0-9]+ passed' "$log" | head -n 40
    fi
}

# expect STATUS WORD COMMAND…: tests that COMMAND exits with STATUS and prints exactly one line on stderr, which
# contains WORD.
expect() {
    local want=$1 word=$2 status
    shift 2
    "$@" >/dev/null 2>"$log"
    status=$?
    [ "$status" -eq "$want" ] && [ "$(grep -vc "built without LAPACKE" "$log")" -eq 1 ] && grep -qF -- "$word" "$log"
    verdict $? "$*: exit status $status, wanted $want and one line with '$word':"
}

# fits WIDTH WORDS COMMAND…: tests that COMMAND exits with status 0 and that each line on stdout has at most WIDTH
# bytes and, unless it is empty, at least WORDS words.
fits() {
    local width=$1 words=$2
    shift 2
    "$@" 2>/dev/null | awk -v w="$width" -v n="$words" '
        length > w || (NF && NF < n)
        END { exit NR == 0 }' >"$log"
    [ "${PIPESTATUS[*]}" = '0 0' ] && [ ! -s "$log" ]
    verdict $? "$*: lines of more than $width characters or less than $words words:"
}

# succeeds LABEL COMMAND…: tests that COMMAND exits with status 0, and shows its last line.
succeeds() {
    local label=$1
    shift
    if "$@" >"$log" 2>&1; then echo "$label: $(tail -n 1 "$log")"; else false; fi
    verdict $? "$label"
}

# ---- a program's command line ----

also() { # PROGRAM: calls the function PROGRAM_also if its tests.sh defines one
    ! declare -F "$1_also" >/dev/null || "$1_also"
}

# Tests that a program shows its progress on a terminal, and colours unless NO_COLOR is set.
on_terminal() { # PROGRAM
    local environment escapes
    [ -n "$terminal" ] || return 0
    for environment in 'TERM=xterm NO_COLOR=:yes yes' 'TERM=xterm NO_COLOR=1:no yes' 'TERM=dumb NO_COLOR=:no no'; do
        script -qec "env ${environment%:*} $1 --quick --n 64 --reps 1" /dev/null </dev/null >"$log" 2>&1
        escapes="$(grep -q $'\033\[1m' "$log" && echo yes || echo no)"
        escapes+=" $(grep -q $'\r\033\[K.*[0-9]/[0-9]' "$log" && echo yes || echo no)"
        [ "$escapes" = "${environment#*:}" ]
        verdict $? "$1 on a terminal, ${environment%:*}: colours, progress: $escapes"
    done
}

command_line() { # PROGRAM
    local name=$1 program=build/cpu/$1 before=$failed
    local bad n
    expect 2 "'--nonsense'" "$program" --nonsense
    for bad in 0 1K,,2K '1K,' -5 99999999999999999999 12Q; do expect 2 "--n" "$program" --n="$bad"; done
    expect 2 "--type" "$program" --type x
    expect 2 "--variant" "$program" --variant nonsense
    expect 2 "stray" "$program" stray
    expect 2 "--csv" "$program" --quick --csv "$scratch/none/such.csv"
    expect 3 "GiB" "$program" --n 512G --quick
    fits 80 1 "$program" --help
    fits 80 2 "$program" --list
    for n in 1 64; do fits 100 1 "$program" --quick --n "$n" --reps 1; done
    on_terminal "$program"
    also "$name"
    expect 2 "standard output" bash -c "$program --help >/dev/full"
    # With OMP_DISPLAY_ENV OpenMP prints its settings whenever a program starts. They appear twice if the program has
    # set OMP_WAIT_POLICY and started itself again. Each entry of this list: command, expected number, expected policy.
    local given
    for given in 'env -u OMP_WAIT_POLICY:2:PASSIVE' 'env OMP_WAIT_POLICY=active:1:ACTIVE'; do
        # shellcheck disable=SC2086 # unquoted on purpose: the command env and its arguments
        OMP_DISPLAY_ENV=true ${given%%:*} "$program" --version >"$log" 2>&1
        if ! grep -q "OMP_WAIT_POLICY = '" "$log"; then # clang's OpenMP prints them only when it is first used
            continue
        fi
        [ "$(grep -c 'ENVIRONMENT BEGIN' "$log"):$(sed -n "s/.*OMP_WAIT_POLICY = '\(.*\)'/\1/p" "$log" | tail -n 1)" = "${given#*:}" ]
        verdict $? "${given%%:*} $program: not ${given#*:}"
    done
    [ -z "$(ls -A "$scratch")" ] || verdict 1 "$name left files behind"
    echo "$name: command line, $((failed - before)) failed"
}

# ---- counts ----

# count_rows BUILD FILE: makes all runs that count_twice has named with the count build and writes their counts to FILE.
# Rows of local memory are left out, because they depend on the compiler. Returns 1 if a run fails; its output is then
# in $log.
count_rows() {
    local build=$1 program options
    while read -r program options; do
        # shellcheck disable=SC2086 # unquoted on purpose: a list of options
        COUNT_CSV=$scratch/one.csv "$build/count/$program" $options --reps 1 >"$log" 2>&1 || return 1
        grep -v ',local,' "$scratch/one.csv" || return 1
    done <"$work/counted" >"$2"
}

# same_counts LABEL BUILD FILE: writes the counts of this build to FILE and tests that they are equal to those in
# $scratch/counts.csv.
same_counts() {
    count_rows "$2" "$3" && cmp "$scratch/counts.csv" "$3" >"$log" 2>&1
    verdict $? "$1"
    echo "$1: $(wc -l <"$3") rows"
}

# Runs the test of the count build, and tests that counts are the same in two runs and with gcc and clang.
counts() {
    run "count test_count" build/count/test_count
    count_rows build "$scratch/counts.csv"
    verdict $? "count: a run"
    same_counts "count: two runs" build "$scratch/again.csv"
    if [ "$TESTS" = all ] && command -v clang++ >/dev/null; then
        succeeds "count: build by clang" make -s -j1 BUILD=build/clang CC=clang CXX=clang++ WERROR= NVCC= counted
        run "count test_count, clang" build/clang/count/test_count
        same_counts "count: gcc and clang" build/clang "$scratch/again.csv"
    fi
    rm -f "$scratch"/*.csv
}

# ---- programs over MPI ranks ----

has_mpi() { # PROGRAM: true if the program is built and there is an mpirun to start it
    command -v mpirun >/dev/null && [ -x "build/cpu/$1" ]
}

over_ranks() { # PROGRAM
    local program=$1 ranks before
    if ! has_mpi "$program"; then
        echo "$program: skipped, no MPI here"
        return
    fi
    local -x ASAN_OPTIONS=detect_leaks=0 # the MPI libraries themselves do not free everything
    for ranks in $([ "$TESTS" = all ] && echo 1 2 3 4 || echo 3); do
        # More ranks than this would spend most of the time waiting for a core.
        [ "$ranks" -le $(($(nproc) + 1)) ] || continue
        run "cpu $program, $ranks ranks" timeout 300 common/mpirun.sh -np "$ranks" "build/cpu/$program" --check "${quick[@]}"
    done
    for ranks in $([ "$TESTS" = all ] && echo 1) 2; do
        [ -x "build/san/$program" ] || continue
        run "san $program, $ranks ranks" timeout 300 common/mpirun.sh -np "$ranks" "build/san/$program" --check "${quick[@]}"
    done
    before=$failed
    rank_0_says 2 "'--nonsense'" "$program" --nonsense
    rank_0_says 2 "--n" "$program" --n 0
    rank_0_says 2 "--type" "$program" --type x
    rank_0_says 2 "--csv" "$program" --quick --csv "$scratch/none/such.csv"
    rank_0_says 3 "GiB" "$program" --n 512G --quick
    fits 80 1 common/mpirun.sh -np 2 "build/cpu/$program" --help
    fits 80 2 common/mpirun.sh -np 2 "build/cpu/$program" --list
    fits 100 1 common/mpirun.sh -np 2 "build/cpu/$program" --quick --n 64 --reps 1
    also "$program"
    rank_dies "$program"
    echo "$program: command line, $((failed - before)) failed"
}

# rank_0_says STATUS WORD PROGRAM OPTION…: makes the tests of expect() for a program over 3 ranks. Only rank 0 may print
# the line, all ranks must exit with STATUS, and no rank may wait for ever. Lines that mpirun adds are ignored.
rank_0_says() {
    local want=$1 word=$2 program=$3 status
    shift 3
    timeout 60 common/mpirun.sh -np 3 "build/cpu/$program" "$@" >/dev/null 2>"$log"
    status=$?
    [ "$status" -eq "$want" ] && [ "$(grep -c "^$program: " "$log")" -eq 1 ] && grep -qF -- "$word" "$log"
    verdict $? "3 ranks of $program $*: exit status $status, wanted $want and one line with '$word':"
}

# Kills one of three ranks and tests that the other ranks then also end, and leave no CSV file. The exit status is not
# tested: that of MPICH 4.2.1 can be 0, if another rank fails before it is stopped (its issue 7057).
rank_dies() { # PROGRAM
    local program=$1 pid killed status
    # Each rank is a shell that writes its process number to a file and then replaces itself by the program.
    # shellcheck disable=SC2016 # single quotes on purpose: the shells of the ranks expand these variables
    timeout 60 common/mpirun.sh -np 3 sh -c 'echo $$ >>"$0" && exec "$@"' "$scratch/ranks" \
        "build/cpu/$program" --n 1M --reps 1000 --csv "$scratch/dead.csv" >"$log" 2>&1 &
    pid=$!
    for _ in $(seq 100); do
        [ "$(cat "$scratch/ranks" 2>/dev/null | wc -l)" -lt 3 ] || break
        sleep 0.1
    done
    sleep 0.5
    kill -9 "$(tail -n 1 "$scratch/ranks")"
    killed=$?
    wait "$pid"
    status=$?
    rm -f "$scratch/ranks"
    [ "$killed" -eq 0 ] && [ "$status" -ne 124 ] && [ ! -e "$scratch/dead.csv" ]
    verdict $? "$program, a rank killed: exit status $status"
}

# ---- the list of jobs ----

# job WEIGHT FUNCTION ARGUMENT…: adds a job to the list. Jobs with the largest weight start first, so that no long job
# runs alone at the end. Jobs of weight 0 start last, one at a time. Tests with MPI have this weight, because ranks that
# wait keep a core busy and slow down other jobs.
job() {
    local weight=$1
    shift
    ! is_chosen "$room" || echo "$weight ${*@Q}" >>"$work/jobs"
}
check_program() { # PROGRAM WEIGHT
    local name=$1 weight=$2
    job $((weight / 3)) run "cpu:$name" "build/cpu/$name" --check "${quick[@]}"
    [ ! -x "build/san/$name" ] || job "$weight" run "san:$name" "build/san/$name" --check "${quick[@]}"
    [ -z "$gpu" ] || [ ! -x "build/gpu/$name" ] || job 70 run "gpu:$name" "build/gpu/$name" --check "${quick[@]}"
    job 1 command_line "$name"
}
# Tests the code for AVX2 and for the smallest vectors (plain). check_program tests the code for the vectors of this
# processor.
check_lanes() { # PROGRAM VARIANT,…
    local vectors
    for vectors in avx2 plain; do
        [ ! -x "build/$vectors/$1" ] ||
            job 10 run "$vectors $1, lanes" "build/$vectors/$1" --check "${quick[@]}" --variant "$2"
    done
}
check_ranks() { job 0 over_ranks "$1"; } # PROGRAM
count_twice() { echo "$*" >>"$work/counted"; } # PROGRAM OPTION…

rooms=(common)
for file in */tests.sh; do rooms+=("${file%/*}"); done
chosen="${*:-${rooms[*]}}"
is_chosen() { [[ " $chosen " == *" $1 "* ]]; }
for name in $chosen; do
    [[ " ${rooms[*]} " == *" $name "* ]] || {
        echo "test.sh: '$name': nothing to test there; allowed are ${rooms[*]}" >&2
        exit 2
    }
done
gpu=
if [ -x build/gpu/test_device ] && nvidia-smi -L >/dev/null 2>&1; then gpu=yes; fi
terminal=yes
script -qec true /dev/null </dev/null >/dev/null 2>&1 || terminal=''
[ -n "$terminal" ] || echo "tests on a terminal: skipped, no pseudo-terminal here"

: >"$work/jobs"
: >"$work/counted"
room=common
for flavour in cpu san avx2 plain gpu; do
    [ $flavour != gpu ] || [ -n "$gpu" ] || continue
    for test in build/$flavour/test_*; do
        [ ! -x "$test" ] || job 20 run "$flavour ${test##*/}" "$test"
    done
done
job 30 counts
job 2 run count.sh common/test_count.sh
job 5 run lesson.sh common/test_lesson.sh
job 1 run "a class" common/lab/test_class.sh
job 5 run "students' copy" common/lab/test_students.sh
job 20 succeeds "labs' notebook" common/lab/test_notebook.sh
for room in "${rooms[@]:1}"; do
    # shellcheck source=/dev/null
    . "$room/tests.sh" # if this directory is not chosen, only its count_twice has an effect
done

# ---- run them ----

# run_job NUMBER COMMAND: runs a job in its own shell, prints its output in one piece, and adds its counters to `sums`.
run_job() {
    trap - EXIT
    passed=0 failed=0
    scratch=$work/$1.scratch log=$work/$1.log
    mkdir "$scratch"
    { time eval "$2" >"$work/$1.out" 2>&1; } 2>"$work/$1.time"
    flock "$work/jobs" sed "\$s/\$/ ($(cat "$work/$1.time"))/" "$work/$1.out"
    echo "$passed $failed" >>"$work/sums"
    rm -rf "${work:?}/$1".*
}
most=${JOBS:-$(OMP_NUM_THREADS='' nproc)}
count=0
TIMEFORMAT='%U + %S s'
: >"$work/sums"
while read -r weight command; do
    [ "$weight" != 0 ] || most=1
    while [ "$(jobs -pr | wc -l)" -ge "$most" ]; do wait -n; done
    count=$((count + 1))
    run_job $count "$command" </dev/null &
done < <(sort -rn -s -k 1,1 "$work/jobs")
wait
while read -r ok bad; do
    passed=$((passed + ok)) failed=$((failed + bad)) count=$((count - 1))
done <"$work/sums"
if [ "$count" -ne 0 ]; then
    echo "FAILED: $count jobs ended without a result"
    failed=$((failed + count))
fi
times >"$work/times"
echo "$(wc -l <"$work/jobs") jobs: $(sed -n '2s/ / + /p' "$work/times") of CPU time"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
