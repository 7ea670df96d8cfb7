/* Measures tridiagonal_batch.h on systems that a program has already made. */
#pragma once

#include "options.h"
#include "systems.h"
#include "tridiagonal_batch.h"

/* The matrices of the systems: those of enum tridiagonal_matrix; periodic ones; BATCH_SIDES systems
 * share a matrix. BATCH_GRADIENT: as TRIDIAGONAL_BATCH_OWN, and the gradient is measured. */
enum batch_matrix {
    BATCH_PERIODIC = TRIDIAGONAL_BATCH_CONSTANT + 1,
    BATCH_EACH_FEW,
    BATCH_GRADIENT
};
enum { BATCH_SIDES = 8, GRADIENT_ARRAYS = 4 };

/* The systems and the memory that the caller gives to tridiagonal_batch_row. */
struct tridiagonal_batch_bench {
    struct systems *systems;  /* contiguous; the solution is copied to host_x */
    void *const *interleaved; /* device: sub, diag, super, rhs in the interleaved layout */
    void *natural;     /* device: n * batch elements, for the transpose of an interleaved x */
    void *work;        /* device: a workspace; a larger one is allocated for the call if needed */
    size_t work_bytes; /* size of `work` in bytes */
    void
        *gradient[GRADIENT_ARRAYS]; /* device: dsub, ddiag, dsuper, drhs, n * batch elements each */
    int *status;                    /* device: room for `batch` statuses */
    /* the matrix that the systems have; at first TRIDIAGONAL_BATCH_OWN */
    enum tridiagonal_matrix matrix;
};

/* Calls visit(n, batch) for each size. --rows is the number of rows of all systems together. */
template <class Visit> static inline void each_batch(const struct options *o, Visit visit)
{
    bool by_rows = o->rows.count > 0;
    const struct list *sizes = by_rows ? &o->rows : &o->batch;
    for (int i = 0; i < o->n.count; i++)
        for (int k = 0; k < sizes->count; k++) {
            int64_t n = o->n.value[i], batch = sizes->value[k] / (by_rows ? n : 1);
            visit(n, batch > 0 ? batch : 1);
        }
}

/* What runs on CPU cores: the `id` of a variant. */
enum { BATCH_CORES, BATCH_LAPACK, BATCH_MKL };

/* The experiment on CPU cores: verifies and times the chosen variants for all types and sizes.
 * `units`: the bound on the backward error of a row, in units of roundoff. */
void tridiagonal_batch_cpu_rows(struct results *results, const struct program *program,
                                const struct options *o, double units);

/* Solves the systems with the layout, pivot and matrix (enum batch_matrix) of `variant`, verifies
 * the solution, times the solver, and adds a row to the results. Does nothing for one interleaved
 * system, or if BATCH_SIDES does not divide the batch. SHARED and CONSTANT overwrite the matrices
 * (tridiagonal_batch_matrix). */
void tridiagonal_batch_row(struct results *results, struct tridiagonal_batch_bench *b,
                           const struct variant *variant, int reps, uint64_t seed);

/* Gives the systems this matrix; does nothing if they have it. SHARED keeps only the matrix of
 * the first system, CONSTANT only one row of it. So before a change to OWN, or from CONSTANT to
 * SHARED, the systems are made again from `seed`. */
void tridiagonal_batch_matrix(struct tridiagonal_batch_bench *b, enum tridiagonal_matrix matrix,
                              uint64_t seed);
