#!/bin/bash
# Makes the tables of Nsight Compute: plots/profile.sh OUT [TABLE]...
# It writes OUT/TABLE.csv, by default all tables below, each with its programs, options, kernels and metrics. A table of
# the same revision that is there already is kept. It needs a GPU, ncu and the programs of build/gpu; 145 short runs.
# A table in which a run failed is OUT/TABLE.part. Exit status: 0 all tables complete; 1 some not; 2 usage; 3 no GPU, no
# ncu, or no programs.
set -u
unset CDPATH
fail() { # status, message
    echo "profile.sh: $2" >&2
    exit "$1"
}
case ${1-} in '' | -*) fail 2 "usage: plots/profile.sh OUT [TABLE]..." ;; esac
out=$(mkdir -p "$1" 2>/dev/null && cd "$1" && pwd) || fail 2 "'$1' cannot be made"
chosen=" ${*:2} "
cd "$(dirname "$0")/.." || exit 2
command -v ncu >/dev/null || fail 3 "no ncu (Nsight Compute, a part of CUDA)"
version=$(build/gpu/pscheme_gpu --version 2>/dev/null) || fail 3 "no programs in build/gpu: make gpu"
device=$(sed -n 's/^device: *//p' <<<"$version" | grep -vx none) || fail 3 "no NVIDIA GPU"
revision=$(sed -n '1s/.*revision *//p' <<<"$version")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
status=0 name='' columns='' known=' '
# more: further options of ncu. With --kill a program ends after the last launch that is profiled.
more=(--kill yes) caches=''

# ---- what a table is made of ----

