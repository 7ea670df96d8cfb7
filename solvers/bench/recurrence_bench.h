/* The experiments (solvers/bench/recurrence.cu) and tests (solvers/test/recurrence.cu) of
 * solvers/recurrence.h, called by the program pscheme_g for its variants one_pass and cub_scan. */
#ifndef RECURRENCE_BENCH_H
#define RECURRENCE_BENCH_H

#include "options.h"

/* Measures the solver with the sizes o->n in each type of `types`. With the largest size in single
 * precision it also measures many short sequences. If three_phase is true, it also measures
 * pscheme_g's kernels that solve in three phases. If `cub` is true, it also measures CUB's scan.
 * Writes the results to the file `csv`, or to no file if csv is NULL. Returns an exit status
 * (options.h). */
int recurrence_bench(const struct program *program, const struct options *o, const char *types,
                     bool three_phase, bool cub, const char *csv);

/* Runs the tests. EXPECT (expect.h) counts and reports failures. If `all` is true, it also runs the
 * tests that take long on the CPU device. */
void recurrence_check(uint64_t seed, bool all);

#endif
