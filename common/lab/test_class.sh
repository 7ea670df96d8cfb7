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

group a 1,result,right,wrong,fail 1,result,right,right,ok '1,bytes,<=1,1.5,ok' 1,once,'<=1',1,ok \
    8,result,right,right,ok 8,barriers,1,1,ok '8,conflicts,0,31,fail'
group b=1 1,result,right,right,ok 1,bytes,'<=1',1.25,ok 1,once,'<=1',1,ok 2,result,right,'does not compile',fail
group c 5,result,right,right,ok '5,product,<=1.04,1.03,ok' '5,recompute,<=2,1.97,ok' \
    1,files,'as in git',gates.txt,changed 1,result,right,right,ok 2a,result,right,right,ok 2a,unknown,1,1,ok
printf '%s\r\n' "$head" 1,result,right,right,ok '1,bytes,<=1,1.25,ok' '1,once,<=1,1,ok' >"$base/d.csv"
class "$base"/{a,b=1,c,d}.csv
row lab 1 a ok 2 bytes 1.5 asked '1\*'
row lab 1 b=1 ok 1 bytes '1.25\*' asked '1\*'
row lab 1 c files changed 1
row lab 1 passed: 3 of 4
row lab 2 b=1 does not compile 1
row lab 5 c ok 1 asked '3\*'
row lab 8 a conflicts 1
[ "$(grep -o '^lab [0-9a-z]*' "$base/table" | uniq | tr '\n' ' ')" = 'lab 1 lab 2 lab 2a lab 5 lab 8 ' ]
verdict $? "the order of the labs"

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
