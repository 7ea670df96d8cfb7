#!/bin/bash
# Tests of `make lib`, `make install` and the Python package, in a copy of the sources whose directory has a blank in its
# name, compiled with -O0. The library for a GPU takes minutes to build, so it is tested only if `make lib` has already
# built it. The last line of output is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
export OMP_WAIT_POLICY=passive
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
copy="$scratch/the sources"
prefix="$scratch/a prefix"
passed=0 failed=0

check() { # LABEL COMMAND…: a test, which passes if COMMAND succeeds
    local label=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "passed: $label"
    else
        failed=$((failed + 1))
        echo "FAILED: $label"
        tail -n 20 "$log"
    fi
}
# add_up LABEL COMMAND…: runs a test program and adds its numbers of passed and failed tests.
add_up() {
    local line label=$1
    shift
    "$@" >"$log" 2>&1
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    if [ -z "$line" ]; then
        failed=$((failed + 1))
        echo "FAILED: $label"
        tail -n 20 "$log"
    else
        passed=$((passed + ${line%% *}))
        line=${line#*, }
        failed=$((failed + ${line%% *}))
        sed "s/^\([0-9]* passed\)/$label: \1/" "$log"
    fi
}
make_copy() { make --no-print-directory -j"$(nproc)" -C "$copy" NVCC= OPT=-O0 "$@"; }

mkdir "$copy"
cp -r Makefile VERSION common solvers pscheme_cpu pscheme_gpu pcr pscheme_g thomas_batch nshape "$copy"
mkdir "$copy/plots" && cp -r plots/report "$copy/plots"
version=$(cat VERSION)
major=${version%%.*}

check "CITATION.cff has this version" grep -qxF "version: \"$version\"" CITATION.cff

# ---- the libraries ----

check "make lib" make_copy lib
built=$copy/build/lib
one_version() {
    [ "$(readlink "$built/librecurrences_cpu.so")" = "librecurrences_cpu.so.$major" ] &&
        [ "$(readlink "$built/librecurrences_cpu.so.$major")" = "librecurrences_cpu.so.$version" ] &&
        readelf -d "$built/librecurrences_cpu.so" | grep -F "soname: [librecurrences_cpu.so.$major]"
}
check "soname and links" one_version
rebuilt() { # FILE…: succeeds if `make lib` builds these files again and no others
    touch "$scratch/before"
    make_copy lib >/dev/null || return 1
    find "$copy/build" -type f ! -name probe.mk -newer "$scratch/before" -printf '%f\n' | grep -v '\.d$' | sort | diff - <(printf '%s' "$*" | tr ' ' '\n' | sort)
}
check "nothing new: nothing is built" rebuilt
sleep 0.01
touch "$copy/solvers/applications/heat.h"
check "a header changed: its unit is built" rebuilt "heat.cu.o librecurrences_cpu.so.$version
"

# The functions that the library's headers declare.
headers=$(sed -n '/^\(LIB\|LANE\)_UNITS/,/[^\\]$/p' solvers/lib.mk | grep -oE '[a-z_0-9/]+\.cu?' | sed 's/\.cu\{0,1\}$/.h/')
directories=$(for header in $headers; do dirname "$header"; done | sort -u | sed 's/^/-I/')
for header in $headers; do echo "#include \"${header##*/}\""; done >"$scratch/all.c"
# shellcheck disable=SC2086 # $directories is unquoted on purpose: a list of -I options
"${CC:-gcc}" -E -P -Icommon -Isolvers $directories "$scratch/all.c" | tr '\n' ' ' | sed 's/[;{}]/&\n/g' >"$scratch/statements"
functions_in() {
    grep -oE '\b(substitution|pscheme|recurrence2?|filter|pcr|thomas_batch|tridiagonal|heat|nshape|tdse)_[a-z0-9_]+ ?\(' |
        tr -d ' (' | sort -u
}
grep -w static "$scratch/statements" | functions_in >"$scratch/inline" # others may call them in their bodies
grep -vw static "$scratch/statements" | functions_in | comm -23 - "$scratch/inline" >"$scratch/declared"
# The CPU device's functions that a program without kernels may call.
"${CC:-gcc}" -E -P common/cpu_device/cpu_device.h | grep -oE '\b(cuda[A-Z][A-Za-z]+|cpu_malloc) ?\(' | tr -d ' (' | sort -u >"$scratch/runtime"
exports() { # LIBRARY FILE…: succeeds if LIBRARY exports the functions named in these files and no others
    local library=$1
    shift
    nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort | diff - <(sort "$@")
}
check "exports: $(wc -l <"$scratch/declared") solver functions, $(wc -l <"$scratch/runtime") of the CPU device" \
    exports "$built/librecurrences_cpu.so" "$scratch/declared" "$scratch/runtime"
[ ! -e build/lib/librecurrences.so ] ||
    check "exports of the library for a GPU" exports build/lib/librecurrences.so "$scratch/declared"

# ---- installed ----

installed() { # DIRECTORY: prints the paths of all files in DIRECTORY and below
    find "$1" ! -type d -printf '%P\n' | sort
}
{
    for header in $headers common/device.h common/device_limits.h solvers/*_problem.h solvers/*.hpp; do echo "include/recurrences/${header##*/}"; done
    echo include/recurrences/cpu_device/cpu_device.h
    printf 'lib/librecurrences_cpu.so%s\n' "" ".$major" ".$version"
    echo lib/pkgconfig/recurrences_cpu.pc
    printf 'lib/cmake/recurrences/recurrencesConfig%s.cmake\n' "" Version
    for file in solvers/python/recurrences/*.{py,cpp}; do echo "lib/python3/dist-packages/${file#solvers/python/}"; done
    echo lib/python3/dist-packages/recurrences/fast.so
} | sort >"$scratch/files"
check "make install" make_copy install PREFIX="$prefix"
check "what is installed" diff <(installed "$prefix") "$scratch/files"
stage="$scratch/a stage"
check "make install DESTDIR" make_copy install PREFIX=/opt/none DESTDIR="$stage"
check "what is staged" diff <(installed "$stage/opt/none") "$scratch/files"
relocatable() {
    grep -x 'prefix=/opt/none' "$stage/opt/none/lib/pkgconfig/recurrences_cpu.pc" &&
        ! grep -F "$stage" "$stage/opt/none/lib/pkgconfig/recurrences_cpu.pc"
}
check "recurrences_cpu.pc knows no DESTDIR" relocatable
check "make uninstall DESTDIR" make_copy uninstall PREFIX=/opt/none DESTDIR="$stage"
check "nothing is left" test -z "$(installed "$stage")"

# flags cflags|libs: prints flags of the installed library, from pkg-config or, if there is none, from the .pc file.
flags() {
    local file="$prefix/lib/pkgconfig/recurrences_cpu.pc"
    if command -v pkg-config >/dev/null; then
        PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config "--$1" recurrences_cpu
    else
        local word=Cflags line
        [ "$1" = cflags ] || word=Libs
        line=$(sed -n "s/^$word: //p" "$file")
        line=${line//'${includedir}'/'${prefix}/include'}
        line=${line//'${libdir}'/'${prefix}/lib'}
        printf '%s\n' "${line//'${prefix}'/"${prefix// /\\ }"}"
    fi
}
program() { # COMPILER… FILE: compiles FILE with the flags of the installed library and runs the program
    eval "\"\$@\" -o \"\$scratch/program\" $(flags cflags) $(flags libs) -lm" &&
        env -u LD_LIBRARY_PATH "$scratch/program"
}
check "C, installed" program "${CC:-gcc}" -std=c11 -Wall -Wextra "$PWD/solvers/examples/installed.c"
check "C++, installed: installed.cpp" program "${CXX:-g++}" -std=c++17 -Wall -Wextra "$PWD/solvers/examples/installed.cpp"
add_up "recurrences.hpp" program "${CXX:-g++}" -std=c++17 -DRECURRENCES_GPU "$PWD/solvers/test/test_cpp.cpp"
for example in solvers/examples/*.cu; do
    [[ $example != *_mpi.cu ]] || continue # not in the library
    cp "$example" "$scratch/example.cpp"
    check "C++, installed: ${example##*/}" program "${CXX:-g++}" -std=c++17 "$scratch/example.cpp"
