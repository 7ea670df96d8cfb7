#!/bin/bash
# Prints how many bytes of instructions the profiled kernels have: plots/code_bytes.sh [FOLDER] >code_bytes.csv
# It compiles the revision that each profile in plots/reference/FOLDER (default: the H100's) names. It needs the history,
# nvcc and binutils, but no GPU.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
folder=plots/reference/${1:-nvidia-h100-80gb-hbm3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# sizes PROFILE SOURCE [PROGRAM]: the kernels of SOURCE.cu, launched by PROGRAM (by default, of its directory)
sizes() {
    local revision
    revision=$(sed -n 's/.* revision \([0-9a-f]*\).*/\1/p;T;q' "$folder/$1.csv")
    mkdir -p "$dir/$revision"
    git archive "$revision" | tar -x -C "$dir/$revision"
    nvcc -std=c++20 -O3 -arch=sm_90 -split-compile=0 -I"$dir/$revision/common" -I"$dir/$revision/solvers" \
        -cubin -o "$dir/cubin" "$dir/$revision/$2.cu"
    # A line of readelf: [number] .text.KERNEL PROGBITS address offset size (hexadecimal) … A stage of nshape is an
    # argument of the kernel, for_each_kernel<ARGUMENT, &(void …::STAGE<…>(…))>.
    readelf -SW "$dir/cubin" 2>/dev/null | sed -n 's/^ *\[ *[0-9]*\] \.text\.//p' |
        while read -r kernel _ _ _ size _; do
            echo "$((16#$size)) $kernel"
        done | c++filt -p | sed -E "s/for_each_kernel<(.*), &\(void [^:]*::([a-z_]+)<.*/\2<\1>/; s/ //2g; s/,/;/g
            s/^([0-9]+) ([a-z_]+)<?(.*)/\2,\3,\1/; s/>,/,/; s/^/${3-${2%/*}},/" | sort
}

nvcc=$(nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
echo "# Bytes of the instructions of the profiled kernels, nvcc $nvcc, sm_90; made by plots/code_bytes.sh"
echo unit,kernel,arguments,bytes
sizes ncu_lutsyshyn2022 nshape/nshape
sizes ncu_pogorelskikh2019 thomas_batch/thomas_batch
sizes ncu_tridiagonal solvers/tridiagonal tridiagonal
sizes ncu_tridiagonal_batch solvers/tridiagonal_batch tridiagonal_batch
for source in pscheme_gpu/pscheme_gpu pscheme_g/pscheme_g pcr/pcr; do
    sizes ncu_caches $source
done
sizes ncu_caches solvers/recurrence recurrence
