/* The accuracy experiment: forward errors and residuals of tridiagonal.h on the twenty matrices of
 * matrices.h (Klein, Strzodka, ICPP 2021): with pivoting and with automatic pivoting, each resident
 * and in two passes, without pivoting, and by LAPACK's xGTSV. */
#pragma once

#include "options.h"

/* Prints a table with one row for each matrix, type and size. With --csv DIR/FILE.csv it writes
 * DIR/FILE_accuracy.csv, with one row for each method. Returns an exit status (options.h). */
int accuracy_run(const char *program, const struct options *o);

/* Runs the tests (solvers/test/accuracy.cu). Returns the number of expectations that failed. */
int accuracy_check(const struct options *o);
