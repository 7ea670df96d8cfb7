/* The experiment and the tests of tridiagonal.h, which nshape runs. */
#ifndef TRIDIAGONAL_BENCH_H
#define TRIDIAGONAL_BENCH_H

#include "options.h"

#include <stdbool.h>

/* Which variants a run has. */
struct tridiagonal_asked {
    bool plain, pivoted, cusparse, cusparse_nopivot;
};

/* Times and verifies the variants in o->types at o->n, or, unless `sized`, in all types at sizes of
 * its own. Writes a CSV file, or none if csv is NULL. Returns an exit status (options.h). */
int tridiagonal_bench(const char *program, const char *device, const struct options *o, bool sized,
                      struct tridiagonal_asked asked, const char *csv);

/* The tests (solvers/test/tridiagonal.cu), as expectations (expect.h). Returns how many failed. */
int tridiagonal_check(const struct options *o);

#endif
