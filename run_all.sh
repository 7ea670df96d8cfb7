#!/bin/bash
# Runs every experiment, draws every figure and writes the report. --help explains the options.
programs=(pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape)
programs+=(recurrence recurrence2 filter tridiagonal tridiagonal_batch heat dpcm gated equaliser depth_of_field)
mpi_programs=(pscheme_mpi nshape_mpi tridiagonal_mpi tridiagonal_batch_mpi)
cpu_programs=" pscheme_cpu pscheme_mpi " # programs without kernels, which always run from build/cpu
more_runs=plots/paper_runs.list          # more runs on a GPU

usage() {
    cat <<'EOF'
Usage: ./run_all.sh [OPTION]...
Build what is missing, run every program, count the kernels' memory accesses,
draw the figures and write the report.

  --quick         small sizes (default without a GPU)
  --paper         the paper's sizes (long on the CPU device), and on a GPU also
                  runs that go beyond the papers (plots/paper_runs.list);
                  default on a GPU: the paper's sizes without these
  --device NAME   auto, cpu or gpu: where the kernels run (default auto)
  --out DIR       where results go (default results/<device>)
  --help          show this

Options with a value also take the form --out=DIR.

Programs over MPI ranks run with 1, 2, 4, ... ranks, up to the cores and at
most 16 (--quick: 1, 2, 4), where they are built and mpirun starts them.
Started again after it was stopped, it keeps the programs that are done, as
long as the mode and the binary are the same.

On a terminal one line shows the progress; otherwise each step has its lines.
Both go to stderr. The last lines, on stdout, say what was verified, what
failed, and where the report is. The table of PROGRAM is in DIR/PROGRAM.txt,
the seconds of each run are in DIR/times.csv.
Colours are used on a terminal, unless NO_COLOR is set.

Exit status: 0 all verified; 1 a result failed verification, a program failed,
or a figure is missing though gnuplot is there; 2 usage; 3 no GPU.
EOF
}
fail() { # status, message
    echo "$erase$red""run_all.sh: $2$plain" >&2
    exit "$1"
}

# ---- the progress, on stderr ----

# erase: erases the line of the progress. red, plain: begin and end a message about a failure. Empty off a terminal.
erase='' red='' plain='' ticker=''
if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then
    erase=$'\r\033[K'
    [ -n "${NO_COLOR-}" ] || red=$'\033[31m' plain=$'\033[0m'
fi
say() { echo "$erase$1" >&2; }
# begin COMMAND…: begins a step. On a terminal a line shows what COMMAND prints and the seconds, until end_ticker.
begin() {
    step_began=$SECONDS
    if [ -z "$erase" ]; then
        "$@" >&2
        return
    fi
    (
        exec 9>&-                        # the ticker must not hold the lock of the results
        while kill -0 $$ 2>/dev/null; do # it ends even if this script is killed
            printf '%s%s … %d s' "$erase" "$("$@")" $((SECONDS - step_began)) >&2
            sleep 1
        done
    ) >/dev/null &
    ticker=$!
}
end_ticker() {
    [ -z "$ticker" ] || { kill "$ticker" && wait "$ticker"; } 2>/dev/null
    ticker=''
    printf %s "$erase" >&2
}
trap '[ -z "$ticker" ] || end_ticker' EXIT

mode='' device=auto out='' beyond=''
while [ $# -gt 0 ]; do
    case $1 in --device=* | --out=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
    case $1 in
    --quick | --paper)
        [ -z "$mode" ] || [ "$mode" = "${1#--}" ] || fail 2 "--quick and --paper exclude each other"
        mode=${1#--}
        [ "$mode" = quick ] || beyond=yes
        ;;
    --device | --out)
        [ -n "${2-}" ] || fail 2 "$1 needs a value"
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

unset CDPATH # cd would look there, and print where it went
started=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
top=$PWD
if [ "$device" = gpu ]; then # checked before the build, which takes minutes
    [ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || nvidia-smi -L >/dev/null 2>&1 || fail 3 "--device gpu: no NVIDIA GPU"
    [ -x build/gpu/pscheme_gpu ] || command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] ||
        fail 3 "--device gpu: no nvcc, which builds the programs for it"
fi
# Waiting OpenMP threads, also those of ranks, sleep and leave their core to others.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY-passive}
# mpirun handles Ctrl-C itself; without this trap the script would start the next program.
trap 'exit 130' INT
mkdir -p build || fail 1 "the build failed"
# locked COMMAND…: runs a build, one at a time in this tree.
locked() { (flock 8 && "$@") 8>build/.lock; }
built() { grep -c '^  [A-Z]' build/make.log 2>/dev/null; } # prints how many files make has compiled and linked
# shellcheck disable=SC2317,SC2329 # not unreachable: begin calls it
building() { echo "building: $(built) files"; }
[ -z "$erase" ] || begin building
locked make >build/make.log 2>&1 || {
    end_ticker
    cat build/make.log >&2
    fail 1 "the build failed"
}
end_ticker
[ "$(built)" -eq 0 ] || [ -n "$erase" ] || echo "built: $(built) files, $SECONDS s" >&2

