#!/bin/bash
# Run the tests of what `make tests` has built and end with one line for all: "N passed, N failed".
#   common/test.sh [name…]   names: common and programs; none: everything
# Each program is checked in the CPU build and in the build with address and undefined-behaviour sanitizers, and on
# the GPU where there is one; its command line is tried with bad input. The tests are jobs, as many at a time as there
# are cores (JOBS=1: one after the other, as timings want it).
set -u
cd "$(dirname "$0")/.." || exit 2
export OMP_WAIT_POLICY=passive # two threads on a shared machine: wait without spinning
unset MAKEFLAGS MFLAGS         # a make in a job has its own
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# Each job runs in a shell of its own, with these counters, this log and this directory for itself.
passed=0 failed=0 log='' scratch=''

# run LABEL COMMAND…: add up the last line "N passed, N failed" of a test program.
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

# expect STATUS WORD COMMAND…: exits with STATUS and says WORD in exactly one line on stderr.
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

command_line() {
    local program=build/cpu/$1 before=$failed
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
    case $1 in pscheme_gpu | pcr | pscheme_g | thomas_batch | nshape)
        expect 2 "--threads" "$program" --threads 0
        expect 2 "--threads" "$program" --threads 2048 ;;
    esac
    case $1 in pscheme_gpu | pcr | pscheme_g)
        expect 2 "--blocks" "$program" --blocks 0 ;;
    nshape)
        expect 2 "--parts" "$program" --parts 0
        expect 2 "--nest" "$program" --nest 17 ;;
    thomas_batch)
        expect 2 "--threads" "$program" --threads 48
        expect 2 "--batch" "$program" --batch 0
        expect 3 "GiB" "$program" --n 1M --batch 1G ;;
    esac
    expect 2 "standard output" bash -c "$program --help >/dev/full"
    # OpenMP says what it reads of the environment, so twice when the program has set the policy and started again.
    local given
    for given in 'env -u OMP_WAIT_POLICY:2:PASSIVE' 'env OMP_WAIT_POLICY=active:1:ACTIVE'; do
        # shellcheck disable=SC2086 # its words
        OMP_DISPLAY_ENV=true ${given%%:*} "$program" --version >"$log" 2>&1
        if ! grep -q "OMP_WAIT_POLICY = '" "$log"; then # clang's OpenMP, which says it when it is first used
            continue
        elif [ "$(grep -c 'ENVIRONMENT BEGIN' "$log"):$(sed -n "s/.*OMP_WAIT_POLICY = '\(.*\)'/\1/p" "$log" | tail -n 1)" = "${given#*:}" ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: ${given%%:*} $program: not ${given#*:}"
        fi
    done
    [ -z "$(ls -A "$scratch")" ] || { echo "FAILED: $1 left files behind"; failed=$((failed + 1)); }
    echo "$1: command line, $((failed - before)) failed"
}

# succeeds LABEL COMMAND…
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

# count_rows BUILD FILE: what the count build of a few small runs writes, in one file, without the compiler's own `local`
# rows. Status 1 when one of them fails, with $log as it left it.
count_rows() {
    local build=$1 program options
    while read -r program options; do
        # shellcheck disable=SC2086 # its words
        COUNT_CSV=$scratch/one.csv "$build/count/$program" $options --reps 1 >"$log" 2>&1 || return 1
        grep -v ',local,' "$scratch/one.csv" || return 1
    done >"$2" <<'END'
pscheme_gpu --n 4K --blocks 4 --threads 64 --type s --variant rearranged
pcr --n 1K --blocks 8 --threads 64 --type d --variant pcr
pscheme_g --n 4K --blocks 4 --threads 64 --type s --case H --variant warp
thomas_batch --n 63 --batch 64 --threads 64 --type s --variant thomas_tile
thomas_batch --n 63 --batch 64 --threads 64 --type d --variant sericr_global
nshape --n 1K --parts 64 --nest 1 --threads 64 --type z --variant nshape
END
}

# same_counts LABEL BUILD FILE: as those in $scratch/counts.csv.
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

# The count build: its own test, and a few programs whose counts must be the same for every run and compiler.
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

# The lanes of this processor's own vectors are tested with all else; here those of AVX2 and of the plain target.
other_vectors() {
    local vectors=$1
    run "$vectors lanes" "build/$vectors/test_lanes"
    run "$vectors pscheme_cpu, lanes" "build/$vectors/pscheme_cpu" --check --variant pscheme_lanes,recurrence_lanes
    run "$vectors thomas_batch, lanes" "build/$vectors/thomas_batch" --check --variant thomas_cpu_lanes
    run "$vectors nshape, lanes" "build/$vectors/nshape" --check --variant nshape_lanes
}

# One program over MPI ranks, more of them than cores perhaps. The sanitizers would count what MPI's own libraries
# never free.
over_mpi() {
    local program=$1 ranks
    if ! command -v mpirun >/dev/null || [ ! -x "build/cpu/$program" ]; then
        echo "$program: skipped, no MPI here"
        return
    fi
    local -x ASAN_OPTIONS=detect_leaks=0
    for ranks in 1 2 3 4; do
        # Two more than cores spend most of their time waiting for each other's turn.
        [ "$ranks" -le $(($(nproc) + 1)) ] || continue
        run "cpu $program, $ranks ranks" timeout 300 common/mpirun.sh -np "$ranks" "build/cpu/$program" --check
    done
    for ranks in 1 2; do
        [ -x "build/san/$program" ] || continue
        run "san $program, $ranks ranks" timeout 300 common/mpirun.sh -np "$ranks" "build/san/$program" --check
    done
    # One rank on the device, the other on cores.
    [ "$program" != nshape_mpi ] ||
        run "cpu $program, mixed" timeout 300 common/mpirun.sh -np 2 "build/cpu/$program" --check --gpus 1
    # One line from rank 0, the same status from all, and nobody waits.
    local before=$failed
    rank_0_says 2 "'--nonsense'" "$program" --nonsense
    rank_0_says 2 "--n" "$program" --n 0
    rank_0_says 2 "--type" "$program" --type x
    rank_0_says 2 "--csv" "$program" --quick --csv "$scratch/none/such.csv"
    rank_0_says 3 "GiB" "$program" --n 512G --quick
    [ "$program" != nshape_mpi ] || rank_0_says 2 "more rows than ranks" "$program" --n 3
    rank_dies "$program"
    echo "$program: command line, $((failed - before)) failed"
}

# A rank that is killed takes the others with it: no hang, no status 0, no file. Each rank says its process number.
rank_dies() {
    local program=$1 pid status
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

# rank_0_says STATUS WORD PROGRAM OPTION…: as expect, over 3 ranks; what mpirun itself adds does not count.
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

# The smaller tiles and left-out variants of a GPU with the limits of a T4, and its plain copies.
smaller_gpus() {
    local -x DEVICE_LIMITS=t4
    succeeds "T4: recurrence" build/cpu/pscheme_g --n 1000,40K --type s,d,c,z --variant one_pass --reps 1
    succeeds "T4: tridiagonal" env DEVICE_LIMITS=t4,multiprocessors=4 build/cpu/nshape --n 1000,9K --type s,d,c,z \
        --variant tridiagonal,tridiagonal_pivoted --reps 1
    succeeds "T4: batches" build/cpu/thomas_batch --n 64,1329,1330,2657,2658 --batch 1,5 --type s,d --reps 1 \
        --variant tridiagonal_batch,tridiagonal_batch_pivoted,tridiagonal_batch_shared,tridiagonal_batch_constant
    succeeds "T4: PL19" build/cpu/thomas_batch --n 5000 --batch 1,3 --threads 512 --type s,d --reps 1 \
        --variant paracr_block,thomas_shared,sericr_shared,paracr_shared
    expect 0 "left out" build/cpu/thomas_batch --n 100 --batch 3 --threads 1024 --type d \
        --variant thomas_shared,thomas_global --reps 1
    expect 2 "DEVICE_LIMITS" env DEVICE_LIMITS=t5 build/cpu/pcr --quick
}

tests_of_library() {
    local flavour=$1 test
    for test in "build/$flavour"/test_*; do
        run "$flavour ${test##*/}" "$test"
    done
}

# job WEIGHT FUNCTION ARGUMENT…: to be done; the heaviest first, so that none is left alone at the end. Ranks of MPI
# wait actively, for a turn of the core at each message if another job has it: weight 0, each alone after all others.
jobs_file=$work/jobs
job() { echo "$*" >>"$jobs_file"; }

is_chosen() { [[ " $chosen " == *" $1 "* ]]; }
chosen="${*:-common pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape}"
for name in $chosen; do
    case $name in common | pscheme_cpu | pscheme_gpu | pcr | pscheme_g | thomas_batch | nshape) ;; *)
        echo "test.sh: '$name': no such program; allowed are common pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape" >&2
        exit 2
        ;;
    esac
