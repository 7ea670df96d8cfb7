/* The experiments with the time-dependent Schroedinger equation, for main.cu. */
#ifndef TDSE_EXPERIMENT_H
#define TDSE_EXPERIMENT_H

#include <stdbool.h>

/* EXPECTs (expect.h) only. The number of those that failed. */
int tdse_check(void);

/* Writes PREFIX_free.csv, PREFIX_harmonic.csv, PREFIX_barrier.csv, PREFIX_laser.csv (t,x,density),
 * PREFIX_convergence.csv (the error of the free packet against dx and dt) and PREFIX_steps.csv (times of a step, in the
 * schema of results.h); with csv_prefix NULL the times are only printed. An exit status (options.h). */
int tdse_run(const char *csv_prefix, bool quick);

#endif
