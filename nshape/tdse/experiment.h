/* The experiments with the time-dependent Schroedinger equation and their tests, for nshape's
 * main(). */
#ifndef TDSE_EXPERIMENT_H
#define TDSE_EXPERIMENT_H

#include <stdbool.h>

/* Runs all tests, by EXPECT (expect.h). */
void tdse_check(void);

/* Runs the experiments and writes these files, or no file if csv_prefix is NULL:
 *   PREFIX_free.csv, PREFIX_harmonic.csv, PREFIX_barrier.csv, PREFIX_laser.csv (t,x,density)
 *   PREFIX_convergence.csv (the error of a free packet against dx and dt)
 *   PREFIX_steps.csv (times of a step, in the schema of results.h)
 * Returns an exit status (options.h). */
int tdse_run(const char *csv_prefix, bool quick);

#endif