done

gpu=
if [ -x build/gpu/pscheme_gpu ] && nvidia-smi -L >/dev/null 2>&1; then gpu=yes; fi
if is_chosen common; then
    for flavour in cpu san; do
        [ ! -x build/$flavour/test_options ] || job 20 tests_of_library $flavour
    done
    [ -z "$gpu" ] || job 60 run gpu:test_device build/gpu/test_device
    job 30 counts
    job 35 run run_all.sh common/test_run_all.sh
    job 60 run lifted_units solvers/test/test_lift.sh
    job 40 run library solvers/test/test_lib.sh
    job 3 smaller_gpus
    for vectors in avx2 plain; do
        [ ! -x build/$vectors/nshape ] || job 15 other_vectors $vectors
    done
fi
for name in $chosen; do
    [ "$name" != common ] || continue
    case $name in pscheme_g) weight=80 ;; thomas_batch | nshape) weight=60 ;; *) weight=20 ;; esac
    job $((weight / 3)) run "cpu:$name" "build/cpu/$name" --check
    [ ! -x "build/san/$name" ] || job $weight run "san:$name" "build/san/$name" --check
    [ -z "$gpu" ] || [ ! -x "build/gpu/$name" ] || job 70 run "gpu:$name" "build/gpu/$name" --check
    job 1 command_line "$name"
    case $name in
    pscheme_cpu) job 0 over_mpi pscheme_mpi ;;
    nshape) job 0 over_mpi nshape_mpi ;;
    esac
done

# Each job in a shell of its own, which writes what it said and then its two counts.
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
while read -r weight function arguments; do
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
        # shellcheck disable=SC2086 # its words
        $function $arguments >"$work/$count.out" 2>&1
        echo "$passed $failed" >"$work/$count.new" && mv "$work/$count.new" "$work/$count.sum"
    ) </dev/null &
done < <(sort -rn -s -k 1,1 "$jobs_file")
wait
show
if [ "$shown" -ne "$count" ]; then
    echo "FAILED: $((count - shown)) jobs ended without a result"
    failed=$((failed + count - shown))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
