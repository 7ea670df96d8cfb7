#!/bin/bash
# Makes plots/article.html from article.md, by pandoc: plots/article.sh [--check]
# First it writes the table of verdicts in article.md again, from the reference's report.md. --check only says whether
# that table is up to date. Exit status: 0; 1 it is not, or a file cannot be written; 3 no pandoc.
set -u
unset CDPATH
cd "$(dirname "$0")" || exit 1
new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
# Column 3 of report.md is the quote, column 4 the verdict and the signs of the clauses. The table stands between two
# comments.
awk -F ' [|] ' '
    NR == FNR && /clauses hold, / { tally = $0 }
    NR == FNR && /^[|] (W1|PL|L2)/ { sub(/^[|] /, "", $1); sub(/ [|]$/, "", $4); table = table "| " $1 " | " $3 " | " $4 " |\n" }
    NR == FNR { next }
    /^<!-- verdicts -->$/ {
        printf "%s\n\n%s\n\n| claim | in the paper\047s words | verdict |\n|----|------------|----|\n%s\n", $0, tally, table
        inside = 1
    }
    /^<!-- end of verdicts -->$/ { inside = 0 }
    !inside' reference/nvidia-h100-80gb-hbm3/report.md article.md >"$new" || exit 1
if [ "${1-}" = --check ]; then
    diff article.md "$new" || { echo "article.sh: the verdicts in article.md are old: plots/article.sh" >&2; exit 1; }
    exit
fi
cmp -s "$new" article.md || cat "$new" >article.md
command -v pandoc >/dev/null || { echo "article.sh: no pandoc (package pandoc); article.html stays as it is" >&2; exit 3; }
pandoc --standalone --self-contained --from markdown+pipe_tables --css article.css \
    --metadata pagetitle="Four papers on parallel recurrences" article.md -o article.html
