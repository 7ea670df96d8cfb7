#!/bin/bash
# Runs the tests of what `make tests` has built and ends with one line for all: "N passed, N failed".
#   common/test.sh [name…]   names: common and the directories that have a tests.sh; none: all of them
#
# DIRECTORY/tests.sh names the tests of that directory. It is read by this script and calls
#   check_program PROGRAM WEIGHT     the program's --check in each build, and its command line with bad input
#   check_lanes PROGRAM VARIANT,…    --check of these variants, compiled for other processors' vectors
#   check_ranks PROGRAM              the same for a program over MPI ranks, over 1 to 4 of them
#   count_twice PROGRAM OPTION…      counts of this run must not depend on the run nor on the compiler
#   job WEIGHT FUNCTION ARGUMENT…    any other test; FUNCTION may be run, expect or succeeds (see below)
# A function PROGRAM_also in that file has further tests of the program's command line.
#
# The tests are jobs, as many at a time as there are cores (JOBS=1: one after the other, as timings want it).
set -u
cd "$(dirname "$0")/.." || exit 2
export OMP_WAIT_POLICY=passive # threads that wait do not take the core from others
unset MAKEFLAGS MFLAGS         # a job that calls make starts afresh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# Each job runs in a shell of its own, with these counters, this log and this directory for itself.
passed=0 failed=0 log='' scratch=''

# ---- what a job may call ----

# run LABEL COMMAND…: a test program; its last line "N passed, N failed" counts.
run() {
    local label=$1 line status start=$SECONDS
    shift
    "$@" >"$log" 2>&1
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    printf '%-34s %s (%d s)\n' "$label" "${line:-no result, exit status $status}" $((SECONDS - start))
    if [ -z "$line" ]; then
        failed=$((failed + 1))
        tail -n 20 "$log"
        return
    fi
    # shellcheck disable=SC2086 # its words
    set -- $line
    passed=$((passed + $1))
    failed=$((failed + $3))
    if [ "$status" -ne 0 ]; then
        [ "$3" -gt 0 ] || failed=$((failed + 1))
        grep -vE '^[0-9]+ passed' "$log" | head -n 40
    fi
}

# expect STATUS WORD COMMAND…: it exits with STATUS and prints exactly one line on stderr, which contains WORD.
expect() {
    local want=$1 word=$2 status
    shift 2
    "$@" >/dev/null 2>"$log"
    status=$?
    if [ "$status" -eq "$want" ] && [ "$(wc -l <"$log")" -eq 1 ] && grep -qF -- "$word" "$log"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n  exit status %d, wanted %d and one line with "%s":\n' "$*" "$status" "$want" "$word"
        head -n 5 "$log"
    fi
}

# succeeds LABEL COMMAND…: it exits with 0; its last line is shown.
succeeds() {
    local label=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "$label: $(tail -n 1 "$log")"
    else
        failed=$((failed + 1))
        echo "FAILED: $label"
        tail -n 20 "$log"
    fi
}

# ---- a program's command line ----

also() { # PROGRAM: the further tests of its directory
    ! declare -F "$1_also" >/dev/null || "$1_also"
}

