#!/bin/bash
# Copies a solver out of this project: solvers/lift.sh UNIT DIRECTORY (or: make lift SOLVER=UNIT TO=DIRECTORY). The files
# are those that the unit's header lists, all in one directory, with a Makefile (lift.mk) and the unit's example, if it
# has one. Exit status: 2 wrong usage.
#
#     solvers/lift.sh --units          prints the header of every unit that can be copied
#     solvers/lift.sh --lists FILE     prints a line "FILE…;FILE for a CPU…" for each list in the first comment of a
#                                      header, or in a README
#
# A list reads "Copy: FILE…." or "Copy: FILE…; for a CPU also FILE….". A name is a path from the top directory or, if
# there is no such file, from the directory of the header or README.
set -u
from=$PWD
cd "$(dirname "$0")/.." || exit 2

units() { grep -lE '^ \* Copy: ' -- */*.h */*/*.h; }
lists_of() { # FILE
    local directory
    directory=$(dirname "$1")
    case $1 in
    *.h) sed '/\*\//q' "$1" ;;
    *) tr -d '`' <"$1" ;;
    esac | sed 's/^ \* / /; s/\*\/$//' | awk -v directory="$directory" '{
        for (i = 1; i <= NF; i++) {
            word = $i
            if (word == "Copy:") {
                list = ""
                on = 1
            } else if (on && word !~ /^(for|a|CPU|also)$/) {
                end = sub(/\.$/, "", word)
                all = sub(/;$/, "", word)
                if (system("test -e " word) != 0)
                    word = directory "/" word
                list = list (list == "" || list ~ /;$/ ? "" : " ") word (all ? ";" : "")
                if (end) {
                    print list (list ~ /;/ ? "" : ";")
                    on = 0
                }
            }
        }
    }'
}
refuse() {
    echo "lift: $*" >&2
    exit 2
}

case ${1-} in
--units) units && exit ;;
--lists) lists_of "$2" && exit ;;
esac
unit=${1-} to=${2-}
header=$(units | awk -F '[/.]' -v unit="$unit" '$(NF - 1) == unit')
[ -n "$header" ] || refuse "SOLVER=${unit:-?}: the solvers are $(units | sed 's|.*/||; s/\.h$//' | xargs)"
[ -n "$to" ] || refuse "TO= names the directory to copy to"
[[ $to == /* ]] || to=$from/$to
[ -z "$(ls -A -- "$to" 2>/dev/null)" ] || refuse "TO=$to is not an empty directory"
mkdir -p -- "$to" || exit 2
IFS='; ' read -ra files < <(lists_of "$header")
cp -r -- "${files[@]}" "$to" && cp solvers/lift.mk "$to/Makefile" || exit 1
for example in solvers/examples/"$unit".{c,cu}; do
    [ ! -e "$example" ] || cp "$example" "$to/example.${example##*.}" || exit 1
done
echo "copied: $unit, $(find "$to" -type f | wc -l) files. Next: make -C ${to@Q}"
