/* The experiments with the heat equation, for main.cu. */
#ifndef HEAT_MAIN_H
#define HEAT_MAIN_H

#include "options.h"

#include <stdbool.h>

/* EXPECTs (expect.h) only. The number of those that failed. */
int heat_check(void);

/* Whose steps are timed; and whether a plate cools and convergence is shown. */
struct heat_asked {
    bool ours, cusparse, cusparse_transposed, scenes;
};

/* Writes PREFIX_steps.csv (times of a step of N x N points, N from --n if `sized`, in the schema of results.h) and, with scenes,
 * PREFIX_field.csv (t,x,y,u: hot bodies that cool) and PREFIX_convergence.csv (the error against the exact solution, h and dt
 * halved); with csv_prefix NULL results are only printed. An exit status (options.h). */
int heat_run(const struct options *o, bool sized, struct heat_asked asked, const char *csv_prefix);

#endif