command_line() { # PROGRAM
    local name=$1 program=build/cpu/$1 before=$failed
    expect 2 "'--nonsense'" "$program" --nonsense
    expect 2 "--n" "$program" --n 0
    expect 2 "--n" "$program" --n 1K,,2K
    expect 2 "--n" "$program" --n 1K,
    expect 2 "--n" "$program" --n=-5
    expect 2 "--n" "$program" --n 99999999999999999999
    expect 2 "--n" "$program" --n 12Q
    expect 2 "--type" "$program" --type x
    expect 2 "--variant" "$program" --variant nonsense
    expect 2 "stray" "$program" stray
    expect 2 "--csv" "$program" --quick --csv "$scratch/none/such.csv"
    expect 3 "GiB" "$program" --n 512G --quick
    also "$name"
    expect 2 "standard output" bash -c "$program --help >/dev/full"
    # OpenMP prints its settings when a program starts: twice if the program has set the policy and started again.
    local given
    for given in 'env -u OMP_WAIT_POLICY:2:PASSIVE' 'env OMP_WAIT_POLICY=active:1:ACTIVE'; do
        # shellcheck disable=SC2086 # its words
        OMP_DISPLAY_ENV=true ${given%%:*} "$program" --version >"$log" 2>&1
        if ! grep -q "OMP_WAIT_POLICY = '" "$log"; then # clang's OpenMP prints them at its first use, which is later
            continue
        elif [ "$(grep -c 'ENVIRONMENT BEGIN' "$log"):$(sed -n "s/.*OMP_WAIT_POLICY = '\(.*\)'/\1/p" "$log" | tail -n 1)" = "${given#*:}" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: ${given%%:*} $program: not ${given#*:}"
        fi
    done
    [ -z "$(ls -A "$scratch")" ] || { echo "FAILED: $name left files behind"; failed=$((failed + 1)); }
    echo "$name: command line, $((failed - before)) failed"
}

# ---- counts ----

# count_rows BUILD FILE: writes to FILE what the count build says of all runs that count_twice has named, without the
# rows of local memory, which the compiler decides about. Status 1 if one of the runs fails; its output is in $log.
count_rows() {
    local build=$1 program options
    while read -r program options; do
        # shellcheck disable=SC2086 # its words
        COUNT_CSV=$scratch/one.csv "$build/count/$program" $options --reps 1 >"$log" 2>&1 || return 1
        grep -v ',local,' "$scratch/one.csv" || return 1
    done <"$work/counted" >"$2"
}

# same_counts LABEL BUILD FILE: this build's counts are those in $scratch/counts.csv.
same_counts() {
    if count_rows "$2" "$3" && cmp "$scratch/counts.csv" "$3" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "$1: $(wc -l <"$3") rows agree"
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        tail -n 20 "$log"
    fi
}

# The count build: its own test, and counts that must be the same in every run and with every compiler.
counts() {
    run "count test_count" build/count/test_count
    if count_rows build "$scratch/counts.csv"; then
        same_counts "count: two runs" build "$scratch/again.csv"
    else
        failed=$((failed + 1))
        echo "FAILED: count: a run"
        tail -n 20 "$log"
    fi
    if command -v clang++ >/dev/null; then
        succeeds "count: build by clang" make -s -j1 BUILD=build/clang CC=clang CXX=clang++ WERROR= NVCC= counted
        run "count test_count, clang" build/clang/count/test_count
        same_counts "count: gcc and clang" build/clang "$scratch/again.csv"
    fi
    rm -f "$scratch"/*.csv
}

# ---- programs over MPI ranks ----

has_mpi() { # PROGRAM: it is built and can be started
    command -v mpirun >/dev/null && [ -x "build/cpu/$1" ]
}

over_ranks() { # PROGRAM
    local program=$1 ranks before
    if ! has_mpi "$program"; then
        echo "$program: skipped, no MPI here"
        return
    fi
    local -x ASAN_OPTIONS=detect_leaks=0 # MPI's own libraries do not free everything
    for ranks in 1 2 3 4; do
        # With more ranks than cores and one, they wait most of the time for their turn on a core.
        [ "$ranks" -le $(($(nproc) + 1)) ] || continue
        run "cpu $program, $ranks ranks" timeout 300 common/mpirun.sh -np "$ranks" "build/cpu/$program" --check
    done
    for ranks in 1 2; do
        [ -x "build/san/$program" ] || continue
        run "san $program, $ranks ranks" timeout 300 common/mpirun.sh -np "$ranks" "build/san/$program" --check
    done
    before=$failed
    rank_0_says 2 "'--nonsense'" "$program" --nonsense
    rank_0_says 2 "--n" "$program" --n 0
    rank_0_says 2 "--type" "$program" --type x
    rank_0_says 2 "--csv" "$program" --quick --csv "$scratch/none/such.csv"
    rank_0_says 3 "GiB" "$program" --n 512G --quick
    also "$program"
    rank_dies "$program"
    echo "$program: command line, $((failed - before)) failed"
}

# rank_0_says STATUS WORD PROGRAM OPTION…: as expect, over 3 ranks. Rank 0 alone prints the line, all ranks exit with
# STATUS, and none waits for another. Lines that mpirun adds do not count.
rank_0_says() {
    local want=$1 word=$2 program=$3 status
    shift 3
    timeout 60 common/mpirun.sh -np 3 "build/cpu/$program" "$@" >/dev/null 2>"$log"
    status=$?
    if [ "$status" -eq "$want" ] && [ "$(grep -c "^$program: " "$log")" -eq 1 ] && grep -qF -- "$word" "$log"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: 3 ranks of %s %s\n  exit status %d, wanted %d and one line with "%s":\n' "$program" "$*" "$status" "$want" "$word"
        head -n 5 "$log"
    fi
}

# One of three ranks is killed: the others end too, with an error, and leave no file.
rank_dies() { # PROGRAM
    local program=$1 pid status
    # Each rank writes its process number to a file, then becomes the program.
    # shellcheck disable=SC2016 # for the ranks' shells
    timeout 60 common/mpirun.sh -np 3 sh -c 'echo $$ >>"$0" && exec "$@"' "$scratch/ranks" \
        "build/cpu/$program" --n 1M --reps 1000 --csv "$scratch/dead.csv" >"$log" 2>&1 &
    pid=$!
    for _ in $(seq 100); do
        [ "$(cat "$scratch/ranks" 2>/dev/null | wc -l)" -lt 3 ] || break
        sleep 0.1
    done
    sleep 0.5
    kill -9 "$(tail -n 1 "$scratch/ranks")"
    wait "$pid"
    status=$?
    rm -f "$scratch/ranks"
    if [ "$status" -ne 0 ] && [ "$status" -ne 124 ] && grep -qiE "killed|signal|terminated" "$log" && [ ! -e "$scratch/dead.csv" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $program, a rank killed: exit status $status"
    fi
}

# ---- which jobs ----

# job WEIGHT FUNCTION ARGUMENT…: the heaviest start first, so that no long job is left alone at the end. Jobs of
# weight 0 run one at a time, after all others: MPI ranks spin while they wait and slow down whatever runs beside them.
job() {
    local weight=$1
    shift
    ! is_chosen "$room" || echo "$weight ${*@Q}" >>"$work/jobs"
}
check_program() { # PROGRAM WEIGHT
    local name=$1 weight=$2
    job $((weight / 3)) run "cpu:$name" "build/cpu/$name" --check
    [ ! -x "build/san/$name" ] || job "$weight" run "san:$name" "build/san/$name" --check
    [ -z "$gpu" ] || [ ! -x "build/gpu/$name" ] || job 70 run "gpu:$name" "build/gpu/$name" --check
    job 1 command_line "$name"
}
# The vectors of this processor are tested by check_program; here those of AVX2, and code without any.
check_lanes() { # PROGRAM VARIANT,…
    local vectors
    for vectors in avx2 plain; do
        [ ! -x "build/$vectors/$1" ] ||
            job 10 run "$vectors $1, lanes" "build/$vectors/$1" --check --variant "$2"
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
for room in "${rooms[@]:1}"; do
    # shellcheck source=/dev/null
    . "$room/tests.sh" # of rooms that are not chosen only count_twice has an effect
done

# ---- run them ----

# Each job runs in a shell of its own and writes its output to a file, then its two counts to another.
most=${JOBS:-$(OMP_NUM_THREADS='' nproc)}
count=0 shown=0
show() { # the jobs that have ended since the last time
    local i ok bad
    for ((i = 1; i <= count; i++)); do
        [ -f "$work/$i.sum" ] || continue
        cat "$work/$i.out"
        read -r ok bad <"$work/$i.sum"
        passed=$((passed + ok)) failed=$((failed + bad)) shown=$((shown + 1))
        rm -rf "$work/$i".*
    done
}
while read -r weight command; do
    [ "$weight" != 0 ] || most=1
    while [ $((count - shown)) -ge "$most" ]; do
        wait -n
        show
    done
    count=$((count + 1))
    (
        trap - EXIT
        passed=0 failed=0
        scratch=$work/$count.scratch log=$work/$count.log
        mkdir "$scratch"
        eval "$command" >"$work/$count.out" 2>&1
        echo "$passed $failed" >"$work/$count.new" && mv "$work/$count.new" "$work/$count.sum"
    ) </dev/null &
done < <(sort -rn -s -k 1,1 "$work/jobs")
wait
show
if [ "$shown" -ne "$count" ]; then
    echo "FAILED: $((count - shown)) jobs ended without a result"
    failed=$((failed + count - shown))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
