#!/bin/bash
# Tests profile.sh and tables/ncu.awk without a GPU: plots/test_profile.sh. Programs and ncu are stubs in a copy of the
# tree. The tables must have the columns of those in plots/reference, and their rows the same problems in the same
# order. The last line of the output is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
tree=$base/tree out="$base/a folder" log=$base/log
# ---- ncu.awk: one output, as ncu prints it for two launches ----

cat >"$base/raw" <<'END'
==PROF== Connected to process 1234 (build/gpu/nshape)
type z, n = 1000
==PROF== Profiling "for_each_kernel" - 0: 0%....50%....100% - 1 pass
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","a__b.ratio"
"","","","","","","","","","","","byte","warp"
"0","1234","nshape","127.0.0.1","void for_each_kernel<application<complex_of<double>>, &begin_line<complex_of<double>, 0>>(T1, long)","1","7","(32, 2, 1)","(1313, 1, 1)","0","9.0","1,046,528","1,234.5678"
"1","1234","nshape","127.0.0.1","void p_precompute<float>(strides, float *)","1","7","(64, 1, 1)","(8, 4, 2)","0","9.0","768","0.05"
"2","1234","nshape","127.0.0.1","void move<float>(float *)","1","7","(1, 1, 1)","(1, 1, 1)","0","9.0","1","1"
==PROF== Disconnected from process 1234
END
all='program=program v=--variant o=options l=launch e=level k=kernel b=blocks t=threads'
all="$all r=dram__bytes_read.sum x=a__b.ratio"
rows() { # LAUNCHES [COLUMNS]: prints the rows
    awk -v columns="${2-$all}" -v kernels='begin_line|precompute' -v launches="$1" \
        -v command="nshape --n 1K --type z --case L --variant v --reps 1" -f plots/tables/ncu.awk "$base/raw"
}
wanted='nshape,v,--n 1K --case L,0,0,begin_line,1313,64,1046528,1235
nshape,v,--n 1K --case L,1,1,p_precompute,64,64,768,0.05'
check "two launches" test "$(rows 2)" = "$wanted"
check "one launch has no level" test "$(rows 1)" = "nshape,v,--n 1K --case L,0,,begin_line,1313,64,1046528,1235"
no_rows() { rows "$@" >/dev/null; }
fails() { refuses 1 "$1" no_rows "${@:2}"; } # WORDS ARGUMENT…
fails "does not match begin_line|precompute" 3
fails "no dram__bytes_write.sum" 2 "w=dram__bytes_write.sum"
fails "no option --batch" 2 "b=--batch"
sed -i '/^"2"/d' "$base/raw"
fails "2 launches of begin_line|precompute, not 3" 3
check "fewer are enough" test "$(rows 3- l=launch | xargs)" = "0 1"
sed -i 's/"768"/"n\/a"/' "$base/raw"
fails "dram__bytes_read.sum is 'n/a'" 2
grep -v '^"' "$base/raw" >"$base/none" && mv "$base/none" "$base/raw"
fails "0 launches" 3-

# ---- profile.sh ----

