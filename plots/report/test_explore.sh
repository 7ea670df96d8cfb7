#!/bin/bash
# Opens the page to play with in headless Chromium: explore.html as it is in the repository, and as the program `report`
# writes it for a run on the reference GPU and for a run without a GPU. With #selftest in its address the page moves its
# sliders and lists the numbers that it shows. They must equal those of the CSV files. Without Chromium nothing is
# tested.
#   plots/report/test_explore.sh REPORT [COUNT]   REPORT: the program. COUNT: the count build of pscheme_gpu
set -u
report=$(realpath "${1:?usage: plots/report/test_explore.sh REPORT [COUNT]}")
count=${2:+$(realpath -m "$2")}
cd "$(dirname "$0")/../.." || exit 2
reference=plots/reference/nvidia-h100-80gb-hbm3
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo "no Chromium here: the page is not opened"
    echo "0 passed, 0 failed"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# expect LABEL COMMAND…: tests that COMMAND succeeds.
expect() {
    local label=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $label"
    fi
}

# open_page NAME FILE: opens FILE and writes what it lists to $work/NAME.list.
open_page() {
    timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$work/profile" --enable-logging=stderr --window-size=390,844 --dump-dom \
        "file://$2#selftest" >"$work/dom" 2>"$work/log"
    sed '1,/^<\/script><pre>selftest$/d; /^end<\/pre>/,$d' "$work/dom" >"$work/$1.list"
    grep CONSOLE "$work/log"
    expect "$1: no error in the console" test -z "$(grep CONSOLE "$work/log")"
    expect "$1: the page lists its numbers" test -s "$work/$1.list"
    grep ',stuck$' "$work/$1.list"
    expect "$1: 12 sliders move the figures" test "$(grep -c '^slider,.*,moves$' "$work/$1.list")" = 36
}

# none LABEL < LINES: tests that there are no lines, otherwise prints some.
none() {
    local lines
    lines=$(head -n 5)
    expect "$1"$'\n'"$lines" test -z "$lines"
}

# compare NAME DIRECTORY: compares the numbers of the page NAME with the CSV files of DIRECTORY.
compare() {
    local page=$work/$1.list fits
    fits=$(awk -F, 'NR > 1 && $5 == ""' "$2/fit.csv" | wc -l)
    expect "$1: all fits are shown" test "$(grep -c '^popt,NVIDIA' "$page")" = "$fits"
    none "$1: P_opt equals fit.csv's" < <(awk -F, '
        NR == FNR { if ($5 == "") popt[$1 "," $2 "," $3 "," $4] = $12; next }
        $1 == "popt" && $2 ~ /NVIDIA/ {
            key = $3 "," $4 "," $5 "," $6
            if (!(key in popt) || ($7 - popt[key]) ^ 2 > 0.6 ^ 2)
                print key ": P_opt is " $7 ", in fit.csv " popt[key]
        }' "$2/fit.csv" "$page")
    expect "$1: a time of each fit is shown" test "$(grep -c '^total,' "$page")" = "$fits"
    none "$1: times equal those measured" < <(awk -F, '
        $13 == "total" { ms[$2 "," $3 "," $4 "," $12 "," $6 "," $7] = $17 }
        FILENAME == page && $1 == "total" {
            key = $2 "," $3 "," $4 "," $5 "," $6 "," $7
            if (!(key in ms) || $8 / ms[key] < 0.99 || $8 / ms[key] > 1.01)
                print key ": " $8 " ms, in the CSV file " ms[key]
        }' page="$page" "$2/pscheme_g.csv" "$2/pscheme_gpu.csv" "$page")
    expect "$1: counts are shown" test "$(grep -c '^sectors,' "$page")" = 6
    expect "$1: accesses are shown" test "$(grep -c '^accesses,' "$page")" = 2
    none "$1: sectors and accesses equal those of counts.csv" < <(awk -F, '
        NR == FNR {
            if ($1 == "pscheme_gpu" && $14 == "precompute")
                counted["sectors," $2 "," $3 "," $4 "," $6 "," $7 "," $20 "," $22 "," $24]
            method = $2 == "pcr" ? "PCR" : $1 == "pscheme_gpu" && $2 == "block" ? "P-scheme" : ""
            if ($12 == "solver" && $19 == "global")
                lanes[method "," $4] += $23
            next
        }
        $1 == "sectors" && !($0 in counted) { print $0 " is not in counts.csv" }
        $1 == "accesses" && $4 != lanes[$2 "," $3] { print $0 ", in counts.csv " lanes[$2 "," $3] }
        ' "$2/counts.csv" "$page")
}

open_page template "$PWD/plots/report/explore.html"
for line in "Tesla C1060 (W12),rearranged,,262144,,362" "Tesla C1060 (W12),rearranged,,1048576,,724" \
    "Tesla C1060 (W12, quoted times),rearranged,,262144,,679" \
    "GeForce GTX 590 (W13),case L: s is constant,,1000000,,1643" \
    "GeForce GTX 590 (W13),case M: 400 operations for each s,,1000000,,4593" \
    "GeForce GTX 590 (W13),case H: 1000 operations for each s,,1000000,,9633"; do
    expect "P_opt of the papers: $line" grep -qxF "popt,$line" "$work/template.list"
done

mkdir "$work/gpu" "$work/cpu"
cp $reference/{fit,counts,pscheme_g,pscheme_gpu}.csv "$work/gpu"
cp plots/reference/intel-xeon-2-cores/pscheme_cpu.csv "$work/cpu"
expect "the report of a run on a GPU" "$report" "$work/gpu" >/dev/null
expect "the report of a run without a GPU" "$report" --reference $reference "$work/cpu" >/dev/null
open_page gpu "$work/gpu/explore.html"
compare gpu $reference
expect "gpu: this machine is chosen first" grep -qF '<option value="0">this machine: H100' "$work/dom"
open_page cpu "$work/cpu/explore.html"
compare cpu $reference
expect "cpu: this machine has no times" grep -qF '<option disabled="">this machine: no GPU times</option>' "$work/dom"

# What pane 2 shows, and what the count build counts for each of the two stores of pre-computation.
if [ -n "$count" ] && [ -x "$count" ]; then
    for T in 8 31 33 48 63 64; do
        COUNT_CSV="$work/count.csv" "$count" --n $((16 * T)) --blocks 1 --threads "$T" --type s \
            --variant block,rearranged --reps 1 >/dev/null 2>&1
        awk -F, -v T="$T" '$2 == "precompute" && $7 == "global" && $8 == "store" {
            layout = $1 == 0 ? "block" : "rearranged"
            print "layout," T "," layout "," $10 "," $12
        }' "$work/count.csv" >"$work/counted"
        expect "T = $T: four stores are counted" test "$(wc -l <"$work/counted")" = 4
        none "T = $T: the page shows what is counted" < <(sort -u "$work/counted" | grep -vxFf "$work/template.list")
    done
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
