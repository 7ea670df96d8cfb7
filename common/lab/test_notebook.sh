#!/bin/bash
# Tests the notebook: it has no outputs, and where Jupyter is, all cells run, lab 1 first fails and then passes, and
# both grades have a picture. The last line is "N passed, N failed", with what was left out.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=common/test_checks.sh
. common/test_checks.sh
notebook=common/lab/labs.ipynb

! grep -nE '"(output_type|image/|text/)|"execution_count": [0-9]|/(home|work|root)/' $notebook >"$base/said"
verdict $? "$notebook has outputs; Jupyter's \"Clear Outputs of All Cells\" removes them"
if ! jupyter nbconvert --version >/dev/null 2>&1; then
    finish | sed 's/$/; left out: running it, no jupyter nbconvert here/'
    exit "${PIPESTATUS[0]}"
fi
# In a tree with a build of its own. Jupyter finds the notebook's real directory, so `common` is a copy.
mkdir "$base/tree"
ln -s "$PWD"/{Makefile,VERSION,n*,p*,s*,t*} "$base/tree"
cp -r common "$base/tree"
check "Jupyter" jupyter nbconvert --to notebook --execute --output-dir "$base" "$base/tree/$notebook"
for words in 'nshape/lab/11_reduce' 'lab 1: failed' 'FAIL  sectors' 'lab 1: passed' 'Lab 2: coalescing'; do
    check "the executed notebook" grep -qF "$words" "$base/labs.ipynb"
done
check "two pictures" test "$(grep -c '"image/svg+xml": ' "$base/labs.ipynb")" -eq 2
finish
