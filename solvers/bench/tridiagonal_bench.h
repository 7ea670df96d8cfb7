/* What the program tridiagonal (tridiagonal_main.cu) runs. */
#pragma once

#include "options.h"
#include "results.h"

/* Indices of tridiagonal_variants[]. The first three are values of enum tridiagonal_pivot. */
enum {
    TRIDIAGONAL_GRADIENT = 3,
    TRIDIAGONAL_CUSPARSE,
    TRIDIAGONAL_CUSPARSE_NOPIVOT,
    TRIDIAGONAL_LANES,
    TRIDIAGONAL_LANES_PIVOTED,
    TRIDIAGONAL_LANES_AUTO,
    TRIDIAGONAL_THOMAS,
    TRIDIAGONAL_LAPACK,
    TRIDIAGONAL_ACCURACY
};
extern const struct variant tridiagonal_variants[];

/* The experiments on the device and on CPU cores: verify and time the chosen variants for all types
 * and sizes. `units`: the bound on the backward error of a row, in units of roundoff. */
void tridiagonal_rows(struct results *results, const struct program *program,
                      const struct options *o);
void tridiagonal_cpu_rows(struct results *results, const struct program *program,
                          const struct options *o, double units);

/* Runs the tests (solvers/test/tridiagonal.cu). EXPECT (expect.h) counts and reports failures.
 * Returns the number of expectations that failed. */
int tridiagonal_check(const struct options *o);
