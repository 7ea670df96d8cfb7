#!/bin/bash
# Runs every experiment, draws every figure and writes the report. --help explains the options.
programs=(pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape)
mpi_programs=(pscheme_mpi nshape_mpi)
cpu_programs=" pscheme_cpu pscheme_mpi " # programs without kernels, which always run from build/cpu

usage() {
    cat <<'EOF'
Usage: ./run_all.sh [OPTION]...
Build what is missing, run every program, count the kernels' memory accesses, draw the figures and write the
report.

  --quick         small sizes (default without a GPU)
  --paper         the paper's sizes (default on a GPU; on the CPU device this takes long)
  --device NAME   auto, cpu or gpu: where the kernels run (default auto)
  --out DIR       where results go (default results/<device>)
  --help          show this

Options with a value also take the form --out=DIR.
Programs over MPI ranks run with 1, 2, 4, ... ranks, up to the cores and at most 16 (--quick: 1, 2, 4), where
they are built and mpirun starts them.
Started again after it was stopped, it keeps the programs that are done, as long as the mode and the
binary are the same. Exit status: 0 all verified; 1 a result failed verification, a program failed, or a
figure is missing though gnuplot is there; 2 usage; 3 no GPU.
EOF
}
fail() { # status, message
    echo "run_all.sh: $2" >&2
    exit "$1"
}

mode='' device=auto out=''
while [ $# -gt 0 ]; do
    case $1 in
    --device=* | --out=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}"
        continue
        ;;
    --quick | --paper)
        [ -z "$mode" ] || [ "$mode" = "${1#--}" ] || fail 2 "--quick and --paper exclude each other"
        mode=${1#--}
        ;;
    --device | --out)
        if [ -z "${2-}" ]; then fail 2 "$1 needs a value"; fi
        if [ "$1" = --out ]; then out=$2; else device=$2; fi
        shift
        ;;
    --help)
        usage
        exit 0
        ;;
    *) fail 2 "unknown argument '$1'; --help shows what is allowed" ;;
    esac
    shift
done
case $device in auto | cpu | gpu) ;; *) fail 2 "--device '$device': allowed are auto, cpu, gpu" ;; esac
case $out in '' | /*) ;; *) out=$PWD/$out ;; esac
make_out() { mkdir -p "$out" 2>/dev/null || fail 2 "--out '$out': cannot be made"; }
[ -z "$out" ] || make_out # called before the build, so that a bad DIR is reported at once

cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
if [ "$device" = gpu ]; then # checked before the build, which takes minutes
    [ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || nvidia-smi -L >/dev/null 2>&1 || fail 3 "--device gpu: no NVIDIA GPU"
    [ -x build/gpu/pscheme_gpu ] || command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] ||
        fail 3 "--device gpu: no nvcc, which builds the programs for it"
fi
# Waiting OpenMP threads sleep and leave their core to others. The processes that mpirun starts inherit the setting.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY-passive}
# mpirun handles Ctrl-C itself and then exits. Without this trap the script would start the next program.
trap 'exit 130' INT
[ ! -t 2 ] || printf 'building\r' >&2 # the next line of output overwrites this text
mkdir -p build || fail 1 "the build failed"
# The lock allows only one build at a time in this tree. The output of make is shown only if the build fails.
(
    flock 8
    make >build/make.log 2>&1 || { cat build/make.log >&2 && false; }
) 8>build/.lock || fail 1 "the build failed"

gpu=''
if [ "$device" != cpu ]; then
    gpu=$(build/gpu/pscheme_gpu --version 2>/dev/null | sed -n 's/^device: *//p' | grep -vx none)
fi
[ "$device" != gpu ] || [ -n "$gpu" ] || fail 3 "--device gpu: no NVIDIA GPU, or no CUDA build of the programs"
if [ -n "$gpu" ]; then
    build=gpu
    slug=$(tr '[:upper:]' '[:lower:]' <<<"$gpu" | sed 's/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//')
else
    build=cpu
    slug=cpu
    gpu='CPU device'
fi
[ -n "$mode" ] || { [ $build = gpu ] && mode=paper || mode=quick; }
out=${out:-$PWD/results/$slug}
make_out

