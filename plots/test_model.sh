#!/bin/bash
# Tests what the project says about the papers' own numbers, W12's and PL19's: plots/test_model.sh
# W12's are those of plots/paper and the output of plots/tables/wakatani2012_model.awk, the model of a Tesla
# C1060. READMEs and the notes in plots/paper quote them. The last line of the output is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
points=(plots/paper/wakatani2012_{fig3,fig8,best,axes}.csv)
counted=plots/reference/count_c1060.csv

# model PART: what the model prints for -v part=PART.
model() { awk -v part="$1" -f plots/tables/wakatani2012_model.awk "${points[@]}" $counted; }
is() { check "$1: it is '$3', not '$2'" test "$2" = "$3"; } # WHAT WANTED IS
for part in fit readings times; do model $part >"$base/$part" || exit 1; done

# ---- which G the quoted times of propagation belong to ----

# read_as STATEMENT: the values that follow from reading them as those of G = 4, 8, 16 and 32.
read_as() { awk -F, -v s="$1" '$2 == s { printf "%s%.3g", n++ ? " " : "", $3 }' "$base/readings"; }
# against: how many statements of the paper contradict each of these readings.
against() {
    awk -F, '$7 == "against" { n[$1]++ } END { print n[4] + 0, n[8] + 0, n[16] + 0, n[32] + 0 }' "$base/readings"
}
is "beta in us" "2.18 1.09 0.546 0.273" "$(read_as "beta [us]")"
is "beta over alpha" "4.55 2.27 1.14 0.568" "$(read_as "beta over alpha")"
is "P_opt" "340 480 679 961" "$(read_as "P_opt at N = 256K for gamma = alpha")"
is "propagation through 16384 parts" "35.9 18 9.05 4.58" "$(read_as "propagation at G = 32 and T = 512 [ms]")"
is "propagation through 8192 parts" "18 9.05 4.58 2.35" "$(read_as "propagation at G = 16 and T = 512 [ms]")"
is "propagation through 2048 parts" "4.58 2.35 1.23 0.668" "$(read_as "propagation at G = 4 and T = 512 [ms]")"
is "best T at G = 4" "64 128 128 256" "$(read_as "best T at N = 256K and G = 4")"
is "best T that agree" "1 7 7 1" "$(read_as "best T that agree; of 8")"
is "spread of the CPU's time" "2 1.44 1.19 1.79" "$(read_as "CPU time implied by Fig. 4 and 7: greatest over least")"
is "statements against" "5 3 0 2" "$(against)"
# A reading flips with the paper's statements: on an axis to 40 ms, G = 4 would have one less against it.
awk -F, -v OFS=, '$1 == 3 && $2 == "d" { $4 = 40 } { print }' plots/paper/wakatani2012_axes.csv >"$base/axes.csv"
points[3]=$base/axes.csv
model readings >"$base/readings"
is "with another axis of Fig. 3 (d)" "4 2 0 2" "$(against)"
points[3]=plots/paper/wakatani2012_axes.csv
# The same four times stand in the file with both G.
is "both readings" "4,16,propagate,0.25 16,16,propagate,0.25" \
    "$(awk -F, '$5 == "propagate" && $4 == 16 { print $3 "," $4 "," $5 "," $6 }' "${points[0]}" | xargs)"

# ---- the model beside the paper's numbers ----

# worst N: the largest deviation of the modelled speed-ups at N, in percent.
worst() {
    awk -F, -v n="N=$1" '
        $2 == n && $5 == "speed-up" { d = $8 + 0; if (d < 0) d = -d; if (d > w) w = d }
        END { print w + 0 }' "$base/fit"
}
is "the CPU's time" "1.69 ms" "$(sed -n 's/^cpu,//p' "$base/fit")"
is "speed-ups at 256K, worst" 9 "$(worst 256K)"
is "speed-ups at 1M, to which nothing is fitted, worst" 14 "$(worst 1024K)"
# With one load at a time in propagation it fits worse.
sed 's/return kernel == "precompute" ? 1 : 2/return kernel == "determine" ? 2 : 1/' \
    plots/tables/wakatani2012_model.awk >"$base/one.awk"
