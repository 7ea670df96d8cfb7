#!/bin/bash
# Makes a folder of plots/reference from the results of run_all.sh: plots/record.sh RESULTS [FOLDER]
#   plots/record.sh --times FOLDER…
# FOLDER is by default plots/reference/NAME, if RESULTS is results/NAME. It gets the CSV files, the report and the
# figures, and, unless it has one, a README.md with the machine, the revision and the seconds of each program. With
# --times it prints a table of the seconds of the folders that have a times.csv. Exit status: 0; 1 a file cannot be written,
# or the files are of several revisions (revisions.sh says what to do); 2 usage.
# shellcheck disable=SC2016 # the backquote is a character
set -u
unset CDPATH
fail() { # status, message
    echo "record.sh: $2" >&2
    exit "$1"
}
# times FOLDER…: the table of their times.csv, a column a folder, runs of a program over different numbers of ranks
# together
times() {
    local folder files=() head='| run |' line='|---|'
    for folder in "$@"; do
        [ -f "$folder/times.csv" ] || continue
        files+=("$folder/times.csv")
        [ $# -gt 1 ] && head+=" $(basename "$folder") |" || head+=' seconds |'
        line+='---|'
    done
    [ ${#files[@]} -gt 0 ] || return
    printf '%s\n' "$head" "$line"
    awk -F , 'FNR == 1 { files++ }
        /^#/ || $1 == "run" { next }
        { sub(/_mpi_[0-9]+$/, "_mpi", $1); if (!known[$1]++) name[++n] = $1 }
        { sum[$1, files] += $2; sum["all", files] += $2 }
        END {
            name[++n] = "all"
            for (i = 1; i <= n; i++) {
                printf "| %s |", name[i]
                for (f = 1; f <= files; f++) printf " %s |", sum[name[i], f]
                print ""
            }
        }' "${files[@]}"
}
case ${1-} in
--times)
    times "${@:2}"
    exit
    ;;
'' | -*) fail 2 "usage: plots/record.sh RESULTS [FOLDER], or --times FOLDER..." ;;
esac
results=${1%/}
[ -f "$results/report.html" ] || fail 2 "'$results' has no report.html: run_all.sh writes it"
here=$(cd "$(dirname "$0")" && pwd)
folder=${2:-$here/reference/$(basename "$results")}
if ! mkdir -p "$folder" || ! cp "$results"/*.csv "$results"/report.{html,md} "$results/explore.html" "$folder"; then
    fail 1 "'$folder' cannot be written"
fi
[ ! -f "$results/samples.csv.gz" ] || cp "$results/samples.csv.gz" "$folder" || fail 1 "'$folder' cannot be written"
if [ -d "$results/figures" ]; then
    cp -r "$results/figures" "$folder" || fail 1 "'$folder' cannot be written"
fi
# There the report says "reference machine".
folder=$(cd "$folder" && pwd)
case $folder in */plots/reference/*)
    (cd "$here/.." && plots/report.sh "$folder" >/dev/null) || fail 1 "no report in '$folder'"
    ;;
esac
if [ ! -e "$folder/README.md" ]; then
    {
        printf '# %s\n\n' "$(sed -n '1s/^# Report: //p' "$folder/report.md")"
        printf 'A run of all programs by `./run_all.sh --paper`; [report.md](report.md) is the index of its report.\n\n'
        # the machine: each line of the CSV files' headers once
        sed -nE '/^#/!d; s/^# (cpu|driver|compiler|flags|revision): /- \1: /p' "$folder"/*.csv | sort -u
        [ ! -f "$folder/times.csv" ] || { printf '\nHow long it took:\n\n' && times "$folder"; }
    } >"$folder/README.md" || fail 1 "'$folder/README.md' cannot be written"
fi
echo "recorded: $folder"
"$here/revisions.sh" "$folder"
