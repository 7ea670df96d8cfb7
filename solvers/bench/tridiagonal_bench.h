/* The experiment and the tests of tridiagonal.h, which nshape runs. */
#ifndef TRIDIAGONAL_BENCH_H
#define TRIDIAGONAL_BENCH_H

#include "options.h"

#include <stdbool.h>

/* The variants that the user has selected. */
struct tridiagonal_asked {
    bool plain, pivoted, automatic, cusparse, cusparse_nopivot;
};

/* Times and verifies the selected variants, and with `plain` also the floors of each n
 * (memory_floor.h). If `sized` is true, it uses the types o->types and the
 * sizes o->n. Otherwise it uses all types and its own sizes. Writes a CSV file, or none if csv is
 * NULL. Returns an exit status (options.h). */
int tridiagonal_bench(const char *program, const char *device, const struct options *o, bool sized,
                      struct tridiagonal_asked asked, const char *csv);

/* Runs the tests (solvers/test/tridiagonal.cu). EXPECT (expect.h) counts and reports failures.
 * Returns the number of expectations that failed. */
int tridiagonal_check(const struct options *o);

#endif
