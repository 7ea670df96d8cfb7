#!/bin/bash
# Tests lesson.sh: common/test_lesson.sh
# The tests run in a copy of the script, with a program that is a stub: it writes the counts of four launches. The last
# line of the output is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
tree="$base/odd dir"

# lesson STATUS ARGUMENT…: runs lesson.sh and checks its exit status. Its stdout goes to out, its stderr to err.
lesson() {
    local want=$1
    shift
    "$tree/common/lesson.sh" "$@" >"$base/out" 2>"$base/err" </dev/null
    check "exit status of $*" test $? -eq "$want"
}
refuse() { refuses "$1" "$2" "$tree/common/lesson.sh" "${@:3}"; } # STATUS WORDS ARGUMENT…
# row WORD…: checks that stdout has a row with exactly these words.
row() {
    local words="$*"
    check "row $words" grep -qx " *${words// / *} *" "$base/out"
}

mkdir -p "$tree/common" "$tree/stub" "$tree/missing" "$tree/build/count"
cp common/lesson.sh "$tree/common"
echo "layout: before after" >"$tree/stub/counts.list"
echo "layout:" >"$tree/missing/counts.list"
# The stub solves with the variants one and two, has no kernel in the variant none, and has a race in the variant race.
# Without --threads it takes two values by itself. It solves as many elements as --n says, and 8 with --n 4 only.
cat >"$tree/build/count/stub" <<'END'
#!/bin/bash
threads=16,32 variant=''
while [ $# -gt 0 ]; do
    case $1 in
    --help) printf '  --n LIST  unknowns\n  --threads LIST  of a block\n  --variant LIST  variants\n'; exit ;;
    --variant) variant=$2 ;;
    --type) type=$2 ;;
    --threads) threads=$2 ;;
    --n) n=$2 ;;
    --csv) csv=$2 ;;
    esac
    shift 2
done
[ "$variant" != bad ] || { echo "stub: --variant: 'bad' is unknown" >&2; exit 2; }
[ "$variant" != race ] || { echo "count: kernel solve: a race" >&2; exit 1; }
{
    echo "# machine"
    echo "program,variant,type,n,threads"
    for t in ${threads//,/ }; do echo "stub,$variant,$type,$n,$t"; done
} >"$csv"
[ "$variant" != none ] || exit 0
{
    echo "launch,kernel,blocks,threads,file,line,space,op,width,requests,lanes,sectors,ideal,lines,wavefronts,conflicts"
    echo "0,before,2,32,f.cu,1,global,load,4,9,9,9,9,9,0,0"
    if [ "$variant" != only_before ]; then
        echo "1,solve,2,32,-,0,block,barrier,0,2,192,0,0,0,0,0"
        echo "1,solve,2,32,f.cu,2,global,load,4,2,64,$((n * 8)),8,2,0,0"
        echo "1,solve,2,32,f.cu,3,global,load,4,2,32,$((n * 4)),4,2,0,0"
        echo "1,solve,2,32,f.cu,3,local,load,4,2,32,0,0,0,0,0"
        echo "1,solve,2,32,f.cu,4,shared,store,4,4,128,0,0,0,66,62"
        echo "12,after,2,32,f.cu,5,global,store,4,9,9,9,9,9,0,0"
    fi
} >"$COUNT_CSV"
END
chmod +x "$tree/build/count/stub"

# A single run: the sum of the source lines, no column for an option, no row of a kernel that changes the layout.
lesson 0 count stub --n 4 --threads 32 --variant one
check "rows" test "$(wc -l <"$base/out")" -eq 3
row 1 solve block barrier 3 - - - - -
row 1 solve global load 4 48 24.00 12.00 3.00 -
row 1 solve shared store 4 - 32.00 - - 15.50
check "title" grep -qx 'stub --n 4 --threads 32 --variant one --type s' "$base/err"
check "heading" grep -qx ' *launch *access *requests sectors lanes sectors ideal conflicts' "$base/err"
for word in "a request is" sectors: barrier: lanes: ideal: conflicts:; do
    check "explains" grep -qF "$word " "$base/err"
done
check "100 columns" test "$(cat "$base/out" "$base/err" | awk 'length > 100' | wc -l)" -eq 0

# Lists: a run for each pair, the first option outermost, and a column for each of them, not for the others.
lesson 0 count stub --variant one,two --threads 32 --n 4,8
check "rows of four runs" test "$(wc -l <"$base/out")" -eq 12
check "heading of two lists" grep -qx 'variant *n *launch *access .*' "$base/err"
check "title of two lists" grep -qx 'stub --threads 32 --type s' "$base/err"
row one 4 1 solve global load 4 48 24.00 12.00 3.00 -
row two 8 1 solve global load 4 96 24.00 24.00 3.00 -
check "order" test "$(awk '/load/ { printf "%s %s,", $1, $2 }' "$base/out")" = "one 4,one 8,two 4,two 8,"
lesson 0 count stub --type s,d --variant one --n 4 --threads 32
row d 1 solve global load 4 48 24.00 12.00 3.00 -

# If there is no other kernel, those that change the layout are shown.
lesson 0 count stub --n 4 --threads 32 --variant only_before
row 0 before global load 9 9 1.00 1.00 1.00 -

refuse 2 "usage: " nonsense
refuse 2 "usage: "
refuse 2 "usage: " count
refuse 2 "'nonsense': no program to count; allowed are missing stub" count nonsense
refuse 2 "'../stub'" count ../stub --n 4
refuse 3 "run \`make count\`" count missing --variant one
refuse 2 "--variant is missing" count stub --n 4
refuse 2 "'stray'" count stub --n 4 stray
refuse 2 "--n has no value" count stub --variant one --n
refuse 2 "--n has no value" count stub --n --variant one
refuse 2 "--n is given twice" count stub --n 4 --n 8 --variant one
refuse 2 "choose --threads; without it stub runs 16,32" count stub --n 4 --variant one
refuse 2 "no kernel runs in stub" count stub --n 4 --threads 32 --variant none
refuse 2 "'bad' is unknown" count stub --n 4 --threads 32 --variant bad
refuse 1 "a race" count stub --n 4 --threads 32 --variant race

# What TOUR.md says: the program of its first step prints the line below it, and the tables of its counts are those that
# the commands print.
awk '/^```/ { on = !on; next } on' TOUR.md >"$base/hand.sh"
by_hand=$(bash "$base/hand.sh" | sed 's/ *$//')
check "TOUR.md: by hand" grep -qx "    $by_hand" TOUR.md
if [ -x build/count/pscheme_gpu ]; then
    common/lesson.sh count pscheme_gpu --n 64K --blocks 16 --threads 64 --variant block,rearranged \
        >"$base/out" 2>"$base/err"
    check "TOUR.md: twelve rows" test "$(wc -l <"$base/out")" -eq 12
    while IFS= read -r line; do
        check "TOUR.md: $line" grep -qxF "    $line" TOUR.md
    done < <(tail -n 2 "$base/err" && cat "$base/out")
fi
finish
