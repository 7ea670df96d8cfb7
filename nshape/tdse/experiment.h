/* The experiments with the Schroedinger equation and their tests, for nshape's main(). */
#ifndef TDSE_EXPERIMENT_H
#define TDSE_EXPERIMENT_H

#include <stdbool.h>

/* Runs all tests, by EXPECT (expect.h). */
void tdse_check(void);

/* Writes PREFIX_free.csv, _harmonic, _barrier, _laser, _midinfrared (not if quick), _convergence,
 * and _steps (times, in the schema of results.h); no file if csv_prefix is NULL. Returns an exit
 * status. */
int tdse_run(const char *csv_prefix, bool quick);

#endif
