#!/bin/bash
# A user can copy one solver into another project. Headers and READMEs list the files to copy, and print examples. This
# script tests that these files suffice and that the examples work. The last line is "N passed, N failed".
#
# A list reads "Copy: FILE…." or "Copy: FILE…; for a CPU also FILE….". A name is a path from the top directory or, if
# there is no such file, from the directory of the header or README. Each unit is compiled for the CPU, in a directory
# that contains only the files of its list, and if nvcc is found to PTX, without optimisation. Sources of other units in
# a list are compiled with their own lists; here only their includes are checked. At the end the objects of a list must
# link.
set -u
cd "$(dirname "$0")/../.." || exit 2
export OMP_WAIT_POLICY=passive
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch"/{cpu,gpu,results}
cores=$(nproc)
top=$PWD
nvcc=${NVCC-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
arch=${ARCH:-sm_90}
arch=${arch%% *}
[[ $arch == sm_* ]] || arch=sm_90
C="${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -fopenmp"
CU="${CXX:-g++} -std=c++17 -x c++"
mpi=
if command -v mpicc >/dev/null; then
    mpi="$(mpicc -show | tr ' ' '\n' | grep '^-I' | tr '\n' ' ') -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX"
    mpi_libraries=$(mpicc -show | tr ' ' '\n' | grep -E '^-(L|l|Wl)' | tr '\n' ' ')
fi

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

# lists_of FILE: prints a line "FILE…;FILE for a CPU…" for each list in the first comment of a header, or in a README.
lists_of() {
    local directory
    directory=$(dirname "$1")
    case $1 in
    *.h) sed '/\*\//q' "$1" ;;
    *) tr -d '`' <"$1" ;;
    esac | sed 's/^ \* / /; s/\*\/$//' | awk -v directory="$directory" '{
        for (i = 1; i <= NF; i++) {
            word = $i
            if (word == "Copy:") {
                list = ""
                on = 1
            } else if (on && word !~ /^(for|a|CPU|also)$/) {
                end = sub(/\.$/, "", word)
                all = sub(/;$/, "", word)
                if (system("test -e " word) != 0)
                    word = directory "/" word
                list = list (list == "" || list ~ /;$/ ? "" : " ") word (all ? ";" : "")
                if (end) {
                    print list (list ~ /;/ ? "" : ";")
                    on = 0
                }
            }
        }
    }'
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

