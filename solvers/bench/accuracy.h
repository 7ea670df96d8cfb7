/* The accuracy experiment. It measures forward errors and residuals of tridiagonal.h on the twenty
 * matrices of matrices.h (Klein, Strzodka, ICPP 2021). The solver runs in five ways: with pivoting
 * and with automatic pivoting, each with rows that stay on the chip and with rows that are read
 * twice, and without pivoting. LAPACK's xGTSV solves the same systems for comparison. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include "options.h"

/* Runs the experiment. Prints a table with one row for each matrix, type and size. With --csv
 * DIR/FILE.csv it writes DIR/FILE_accuracy.csv, in which each row of the table has one row for each
 * method. Returns an exit status (options.h). */
int accuracy_run(const char *program, const struct options *o);

/* Runs the tests (solvers/test/accuracy.cu). EXPECT (expect.h) counts and reports failures. Returns
 * the number of expectations that failed. */
int accuracy_check(const struct options *o);

#endif
