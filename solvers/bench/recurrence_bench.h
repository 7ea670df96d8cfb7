/* The experiments (solvers/bench/recurrence.cu) and tests (solvers/test/recurrence.cu) of
 * solvers/recurrence.h, called by the program pscheme_g for its variants one_pass and cub_scan. */
#ifndef RECURRENCE_BENCH_H
#define RECURRENCE_BENCH_H

#include "options.h"

/* Measures the sizes o->n in each type of `types`; for the largest size in single precision also
 * many short sequences. three_phase: also measures the three-phase kernels for general
 * coefficients. cub: also measures CUB's scan. Writes the results to `csv` (NULL: no file). Returns
 * an exit status (options.h). */
int recurrence_bench(const struct program *program, const struct options *o, const char *types,
                     bool three_phase, bool cub, const char *csv);

/* Runs the tests, which EXPECT (expect.h) counts. `all`: also those that take long on the CPU
 * device. */
void recurrence_check(uint64_t seed, bool all);

#endif
