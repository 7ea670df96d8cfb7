#!/bin/bash
# Tests count.sh and its table: common/test_count.sh
# The tests run in a copy of the scripts, with a program that is a stub: the later a run begins, the sooner it ends. The
# last line of the output is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
tree="$base/odd dir"
csv="$tree/build/count/counts.csv"
mkdir -p "$tree/common" "$tree/plots" "$tree/stub" "$tree/build/count"
cp common/count.sh "$tree/common"
cp -r plots/tables "$tree/plots"
printf 'PROGRAMS := stub\nlisted:\n' >"$tree/Makefile"
# The largest accesses of the kernel carry have a thousandth of the sectors of those of solve.
cat >"$tree/build/count/stub" <<'END'
#!/bin/bash
variant=$2 csv=$6
sleep "0.$((9 - variant))"
{
    printf '# machine\nprogram,variant,type,n,batch,blocks,threads,parts,nest,case,bytes,median_ms\n'
    echo "stub,$variant,s,8,,2,32,,,,64,"
} >"$csv"
{
    echo "launch,kernel,blocks,threads,file,line,space,op,width,requests,lanes,sectors,ideal,lines,wavefronts,conflicts"
    echo "0,before,2,32,f.cu,1,global,load,4,9,9,9,9,9,0,0"
    echo "1,solve,2,32,f.cu,2,global,load,4,1000,1000,100000,1,1,0,0"
    echo "1,solve,2,32,f.cu,3,global,store,4,1000,1000,3000,1,1,0,0"
    echo "1,solve,2,32,f.cu,4,global,store,4,1000,1000,2900,1,1,0,0"
    echo "1,solve,2,32,f.cu,5,shared,load,4,1000,1000,0,0,0,3200,0"
    echo "1,solve,2,32,f.cu,6,shared,store,4,1000,1000,0,0,0,90,0"
    echo "1,solve,2,32,f.cu,7,local,load,4,1000,1000,0,0,0,0,0"
    echo "2,carry,2,32,f.cu,8,global,load,4,1,1,100,1,1,0,0"
} >"$COUNT_CSV"
[ "$variant" -lt 7 ] || { printf 'stub: %s\ncount: kernel: a race\ncount: kernel: a race\n' "$variant" >&2; exit 1; }
END
chmod +x "$tree/build/count/stub"

# run STATUS VARIANT…: counts these variants.
run() {
    local want=$1
    shift
    { echo "layout: before" && printf -- '--variant %s\n' "$@"; } >"$tree/stub/counts.list"
    touch -d tomorrow "$tree/stub/counts.list" # newer than the counts
    "$tree/common/count.sh" >"$base/out" 2>"$base/err" </dev/null
    check "exit status of $*" test $? -eq "$want"
    check "the order of $*" test "$(awk -F , '$14 == "carry" { print $2 }' "$csv" | xargs)" = "$*"
}
# shown LINES: the table has the accesses in these source lines, of each variant.
shown() { check "lines $1" test "$(grep -o 'f\.cu:[0-9]*' "$base/out" | cut -d : -f 2 | xargs)" = "$1"; }

run 0 1 5 3
check "no message" test ! -s "$base/err"
check "one header" test "$(grep -c '^program,' "$csv")" -eq 1
check "memories and roles" test "$(cut -d , -f 12 "$csv" | sort | uniq -c | xargs)" = "3 layout 1 role 18 solver"
shown "2 3 5 8 2 3 5 8 2 3 5 8"
check "left out" test "$(tail -n 1 "$base/out")" = \
    "left out: 6 of 18 accesses, small beside the largest of their kernel; all are in build/count/counts.csv"
run 1 7 2 8
check "messages in order" test "$(<"$base/err")" = "stub: 7
count: kernel: a race
count.sh: failed: stub --variant 7
stub: 8
count: kernel: a race
count.sh: failed: stub --variant 8"
check "counts of a failed run are old" test "$(date -r "$csv" +%Y)" = 1970
finish
