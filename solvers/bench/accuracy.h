/* Forward errors and residuals of tridiagonal.h over twenty matrices (matrices.h), beside LAPACK's xGTSV. For main.cu. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include "options.h"

/* EXPECTs (expect.h) only. The number of those that failed. */
int accuracy_check(const struct options *o);

/* A line for each matrix, type, size and method into CSV, or NULL: only a table on stdout. An exit status (options.h). */
int accuracy_run(const struct options *o, const char *csv);

#endif
