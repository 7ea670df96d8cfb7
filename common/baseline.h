/* W12's problem B, solved by substitution on one CPU thread. Its time is the baseline of all
 * speed-ups for this problem. */
#ifndef BASELINE_H
#define BASELINE_H

#include "results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solves problem B (problems.h) with n unknowns, verifies the result, times the solver with `reps`
 * samples and adds the row "serial" to the results. type: 's' or 'd'. */
void baseline_row(struct results *results, char type, int64_t n, int reps);

#ifdef __cplusplus
}
#endif
#endif
