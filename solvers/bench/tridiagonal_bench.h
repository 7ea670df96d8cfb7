/* Experiments and tests of tridiagonal.h. For main.cu. */
#ifndef TRIDIAGONAL_BENCH_H
#define TRIDIAGONAL_BENCH_H

#include "options.h"

#include <stdbool.h>

/* Which of the solver and its peers a run has. */
struct tridiagonal_asked {
    bool plain, pivoted, cusparse, cusparse_nopivot;
};

/* EXPECTs (expect.h) only. The number of those that failed. */
int tridiagonal_check(const struct options *o);

/* unknowns/s against n in o->types at o->n, or where `sized` is false at sizes and types of its own, beside cuSPARSE (GPU
 * builds), the copy and the time evolution's form of the matrix (Toeplitz). A CSV file, or NULL. An exit status
 * (options.h). */
int tridiagonal_bench(const char *program, const char *device, const struct options *o, bool sized,
                      struct tridiagonal_asked asked, const char *csv);

#endif