awk -v part=fit -f "$base/one.awk" "${points[@]}" $counted >"$base/fit"
is "one load at a time, the CPU's time" "2.84 ms" "$(sed -n 's/^cpu,//p' "$base/fit")"
is "one load at a time, speed-ups at 256K, worst" 26 "$(worst 256K)"
# The modelled best T of the four G at both sizes, beside the paper's. The one that differs is a tie.
best() {
    awk -F, '
        FILENAME ~ /best/ && !/^[#n]/ { paper[$1, $2] = $3 }
        FILENAME ~ /times/ && $1 == "rearranged" && $6 == "total" {
            key = $3 SUBSEP $4
            ms[key, $5] = $7
            if (!(key in least) || $7 < least[key]) { least[key] = $7; at[key] = $5 }
        }
        END {
            for (key in paper) {
                agree += at[key] == paper[key]
                loss = ms[key, paper[key]] / least[key]
                if (loss > worst) worst = loss
            }
            printf "%d, worst %.3f", agree, worst
        }' plots/paper/wakatani2012_best.csv "$base/times"
}
is "best T that agree, and the time at the paper's best T over the least" "7, worst 1.005" "$(best)"
# No modelled time exceeds the paper's axis.
beyond() {
    awk -F, '
        FILENAME ~ /axes/ { end[$1 $2] = $4; next }
        $6 != "total" { next }
        { panel = "" }
        $3 == 262144 && $4 == 4 { panel = $1 == "block" ? "3a" : "3b" }
        $3 == 262144 && $4 == 32 { panel = $1 == "block" ? "3c" : "3d" }
        $3 == 1048576 && $1 == "rearranged" && $4 == 4 { panel = "5a" }
        $3 == 1048576 && $1 == "rearranged" && $4 == 16 { panel = "5b" }
        panel != "" { n++; if ($7 > end[panel]) print panel, $5, $7 }
        $3 == 262144 && $8 > end["4"] || $3 == 1048576 && $8 > end["6"] { print "speed-up", $0 }
        END { print n, "totals" }' plots/paper/wakatani2012_axes.csv "$base/times"
}
is "totals within the axes" "36 totals" "$(beyond | xargs)"
# One of the counts again, if the count build is there.
if [ -x build/count/pscheme_gpu ]; then
    COUNT_CSV=$base/4.16.csv build/count/pscheme_gpu --n 256K --blocks 4 --threads 16 --type s \
        --variant block,rearranged --reps 1 >/dev/null 2>&1
    awk -v part=counts -v n=262144 -f plots/tables/wakatani2012_model.awk "$base/4.16.csv" >"$base/counts"
    check "counted again" test "$(grep -c "^[br].*,262144,4,16," "$base/counts")" -eq 12
    check "counts as in $counted" test -z "$(grep -vxFf $counted "$base/counts")"
fi

# ---- the order of the values of Fig. 7 ----

# Where propagation takes nearly all the time, the speed-up at equal P grows as N.
grows() {
    awk -F, -v t="$1" '$1 == "pscheme" && $4 == t { s[$2] = $5 } END { printf "%.2f", s[1048576] / s[262144] }' \
        plots/paper/wakatani2012_fig7.csv
}
is "Fig. 7: 1M over 256K at T = 256" 4.10 "$(grows 256)"
is "Fig. 7: 1M over 256K at T = 512" 4.01 "$(grows 512)"

# ---- PL19: what its Tables 1, 3 and 4 imply about its CPU ----

# baselines TABLE4: the times of a row that follow with this Table 4.
baselines() {
    awk -f plots/tables/pogorelskikh2019_baselines.awk plots/paper/pogorelskikh2019_table{1,3}.csv "$1"
}
# ns VARIANT SYSTEMS: its time of a row, least and largest by the rounding of Table 4.
ns() { awk -F, -v v="$1" -v b="$2" '$1 == v && $3 == b { print $4, $5, $6 }' "$base/baselines"; }
baselines plots/paper/pogorelskikh2019_table4.csv >"$base/baselines"
check "plots/paper/pogorelskikh2019_baselines.csv" cmp -s "$base/baselines" plots/paper/pogorelskikh2019_baselines.csv
is "Thomas on the CPU: 2.19032 x 0.09 s / (4095 x 5000)" "9.628 9.093 10.163" "$(ns thomas_cpu 5000)"
is "SERICR on the CPU: 2.017338 x 2.96 s / (4095 x 25000)" "58.328 58.229 58.426" "$(ns sericr_cpu 25000)"
is "no speed-up of Thomas with 25000 systems" "" "$(ns thomas_cpu 25000)"
# How many times as long as Thomas on the CPU PARACR on the GPU takes, and SERICR on the CPU, within the rounding.
compared() {
    awk -F, -v over="$1" '
        $1 == "thomas_cpu" { low[$3] = $5; high[$3] = $6 }
        $1 == over && $3 in low { printf "%s%.1f-%.1f", n++ ? " " : "", $5 / high[$3], $6 / low[$3] }' "$base/baselines"
}
is "PARACR over Thomas" "2.8-3.2 3.6-3.8 3.3-3.4 3.3-3.4" "$(compared paracr_partial)"
is "SERICR over Thomas" "5.6-6.4 7.2-7.7 6.6-6.8 6.6-6.8" "$(compared sericr_cpu)"
# They follow from the tables: with half the time of PARACR both would be half as long.
awk -F, -v OFS=, '$1 == "paracr_partial" { $4 /= 2 } { print }' plots/paper/pogorelskikh2019_table4.csv >"$base/table4"
baselines "$base/table4" >"$base/baselines"
is "with half of it" "29.164" "$(ns sericr_cpu 25000 | cut -d' ' -f1)"
finish
