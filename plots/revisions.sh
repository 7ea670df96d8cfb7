#!/bin/bash
# Checks that a folder of results says of which revisions its files are: plots/revisions.sh FOLDER…
# The header of a CSV file names the revision ("# revision: X", "# ..., revision X: ..."; lines "# run" name those of
# other runs). If the files of a folder are
# of one revision, nothing else is needed. Otherwise FOLDER/README.md needs a table
#   | revision | files | why |
#   |---|---|---|
#   | 0123456 | all others | one run of run_all.sh |
#   | 89abcde | `heat_*.csv`, `fit.csv` | … |
# which names each revision, its files and why they are of this one. Revisions may have 7 or more digits; the end -dirty
# counts, and needs the table, too. Prints a line for each mistake. Exit status: 0 none, 1 mistakes, 2 usage.
set -u
[ $# -gt 0 ] || {
    echo "usage: plots/revisions.sh FOLDER..." >&2
    exit 2
}
mistakes=0
mistake() {
    echo "$folder: $1"
    mistakes=$((mistakes + 1))
}
# same X Y: whether two revisions are the same
same() {
    local x=${1%-dirty} y=${2%-dirty}
    [ "${1#"$x"}" = "${2#"$y"}" ] && [[ $x == "$y"* || $y == "$x"* ]]
}
# shellcheck disable=SC2016 # the backquote is a character
trim() { sed 's/^[ `]*//; s/[ `]*$//' <<<"$1"; }

for folder; do
    folder=${folder%/}
    [ -d "$folder" ] || {
        echo "revisions.sh: '$folder': no such directory" >&2
        exit 2
    }
    files=() revisions=() first='' mixed=''
    for path in "$folder"/*.csv; do
        [ -f "$path" ] || continue
        revision=$(sed -nE '/^#/!q; /^# run /d; s/^#.*revision[: ]*([0-9a-f]{7,}(-dirty)?).*/\1/p' "$path" | head -n 1)
        [ -n "$revision" ] || continue
        files+=("${path##*/}") revisions+=("$revision")
        first=${first:-$revision}
        [[ $revision != *-dirty ]] && same "$first" "$revision" || mixed=1
    done
    table=$(awk '/^\| *revision *\| *files *\| *why *\|/ { inside = 1; getline; next }
        inside && !/^\|/ { exit }
        inside' \
        "$folder/README.md" 2>/dev/null)
    if [ -z "$table" ]; then
        [ -z "$mixed" ] || mistake "files of several revisions, or changed ones, but no table of them in README.md: $(
            for ((k = 0; k < ${#files[@]}; k++)); do echo "${revisions[k]}"; done | sort -u | xargs)"
        continue
    fi
    said=() # for each file, the revision that the table says
    others=''
    while IFS='|' read -r _ revision names why _; do
        revision=$(trim "$revision")
        [[ $revision =~ ^[0-9a-f]{7,}(-dirty)?$ ]] || mistake "'$revision' is no revision"
        [ -n "$(trim "$why")" ] || mistake "$revision: no reason"
        if [ "$(trim "$names")" = "all others" ]; then
            [ -z "$others" ] || mistake "two lines for all others"
            others=$revision
            continue
        fi
        IFS=, read -ra patterns <<<"$names"
        for pattern in "${patterns[@]}"; do
            pattern=$(trim "$pattern")
            found=''
            for ((k = 0; k < ${#files[@]}; k++)); do
                # shellcheck disable=SC2053 # unquoted on purpose: a pattern
                [[ ${files[k]} == $pattern ]] || continue
                found=1
                [ -z "${said[k]-}" ] || mistake "${files[k]} stands in two lines"
                said[k]=$revision
            done
            [ -n "$found" ] || mistake "no file $pattern that names a revision"
        done
    done <<<"$table"
    for ((k = 0; k < ${#files[@]}; k++)); do
        if [ -z "${said[k]:-$others}" ]; then
            mistake "${files[k]} of ${revisions[k]}: not in the table"
        elif ! same "${said[k]:-$others}" "${revisions[k]}"; then
            mistake "${files[k]} is of ${revisions[k]}, not of ${said[k]:-$others}"
        fi
    done
done
[ $mistakes -eq 0 ]
