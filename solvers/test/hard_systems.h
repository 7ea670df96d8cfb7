/* Tridiagonal systems that are hard to solve, for the tests of all solvers: LAPACK's types of
 * matrices, and random systems of families that are singular, nearly singular, graded, or need
 * pivoting. matrices.h has further matrices.
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n
 *
 * Arrays have n elements of type 's', 'd', 'c' or 'z'. sub_0 and super_{n-1}, which no solver may
 * use, are NaN or any other number. */
#pragma once

#include "problems.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The twelve types of matrices with which LAPACK tests its tridiagonal solvers (xDRVGT). Types 4 to
 * 6 are made by LAPACK's xLATMS, as matrix 9 of matrices.h. Types 2 and 3 consist of blocks of two
 * rows here: a rotation, a diagonal with this condition number, and another rotation. */
enum { LAPACK_TYPES = 12 };
const char *lapack_text(int which); /* a description of a type, 1 <= which <= LAPACK_TYPES */
bool lapack_is_singular(int which);

/* Makes a system of one of the types and its solution x, which is that of matrix_solution
 * (matrices.h); rhs is A x. Returns false if the type needs xLATMS and matrix_exists would return
 * false for matrix 9. */
bool lapack_fill(int which, char type, int64_t n, uint64_t seed, void *sub, void *diag, void *super,
                 void *rhs, void *x);

/* Random systems of hard families, 0 <= family < FAMILIES. Not all are regular. */
enum {
    FAMILY_SIGNS,
    FAMILY_TINY_DIAGONALS,
    FAMILY_GRADED,
    FAMILY_LAPLACIAN,
    FAMILY_BIRTH_AND_DEATH,
    FAMILY_ONE_HARD_ROW,
    FAMILY_BORDER,
    FAMILY_RANDOM,
    FAMILY_DECOUPLED,
    FAMILY_SKEW,
    FAMILIES
};
const char *family_text(int family);
/* All its systems are, and x does not overflow. */
bool family_is_regular(int family, char type);
void family_fill(int family, char type, int64_t n, struct random *r, void *sub, void *diag,
                 void *super, void *rhs);

#ifdef __cplusplus
}
#endif
