/* The experiments and tests of one_pass (its solver unit is recurrence.h). */
#ifndef RECURRENCE_BENCH_H
#define RECURRENCE_BENCH_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes of o->n in the types of `types`, and of the largest in 's' many short sequences; beside it, if asked for, the
 * three-phase kernels for general coefficients and CUB. Results go to `csv` (NULL: no file). Gives an exit status. */
int recurrence_bench(const struct program *program, const struct options *o, const char *types,
                     bool three_phase, bool cub, const char *csv);

/* EXPECTs (expect.h): what is printed are the failures. Gives the numbers passed and failed. */
void recurrence_check(uint64_t seed, bool all, int *passed, int *failed);

#ifdef __cplusplus
}
#endif
#endif
