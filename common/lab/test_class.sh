#!/bin/bash
# Tests class.sh on grades that this script writes. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
head=lab,gate,target,value,result

# group NAME ROW…: writes the grades of a group.
group() { printf '%s\n' "$head" "${@:2}" >"$base/$1.csv"; }
# row WORD…: the table has a row with exactly these words.
row() {
    local words="$*"
    grep -qx " *${words// / *} *" "$base/table"
    verdict $? "no row: $words"
}
class() { # FILE…
    common/lab/class.sh "$@" >"$base/table" 2>&1 || verdict 1 "class.sh $*"
    cp "$base/table" "$base/said"
}

group a 1,result,right,wrong,fail 1,result,right,right,ok '1,bytes,<=1,1 ; 1.5,ok' 1,once,'<=1',1,ok \
    8,result,right,right,ok 8,barriers,1,1,ok '8,conflicts,0,31,fail'
group b=1 1,result,right,right,ok 1,bytes,'<=1',1.25,ok 1,once,'<=1',1,ok 2,result,right,'does not compile',fail
group c 5,result,right,right,ok '5,product,<=1.04,1.03,ok' '5,recompute,<=2,1.97,ok' 1,result,right,right,ok \
    1,files,'as in git',edited,fail 10,result,right,right,ok 10,unknown,1,1,ok
printf '%s\r\n' "$head" 1,result,right,right,ok '1,bytes,<=1,1.25,ok' '1,once,<=1,1,ok' >"$base/d.csv"
class "$base"/{a,b=1,c,d}.csv
row lab 1 2 5 8 10
row a ok 2 - - conflicts 1 -
row b=1 ok 1 compile 1 - - -
row c files 1 - ok 1 - ok 1
row passed 3 of 4 0 of 4 1 of 4 0 of 4 1 of 4
row lab 1 bytes 1 asked 5 asked
row a 1.5 '1\*' -
row b=1 '1.25\*' '1\*' -
row c - - '3\*'
row best 1.25 1 3
row lab 1: b=1, d '(bytes 1.25, asked 1)'
row lab 5: c '(asked 3)'
# A class of 40 with files of the same name: two tables of 100 columns and one of the contest.
mkdir "$base"/other-{1..39}
for i in {1..39}; do for lab in {1..13}; do
    echo "$lab,result,right,right,ok"
    echo "$lab,bytes,<=1,$i,ok"
    echo "$lab,sectors,<=4,32,$([ "$lab" = "$i" ] && echo fail || echo ok)"
done | sed "1s/^/$head\n/" >"$base/other-$i/a.csv"; done
class "$base"/a.csv "$base"/other-*/a.csv
[ "$(grep -c '/other-7/a  *ok 1  *ok' "$base/table")" -eq 2 ] && ! grep -q '.\{101\}' "$base/table"
verdict $? "the table of a large class"

refuses 2 'usage: ' common/lab/class.sh
refuses 2 'none.csv: no such file' common/lab/class.sh "$base/none.csv"
: >"$base/empty.csv"
refuses 2 'the file is empty' common/lab/class.sh "$base/a.csv" "$base/empty.csv"
group bad 1,result,right,right,ok 1,stored
refuses 2 'bad.csv:3: not a row' common/lab/class.sh "$base/a.csv" "$base/bad.csv"
group bad one,result,right,right,ok
refuses 2 'bad.csv:2: "one" is not' common/lab/class.sh "$base/bad.csv"
refuses 2 'README.md:1: the first line' common/lab/class.sh README.md
finish
