/* The twenty tridiagonal matrices that pivoting solvers are judged by: C. Klein, R. Strzodka, *Tridiagonal GPU Solver with
 * Scaled Partial Pivoting at Maximum Bandwidth*, ICPP 2021, table 1; and the two measures of a solution.
 *
 *   sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * Arrays are n words of type 's', 'd', 'c', 'z': float, double, and pairs of them (real, imaginary). Everything is drawn in
 * double and then rounded to the type, so that both precisions have the same system. It follows from (which, type, n, seed)
 * alone, the same bits on every machine; but for 8 to 11, where it is the rounding of the LAPACK in the build, and for
 * matrix_product, of the long double there (which one rounding to the type all but hides). */
#ifndef MATRICES_H
#define MATRICES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MATRICES = 20,
    MATRICES_LATMS_N = 4096 /* the most rows of 8 to 11, which take time n^2 */
};

/* Of 1 <= which <= MATRICES, "a, b, c ~ U" for example: a, b, c for sub, diag, super and U for what is uniform in [-1, 1), in
 * the complex types both parts. */
const char *matrix_text(int which);

/* False: no such matrix or type, n < 1; or 8 to 11 without LAPACK (its xLATMS) or with n > MATRICES_LATMS_N. */
bool matrix_exists(int which, char type, int64_t n);

/* The matrix; sub_0 and super_{n-1}, which no solver may read, are NaN. False, and nothing touched: it does not exist, or there
 * is no memory for 8 to 11. All matrices of a seed have the same U (4, 5, 12 are "as 1"). Single precision cannot have it
 * all: where double has a times 1e-50 it has 1e-30, and the condition of 8 to 11 is 0.1/u instead of 1e15. With n odd 15 is
 * singular. */
bool matrix_fill(int which, char type, int64_t n, uint64_t seed, void *sub, void *diag,
                 void *super);

/* What the solution shall be: normal of mean 3 and deviation 1, in the complex types both parts. */
void matrix_solution(char type, int64_t n, uint64_t seed, void *x);

/* rhs = A x: sums in long double, rounded once. rhs must not be x. */
void matrix_product(char type, int64_t n, const void *sub, const void *diag, const void *super,
                    const void *x, void *rhs);

/* Both are INFINITY when a word is not finite, and never NaN. */

/* |x - x_true|_2 / |x_true|_2. */
double matrix_forward_error(char type, int64_t n, const void *x, const void *x_true);

/* Largest of all rows |r_i| / (|sub_i| |x_{i-1}| + |diag_i| |x_i| + |super_i| |x_{i+1}| + |rhs_i|), in units of the type's
 * roundoff u (2^-24, 2^-53): the componentwise backward error (Oettli, Prager), in long double. 0 of a row that is 0 = 0. */
double matrix_residual(char type, int64_t n, const void *sub, const void *diag, const void *super,
                       const void *rhs, const void *x);

#ifdef __cplusplus
}
#endif
#endif
