#!/bin/sh
# Prints the committed run with which a results directory is compared: the first directory of
# plots/reference/ that is not this directory itself and that has times of nshape, the last program
# of a whole run. Runs of one or two programs are passed over. Prints nothing if there is none.
here=$(cd "$(dirname "$0")" && pwd)
own=$(cd "$1" && pwd) || exit 2
for directory in "$here"/reference/*/; do
    if [ -f "$directory/nshape.csv" ] && [ "${directory%/}" != "$own" ]; then
        echo "plots/reference/$(basename "$directory")"
        exit
    fi
done
