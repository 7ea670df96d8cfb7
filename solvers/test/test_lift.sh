#!/bin/bash
# A user can copy one solver into another project. Headers and READMEs list the files to copy, and print examples. This
# script tests that these files suffice and that the examples work. The last line is "N passed, N failed".
#
# solvers/lift.sh reads the lists. Each unit is compiled for the CPU, in a directory that contains only the files of its
# list, and if nvcc is found to PTX, without optimisation. Sources of other units in a list are compiled with their own
# lists; here only their includes are checked. At the end the objects of a list must link, those of a unit with an
# example by the Makefile that `make lift` copies.
set -u
cd "$(dirname "$0")/../.." || exit 2
export OMP_WAIT_POLICY=passive
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch"/{cpu,gpu,results}
unset MAKEFLAGS # of the make that runs this script
cores=$(nproc)
nvcc=${NVCC-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
arch=${ARCH:-sm_90}
arch=${arch%% *}
[[ $arch == sm_* ]] || arch=sm_90
C="${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -fopenmp"
CU="${CXX:-g++} -std=c++17 -x c++"
mpi=$(command -v mpicc)

# check LABEL COMMAND…: runs a test in the background. At most as many tests run at a time as there are cores. The
# results are printed at the end, in order.
started=0
check() {
    local label=$1 result
    shift
    printf -v result '%s/results/%04d' "$scratch" $((started++))
    while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
    if "$@" >"$result.log" 2>&1; then
        echo "passed: $label" >"$result"
    else
        { echo "FAILED: $label" && head -n 20 "$result.log"; } >"$result"
    fi &
}

# The list and the source file of each unit. The index is the name of the source file without directory and ending.
declare -A list own
stem() {
    local file=${1##*/}
    echo "${file%.*}"
}
sources_of() { # UNIT: prints the .c and .cu files of its list
    local file
    for file in ${list[$1]%;*}; do [[ $file != *.c && $file != *.cu ]] || echo "$file"; done
}

# With TESTS=short some units are compiled and linked, and their examples run. Of the others only the syntax is checked.
is_whole() { [ "${TESTS-}" != short ] || [[ $1 =~ ^(recurrence|tridiagonal_cpu)$ ]]; } # UNIT
built() { # cpu|gpu UNIT ARGUMENT…: runs make in a unit's directory
    local directory="$scratch/$1/$2"
    shift 2
    make -s -C "$directory" "$@"
}
compile_cpu() { # UNIT
    local flags=-fsyntax-only
    ! is_whole "$1" || flags=-O0
    built cpu "$1" NVCC= CFLAGS="$flags" "cpu/${own[$1]##*/}.o"
}
compile_gpu() { # UNIT
    built gpu "$1" NVCC="$nvcc" NVCCFLAGS="-arch=compute_${arch#sm_} -G" "gpu/$1.cu.o"
}
# Fails if a source of the unit's list includes a header that is not in the list, other than those of CUDA and MPI.
includes() { # cpu|gpu UNIT
    local source file missing=0
    cd "$scratch/$1/$2" || return 1
    for source in $(sources_of "$2"); do
        source=${source##*/}
        # shellcheck disable=SC2046,SC2086 # unquoted on purpose: lists of words
        for file in $(case $source in
            *.cu) $CU $([ "$1" = cpu ] || echo -D__CUDACC__) -MM -MG "$source" ;;
            *) $C -MM -MG "$source" ;;
            esac | tr -d '\\' | sed 's/^[^ ]*: //'); do
            [ -e "$file" ] || [ "$file" = mpi.h ] || [ "$file" = cuda_runtime.h ] || {
                echo "$source includes $file, which is not in the list"
                missing=1
            }
        done
    done
    return "$missing"
}
compile_device() { # in the directory of the unit recurrence
    local files=(common/cpu_device/*.c)
    files=("${files[@]##*/}")
    files=("${files[@]/#/cpu/}")
    built cpu recurrence NVCC= CFLAGS=-O1 "${files[@]/%/.o}"
}
# Builds the example of a unit, with the objects that are there already, and runs it. A unit without one gets a main().
run_example() { # UNIT
    local source
    for source in $(sources_of "$1"); do
        cp -n "$scratch/cpu/$(stem "$source")/cpu/${source##*/}.o" "$scratch/cpu/$1/cpu" || return 1
    done
    [[ ${own[$1]} != *.cu ]] || cp -n "$scratch"/cpu/recurrence/cpu/*.c.o "$scratch/cpu/$1/cpu"
    compgen -G "$scratch/cpu/$1/example.*" >/dev/null || echo 'int main(void) { return 0; }' >"$scratch/cpu/$1/example.c"
    built cpu "$1" NVCC= CFLAGS=-O1 example-cpu && "$scratch/cpu/$1/example-cpu"
}
run_example_gpu() { # UNIT
    built cpu "$1" NVCC="$nvcc" NVCCFLAGS=-arch=native example-gpu && "$scratch/cpu/$1/example-gpu"
}

# ---- the lists ----

for header in $(solvers/lift.sh --units); do
    own[$(stem "$header")]=$(compgen -G "${header%.h}.c*" | grep -vF .cuh)
    list[$(stem "$header")]=$(solvers/lift.sh --lists "$header")
done
has_list() { [ "$(wc -l <<<"${list[$1]}")" = 1 ] && [[ " ${list[$1]%;*} " == *" ${own[$1]} "* ]]; }
# Fails if a list in the README differs from that in the header of the first unit which it names.
same_list() { # README
    local line status=0
    while read -r line; do
        [ "$line" = "${list[$(stem "${line%% *}")]-}" ] || {
            echo "not what the header says: $line"
            status=1
        }
    done < <(solvers/lift.sh --lists "$1")
    return "$status"
}
no_stray_list() { ! grep -nE '[Cc]opy `?[a-z_/]+\.(h|c|cu)\b' -- */*.h */*/*.h */README.md */*/README.md solvers/[a-z]*.md; }
for unit in "${!own[@]}"; do check "$unit: its list" has_list "$unit"; done
units_listed() { # every unit of the library has a list
    local source status=0
    for source in $(sed -n '/^\(LIB\|LANE\)_UNITS/,/[^\\]$/p' solvers/lib.mk | grep -oE '[a-z_0-9/]+\.cu?'); do
        [ -n "${list[$(stem "$source")]-}" ] || { echo "$source" && status=1; }
    done
    return "$status"
}
check "the library's units have lists" units_listed
for readme in README.md */README.md */*/README.md solvers/[a-z]*.md; do check "$readme: its lists are the headers'" same_list "$readme"; done
check "no list in other words" no_stray_list

for unit in "${!own[@]}"; do
    solvers/lift.sh "$unit" "$scratch/cpu/$unit" >/dev/null && mkdir "$scratch/gpu/$unit" || exit 1
    # shellcheck disable=SC2086 # unquoted on purpose: a list of file names
    cp ${list[$unit]%;*} "$scratch/gpu/$unit" && cp solvers/lift.mk "$scratch/gpu/$unit/Makefile" || exit 1
done
refused() { # EXPECTED ARGUMENT…: lift.sh refuses the arguments with a message that contains EXPECTED
    local expected=$1 message status
    shift
    message=$(solvers/lift.sh "$@" 2>&1) && status=0 || status=$?
    echo "$message"
    [ "$status" = 2 ] && [[ $message == *"$expected"* ]]
}
check "make lift" eval "make -s lift SOLVER=pcr TO='$scratch/a lift' && [ -e '$scratch/a lift/Makefile' ]"
check "lift: an unknown solver" refused "the solvers are nshape" recur "$scratch/none"
check "lift: a path is no solver" refused "the solvers are nshape" solvers/recurrence "$scratch/none"
check "lift: no TO" refused "TO= names" recurrence ""
check "lift: a directory with files" refused "not an empty directory" recurrence "$scratch/cpu/recurrence"
check "lift: a file" refused "not an empty directory" recurrence "$0"

# The units that take longest to compile come first, so that the cores are busy until the end.
check "the CPU device compiles" compile_device
for unit in tridiagonal_batch recurrence tridiagonal "${!own[@]}"; do
    [ ! -e "$scratch/cpu/$unit/begun" ] || continue
    touch "$scratch/cpu/$unit/begun"
    if [ -z "$mpi" ] && [[ $unit == *_mpi ]]; then
        echo "$unit: not compiled, no MPI here"
    else
        check "$unit: compiles" compile_cpu "$unit"
        [ -z "$nvcc" ] || [[ ${own[$unit]} != *.cu ]] || ! is_whole "$unit" ||
            check "$unit: compiles, nvcc" compile_gpu "$unit"
    fi
    check "$unit: includes" includes cpu "$unit"
    [[ ${own[$unit]} != *.cu ]] || check "$unit: includes on a GPU" includes gpu "$unit"
done
wait

# ---- the examples ----

bare() { tr -d '[:space:]' <"$1"; }
# printed TEXT EXAMPLE…: succeeds if one of these files contains TEXT, without white space.
printed() {
    local text=$1 file
    shift
    for file; do [[ $(bare "$file") != *"$text"* ]] || return 0; done
    echo "not in $*"
    return 1
}
for header in */*.h */*/*.h; do
    unit=$(stem "$header")
    text=$(sed '/\*\//q' "$header" | sed -n "/#include \"$unit.h\"/,/^ \*     }$/s/^ \*     //p" | tr -d '[:space:]')
    [ -z "$text" ] || check "$header: its example" printed "$text" "solvers/examples/$unit.cu"
done
for readme in README.md */README.md */*/README.md solvers/[a-z]*.md; do
    awk -v to="$scratch/block" '/^```c( |$)/ { on = 1; file = to (++count); next } /^```/ { on = 0 } on { print >file }' "$readme"
    for block in "$scratch"/block*; do
        [ ! -e "$block" ] || check "$readme: its example" printed "$(bare "$block")" solvers/examples/*
        rm -f "$block"
    done
done
for unit in "${!own[@]}"; do
    [ -e "$scratch/cpu/$unit/cpu/${own[$unit]##*/}.o" ] || continue
    check "$unit: the example builds and runs" run_example "$unit"
    [ -z "$nvcc" ] || [ ! -e "solvers/examples/$unit.cu" ] || [[ $unit == *_mpi ]] || ! nvidia-smi -L >/dev/null 2>&1 ||
        check "$unit: the example runs on a GPU" run_example_gpu "$unit"
done
wait

cat "$scratch"/results/????
failed=$(cat "$scratch"/results/???? | grep -c '^FAILED')
echo "$((started - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
