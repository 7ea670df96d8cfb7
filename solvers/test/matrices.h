/* The twenty tridiagonal matrices on which Klein and Strzodka judge pivoting solvers (*Tridiagonal
 * GPU Solver with Scaled Partial Pivoting at Maximum Bandwidth*, ICPP 2021, table 1), and two
 * measures of a solution's error.
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * Arrays have n elements of type 's', 'd', 'c' or 'z'; complex elements are pairs (real,
 * imaginary). All numbers are drawn in double and then rounded to the type, so the system in single
 * precision is the rounded system in double precision. A system depends on (matrix, type, n, seed)
 * alone and has the same bits on every machine, with two exceptions: matrices 8 to 11 depend on the
 * rounding of the build's LAPACK, and matrix_product on its long double (one rounding to the type
 * hides nearly all of that). */
#pragma once

#include "problems.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MATRICES = 20 };
/* The maximum n of matrices 8 to 11; making them takes time proportional to n^2. */
enum { MATRICES_LATMS_N = 4096 };

/* Writes element i of an array of this type. A real element has no imaginary part. */
static inline void put_number(char type, void *array, int64_t i, double re, double im)
{
    const bool two = is_complex(type);
    put(real_type(type), array, two ? 2 * i : i, re);
    if (two)
        put(real_type(type), array, 2 * i + 1, im);
}

/* Returns a description of matrix `which`, 1 <= which <= MATRICES. In the text a, b, c stand for
 * sub, diag, super, and U for a number drawn uniformly from [-1, 1). In the complex types the real
 * and the imaginary part are both drawn so. */
const char *matrix_text(int which);

/* Returns false for an unknown matrix or type and for n < 1. Matrices 8 to 11 are made by LAPACK's
 * xLATMS; for them it also returns false if the build has no LAPACK or n > MATRICES_LATMS_N. */
bool matrix_exists(int which, char type, int64_t n);

/* Writes the coefficients of matrix `which` to sub, diag and super. sub_0 and super_{n-1}, which no
 * solver may read, become NaN. Returns false, and writes nothing, if the matrix does not exist or
 * if there is no memory to make matrices 8 to 11. The random numbers U (matrix_text()) depend on
 * the seed alone, so matrices 4, 5 and 12 are variants of matrix 1. In single precision some
 * constants differ, because the usual ones are out of range: 1e-30 replaces 1e-50, and in matrices
 * 8 to 11 the condition number is 0.1/u, not 1e15. Matrix 15 is singular for odd n. */
bool matrix_fill(int which, char type, int64_t n, uint64_t seed, void *sub, void *diag,
                 void *super);

/* Fills x with the true solution: normally distributed numbers with mean 3 and standard deviation
 * 1. In the complex types the real and the imaginary part both have this distribution. */
void matrix_solution(char type, int64_t n, uint64_t seed, void *x);

/* rhs = A x, summed in long double and rounded once. rhs must not be x. */
void matrix_product(char type, int64_t n, const void *sub, const void *diag, const void *super,
                    const void *x, void *rhs);

/* The next two functions return INFINITY if an element is not finite. They never return NaN. */

/* The forward error |x - x_true|_2 / |x_true|_2. */
double matrix_forward_error(char type, int64_t n, const void *x, const void *x_true);

/* The componentwise backward error (Oettli, Prager) in units of the type's roundoff u (2^-24,
 * 2^-53), computed in long double: the largest over all rows of
 *     |r_i| / (|sub_i| |x_{i-1}| + |diag_i| |x_i| + |super_i| |x_{i+1}| + |rhs_i|).
 * A row 0 = 0 counts as 0. */
double matrix_residual(char type, int64_t n, const void *sub, const void *diag, const void *super,
                       const void *rhs, const void *x);

#ifdef __cplusplus
}
#endif
