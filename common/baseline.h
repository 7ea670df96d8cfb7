/* W12's problem B by substitution on one CPU thread: the baseline of all its speed-ups. */
#pragma once

#include "results.h"

__BEGIN_DECLS

/* Solves problem B (problems.h), verifies and times it, and adds the row "serial". type: 's' or
 * 'd'. */
void baseline_row(struct results *results, char type, int64_t n, int reps);

__END_DECLS
