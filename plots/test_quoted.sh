#!/bin/bash
# Tests plots/quoted.sh with made-up texts and CSV files, whose right answers are known.
# shellcheck disable=SC2016 # single quotes on purpose: $1 is for quoted.awk
set -u
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
mkdir -p "$base/plots/tables" "$base/plots/reference/gpu" "$base/plots/reference/other"
cp plots/quoted.sh "$base/plots/"
cp plots/tables/quoted.awk "$base/plots/tables/"
cat >"$base/plots/reference/gpu/run.csv" <<'END'
# device: NVIDIA H100
variant,type,n,median_ms,status
"ours",s,100,0.25,ok
ours,d,100,0.5,disturbed
ours,s,200,7,failed
ours,s,300,0.75,ok
"its ""own"", slow",s,100,2,ok
END
printf 'name,value\nx,1234\n' >"$base/plots/reference/other/more.csv"
numbers='<!-- numbers of gpu
ms = median_ms{run variant=$1 type=s n=100}
both = ms($1) + median_ms{run variant=ours type=d}
-->'
# try STATUS WORDS TEXT: quoted.sh must exit with STATUS on TEXT, above the definitions, and print WORDS.
try() {
    printf '%s\n\n%s\n' "$3" "$numbers" >"$base/text.md"
    gives "$1" "$2" "$base/plots/quoted.sh" "$base/text.md"
}
try 0 "1 numbers" "It takes 0.25<!--ms(ours)--> ms."
try 1 ": 0.25" "It takes 0.26<!--ms(ours)--> ms."
try 0 "1 numbers" "**0.75<!--both(ours)-->**"
try 0 "1 numbers" "0.5<!--2 * (ms(ours) + 1) - 2--> and \`7<!--ms-->\`"
try 0 "1 numbers" "1.2e3<!--value{other/more name=x}-->"
try 0 "1 numbers" "about 1200<!--value{other/more name=x}-->"
try 1 ": 1234" "1200<!--value{other/more name=x}-->"
try 0 "1 numbers" "0.25<!--least median_ms{run variant=ours}-->"
try 0 "1 numbers" "0.75<!--largest median_ms{run n>=100 n<=300 type=s variant=ours}-->"
try 1 ": 0.25" $'It takes `a\nb`, 0.26<!--ms(ours)--> ms.'
try 0 "0 numbers" $'It is `a\nb 0.26<!--ms(ours)--> ms`.'
try 0 "1 numbers" $'It takes about\n1200<!--value{other/more name=x}--> ms.'
try 0 "1 numbers" "On an H100 n = 4095 0.25<!--ms(ours)--> times."
try 0 "2 numbers" "1<!--min(1, 2, 3)--> 3<!--max(1, 2, 3)-->"
try 1 "several rows" "0.25<!--median_ms{run variant=ours}-->"
try 1 "no row" "7<!--median_ms{run n=200}-->"
try 1 "no column speed" "7<!--speed{run n=100}-->"
try 1 "no column width" "7<!--median_ms{run width=100}-->"
try 1 "no such file" "7<!--median_ms{walk n=100}-->"
try 1 "no definition of us" "7<!--us(ours)-->"
try 1 "not understood" "7<!--3 4-->"
try 1 "division by zero" "7<!--1/0-->"
try 1 "a mark must end in its line" $'7<!--1 +\n1-->'
try 1 "no number before" "seven <!--ms(ours)-->"
try 1 "without a mark: 3.5 ms" "On an H100 it takes 3.5 ms."
try 1 "without a mark: 20%" $'On an H100\nit is better by 20%.'
try 1 "without a mark: 3 times" $'## H100\n\nIt is 3 times faster.'
try 0 "0 numbers" "On an H100 it takes \`3.5 ms\`, with 16 cores, for 10 × 20 numbers."
try 0 "0 numbers" "A data sheet of the H100 says 3350<!--given--> GB/s."
try 0 "0 numbers" $'On an H100:\n\nSome other machine: 3.5 ms.'
try 1 "without a mark: 20%" $'On an H100:\n\n| a | b |\n|---|---|\n| 1 | 20% |'
try 1 "without a mark: 3.5" $'On an H100:\n\n| a | ms |\n|---|---|\n| 1 | 3.5 |'
table=$'On an H100:\n\n| | ms | twice, + |\n|---|---|---|\n'
rule='<!-- columns | | ms($1) | ms($1) * 2; ms($1) + 1 -->'
try 0 "3 numbers" "$table"$'| `ours`, fast | 0.25 | 0.5 / 1.25 |\n'"$rule"
try 1 "0.51 is quoted" "$table"$'| `ours`, fast | 0.25 | 0.51 / 1.26 |\n'"$rule"
try 1 "1.26 is quoted" "$table"$'| `ours`, fast | 0.25 | 0.50 / 1.26 |\n'"$rule"
try 1 "0.51 is quoted" $'- On an H100:\n\n  | | ms |\n  |---|---|\n  | `ours` | 0.51 |\n  <!-- columns | | ms($1) | -->'
try 1 "no row" "$table"$'| theirs | 0.25 | 0.50 / 1.25 |\n'"$rule"
try 1 "more numbers than" "$table"$'| ours | 0.25 / 0.25 | |\n'"$rule"
try 1 "0.26 is quoted" $'  | | ms |\n  |---|---|\n  | ours | 0.26 |\n  <!-- columns | | ms($1) -->'
try 0 "1 numbers" $'- An H100:\n\n  | | ms |\n  |---|---|\n  | ours | 0.25 |\n  <!-- columns | | ms($1) -->'
try 1 "no table above" "$rule"
numbers='<!-- numbers of gpu
a = b
b = a
odd
-->'
try 1 "defined by itself" "7<!--a-->"
try 1 "not a definition: odd" "7<!--given-->"

# The last paragraph of a text is checked although another text follows.
echo "On an H100 it takes 3.5 ms." >"$base/first.md"
gives 1 "first.md:1: a number without a mark: 3.5 ms" "$base/plots/quoted.sh" "$base/first.md" "$base/text.md"

# --fix must correct the numbers and nothing else.
numbers=$'<!-- numbers of gpu\nms = median_ms{run variant=$1 type=s n=100}\n-->'
right=$'On an H100 0.25<!--ms(ours)--> ms, **0.5<!--2*ms(ours)-->**, about 30<!--given--> s\n\n'
right+=$table$'| `ours` | 0.25 | 0.5 / 1.25 ‰ |\n'$rule
try 0 "5 numbers" "$right"
cp "$base/text.md" "$base/right.md"
sed 's/0\.25/0.31/g; s/0\.5/0.7/g' "$base/right.md" >"$base/text.md"
gives 1 "" "$base/plots/quoted.sh" --fix "$base/text.md"
check "--fix" cmp "$base/text.md" "$base/right.md"
check "a text that is not there" test ! "$("$base/plots/quoted.sh" none.md 2>/dev/null && echo taken)"
finish
