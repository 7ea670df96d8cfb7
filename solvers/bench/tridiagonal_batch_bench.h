/* Measures tridiagonal_batch.h on systems that a program has already made. */
#ifndef TRIDIAGONAL_BATCH_BENCH_H
#define TRIDIAGONAL_BATCH_BENCH_H

#include "systems.h"
#include "tridiagonal_batch.h"

/* The ways to call the solver. Each way gives one row of results. PIVOTED: the solver pivots. AUTO:
 * it pivots where it must. INTERLEAVED: the layout is interleaved; in all other ways it is
 * contiguous. SHARED: all systems have the same matrix. CONSTANT: all systems have the same matrix,
 * and all its rows are equal. In all other ways each system has its own matrix. PERIODIC: the ends
 * of each system are coupled. SIDES: 8 systems share a matrix. */
enum tridiagonal_batch_way {
    BATCH_PLAIN,
    BATCH_PIVOTED,
    BATCH_AUTO,
    BATCH_INTERLEAVED,
    BATCH_INTERLEAVED_PIVOTED,
    BATCH_INTERLEAVED_AUTO,
    BATCH_SHARED,
    BATCH_SHARED_INTERLEAVED,
    BATCH_CONSTANT,
    BATCH_CONSTANT_INTERLEAVED,
    BATCH_PERIODIC,
    BATCH_SIDES,
    BATCH_WAYS
};

/* The systems and the memory that the caller gives to tridiagonal_batch_row. */
struct tridiagonal_batch_bench {
    struct systems *systems;  /* contiguous; the solution is copied to host_x */
    void *const *interleaved; /* device: sub, diag, super, rhs in the interleaved layout */
    void *natural;     /* device: n * batch elements, for the transpose of an interleaved x */
    void *work;        /* device: a workspace; a larger one is allocated for the call if needed */
    size_t work_bytes; /* size of `work` in bytes */
    int *status;       /* device: room for `batch` statuses */
    /* the matrix that the systems have; at first TRIDIAGONAL_BATCH_OWN */
    enum tridiagonal_matrix matrix;
};

/* Solves the systems in one way, verifies the solution, times the solver, and adds a row with the
 * name `variant` to the results. If the way is interleaved and there is only one system, the
 * function does nothing, because the two layouts are then the same; also if the way is SIDES and
 * the batch is no multiple of 8. The ways with SHARED and CONSTANT overwrite the matrices, see
 * tridiagonal_batch_matrix; PERIODIC and SIDES make the systems again at their end. */
void tridiagonal_batch_row(struct results *results, struct tridiagonal_batch_bench *b,
                           enum tridiagonal_batch_way way, const char *variant, int reps,
                           uint64_t seed);

/* Gives the systems this matrix. If the one that they have was made from it, they are first made
 * again from `seed`. */
void tridiagonal_batch_matrix(struct tridiagonal_batch_bench *b, enum tridiagonal_matrix matrix,
                              uint64_t seed);

#endif
