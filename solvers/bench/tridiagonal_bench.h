/* The experiment and the tests of tridiagonal.h, which nshape runs. */
#ifndef TRIDIAGONAL_BENCH_H
#define TRIDIAGONAL_BENCH_H

#include "options.h"

#include <stdbool.h>

/* The variants that the user has selected. */
struct tridiagonal_asked {
    bool plain, pivoted, cusparse, cusparse_nopivot;
};

/* Times and verifies the selected variants. sized: with the types o->types and the sizes o->n; else
 * with all types and with sizes of its own. Writes a CSV file, or none if csv is NULL. Returns an
 * exit status (options.h). */
int tridiagonal_bench(const char *program, const char *device, const struct options *o, bool sized,
                      struct tridiagonal_asked asked, const char *csv);

/* The tests (solvers/test/tridiagonal.cu), counted by EXPECT (expect.h). Returns the number of
 * expectations that failed. */
int tridiagonal_check(const struct options *o);

#endif
