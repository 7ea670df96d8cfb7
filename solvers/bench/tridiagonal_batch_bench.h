/* Measures tridiagonal_batch.h on systems that a program has already made. */
#ifndef TRIDIAGONAL_BATCH_BENCH_H
#define TRIDIAGONAL_BATCH_BENCH_H

#include "systems.h"

/* The ways to call the solver. Each gives one row of results. In BATCH_PLAIN and BATCH_PIVOTED each
 * system has its own matrix, and the layout is contiguous. SHARED and CONSTANT are as in enum
 * tridiagonal_matrix. */
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

/* The systems and memory of the caller, which tridiagonal_batch_row uses. */
struct tridiagonal_batch_bench {
    struct systems *systems;  /* in the contiguous layout; host_x of it receives the solution */
    void *const *interleaved; /* device: sub, diag, super, rhs of the same systems, interleaved */
    void *natural;            /* device: room for n * batch elements */
    void *work;               /* device: a workspace; if the solver needs a larger one, */
    size_t work_bytes;        /* tridiagonal_batch_row allocates it; the size of `work` */
    int *status;              /* device: room for `batch` statuses */
};

/* Solves, verifies, times and records one row under the name `variant`. Records nothing for an
 * interleaved batch of one system, because it is the same as a contiguous one. SHARED and CONSTANT
 * overwrite the matrices, so afterwards the systems are made again from `seed`. */
void tridiagonal_batch_row(struct results *results, const struct tridiagonal_batch_bench *b,
                           enum tridiagonal_batch_way way, const char *variant, int reps,
                           uint64_t seed);

#endif
