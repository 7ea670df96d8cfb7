#!/bin/bash
# Finds out what this machine has by compiling and linking small files: common/probe.sh BUILD >BUILD/probe.mk
# Reads CC, CXX, NVCC and MPICC from the environment. Prints assignments for make, and lines "# left out: …", which say
# what the build leaves out and how to install what is missing.
build=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# links COMPILER…: true if the C program on stdin compiles and links.
links() {
    local program
    program=$(mktemp -p "$work")
    "$@" -x c - -o "$program" >"$program.log" 2>&1
}
left_out() { printf '# left out: %s\n' "$*"; }

probe_compilers() {
    local compiler
    for compiler in "$CC" "$CXX"; do
        # shellcheck disable=SC2086 # unquoted on purpose: a compiler may be two words, e.g. "ccache gcc"
        echo 'int main(void) { return 0; }' | links $compiler || {
            echo "\$(error '$compiler' does not compile and link a program; make setup installs gcc and g++)"
        }
    done
}

probe_openmp() {
    echo 'int parallel(void) { int n = 0;
#pragma omp parallel for reduction(+ : n)
        for (int i = 0; i < 9; i++) n += i; return n; }' >"$work/parallel.c"
    echo 'extern "C" int parallel(void); int main() { return parallel() != 36; }' >"$work/main.cpp"
    if $CC -fopenmp -c "$work/parallel.c" -o "$work/parallel.o" 2>/dev/null &&
        $CXX -fopenmp "$work/main.cpp" "$work/parallel.o" -o "$work/parallel" 2>/dev/null; then
        echo 'OPENMP := -fopenmp'
    else
        echo 'OPENMP :='
        left_out "CPU solvers on more than one core: $CC has no OpenMP that links (clang: apt-get install libomp-dev)"
    fi
}

probe_sanitizers() {
    local flags='-fsanitize=address,undefined,bounds -fno-sanitize-recover=all -fno-omit-frame-pointer'
    # shellcheck disable=SC2086 # unquoted on purpose: a list of flags
    if echo 'int main(void) { return 0; }' | links $CC $flags &&
        echo 'int main(void) { return 0; }' | links $CXX $flags; then
        echo "SANITIZE := $flags"
    else
        echo 'SANITIZE :='
        left_out "tests with sanitizers: $CC has no libraries for them (clang: apt-get install libclang-rt-dev)"
    fi
}

# LAPACK, the solvers' peer: the first of these sets of libraries that links.
probe_lapack() {
    local libraries
    for libraries in "-llapacke -llapack -lblas" "-llapacke -lopenblas" "-lopenblas"; do
        echo '#include <lapacke.h>
int main(void) { return (int)(LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, 0, 1, 0, 0, 0, 0, 1) +
    LAPACKE_dlatms_work(LAPACK_COL_MAJOR, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0)); }' >"$work/lapack.c"
        # shellcheck disable=SC2086 # unquoted on purpose: a list of libraries
        if $CC "$work/lapack.c" -o "$work/lapack" $libraries 2>/dev/null; then
            echo "LAPACK := $libraries"
            return
        fi
    done
    echo 'LAPACK :='
    left_out "LAPACK beside the CPU solvers: no LAPACKE that links (apt-get install liblapacke-dev)"
}

# MPI: `mpicc -show` of MPICH and Open MPI prints the compiler command with all flags.
probe_mpi() {
    local word include=() libraries=()
    for word in $($MPICC -show 2>/dev/null); do
        case $word in
        -I*) include+=(-isystem "${word#-I}") ;;
        -L* | -l* | -Wl*) libraries+=("$word") ;;
        esac
    done
    echo '#include <mpi.h>
int main(int argc, char **argv) { return MPI_Init(&argc, &argv) || MPI_Finalize(); }' >"$work/mpi.c"
    if $CC "${include[@]}" "$work/mpi.c" -o "$work/mpi" "${libraries[@]}" 2>/dev/null; then
        echo "MPI := yes"
        echo "MPI_INCLUDE := ${include[*]} -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX"
        echo "MPI_LIBS := ${libraries[*]}"
    else
        echo 'MPI :='
        left_out "the programs over MPI ranks: no MPI that compiles and links (apt-get install mpich libmpich-dev)"
    fi
}

# The answer is kept in a file, because the test takes a second or two.
probe_nvcc() {
    local answer=$build/probe_nvcc.mk
    if [ -z "$NVCC" ]; then
        left_out "the GPU build: no nvcc (CUDA 12 or 13; the CPU build runs the same kernels)"
        return
    fi
    if ! grep -qxF "# $NVCC, $CXX" "$answer" 2>/dev/null || [ "$NVCC" -nt "$answer" ]; then
        echo '#include <cusparse.h>
__global__ void kernel(void) {}
int main(void) { cusparseHandle_t handle; kernel<<<1, 1>>>(); return cusparseCreate(&handle); }' >"$work/gpu.cu"
        {
            if "$NVCC" -std=c++17 "$work/gpu.cu" -o "$work/gpu" -lcusparse >"$work/gpu.log" 2>&1; then
                echo "# $NVCC, $CXX" # only success is remembered: a compiler that was stopped fails, too
                echo 'override NVCC :='"$NVCC"
            else
                echo 'override NVCC :='
                left_out "the GPU build: $NVCC does not compile and link a program with cuSPARSE:" \
                    "$(grep -m 1 -iE 'error|cannot|unsupported' "$work/gpu.log")"
            fi
        } >"$answer"
    fi
    cat "$answer"
}

# They run at the same time and are printed in this order.
probes=(compilers openmp sanitizers lapack mpi nvcc)
for probe in "${probes[@]}"; do
    "probe_$probe" >"$work/$probe.mk" &
done
wait
for probe in "${probes[@]}"; do
    cat "$work/$probe.mk"
done
