#!/bin/bash
# Run tests of what is built under build/ and end with one line for all: "N passed, N failed".
#   common/test.sh [name…]   names: common and program directories; none: everything
# Each program is checked in the CPU build and in the build with address and undefined-behaviour
# sanitizers, and on the GPU where there is one; then its command line is tried with bad input.
set -u
cd "$(dirname "$0")/.." || exit 2
export OMP_WAIT_POLICY=passive # two threads on a shared machine: wait without spinning
passed=0 failed=0
log=$(mktemp)
sanitized=$(mktemp) # what a check in the background says
scratch=$(mktemp -d)
trap 'rm -rf "$log" "$sanitized" "$scratch"' EXIT

# run LABEL COMMAND…: add up the last line "N passed, N failed" of a test program.
run() {
    local label=$1 line status start=$SECONDS
    shift
    "$@" >"$log" 2>&1
    status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    printf '%-28s %s (%d s)\n' "$label" "${line:-no result, exit status $status}" $((SECONDS - start))
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

# count_build BUILD VARIABLE…: of all that has kernels, there.
count_build() {
    local build=$1 name
    shift
    for name in common pscheme_gpu pcr pscheme_g thomas_batch nshape; do
        make --no-print-directory -s -C "$name" count BUILD="../$build" "$@" || return 1
    done
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
    succeeds "count: build" count_build build
    run "count test_count" build/count/test_count
    if count_rows build "$scratch/counts.csv"; then
        same_counts "count: two runs" build "$scratch/again.csv"
    else
        failed=$((failed + 1))
        echo "FAILED: count: a run"
        tail -n 20 "$log"
    fi
    if command -v clang++ >/dev/null; then
        succeeds "count: build by clang" count_build build/clang CC=clang CXX=clang++ WERROR=
        run "count test_count, clang" build/clang/count/test_count
        same_counts "count: gcc and clang" build/clang "$scratch/again.csv"
    fi
    rm -f "$scratch"/*.csv
}

# The lanes of the build target's vectors are tested with all else; here those of AVX2 and of the plain target. A name is common or a
# program.
other_vectors() {
    local name=$1 vectors flags variant built
    case $name in
    common) variant= ;;
    thomas_batch) variant=thomas_cpu_lanes ;;
    pscheme_cpu) variant=pscheme_lanes,recurrence_lanes ;;
    *) variant=nshape_lanes ;;
    esac
    for vectors in avx2 plain; do
        flags=
        if [ "$vectors" = avx2 ]; then
            grep -qw avx2 /proc/cpuinfo || continue
            flags='-mavx2 -mfma'
        fi
        built=../build/$vectors/cpu/$name
        [ "$name" != common ] || built=../build/$vectors/cpu/test_lanes
        if make --no-print-directory -s -C "$name" BUILD="../build/$vectors" NATIVE="$flags" "$built" >"$log" 2>&1; then
            run "$vectors ${built##*/}, lanes" "${built#../}" ${variant:+--check --variant "$variant"}
        else
            failed=$((failed + 1))
            echo "FAILED: $vectors $name: build"
            tail -n 20 "$log"
        fi
    done
}

# The example in DIRECTORY/UNIT.h and the rest of a program, from stdin, on the CPU device that lift() has compiled.
example_of() {
    local directory=$1 unit=$2
    {
        sed -n "/#include \"$unit.h\"/,/^ \*     }$/s/^ \*     //p" "$directory/$unit.h"
        cat
    } >"$there/${unit}_example.cu"
    if (cd "$there" && ${CXX:-g++} -std=c++17 -O1 -c -x c++ "${unit}_example.cu" "$unit.cu" &&
        ${CXX:-g++} -o "${unit}_example" shared_begin.o "${unit}_example.o" "$unit.o" shared_end.o cpu_device.o -lpthread) >"$log" 2>&1; then
        succeeds "lifted $unit" "$there/${unit}_example"
    else
        head -n 20 "$log"
        failed=$((failed + 1))
    fi
}

# The program of README.md, with the files that it says to copy and nothing else, on the CPU device and,
# where nvcc is, compiled for a GPU.
lift() {
    local there=$scratch/lift unit
    mkdir "$there"
    awk '/^```c.*example\.cu/ { on = 1; next } /^```/ { on = 0 } on' README.md >"$there/example.cu"
    cp pscheme_gpu/pscheme_gpu.h pscheme_gpu/pscheme_gpu.cu common/device.h common/device_words.h common/segments.h "$there"
    cp -r common/cpu_device "$there"
    cp pcr/pcr.h pcr/pcr.cu pscheme_g/pscheme_g.h pscheme_g/pscheme_g.cu pscheme_g/one_pass.h pscheme_g/one_pass.cu "$there"
    cp thomas_batch/thomas_batch.h thomas_batch/thomas_batch.cu thomas_batch/tridiagonal_batch.h thomas_batch/tridiagonal_batch.cu "$there"
    cp nshape/nshape.h nshape/nshape.cu nshape/nshape_stages.h nshape/tridiagonal.h nshape/tridiagonal.cu "$there"
    cp nshape/nshape_lanes* pscheme_cpu/pscheme_cpu.[ch] pscheme_cpu/pscheme_*_body.h common/lanes*.h "$there"
    awk '/^```c/ { on = 1; next } /^```/ { on = 0 } on' nshape/README.md >"$there/lanes.c"
    for unit in nshape_lanes pscheme_cpu; do
        succeeds "lifted $unit compiles" "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -c "$there/$unit.c" -o "$there/$unit.o"
    done
    for unit in pcr pscheme_g one_pass thomas_batch tridiagonal_batch nshape tridiagonal; do
        succeeds "lifted $unit compiles" "${CXX:-g++}" -std=c++17 -c -x c++ "$there/$unit.cu" -o "$there/$unit.o"
    done
    if "${CC:-gcc}" -std=gnu11 -O2 -fopenmp -o "$there/lanes" "$there/lanes.c" "$there/nshape_lanes.c" -lm >"$log" 2>&1; then
        succeeds "lifted lanes" "$there/lanes"
    else
        head -n 20 "$log"
        failed=$((failed + 1))
    fi
    if (cd "$there" && ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -c cpu_device/*.c &&
        ${CXX:-g++} -std=c++17 -O1 -c -x c++ example.cu pscheme_gpu.cu &&
        ${CXX:-g++} -o example shared_begin.o example.o pscheme_gpu.o shared_end.o cpu_device.o -lpthread) >"$log" 2>&1; then
        succeeds "lifted solver" "$there/example"
    else
        head -n 20 "$log"
        failed=$((failed + 1))
    fi
    # the examples in headers, with programs around them
    example_of pscheme_g one_pass <<'END'
int main(void)
{
    enum { N = 1000 };
    static float ones[N];
    float *s, *w;
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    CHECK(cudaMalloc(&s, sizeof ones));
    CHECK(cudaMalloc(&w, sizeof ones));
    CHECK(cudaMemcpy(s, ones, sizeof ones, cudaMemcpyHostToDevice));
    CHECK(solve(N, s, s, s, w)); /* w_i = w_{i-1} + 1, w_0 = 1 */
    CHECK(cudaMemcpy(ones, w, sizeof ones, cudaMemcpyDeviceToHost));
    return ones[N - 1] != N + 1;
}
END
    example_of nshape tridiagonal <<'END' # -1, 2.5, -1 and a solution of small integers
#include <math.h>
int main(void)
{
    enum { N = 1000 };
    static double host[5][N]; /* sub, diag, super, rhs, x */
    double *device[5];
    for (int i = 0; i < N; i++) {
        host[0][i] = host[2][i] = -1;
        host[1][i] = 2.5;
        host[3][i] = 2.5 * (i % 7) - (i > 0 ? (i - 1) % 7 : 0) - (i < N - 1 ? (i + 1) % 7 : 0);
    }
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc(&device[k], sizeof host[k]));
        CHECK(cudaMemcpy(device[k], host[k], sizeof host[k], cudaMemcpyHostToDevice));
    }
    if (solve(N, device[0], device[1], device[2], device[3], device[4]) != 0)
        return 1;
    CHECK(cudaMemcpy(host[4], device[4], sizeof host[4], cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (!(fabs(host[4][i] - i % 7) < 1e-13))
            return 1;
    return 0;
}
END
    example_of thomas_batch tridiagonal_batch <<'END' # three of them, the second without a solution
#include <math.h>
int main(void)
{
    enum { N = 99, BATCH = 3 };
    static double host[5][BATCH * N]; /* sub, diag, super, rhs, x */
    double *device[5];
    int *on_device, status[BATCH];
    for (int j = 0; j < BATCH * N; j++) {
        int i = j % N;
        host[0][j] = host[2][j] = j / N == 1 ? 0 : -1;
        host[1][j] = j / N == 1 ? 0 : 2.5;
        host[3][j] = 2.5 * (i % 7) - (i > 0 ? (i - 1) % 7 : 0) - (i < N - 1 ? (i + 1) % 7 : 0);
    }
    CHECK(cudaMalloc(&on_device, sizeof status));
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc(&device[k], sizeof host[k]));
        CHECK(cudaMemcpy(device[k], host[k], sizeof host[k], cudaMemcpyHostToDevice));
    }
    CHECK(solve(N, BATCH, device[0], device[1], device[2], device[3], device[4], on_device));
    CHECK(cudaMemcpy(host[4], device[4], sizeof host[4], cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(status, on_device, sizeof status, cudaMemcpyDeviceToHost));
    if (status[0] != 0 || status[1] <= 0 || status[2] != 0)
        return 1;
    for (int j = 0; j < BATCH * N; j++)
        if (j / N != 1 && !(fabs(host[4][j] - j % N % 7) < 1e-13))
            return 1;
    return 0;
}
END
    local nvcc
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
    if [ -n "$nvcc" ]; then
        succeeds "lifted solver, nvcc" "$nvcc" -arch="${ARCH:-all-major}" -o "$there/example_gpu" \
            "$there/example.cu" "$there/pscheme_gpu.cu"
        nvidia-smi -L >/dev/null 2>&1 && succeeds "lifted solver, GPU" "$there/example_gpu"
    fi
    rm -rf "$there"
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
        run "san $program, $ranks ranks" timeout 300 common/mpirun.sh -np "$ranks" "build/san/$program" --check
    done
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

# A rank that is killed takes the others with it: no hang, no status 0, no file.
rank_dies() {
    local program=$1 pid status
    timeout 60 common/mpirun.sh -np 3 "build/cpu/$program" --n 1M --reps 1000 --csv "$scratch/dead.csv" >"$log" 2>&1 &
    pid=$!
    for _ in $(seq 100); do
        [ "$(pgrep -fc "^build/cpu/$program --n 1M --reps 1000")" -lt 3 ] || break
        sleep 0.1
    done
    sleep 0.5
    pkill -9 -n -f "^build/cpu/$program --n 1M --reps 1000"
    wait "$pid"
    status=$?
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

# A program's check under the sanitizers takes a minute or two of one core: beside all other tests of the program.
begin_sanitized() {
    "build/san/$1" --check >"$sanitized" 2>&1 &
    checking=$!
}
end_sanitized() {
    local status
    wait "$checking"
    status=$?
    cat "$sanitized"
    return "$status"
}

[ $# -gt 0 ] || set -- common pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape
for name in "$@"; do
    if [ "$name" = common ]; then
        for flavour in cpu san; do
            for test in "build/$flavour"/test_*; do
                run "$flavour ${test##*/}" "$test"
            done
        done
    else
        begin_sanitized "$name"
        run "cpu $name" "build/cpu/$name" --check
    fi
    if nvidia-smi -L >/dev/null 2>&1; then
        [ "$name" != common ] || run "gpu test_device" build/gpu/test_device
        [ ! -x "build/gpu/$name" ] || run "gpu $name" "build/gpu/$name" --check
    fi
    [ "$name" != common ] || counts
    case $name in common | pscheme_cpu | thomas_batch | nshape) other_vectors "$name" ;; esac
    if [ "$name" = common ]; then run "run_all.sh" common/test_run_all.sh; else command_line "$name"; fi
    [ "$name" != pscheme_gpu ] || lift
    [ "$name" != pscheme_cpu ] || over_mpi pscheme_mpi
    if [ "$name" = nshape ]; then
        over_mpi nshape_mpi
        # one rank on the device, the others on cores
        [ ! -x build/cpu/nshape_mpi ] || ! command -v mpirun >/dev/null ||
            run "cpu nshape_mpi, mixed" timeout 300 common/mpirun.sh -np 2 build/cpu/nshape_mpi --check --gpus 1
    fi
    if [ "$name" = pscheme_cpu ] && command -v python3 >/dev/null; then
        make --no-print-directory -s -C pscheme_cpu lib && succeeds "pscheme_cpu from Python" python3 pscheme_cpu/example.py
    fi
    [ "$name" = common ] || run "san $name" end_sanitized
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
