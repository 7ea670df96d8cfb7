/* The baseline of every speed-up of problem B: the original substitution on one CPU thread. */
#ifndef BASELINE_H
#define BASELINE_H

#include "results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solve problem B (problems.h) of n unknowns, verify it, time it, and add the row "serial". */
void baseline_row(struct results *results, char type, int64_t n, int reps);

#ifdef __cplusplus
}
#endif
#endif