mkdir -p "$tree/build/gpu" "$base/bin"
cp -r plots "$tree"
profile() { # STATUS WHAT ARGUMENT…
    "$tree/plots/profile.sh" "${@:3}" >"$log" 2>&1
    check "$2, exit status" test $? -eq "$1"
}
refuse() { refuses "$1" "$2" "$tree/plots/profile.sh" "${@:3}"; } # STATUS WORDS ARGUMENT…
full=$PATH
for tool in bash dirname mkdir awk sed grep mktemp rm wc head; do ln -s "$(command -v $tool)" "$base/bin/$tool"; done
PATH=$base/bin refuse 2 "usage:"
PATH=$base/bin refuse 3 "no ncu" "$out"
PATH=$base/bin:$full
# The stub of ncu prints as many launches as it is asked for, of the kernels that it is asked for in turn. The files
# `metric` and `short` make it leave out a metric, or end after so many launches of a program.
cat >"$base/bin/ncu" <<END
#!/bin/bash
base=$base
END
cat >>"$base/bin/ncu" <<'END'
echo "${DEVICE_LIMITS-} $*" >>"$base/calls"
while [ $# -gt 0 ]; do
    case $1 in
    -k) kernels=${2#regex:} ;;
    --launch-count) count=$2 ;;
    --metrics) metrics=${2//,/ } ;;
    build/gpu/*)
        [[ $* == *' --reps 1' && -x $1 ]] || exit 1
        ! grep -q "^$(basename "$1") " "$base/short" 2>/dev/null || count=$(cut -d ' ' -f 2 "$base/short")
        break
        ;;
    esac
    shift
done
kernels=${kernels//|/ }
metrics=$(xargs -n 1 <<<"$metrics" | grep -vxf "$base/metric")
echo "==PROF== Connected"
printf '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",'
printf '"Block Size","Grid Size","Device","CC"'
for metric in $metrics; do printf ',"%s"' "$metric"; done
echo
for ((id = 0; id < count; id++)); do
    set -- $kernels
    shift $((id % $#))
    printf '"%d","1","p","h","void %s<float>(float *)","1","7","(32, 1, 1)","(4, 1, 1)","0","9.0"' $id "$1"
    for metric in $metrics; do printf ',"1,%03d"' $id; done
    echo
done
exit 9 # as a program that --kill ended
END
chmod +x "$base/bin/ncu"
echo none >"$base/metric"
refuse 3 "no programs in build/gpu" "$out"
for program in pscheme_gpu pcr pscheme_g thomas_batch nshape recurrence tridiagonal tridiagonal_batch; do
    # shellcheck disable=SC2016 # the stub expands it
    printf '#!/bin/sh\nprintf "%s 1.0, revision 0123456\\ndevice: %%s\\n" "$(cat %s/gpu)"\n' $program "$base" \
        >"$tree/build/gpu/$program"
    chmod +x "$tree/build/gpu/$program"
done
echo none >"$base/gpu"
refuse 3 "no NVIDIA GPU" "$out"
echo "A GPU" >"$base/gpu"
profile 0 "all tables" "$out"
check "no incomplete table" test -z "$(find "$out" -name '*.part')"

# keys FILE: the columns that say which problem a row is of, without kernels, whose names have changed
keys() {
    awk -F , '/^#/ { next }
        !n { for (n = 1; n <= NF && $n !~ /^(kernel|stage|blocks|duration_ns|instructions)$/; n++) ; print; next }
        { row = $1; for (i = 2; i < n; i++) row = row "," $i; print row }' "$1"
}
for reference in plots/reference/*/ncu_*.csv; do
    name=$(basename "$reference" .csv)
    check "$name is made" test -s "$out/$name.csv"
    check "$name names the revision" \
        grep -q "^# Nsight Compute, --clock-control none, A GPU, revision 0123456: " "$out/$name.csv"
    # The committed tables have no thomas_global_early, 11 launches of a program that makes no more, 2^25 where it is 2^26 now, and one_pass as
    # a variant of pscheme_g.
    case $name in
    ncu_counts) unique() { keys "$1" | awk -F , 'NR == 1 || !seen[$1,$2,$3,$4]++' | sed 's/,[0-9]*$//'; } ;;
    ncu_pogorelskikh2019) unique() { keys "$1" | grep -v '^thomas_global_early,'; } ;;
    ncu_tridiagonal) unique() { keys "$1" | sed 's/,33554432/,67108864/'; } ;;
    ncu_caches) unique() { keys "$1" | sed 's/^pscheme_g,one_pass/recurrence,one_pass/'; } ;;
    *) unique() { keys "$1"; } ;;
    esac
    check "$name, columns and problems" diff <(unique "$reference") <(unique "$out/$name.csv")
