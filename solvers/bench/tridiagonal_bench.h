/* What the program tridiagonal (tridiagonal_main.cu) runs: experiments and tests of tridiagonal.h.
 */
#ifndef TRIDIAGONAL_BENCH_H
#define TRIDIAGONAL_BENCH_H

#include "bench/tridiagonal_case.h"

/* The names of the variants, for each value of enum tridiagonal_pivot. */
enum { TRIDIAGONAL_PIVOTS = 3 };
extern const char *const tridiagonal_variants[TRIDIAGONAL_PIVOTS];

/* Times and verifies a case with each pivot whose element of `has` is true; without pivoting also
 * the floors (memory_floor.h). The case must be made with TRIDIAGONAL_PIVOT_AUTO and as periodic:
 * this needs the largest workspace and fills sub_0 and super_{n-1}. `periodic`: whether a periodic
 * system is measured, too. */
void tridiagonal_rows(struct results *results, const struct tridiagonal_case *c, const bool *has,
                      bool periodic, int reps);

/* GPU builds: cuSPARSE on the same case. It changes the matrix on the device. */
void tridiagonal_cusparse_row(struct results *results, const struct tridiagonal_case *c,
                              bool pivoting, int reps);

/* Runs the tests (solvers/test/tridiagonal.cu). EXPECT (expect.h) counts and reports failures.
 * Returns the number of expectations that failed. */
int tridiagonal_check(const struct options *o);

#endif
