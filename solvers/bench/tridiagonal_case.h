/* Declarations that the experiment and the tests of tridiagonal.h share. A case is a system in main
 * memory and on the device, with everything that a call needs. Functions fill it, solve it and
 * measure the errors of its solution. */
#ifndef TRIDIAGONAL_CASE_H
#define TRIDIAGONAL_CASE_H

#include "device_program.h"
#include "problems.h"
#include "tridiagonal.h"

enum { SUB, DIAG, SUPER, RHS, X, ARRAYS };

struct shape {
    char type;
    int64_t n, sides, stride; /* as in struct tridiagonal */
    bool toeplitz, periodic, in_place;
    int offset[ARRAYS]; /* elements between a multiple of 256 bytes and the array */
};

/* Each array lies in a larger piece of memory, its image. The image begins with `offset` elements
 * in front of the array; that of x also has GUARD bytes at its beginning and at its end. The image
 * in main memory and that on the device have the same layout. GUARD bytes follow the workspace,
 * too. */
enum { GUARD = 64 };
struct tridiagonal_case {
    struct shape s;
    int64_t elements; /* number of elements of rhs and of x, with the gaps between sides */
    void *host[ARRAYS], *device[ARRAYS];
    long long *status;
    struct tridiagonal t; /* the call that solves the system */
    void *work;
    size_t work_bytes;
    struct memory memory;
};

/* Allocates a case, fills it by case_fill and uploads it. */
struct tridiagonal_case case_make(const struct shape &s, int pivot, int matrix, uint64_t seed);
void case_close(struct tridiagonal_case *c);

size_t case_image_bytes(const struct tridiagonal_case *c, int array);
/* Element i of an array in main memory. */
void *case_host(const struct tridiagonal_case *c, int array, int64_t i = 0);
void case_put(const struct tridiagonal_case *c, int array, int64_t i, double re, double im = 0);
void case_put_row(const struct tridiagonal_case *c, int64_t i, double sub, double diag,
                  double super);
/* Copies all inputs to the device. */
void case_upload(const struct tridiagonal_case *c);

/* Fills in a matrix and right-hand sides. matrix: 1 to MATRICES for those of matrices.h, or one of
 * the three below. If the system is not periodic, sub_0 and super_{n-1} become NaN. Right-hand
 * sides are drawn from `seed`, except that MIXED has its own. */
enum {
    SKEW = -2 /* every row is -1, 0.5, 1 */,
    MIXED = -1 /* SYSTEM_MIXED of problems.h */,
    DOMINANT = 0 /* SYSTEM_DOMINANT of problems.h */
};
void case_fill(const struct tridiagonal_case *c, int matrix, uint64_t seed);

/* Makes call `t` on poisoned memory and copies x to main memory. Returns the status, or -1 if the
 * call was refused. */
long long case_solve(const struct tridiagonal_case *c, const struct tridiagonal *t);

/* The largest backward errors of a row over all right-hand sides, in units of roundoff; INFINITY if
 * there is a NaN. terms: |r_i| / (|sub_i| |x_{i-1}| + |diag_i| |x_i| + |super_i| |x_{i+1}| +
 * |rhs_i|) (Oettli, Prager). rows: |r_i| / ((|sub_i| + |diag_i| + |super_i|) |x|_inf + |rhs_i|), as
 * in verify_systems. */
struct errors {
    double terms, rows;
};
struct errors case_errors(const struct tridiagonal_case *c);

/* The bound on both errors, in units of roundoff. Elimination of dominant matrices that divides
 * stays below 12 (UNITS of nshape). This solver multiplies by a reciprocal instead: it rounds the
 * reciprocal three times and the product once. Complex products are rounded twice as often. So the
 * bound is 5 x 12. */
static const double BOUND = 60;

static inline int64_t case_sides(const struct tridiagonal_case *c)
{
    return c->s.sides > 1 ? c->s.sides : 1;
}

#endif