gpu=''
if [ "$device" != cpu ]; then
    gpu=$(build/gpu/pscheme_gpu --version 2>/dev/null | sed -n 's/^device: *//p' | grep -vx none)
fi
[ "$device" != gpu ] || [ -n "$gpu" ] || fail 3 "--device gpu: no NVIDIA GPU, or no CUDA build of the programs"
if [ -n "$gpu" ]; then
    build=gpu mode=${mode:-paper}
    slug=$(tr '[:upper:]' '[:lower:]' <<<"$gpu" | sed 's/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//')
else
    build=cpu mode=${mode:-quick} slug=cpu gpu='CPU device'
fi
out=${out:-$PWD/results/$slug}
make_out

# run.txt has a line for each run that has ended, with tabs between its name (PROGRAM or PROGRAM_RANKS), the mode, the
# exit status, the seconds and the checksum of the binary and the options of plots/paper_runs.list. A run is not repeated
# if it has a line with the same mode and checksum and its CSV file exists.
log=$out/run.txt
touch "$log" "$out/.lock" 2>/dev/null || fail 2 "--out '$out': cannot be written"
# One run_all.sh at a time writes to this directory. The programs inherit the lock, so if this script is killed while a
# program runs, the directory stays locked until the program ends.
exec 9>"$out/.lock"
flock -n 9 || fail 2 "--out '$out': another run writes there"
say "kernels on: $gpu"
say "sizes: $mode; results: $out"

# place PROGRAM: sets `where` to cpu or gpu and `binary` to the path of the program's binary. PROGRAM may have the
# prefixes that plots/paper_runs.list explains.
place() {
    where=$build
    [[ $cpu_programs == *" $1 "* || $1 == slow/* ]] && where=cpu
    binary=build/$where/${1#slow/}
    [[ $1 != no_l1/* ]] || binary=build/no_l1/gpu/${1#no_l1/}
}
has_rows() { [ -f "$out/$1.csv" ] || [ -f "$out/$1_steps.csv" ]; } # RUN
# forget RUN: deletes the results of RUN and its line in run.txt.
forget() {
    rm -f "$out/$1".{csv,txt,samples} "$out/$1"_steps.csv
    awk -F '\t' -v r="$1" '$1 != r' "$log" >"$log.new" && mv "$log.new" "$log"
}

# The settings of the GPU stand in the headers of the CSV files.
if [ $build = gpu ]; then
    GPU_SETTINGS=$(nvidia-smi --format=csv,noheader \
        --query-gpu=clocks.max.sm,clocks.max.mem,power.limit,ecc.mode.current 2>/dev/null | sed -n '1{s/, / /g;p}')
    export GPU_SETTINGS="${GPU_SETTINGS:-unknown} (SM clock, memory clock, power limit, ECC)"
fi

runs=("${programs[@]}")
# OMP_NUM_THREADS is empty here because nproc would print its value instead of the number of cores.
[ "$mode" = quick ] && most=4 || most=$(OMP_NUM_THREADS='' nproc)
for program in "${mpi_programs[@]}"; do
    place "$program"
    # Two ranks print the version once, because only rank 0 prints. If mpirun belongs to another MPI library than the
    # program, each process is a rank 0 of its own, and the version is printed twice.
    answers=$(timeout 60 common/mpirun.sh -np 2 "$binary" --version </dev/null 2>&1 | grep -c "^$program ")
    if [ "$answers" -ne 1 ]; then
        say "$program: left out, $([ -x "$binary" ] && echo "mpirun does not start it" || echo "no $binary")"
        continue
    fi
    for ranks in 1 2 4 8 16; do
        if [ $ranks -le "$most" ]; then runs+=("${program}_$ranks"); else forget "${program}_$ranks"; fi
    done
done

slow_network=(timeout 120 common/slow_network.sh 2 1000 1000) # MPICH 4.0 sometimes hangs in MPI_Finalize
# is_possible PROGRAM NAME: whether the run NAME of plots/paper_runs.list is possible here. If not, a line says why.
is_possible() {
    case $1 in
    no_l1/*)
        NVCC_APPEND_FLAGS='-Xptxas -dlcm=cg' locked make gpu ONLY="${1#*/}" BUILD=build/no_l1 \
            >build/no_l1.log 2>&1 </dev/null && [ -x "build/no_l1/gpu/${1#*/}" ] && return
        say "$2: left out, not built: build/no_l1.log says why"
        ;;
    slow/*)
        "${slow_network[@]}" "build/cpu/${1#*/}" --version </dev/null 2>&1 | grep -q "^${1#*/} " && return
        say "$2: left out, common/slow_network.sh does not start it"
        ;;
    *) return ;;
    esac
    return 1
}
declare -A program_of options_of
[ "$mode" = paper ] && [ $build = gpu ] && wanted=yes || wanted=''
# shellcheck disable=SC2162 # without -r, so that a backslash continues a line
while read name program options; do
    case $name in
    '' | '#'*) continue ;;
    ---) wanted=${wanted:+$beyond} && continue ;;
    esac
    if [ -n "$wanted" ] && is_possible "$program" "$name"; then
        runs+=("$name")
        program_of[$name]=$program options_of[$name]=$options
    elif [ "$mode" = quick ] && grep -q "^$name"$'\t' "$log"; then # of a run in another mode
        forget "$name"
    fi
