/* The experiments with the time-dependent Schroedinger equation and their tests, for nshape's
 * main(). */
#ifndef TDSE_EXPERIMENT_H
#define TDSE_EXPERIMENT_H

#include <stdbool.h>

/* All tests, as EXPECTs (expect.h). */
void tdse_check(void);

/* Writes PREFIX_free.csv, PREFIX_harmonic.csv, PREFIX_barrier.csv, PREFIX_laser.csv (t,x,density),
 * PREFIX_convergence.csv (the error of a free packet against dx and dt) and PREFIX_steps.csv (times
 * of a step, in the schema of results.h). csv_prefix NULL: prints and writes no file. Returns an
 * exit status (options.h). */
int tdse_run(const char *csv_prefix, bool quick);

#endif
