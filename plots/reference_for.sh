#!/bin/sh
# Prints the directory of the committed run with which a results directory is compared:
# plots/reference_for.sh RESULTS
# This is the first directory in plots/reference/ that is not RESULTS itself and that contains
# nshape.csv. The condition leaves out committed runs that contain only a few programs. If no
# directory meets it, the script prints nothing.
unset CDPATH # cd would look there, and print where it went
here=$(cd "$(dirname "$0")" && pwd)
own=$(cd -- "$1" && pwd) || exit 2
for directory in "$here"/reference/*/; do
    if [ -f "$directory/nshape.csv" ] && [ "${directory%/}" != "$own" ]; then
        echo "plots/reference/$(basename "$directory")"
        exit
    fi
done