# With TESTS=short two units are compiled and linked, and their examples run. Of the others only the syntax is checked.
is_whole() { [ "${TESTS-}" != short ] || [[ $1 =~ ^(recurrence|tridiagonal_cpu)$ ]]; } # UNIT
compile_cpu() { # UNIT
    local to=-fsyntax-only
    ! is_whole "$1" || to="-c -o $1.o"
    cd "$scratch/cpu/$1" || return 1
    # shellcheck disable=SC2086 # unquoted on purpose: variables with several words of a command
    case ${own[$1]} in
    *.cu) $CU $mpi -O0 $to "$1.cu" ;;
    *) $C $mpi -O0 $to "$1.c" ;;
    esac
}
compile_gpu() { # UNIT
    # shellcheck disable=SC2086 # unquoted on purpose: variables with several words of a command
    cd "$scratch/gpu/$1" && "$nvcc" -std=c++17 -arch="compute_${arch#sm_}" -G $mpi -c "$1.cu" -o "$1.o"
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
link() { # UNIT OUTPUT MAIN.o: links all sources of the unit's list with MAIN.o
    local source file objects=()
    for source in $(sources_of "$1"); do
        for file in $(sources_of "$1"); do # skip a source that another source includes
            ! grep -q "^#include \"${source##*/}\"" "$file" || continue 2
        done
        objects+=("$scratch/cpu/$(stem "$source")/$(stem "$source").o")
    done
    # shellcheck disable=SC2086 # unquoted on purpose: variables with several words of a command
    "${CXX:-g++}" -fopenmp -o "$2" "$scratch/cpu/shared_begin.o" "$3" "${objects[@]}" "$scratch/cpu/shared_end.o" \
        "$scratch"/cpu/device/*.o ${mpi_libraries:-} -lm -lpthread
}
# Compiles every C file of the CPU device, as a user does. link() puts shared_begin.o before and shared_end.o after the
# kernels' objects, so they are moved away from the others.
compile_device() {
    # shellcheck disable=SC2086 # unquoted on purpose: variables with several words of a command
    cp -r common/cpu_device common/device{,_limits}.h "$scratch/cpu" && cd "$scratch/cpu" && mkdir device &&
        cd device && $C -O1 -c ../cpu_device/*.c && mv shared_{begin,end}.o .. && cd .. &&
        echo 'int main(void) { return 0; }' >main.c && $C -c main.c
}
run_example() { # UNIT
    local example
    cd "$scratch/cpu/$1" || return 1
    # shellcheck disable=SC2086 # unquoted on purpose: variables with several words of a command
    case $(echo "$top/solvers/examples/$1".*) in
    *.cu) $CU $mpi -O1 -I. -c "$top/solvers/examples/$1.cu" -o example.o ;;
    *) $C -O1 -I. -c "$top/solvers/examples/$1.c" -o example.o ;;
    esac && cd "$top" && link "$1" "$scratch/cpu/$1/example" "$scratch/cpu/$1/example.o" && "$scratch/cpu/$1/example"
}
run_example_gpu() { # UNIT
    local files
    mapfile -t files < <(sources_of "$1" | sed 's|.*/||')
    cd "$scratch/gpu/$1" && "$nvcc" -std=c++17 -arch=native -I. -o example "$top/solvers/examples/$1.cu" "${files[@]}" && ./example
}

# ---- the lists ----

# These units must have a list: the units of the library, those that use MPI, and nshape_model.
units=$(sed -n '/^LIB_UNITS/,/[^\\]$/p' solvers/lib.mk | grep -oE '[a-z_0-9/]+\.cu?')
for own_source in $units pscheme_cpu/mpi/pscheme_mpi.c nshape/mpi/nshape_mpi.cu nshape/nshape_model.cu \
    solvers/tridiagonal_mpi.cu solvers/tridiagonal_batch_mpi.cu; do
    own[$(stem "$own_source")]=$own_source
    list[$(stem "$own_source")]=$(lists_of "${own_source%.*}.h")
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
    done < <(lists_of "$1")
    return "$status"
}
no_stray_list() { ! grep -nE '[Cc]opy `?[a-z_/]+\.(h|c|cu)\b' -- */*.h */*/*.h */README.md */*/README.md solvers/[a-z]*.md; }
for unit in "${!own[@]}"; do check "$unit: has a list" has_list "$unit"; done
for readme in README.md */README.md */*/README.md solvers/[a-z]*.md; do check "$readme: its lists are the headers'" same_list "$readme"; done
check "no list in other words" no_stray_list

for unit in "${!own[@]}"; do
    mkdir "$scratch"/{cpu,gpu}/"$unit"
    # shellcheck disable=SC2086 # unquoted on purpose: lists of file names
    {
        cp ${list[$unit]%;*} "$scratch/gpu/$unit"
        cp -r ${list[$unit]/;/ } "$scratch/cpu/$unit"
    } || exit 1
done

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
for unit in "${!own[@]}"; do
    [ -e "$scratch/cpu/$unit/$unit.o" ] && check "$unit: links" link "$unit" "$scratch/cpu/$unit/linked" "$scratch/cpu/main.o"
done

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
for example in solvers/examples/*; do
    unit=$(stem "$example")
    [ "$unit" != installed ] || continue # test_lib.sh tests this example
    [ -n "$mpi" ] || [[ $unit != *_mpi ]] || continue
    is_whole "$unit" || continue
    check "$unit: the example runs" run_example "$unit"
    [ -z "$nvcc" ] || [[ $example != *.cu || $unit == *_mpi ]] || ! nvidia-smi -L >/dev/null 2>&1 ||
        check "$unit: the example runs on a GPU" run_example_gpu "$unit"
done
wait

cat "$scratch"/results/????
failed=$(cat "$scratch"/results/???? | grep -c '^FAILED')
echo "$((started - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
