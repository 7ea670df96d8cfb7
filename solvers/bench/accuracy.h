/* Forward errors and residuals of tridiagonal.h over the twenty matrices of matrices.h (Klein,
 * Strzodka, ICPP 2021), with pivoting in both ways to hold the rows and without, beside LAPACK's
 * xGTSV on the same systems. nshape runs the experiment and the tests. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include "options.h"

/* A row for each matrix, type, size and method: a table on stdout and a CSV file, or none if csv is
 * NULL. Returns an exit status (options.h). */
int accuracy_run(const struct options *o, const char *csv);

/* The tests (solvers/test/accuracy.cu), as expectations (expect.h). Returns how many failed. */
int accuracy_check(const struct options *o);

#endif
