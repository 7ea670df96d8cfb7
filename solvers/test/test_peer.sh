#!/bin/bash
# Tests that a new peer of tridiagonal_batch is one new file and one new line: adds a made-up peer to a copy of the tree
# and runs it after the solver. The peer leaves x as it is, so its results must be found wrong. The last line is
# "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
passed=0 failed=0
expect() { # WHAT COMMAND…
    if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $1"; fi
}
tar c --exclude='*/reference' Makefile VERSION */Makefile common solvers plots pscheme_* pcr thomas_batch nshape | tar x -C "$copy"
cd "$copy" || exit 2
cat >solvers/bench/peer_made_up.cu <<'PEER'
#include "peers.h"

static cudaError_t nothing(struct peer_call *)
{
    return cudaSuccess;
}
static cudaError_t enqueue_nothing(const struct peer_call *, cudaStream_t)
{
    return cudaSuccess;
}
extern const struct peer peer_made_up = {0, nothing, enqueue_nothing, enqueue_nothing, nothing};
PEER
sed -i '/^#define PEERS(PEER)/a\    PEER(made_up, "made up", "a peer that does nothing", false, ANY_DEVICE)                      \\' \
    solvers/bench/tridiagonal_batch_main.cu
make -s NVCC= OPT=-O1 ONLY=tridiagonal_batch build/cpu/tridiagonal_batch || exit 1
build/cpu/tridiagonal_batch --list >list
expect "listed" grep -q '^made_up  *peer: a peer that does nothing' list
build/cpu/tridiagonal_batch --n 100 --batch 3 --type d --variant tridiagonal_batch,made_up --reps 1 --csv one.csv >/dev/null
expect "its wrong results make the run fail" [ $? -eq 1 ]
expect "a row in the CSV file" grep -q '^tridiagonal_batch,made_up,d,100,3,' one.csv
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
