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
    int offset[ARRAYS]; /* distance of each array from a multiple of 256 bytes, in elements */
};

/* Each array lies in a larger piece of memory, its image. In front of the array, the image has
 * `offset` elements. The image of x also has GUARD bytes at its beginning and at its end, so that
 * tests detect wrong writes. The image in main memory and that on the device have the same layout.
 * GUARD bytes follow the workspace, too. */
enum { GUARD = 64 };
struct tridiagonal_case {
    struct shape s;
    int64_t elements; /* number of elements of rhs and of x, gaps between sides included */
    void *host[ARRAYS], *device[ARRAYS];
    long long *status;
    struct tridiagonal t; /* the call that solves the system */
    void *work;
    size_t work_bytes;
    struct memory memory;
};

/* Allocates a case, fills it by case_fill and copies it to the device. */
struct tridiagonal_case case_make(const struct shape &s, int pivot, int matrix, uint64_t seed);
void case_close(struct tridiagonal_case *c);

size_t case_image_bytes(const struct tridiagonal_case *c, int array);
/* Returns the address of element i of an array in main memory. */
void *case_host(const struct tridiagonal_case *c, int array, int64_t i = 0);
void case_put(const struct tridiagonal_case *c, int array, int64_t i, double re, double im = 0);
void case_put_row(const struct tridiagonal_case *c, int64_t i, double sub, double diag,
                  double super);
/* Copies all inputs to the device. */
void case_upload(const struct tridiagonal_case *c);

/* Fills the arrays with a matrix and right-hand sides. `matrix` is the number of a matrix in
 * matrices.h (1 to MATRICES) or one of the three constants below. If the system is not periodic,
 * sub_0 and super_{n-1} become NaN. MIXED has right-hand sides of its own. With all other matrices
 * they are drawn from `seed`. */
enum {
    SKEW = -2 /* every row is -1, 0.5, 1 */,
    MIXED = -1 /* SYSTEM_MIXED of problems.h */,
    DOMINANT = 0 /* SYSTEM_DOMINANT of problems.h */
};
void case_fill(const struct tridiagonal_case *c, int matrix, uint64_t seed);

/* Fills x with NaN, solves by the call `t`, and copies x to main memory. (If x is also rhs, it is
 * filled with rhs.) Returns the status, or -1 if the call was refused. */
long long case_solve(const struct tridiagonal_case *c, const struct tridiagonal *t);

/* Two backward errors of a solution. Each is the largest over all rows and all right-hand sides, in
 * units of roundoff, or INFINITY if there is a NaN. r_i is the residual of row i. `terms` is the
 * error |r_i| / (|sub_i| |x_{i-1}| + |diag_i| |x_i| + |super_i| |x_{i+1}| + |rhs_i|) (Oettli,
 * Prager). `rows` is the error |r_i| / ((|sub_i| + |diag_i| + |super_i|) |x|_inf + |rhs_i|), as in
 * verify_systems. */
struct errors {
    double terms, rows;
};
struct errors case_errors(const struct tridiagonal_case *c);

/* The bound on both errors, in units of roundoff. If elimination divides by the pivots, the error
 * of dominant matrices is below 12 (UNITS of nshape). This solver multiplies by a reciprocal
 * instead. It rounds the reciprocal three times and the product once, and complex products are
 * rounded twice as often. A factor of 5 allows for these additional roundings: 5 x 12. */
static const double BOUND = 60;

/* Does `matrix` (as in case_fill) have diagonally dominant rows, and x of similar size? If it does,
 * `terms` keeps the bound. If not, elimination mixes in the x of neighbouring rows, which may be
 * much larger, and only `rows` keeps it. (In 24000 MIXED systems of 2783 rows the largest `terms`
 * is 5470, the largest `rows` 2.2.) */
static inline bool case_is_dominant(int matrix)
{
    return matrix == DOMINANT || matrix == 6 || matrix >= 17;
}

static inline int64_t case_sides(const struct tridiagonal_case *c)
{
    return c->s.sides > 1 ? c->s.sides : 1;
}

#endif
