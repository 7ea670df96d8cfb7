/* The accuracy experiment. It measures forward errors and residuals of tridiagonal.h on the twenty
 * matrices of matrices.h (Klein, Strzodka, ICPP 2021): with pivoting, where the rows stay on the
 * chip or are read twice, and without pivoting. LAPACK's xGTSV solves the same systems for
 * comparison. nshape runs the experiment and the tests. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include "options.h"

/* Runs the experiment. Prints a table with a row for each matrix, type and size, and writes a CSV
 * file with a row for each of these and each method, or no file if csv is NULL. Returns an exit
 * status (options.h). */
int accuracy_run(const struct options *o, const char *csv);

/* The tests (solvers/test/accuracy.cu), counted by EXPECT (expect.h). Returns the number of
 * expectations that failed. */
int accuracy_check(const struct options *o);

#endif