done <"$more_runs"

status=0
i=0
steps=$((${#runs[@]} + 3)) # and counting, drawing, the report
# ended NAME STATUS: ends the step NAME, which exited with STATUS.
ended() {
    local line="[$i/$steps] $1: exit status $2"
    end_ticker
    [ "$2" = 0 ] || status=1
    if [ -z "$erase" ]; then
        echo "$line, $((SECONDS - step_began)) s" >&2
    elif [ "$2" != 0 ]; then
        say "$red$line$plain"
    fi
}
for run in "${runs[@]}"; do
    i=$((i + 1))
    program=${program_of[$run]-${run%_[0-9]*}}
    launch=()
    case $program in
    slow/*) launch=("${slow_network[@]}") ;;
    *_mpi) launch=(common/mpirun.sh -np "${run##*_}") ;;
    esac
    place "$program"
    [ -x "$binary" ] || {
        say "${red}[$i/$steps] $run: no $binary$plain"
        status=1
        continue
    }
    checksum=$({ cat "$binary" && echo "${options_of[$run]-}"; } | cksum)
    kept=$(awk -F '\t' -v r="$run" -v m="$mode" -v c="$checksum" '$1 == r && $2 == m && $5 == c { print $3 }' "$log")
    if [ -n "$kept" ] && has_rows "$run"; then
        say "[$i/$steps] $run: kept, exit status $kept"
        [ "$kept" = 0 ] || status=1
        continue
    fi
    read -ra options <<<"${options_of[$run]-}" # they give the sizes
    if [ "$mode" = quick ] || { [ ${#options[@]} = 0 ] && [ "$where" = cpu ]; }; then
        options=("--$mode") # on the CPU device --quick is the default
    fi
    begin echo "[$i/$steps] $run: running"
    start=$SECONDS
    forget "$run"
    # The program writes its messages to a pipe, so it shows no progress of its own on a terminal.
    env ${beyond:+SAMPLES_FILE="$out/$run.samples"} \
        "${launch[@]}" "$binary" "${options[@]}" --csv "$out/$run.csv" 2>&1 >"$out/$run.txt" </dev/null |
        while IFS= read -r line; do say "$line"; done
    result=${PIPESTATUS[0]}
    # mpirun of MPICH 4.2.1 can return 0 although a rank has died.
    [ "$result" != 0 ] || has_rows "$run" || {
        say "$run: ended without a CSV file"
        result=3
    }
    printf '%s\t%s\t%d\t%d\t%s\n' "$run" "$mode" "$result" $((SECONDS - start)) "$checksum" >>"$log"
    ended "$run" "$result"
done

[ -z "$beyond" ] || {
    echo "# the rows of the CSV files, and each sample in milliseconds per call"
    cat "$out"/*.samples
} 2>/dev/null | gzip -9 >"$out/samples.csv.gz"

times=() # what the steps after the runs took: NAME,SECONDS
# follow NAME COMMAND…: runs a step that shows on a terminal how far it is, because of the variable PROGRESS.
follow() {
    local name=$1
    shift
    i=$((i + 1))
    step_began=$SECONDS
    [ -n "$erase" ] || echo "[$i/$steps] $name" >&2
    PROGRESS=${erase:+"[$i/$steps] $name …"} "$@"
    ended "$name" $?
    times+=("$name,$((SECONDS - step_began))")
}
# The counts do not depend on the mode or the device. count.sh keeps old counts as long as the kernels are the same.
follow counting common/count.sh "$out" >"$out/counts.txt"
follow drawing plots/draw.sh "$out"

# times.csv: the seconds of each run, also of those that were kept, then those of this call's steps.
{
    place pscheme_cpu
    printf '# Seconds of the runs of run_all.sh --%s; kernels on: %s\n' "$mode" "$gpu"
    printf '# revision: %s\n' "$("$binary" --version 2>/dev/null | sed -n '1s/.*revision *//p')"
    echo run,seconds
    for run in "${runs[@]}"; do awk -F '\t' -v OFS=, -v r="$run" '$1 == r { print r, $4 }' "$log"; done
    printf '%s\n' "${times[@]}"
} >"$out/times.csv"

# report.sh writes the report and prints what the run has shown, in at most ten lines.
i=$((i + 1))
begin echo "[$i/$steps] report"
closing=$(cd "$started" && "$top/plots/report.sh" "$out") || fail 1 "no report"
ended report 0
[ -n "$erase" ] || awk -F , 'BEGIN { printf "seconds:" }
    !/^#/ && $1 != "run" { printf "%s %s %s", comma, $1, $2; comma = "," }
    END { print "" }' "$out/times.csv" | fold -s -w 80 >&2
say "all steps of this call, with building, counting and drawing: $SECONDS s${erase:+; each: times.csv}"
echo "$closing" 2>/dev/null || fail 1 "standard output cannot be written"
exit "$status"