# run.txt has a line for each run that has ended. Its fields are separated by tabs: the name of the run (PROGRAM or
# PROGRAM_RANKS), the mode, the exit status, the seconds and the checksum of the binary. A run is not repeated if it has
# a line with the same mode and checksum and its CSV file exists.
log=$out/run.txt
touch "$log" "$out/.lock" 2>/dev/null || fail 2 "--out '$out': cannot be written"
# The lock allows only one run_all.sh at a time to write to this directory. The programs inherit the lock. So if this
# script is killed while a program runs, the directory stays locked until the program ends.
exec 9>"$out/.lock"
flock -n 9 || fail 2 "--out '$out': another run writes there"
echo "kernels on: $gpu; sizes: $mode; results: $out" >&2

# place PROGRAM: sets `where` to cpu or gpu and `binary` to the path of the program's binary.
place() {
    where=$build
    [[ $cpu_programs == *" $1 "* ]] && where=cpu
    binary=build/$where/$1
}
# forget RUN: deletes the results of RUN and its line in run.txt.
forget() {
    rm -f "$out/$1".{csv,txt}
    awk -F '\t' -v r="$1" '$1 != r' "$log" >"$log.new" && mv "$log.new" "$log"
}

runs=("${programs[@]}")
# OMP_NUM_THREADS is empty here because nproc would print its value instead of the number of cores.
[ "$mode" = quick ] && most=4 || most=$(OMP_NUM_THREADS='' nproc)
for program in "${mpi_programs[@]}"; do
    place "$program"
    # Two ranks print the version once, because only rank 0 prints. If mpirun belongs to another MPI library than the
    # program, each process is a rank 0 of its own, and the version is printed twice.
    answers=$(timeout 60 common/mpirun.sh -np 2 "$binary" --version </dev/null 2>&1 | grep -c "^$program ")
    if [ "$answers" -ne 1 ]; then
        echo "$program: left out, $([ -x "$binary" ] && echo "mpirun does not start it" || echo "no $binary")" >&2
        continue
    fi
    for ranks in 1 2 4 8 16; do
        if [ $ranks -le "$most" ]; then runs+=("${program}_$ranks"); else forget "${program}_$ranks"; fi
    done
done

began=$SECONDS
status=0
i=0
for run in "${runs[@]}"; do
    i=$((i + 1))
    program=${run%_[0-9]*}
    launch=()
    [ "$run" = "$program" ] || launch=(common/mpirun.sh -np "${run##*_}")
    place "$program"
    say() { echo "[$i/${#runs[@]}] $run: $1 ($((SECONDS - began)) s since the start)" >&2; }
    if [ ! -x "$binary" ]; then
        say "no $binary"
        status=1
        continue
    fi
    checksum=$(cksum <"$binary")
    kept=$(awk -F '\t' -v r="$run" -v m="$mode" -v c="$checksum" '$1 == r && $2 == m && $5 == c { print $3 }' "$log")
    if [ -n "$kept" ] && [ -f "$out/$run.csv" ]; then
        say "kept, exit status $kept"
        [ "$kept" = 0 ] || status=1
        continue
    fi
    options=()
    if [ "$mode" = quick ]; then
        options=(--quick)
    elif [ "$where" = cpu ]; then
        options=(--paper) # needed because on the CPU device --quick is the default
    fi
    say "running $where ${options[*]}"
    start=$SECONDS
    forget "$run"
    "${launch[@]}" "$binary" "${options[@]}" --csv "$out/$run.csv" >"$out/$run.txt" </dev/null
    result=$?
    printf '%s\t%s\t%d\t%d\t%s\n' "$run" "$mode" $result $((SECONDS - start)) "$checksum" >>"$log"
    say "exit status $result"
    [ $result = 0 ] || status=1
done

# The counts do not depend on the mode or the device. count.sh keeps old counts as long as the kernels are the same.
echo "counting memory accesses ($((SECONDS - began)) s since the start)" >&2
common/count.sh "$out" >"$out/counts.txt" || {
    echo "run_all.sh: counting failed" >&2
    status=1
}
plots/draw.sh "$out" || {
    echo "run_all.sh: some figures are missing" >&2
    status=1
}
plots/report.sh "$out" || fail 1 "no report"
echo "report: $out/report.md"
cut -f 3 "$out/claims.tsv" | sort | uniq -c | sed 's/^ */claims: /'
awk -F '\t' '$3 != "not measured here" { printf "  %s: %s: %s%s\n", $1, $3, ($3 ~ /^reference/ ? "(" $7 ") " : ""), $4 }' "$out/claims.tsv"
exit $status