# finish: ends the current table.
finish() {
    [ -n "$name" ] || return
    local to=$out/$name.csv
    if [ "$broken" -ne 0 ]; then
        to=$out/$name.part
        status=1
    fi
    mv "$work/table" "$to"
    echo "$name: $(grep -vc '^#' "$to") lines, $runs runs, $broken failed, $((SECONDS - began)) s" >&2
    name=''
}
# table NAME COLUMNS LINE...: begins a table. COLUMNS is "NAME=SOURCE ..." (tables/ncu.awk). The lines say what was
# profiled. Returns 1 if the table is not asked for or is kept.
table() {
    finish
    known+="$1 "
    [[ $chosen == "  " || $chosen == *" $1 "* ]] || return
    if grep -q "^# Nsight Compute, .*, $device, revision $revision:" "$out/$1.csv" 2>/dev/null; then
        echo "$1: kept" >&2
        return 1
    fi
    name=$1 columns=$2 broken=0 runs=0 began=$SECONDS
    {
        echo "# Nsight Compute, --clock-control none, $device, revision $revision: $3"
        printf '# %s\n' "${@:4}" "made by plots/profile.sh $name"
        tr ' ' '\n' <<<"$columns" | sed 's/=.*//' | paste -sd ,
    } >"$work/table"
}
# launches KERNELS L PROGRAM OPTION...: appends the first L launches of kernels whose names match the regular expression
# KERNELS. If L ends with "-", fewer are enough. Without KERNELS, ncu would count the launches that measure the memory's
# speed, which come first.
launches() {
    local kernels=$1 count=$2 metrics
    shift 2
    runs=$((runs + 1))
    # shellcheck disable=SC2086 # unquoted on purpose: a list
    metrics=$(printf '%s\n' $columns | sed -n 's/^[^=]*=\(.*__.*\)/\1/p' | sort -u | paste -sd ,)
    # The exit status of a program that --kill ended says nothing.
    timeout 300 ncu --clock-control none --csv --page raw --print-units base --kernel-name-base demangled \
        "${more[@]}" -k "regex:$kernels" --launch-count "${count%-}" --metrics "$metrics" \
        "build/gpu/$1" "${@:2}" --reps 1 >"$work/raw" 2>&1 </dev/null
    if awk -v columns="$columns" -v kernels="$kernels" -v launches="$count" -v command="$*" -v caches=$caches \
        -f plots/tables/ncu.awk "$work/raw" >"$work/rows"; then
        cat "$work/rows" >>"$work/table"
    else
        grep -m 3 '^==ERROR\|^==WARNING' "$work/raw" >&2
        broken=$((broken + 1))
    fi
}
# first KERNEL,... PROGRAM OPTION...: appends the first launch of each of these kernels.
first() {
    local kernel
    for kernel in ${1//,/ }; do
        launches "$kernel" 1 "${@:2}"
    done
}

# each KERNELS L VARIANTS PROGRAM OPTION...: appends the launches of each of these variants.
each() {
    local variant
    for variant in $3; do launches "$1" "$2" "${@:4}" --variant "$variant"; done
}

# ---- columns that several tables have ----

time=gpu__time_duration.sum
instructions=instructions=smsp__inst_executed.sum
read_bytes=dram__bytes_read.sum
written_bytes=dram__bytes_write.sum
load_hits=l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
loads="load_requests=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum \
load_sectors=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
stores="store_requests=l1tex__t_requests_pipe_lsu_mem_global_op_st.sum \
store_sectors=l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
lanes=smsp__thread_inst_executed_per_inst_executed.ratio
warps=sm__warps_active.avg.pct_of_peak_sustained_active
issue=smsp__issue_active.avg.pct_of_peak_sustained_active
stall() { echo "smsp__average_warps_issue_stalled_$1_per_issue_active.ratio"; }
stalls() { for reason; do echo "stall_$reason=$(stall "$reason")"; done | paste -sd ' '; } # REASON...
problem="variant=--variant type=--type n=--n"
launch="kernel=kernel blocks=blocks threads=threads"
moved="duration_ns=$time dram_read_bytes=$read_bytes dram_write_bytes=$written_bytes"
of_launch="program=program variant=--variant type=--type options=options launch=launch $launch"

# ---- the tables ----

if table ncu_wakatani2012 "variant=--variant threads=--threads kernel=kernel $loads load_sectors_hit=$load_hits \
$stores duration_ns=$time" "the first launch of each kernel of" \
    "  pscheme_gpu --type s --n 256K --blocks 32 --threads T --variant V --reps 1" \
    "sectors are 32 bytes; requests are one a warp and instruction; hits are sectors found in L1"; then
    for threads in 16 512; do
        each 'precompute|propagate|determine' 3 "block rearranged register ahead" \
            pscheme_gpu --type s --n 256K --blocks 32 --threads $threads
    done
fi

if table ncu_wakatani2013 "variant=--variant case=--case kernel=kernel $instructions \
threads_active=$lanes branches=smsp__sass_branch_targets.sum \
branches_divergent=smsp__sass_branch_targets_threads_divergent.sum \
branches_uniform=smsp__sass_branch_targets_threads_uniform.sum duration_ns=$time" \
    "the first launch of each kernel of" \
    "  pscheme_g --type s --n 256K --blocks 32 --threads 128 --case C --variant V --reps 1" \
    "P = 4096, 64 rows a part; instructions are a warp's; threads_active of 32 on average; branches: targets of" \
    "branch instructions"; then
    for variant in block soa extended; do
        for case in L M H; do
            each 'precompute|determine' 2 $variant pscheme_g --type s --n 256K --blocks 32 --threads 128 --case $case
        done
    done
fi

if table ncu_pogorelskikh2019 "variant=--variant level=level duration_ns=$time dram_read_bytes=$read_bytes \
dram_written_bytes=$written_bytes $loads l1_hit_percent=l1tex__t_sector_hit_rate.pct \
l2_hit_percent=lts__t_sector_hit_rate.pct $instructions warps_active_percent=$warps issue_active_percent=$issue \
$(stalls long_scoreboard short_scoreboard wait)" "the kernels of one solve of" \
    "  thomas_batch --type s --n 4095 --batch 5000 --threads T --variant V --reps 1   (T = 32; PARACR 256)" \
    "level: of PARACR, h = 2^level; instructions are a warp's; stalls: warps waiting for that reason for each" \
    "instruction issued"; then
    at=(thomas_batch --type s --n 4095 --batch 5000)
    each 'thomas_|sericr_' 1 "thomas_global thomas_global_early thomas_shared thomas_tile thomas_global_interleaved \
thomas_shared_interleaved thomas_tile_interleaved sericr_global sericr_shared sericr_global_interleaved" \
        "${at[@]}" --threads 32
    paracr='paracr_global|paracr_shared|paracr_partial|paracr_block'
    each $paracr 12 "paracr_global paracr_shared paracr_partial" "${at[@]}" --threads 256
    each $paracr 1 paracr_block "${at[@]}" --threads 256
fi

stages='begin_line|reduce_and_join|end_line|solve_lines|substitute'
partition="$problem parts=--parts nest=--nest threads=--threads"
cached="${loads#* } load_sectors_l1=$load_hits l2_read_sectors=lts__t_sectors_op_read.sum \
l2_read_sectors_l2=lts__t_sectors_op_read_lookup_hit.sum l2_write_sectors=lts__t_sectors_op_write.sum \
l2_write_sectors_l2=lts__t_sectors_op_write_lookup_hit.sum dram_read_bytes=$read_bytes"
if table ncu_lutsyshyn2022 "$partition stage=kernel duration_ns=$time $cached $instructions" \
    "the kernels of one solve of" "  nshape --n 300000 --parts P1 --nest K --threads 32 --type T --variant V --reps 1" \
    "sectors are 32 bytes; l1, l2: found there; caches emptied before each kernel; instructions are a warp's"; then
    for type in c z; do
        at=(nshape --n 300000 --threads 32 --type "$type")
        for parts in 1000 3000 10000; do
            for nest in 1 2 3; do # a solve has 4 nest + 1 kernels
                each $stages $((4 * nest + 1)) nshape "${at[@]}" --parts $parts --nest $nest
            done
        done
        each $stages 5 nshape_complex_type "${at[@]}" --parts 1000 --nest 1
    done
fi

# Do the emptied caches or the size of L1 explain the hits (L22-5)? kept: the caches are as the kernel before left them.
# For so many metrics ncu would repeat a kernel, which fills them; so it repeats the program.
if table ncu_lutsyshyn2022_caches "$partition caches=caches stage=kernel duration_ns=$time $cached \
shared_config=launch__shared_mem_config_size" "the kernels of one solve of" \
    "  nshape --n 300000 --parts 1000 --nest 1 --threads 32 --type T --variant nshape --reps 1" \
    "sectors are 32 bytes; l1, l2: found there; caches: kept from the kernel before, or emptied and L1 as small as" \
    "possible (DEVICE_LIMITS=carveout=100); shared_config: bytes of a multiprocessor that are not L1"; then
    for type in c z; do
        at=(nshape --n 300000 --threads 32 --type "$type" --parts 1000 --nest 1)
        more=(--cache-control none --replay-mode application) caches=kept
        each $stages 5 nshape "${at[@]}"
        more=(--kill yes) caches=small_l1
        DEVICE_LIMITS=carveout=100 each $stages 5 nshape "${at[@]}"
    done
fi

# The bytes of memory below and beyond the size of L2 (L22-4), at the best P1. One pass measures them.
if table ncu_lutsyshyn2022_large "$partition stage=kernel $moved" "the kernels of one solve of" \
    "  nshape --n N --parts P1 --nest K --threads 32 --type z --variant nshape --reps 1" \
    "the caches are as the kernel before left them"; then
    more+=(--cache-control none)
    for run in "300000 1000 1" "300000 10000 2" "300000 10000 3" "1000000 1000 1" "1000000 10000 2" "1000000 10000 3" \
        "10000000 10000 1" "10000000 10000 2" "10000000 30000 3"; do
        read -r n parts nest <<<"$run"
        each $stages $((4 * nest + 1)) nshape nshape --n "$n" --threads 32 --type z --parts "$parts" --nest "$nest"
    done
    more=(--kill yes)
fi

# The kernels of two passes run at n = 300000, too, in the phase `twice`. Type s has n = 2^26, because the solver keeps
# a part of 2^25 rows on chip.
if table ncu_tridiagonal "$problem $launch $moved $instructions issue_pct=$issue warps_pct=$warps \
$(stalls barrier long_scoreboard short_scoreboard wait) stall_math_pipe=$(stall math_pipe_throttle) \
$(stalls no_instruction)" "each kernel's first launch in" "  tridiagonal --n N --type T --variant V --reps 1" \
    "caches emptied before each kernel; instructions are a warp's; stalls: warps that wait so, per issue"; then
    two_passes=first_pass,merge_groups,second_pass
    for run in "$two_passes 16777216 z tridiagonal" "$two_passes 16777216 z tridiagonal_pivoted" \
        "resident,$two_passes 300000 z tridiagonal" "resident 300000 z tridiagonal_pivoted" \
        "$two_passes 67108864 s tridiagonal" "$two_passes 67108864 s tridiagonal_pivoted"; do
        read -r kernels n type variant <<<"$run"
        first "$kernels" tridiagonal --n "$n" --type "$type" --variant "$variant"
    done
fi

if table ncu_partly_resident "$problem $launch $moved" "the first launch of partly_resident in" \
    "  tridiagonal --n N --type d --variant V --reps 1" "caches emptied before the kernel"; then
    for variant in tridiagonal tridiagonal_pivoted; do
        for n in 1048576 2097152 4194304; do
            first partly_resident tridiagonal --n $n --type d --variant $variant
        done
    done
fi

if table ncu_tridiagonal_batch "$problem batch=--batch $launch $moved" \
    "the kernels of one solve of" "  tridiagonal_batch --n N --batch BATCH --type T --variant V --reps 1" \
    "caches emptied before each kernel"; then
    for run in "1 4095 25000 s tridiagonal_batch" "1 4095 25000 d tridiagonal_batch" \
        "1 4095 25000 s tridiagonal_batch_interleaved" "1 4095 25000 s tridiagonal_batch_shared" \
        "1 4095 25000 s tridiagonal_batch_auto" "2 4095 25000 s tridiagonal_batch_interleaved_auto" \
        "1 4095 25000 s tridiagonal_batch_constant" "1 4095 25000 s tridiagonal_batch_constant_interleaved" \
        "1 200 500000 s tridiagonal_batch_interleaved" "3 16384 6000 s tridiagonal_batch"; do
        read -r count n systems type variant <<<"$run"
        each 'solve_tiles|solve_columns|solve_one_matrix|merge_tiles' "$count" "$variant" \
            tridiagonal_batch --n "$n" --batch "$systems" --type "$type"
    done
fi

# The launches of a program's first solve; plots/cache_check.sh compares them with the model of the caches.
if table ncu_caches "$of_launch ${loads#* } load_sectors_l1=$load_hits dram_read_bytes=$read_bytes \
dram_write_bytes=$written_bytes" "the launches of the first solve of" \
    "  PROGRAM OPTIONS --type TYPE --variant VARIANT --reps 1" \
    "(begin_status and end_status left out). sectors are 32 bytes; load_sectors_l1: found in L1; caches emptied" \
    "before each kernel"; then
    solvers='precompute|propagate|determine|move|transpose_|one_pass|step'
    at=(pscheme_gpu --n 1M --blocks 32 --threads 64 --type)
    each $solvers 4 "block rearranged register recompute ahead" "${at[@]}" s
    each $solvers 8 tridiagonal_block "${at[@]}" s
    each $solvers 11 tridiagonal "${at[@]}" s
    each $solvers 4 rearranged "${at[@]}" d
    at=(--blocks 8 --threads 64 --type s --case)
    for run in 3:block 4:soa 4:extended 4:warp 4:ends 3:fused; do
        each $solvers ${run%:*} ${run#*:} pscheme_g --n 1M "${at[@]}" H
    done
    each $solvers 3 arrays pscheme_g --n 1M "${at[@]}" L
    each $solvers 1 one_pass recurrence --n 2764800 --type s
    each $solvers 1 "transpose_global transpose_tile transpose_padded" pscheme_g --n 2048000 "${at[@]}" L
    each $solvers 16 pcr pcr --n 64K --blocks 32 --threads 64 --type s
fi

# plots/count_check.sh compares them with the counts of the CPU device.
if table ncu_counts "$of_launch $loads $stores shared_loads=smsp__sass_inst_executed_op_shared_ld.sum \
shared_stores=smsp__sass_inst_executed_op_shared_st.sum \
shared_load_wavefronts=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum \
shared_store_wavefronts=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum \
shared_load_conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum \
shared_store_conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum \
local_load_requests=l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum lanes=$lanes" "the first 12 launches of" \
    "  PROGRAM OPTIONS --type TYPE --variant VARIANT --reps 1" \
    "(begin_status and end_status left out). sectors are 32 bytes; requests are one a warp and instruction;" \
    "shared_loads, shared_stores: instructions, one a warp; lanes: threads a warp's instruction"; then
    solvers='precompute|propagate|determine|move|transpose_|step|thomas_|sericr_|paracr_'
    at=(--n 64K --blocks 16 --threads 64)
    each $solvers 12- "block rearranged register recompute ahead tridiagonal_block tridiagonal" \
        pscheme_gpu "${at[@]}" --type s
    each $solvers 12- rearranged pscheme_gpu "${at[@]}" --type d
    each $solvers 12- pcr pcr --n 64K --blocks 32 --threads 64 --type s
    each $solvers 12- "block soa extended warp ends fused" pscheme_g "${at[@]}" --case H --type s
    each $solvers 12- extended pscheme_g "${at[@]}" --case L --type s
    at=(thomas_batch --n 127 --batch 1024 --threads 128 --type)
    each $solvers 12- "thomas_global thomas_shared thomas_tile sericr_global sericr_shared paracr_global paracr_shared \
paracr_partial paracr_block thomas_global_interleaved thomas_tile_interleaved sericr_global_interleaved \
paracr_global_interleaved" "${at[@]}" s
    each $solvers 12- paracr_block "${at[@]}" d
    for run in z:nshape s:nshape z:nshape_atomic; do
        each $stages 12- ${run#*:} nshape --n 16384 --parts 512 --nest 1 --threads 128 --type ${run%:*}
    done
fi
finish

for name in ${chosen}; do
    [[ $known == *" $name "* ]] || fail 2 "no table '$name'; the tables are:${known% }"
done
exit $status