done
# The committed runs have no tables of nshape's caches and of large systems yet.
check "no other table" diff <(cd "$out" && printf '%s\n' *.csv) <({
    basename -a plots/reference/*/ncu_*.csv
    printf 'ncu_lutsyshyn2022_%s.csv\n' caches large
} | sort -u)
check "nshape's caches" test "$(keys "$out/ncu_lutsyshyn2022_caches.csv" | sed 1d | uniq -c | xargs)" = \
    "5 nshape,c,300000,1000,1,32,kept 5 nshape,c,300000,1000,1,32,small_l1 \
5 nshape,z,300000,1000,1,32,kept 5 nshape,z,300000,1000,1,32,small_l1"
check "a small L1" test "$(grep -c "^carveout=100 .*--kill yes" "$base/calls")" -eq 2
check "caches kept" test "$(grep -c " --cache-control none --replay-mode application -k" "$base/calls")" -eq 2
check "large systems" test "$(grep -c "^nshape,z," "$out/ncu_lutsyshyn2022_large.csv")" -eq 81
check "their caches kept" test "$(grep -c " --kill yes --cache-control none -k" "$base/calls")" -eq 9
# The names of the kernels are those of the sources: kernels, and the stages of nshape.
grep -rhE -A1 --include='*.cu' --include='*.cuh' --include='*.h' '__global__|for_each<' \
    pscheme_gpu pscheme_g pcr thomas_batch nshape solvers common |
    grep -oE '[a-z0-9_]+[(<]' | tr -d '(<' >"$base/kernels"
for launched in pscheme_g pscheme_gpu thomas_batch solvers; do
    grep -rhoE --include='*.cu' 'LAUNCH\(+[a-z0-9_]+' $launched | sed 's/LAUNCH(*//' >>"$base/kernels"
done
grep -o 'regex:[^ ]*' "$base/calls" | sed 's/regex://; s/|/\n/g' | sort -u >"$base/names"
while read -r kernel; do
    check "a kernel $kernel" grep -q -- "$kernel" "$base/kernels"
done <"$base/names"
check "options of ncu" grep -q -- "--clock-control none .*--page raw --print-units base .*--kill yes " "$base/calls"
rm "$base/calls"
profile 0 "kept" "$out"
check "nothing runs again" test ! -e "$base/calls"
check "kept, said" test "$(grep -c ': kept$' "$log")" -eq "$(find "$out" -name '*.csv' | wc -l)"
sed -i 's/revision 0123456/revision fedcba9/' "$out/ncu_wakatani2013.csv"
profile 0 "another revision" "$out"
check "only that table" test "$(grep -cv 'pscheme_g --type s --n 256K' "$base/calls")" -eq 0
# A metric that ncu does not know, or a program that ends early, costs the tables that need it only.
echo dram__bytes_write.sum >"$base/metric"
profile 1 "no such metric" "$base/faulty"
check "says which" grep -q "pscheme_g --n 1M --blocks 8 .*: no dram__bytes_write.sum" "$log"
check "incomplete tables" test "$(cd "$base/faulty" && echo *.part)" = \
    "ncu_caches.part ncu_lutsyshyn2022_large.part ncu_partly_resident.part ncu_pogorelskikh2019.part \
ncu_tridiagonal.part ncu_tridiagonal_batch.part"
check "the others" test "$(cd "$base/faulty" && echo *.csv)" = \
    "ncu_counts.csv ncu_lutsyshyn2022.csv ncu_lutsyshyn2022_caches.csv ncu_wakatani2012.csv ncu_wakatani2013.csv"
echo none >"$base/metric"
echo "pcr 5" >"$base/short"
profile 1 "too few launches" "$base/short_tables" ncu_caches ncu_counts
check "16 are needed" test -e "$base/short_tables/ncu_caches.part" -a ! -e "$base/short_tables/ncu_caches.csv"
check "5 of 12 are enough" test "$(grep -c '^pcr,' "$base/short_tables/ncu_counts.csv")" -eq 5
refuse 2 "no table 'nonsense'; the tables are: ncu_" "$base/none" nonsense
finish