done
if command -v pkg-config >/dev/null; then
    check "the version" test "$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --modversion recurrences_cpu)" = "$version"
fi
if command -v cmake >/dev/null; then
    mkdir "$scratch/project" && cp solvers/examples/installed.cpp "$scratch/project"
    cat >"$scratch/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.17)
project(test CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(recurrences $version REQUIRED COMPONENTS cpu)
add_executable(installed installed.cpp)
target_link_libraries(installed recurrences::cpu)
END
    cmake_program() { # PREFIX
        rm -rf "$scratch/project/build" &&
            cmake -S "$scratch/project" -B "$scratch/project/build" -DCMAKE_PREFIX_PATH="$1" &&
            cmake --build "$scratch/project/build" && "$scratch/project/build/installed"
    }
    check "find_package(recurrences)" cmake_program "$prefix"
    cp -r "$prefix" "$scratch/moved"
    mv "$prefix" "$prefix.away"
    check "find_package(recurrences), moved" cmake_program "$scratch/moved"
    mv "$prefix.away" "$prefix"
    not_found() { # LINE MESSAGE: CMake refuses this call of find_package with this message
        sed -i "s/^find_package.*/find_package($1)/" "$scratch/project/CMakeLists.txt"
        ! cmake_program "$prefix" >"$scratch/cmake" 2>&1 && tr -s ' \n' ' ' <"$scratch/cmake" | grep -F "$2"
    }
    check "find_package: another version" not_found "recurrences $((major + 1)) REQUIRED" "compatible with requested version"
    check "find_package: no GPU" not_found "recurrences REQUIRED COMPONENTS gpu" "no library for the component gpu"
else
    echo "find_package: skipped, no cmake here"
fi
all_headers() { # succeeds if each installed header compiles alone, as C and as C++
    local header
    for header in "$prefix"/include/recurrences/*.h; do
        "${CC:-gcc}" -std=c11 -fsyntax-only -Wall -Wextra -Wpedantic -x c "$header" &&
            "${CXX:-g++}" -std=c++17 -fsyntax-only -Wall -Wextra -x c++ "$header" || return 1
    done
}
check "headers compile alone, C and C++" all_headers

# ---- Python ----

if python3 -c 'import ctypes, numpy' 2>/dev/null; then
    export PYTHONDONTWRITEBYTECODE=1 RECURRENCES_CACHE="$scratch"
    layout() {
        python3 solvers/python/test_recurrences.py --layout >"$scratch/layout.c" &&
            "${CC:-gcc}" -std=c11 -I"$prefix/include/recurrences" -fsyntax-only "$scratch/layout.c"
    }
    check "Python's structs are C's" layout
    for test in recurrences papers torch jax; do add_up "Python: $test" python3 "$copy/solvers/python/test_$test.py"; done
    check "Python, example: spline" env PYTHONPATH="$copy/solvers/python" python3 solvers/examples/spline.py
    found() { (cd / && PYTHONPATH="$1" python3 -c "import recurrences
assert recurrences.solve_recurrence([2.0], [1.0], 3.0)[0] == 7.0"); }
    check "Python, installed" found "$prefix/lib/python3/dist-packages"
    mkdir "$scratch/alone" && cp -r solvers/python/recurrences "$scratch/alone"
    RECURRENCES_LIBRARY="$prefix/lib" check "Python, RECURRENCES_LIBRARY" found "$scratch/alone"
else
    echo "Python: skipped, no python3 with numpy here"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
