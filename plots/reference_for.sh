#!/bin/sh
# Prints the committed run to compare a results directory with: the first in plots/reference/ that is not
# the directory itself and has the last program's times: not what was measured of one program or two alone.
# Nothing if there is none.
here=$(cd "$(dirname "$0")" && pwd)
own=$(cd "$1" && pwd) || exit 2
for directory in "$here"/reference/*/; do
    if [ -f "$directory/nshape.csv" ] && [ "${directory%/}" != "$own" ]; then
        echo "plots/reference/$(basename "$directory")"
        exit
    fi
done
