#!/bin/bash
# Compares the numbers in the texts of this repository with the CSV files that they come from:
#   plots/quoted.sh [--fix] [TEXT.md]…          default: all .md files that belong to the repository
# --fix writes the right numbers into the texts. plots/README.md explains the marks.
# Exit status: 1 if a number is wrong or not marked.
unset CDPATH # cd would look there, and print where it went
started=$PWD
cd "$(dirname "$0")/.." || exit 2
fix=''
if [ "${1-}" = --fix ]; then
    fix=yes
    shift
fi
texts=()
for text in "$@"; do
    case $text in /*) texts+=("$text") ;; *) texts+=("$started/$text") ;; esac
    [ -f "${texts[-1]}" ] || { echo "quoted.sh: '$text': no such file" >&2; exit 2; }
done
[ $# -gt 0 ] || mapfile -t texts < <(find . -name '*.md' -not -path './build/*' -not -path './results/*' \
    -not -name report.md | sort)
[ -n "$fix" ] || exec awk -f plots/tables/quoted.awk "${texts[@]}"
status=0
for text in "${texts[@]}"; do
    new=$(mktemp) || exit 2
    awk -v fix="$new" -f plots/tables/quoted.awk "$text" || status=1
    cmp -s "$new" "$text" || cat "$new" >"$text"
    rm "$new"
done
exit $status
