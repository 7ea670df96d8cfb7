/* The baseline of all speed-ups of W12's problem B: substitution on one CPU thread. */
#ifndef BASELINE_H
#define BASELINE_H

#include "results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solves problem B (problems.h) of n unknowns, verifies and times it, and adds the row "serial". */
void baseline_row(struct results *results, char type, int64_t n, int reps);

#ifdef __cplusplus
}
#endif
#endif
