/* Measures tridiagonal_batch.h, for the main of a program that has the systems already. */
#ifndef TRIDIAGONAL_BATCH_BENCH_H
#define TRIDIAGONAL_BATCH_BENCH_H

#include "systems.h"

/* The ways to call the solver, each a row of results. Plain rows have a matrix for each system in
 * the contiguous layout; SHARED and CONSTANT as in enum tridiagonal_matrix. */
enum tridiagonal_batch_way {
    BATCH_PLAIN,
    BATCH_PIVOTED,
    BATCH_INTERLEAVED,
    BATCH_INTERLEAVED_PIVOTED,
    BATCH_SHARED,
    BATCH_SHARED_INTERLEAVED,
    BATCH_CONSTANT,
    BATCH_CONSTANT_INTERLEAVED,
    BATCH_WAYS
};

/* The systems and memory of the caller. */
struct tridiagonal_batch_bench {
    struct systems *systems;  /* contiguous; its host_x gets the solution */
    void *const *interleaved; /* device: the four arrays of the same systems, interleaved */
    void *natural;            /* device: for n batch elements */
    void *work;               /* device: for work_bytes bytes; if the solver needs more, it is */
    size_t work_bytes;        /* allocated for this row */
    int *status;              /* device: for `batch` elements */
};

/* Solves, verifies, times and records one row under the name `variant`. Writes no row for an
 * interleaved batch of one system, which is the same as a contiguous one. SHARED and CONSTANT
 * overwrite the matrices; afterwards the systems are made again from `seed`. */
void tridiagonal_batch_row(struct results *results, const struct tridiagonal_batch_bench *b,
                           enum tridiagonal_batch_way way, const char *variant, int reps,
                           uint64_t seed);

#endif
