/* The accuracy experiment. It measures forward errors and residuals of tridiagonal.h on the twenty
 * matrices of matrices.h (Klein, Strzodka, ICPP 2021). The solver runs in five ways: with pivoting
 * and with automatic pivoting, each with rows that stay on the chip and with rows that are read
 * twice, and without pivoting.
 * LAPACK's xGTSV solves the same systems for comparison. nshape runs the experiment and the
 * tests. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include "options.h"

/* Runs the experiment. Prints a table with one row for each matrix, type and size. Writes a CSV
 * file in which each row of the table has one row for each method. If csv is NULL, it writes no
 * file. Returns an exit status (options.h). */
int accuracy_run(const struct options *o, const char *csv);

/* Runs the tests (solvers/test/accuracy.cu). EXPECT (expect.h) counts and reports failures. Returns
 * the number of expectations that failed. */
int accuracy_check(const struct options *o);

#endif
