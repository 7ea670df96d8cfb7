/* The experiments (recurrence.cu) and tests (test/recurrence.cu) of solvers/recurrence.h, called by
 * the program recurrence (recurrence_main.cu). */
#ifndef RECURRENCE_BENCH_H
#define RECURRENCE_BENCH_H

#include "options.h"

/* Indices of recurrence_variants[]. */
enum { RECURRENCE_ONE_PASS, RECURRENCE_ONE_WARP, RECURRENCE_ARRAYS, RECURRENCE_CUB_SCAN };
extern const struct variant recurrence_variants[];

/* Measures the chosen variants. With the largest size it also measures other kinds of problems and
 * many short sequences. Returns an exit status (options.h). */
int recurrence_bench(const struct program *program, const struct options *o);

/* Runs the tests. EXPECT (expect.h) counts and reports failures. If `all` is true, it also runs the
 * tests that take long on the CPU device. */
void recurrence_check(uint64_t seed, bool all);

#endif
