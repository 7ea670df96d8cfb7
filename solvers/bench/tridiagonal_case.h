/* What the experiment and the tests of tridiagonal.h share: a case is a system in main memory
 * and on the device, with everything that a call needs. */
#pragma once

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

/* Each array lies in a larger piece of memory, its image, behind `offset` elements. The image of x
 * also begins and ends with GUARD bytes, so that tests detect wrong writes; GUARD bytes follow the
 * workspace, too. The images in main memory and on the device have the same layout. */
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

/* Fills the arrays with a matrix, which is one of matrices.h (1 to MATRICES) or one of these, and
 * with right-hand sides, which are drawn from `seed`; MIXED has its own. If the system is not
 * periodic, sub_0 and super_{n-1} become NaN. */
enum {
    SKEW = -2 /* every row is -1, 0.5, 1 */,
    MIXED = -1 /* SYSTEM_MIXED of problems.h */,
    DOMINANT = 0 /* SYSTEM_DOMINANT of problems.h */
};
void case_fill(const struct tridiagonal_case *c, int matrix, uint64_t seed);

/* Fills x with NaN, or with rhs if it is rhs, solves by the call `t`, and copies x to main memory.
 * Returns the status, or -1 if the call was refused. */
long long case_solve(const struct tridiagonal_case *c, const struct tridiagonal *t);

/* The largest backward errors over all rows and right-hand sides, in units of roundoff; INFINITY
 * if there is a NaN. With the residual r_i of row i, `terms` is |r_i| / (|sub_i| |x_{i-1}| +
 * |diag_i| |x_i| + |super_i| |x_{i+1}| + |rhs_i|) (Oettli, Prager), and `rows` is |r_i| / ((|sub_i|
 * + |diag_i| + |super_i|) |x|_inf + |rhs_i|), as in verify_systems. */
struct errors {
    double terms, rows;
};
struct errors case_errors(const struct tridiagonal_case *c);

/* The bound on both errors, in units of roundoff. If elimination divides by the pivots, the error
 * of dominant matrices is below 12 (UNITS of nshape). This solver multiplies by a reciprocal, which
 * is rounded three times, and complex products are rounded twice as often: 5 x 12. */
static const double BOUND = 60;

/* Does `matrix` (as in case_fill) have dominant rows, and x of similar size? Only then `terms`
 * keeps the bound: elimination mixes in the x of neighbouring rows, which may be much larger.
 * `rows` always keeps it. */
static inline bool case_is_dominant(int matrix)
{
    return matrix == DOMINANT || matrix == 6 || matrix >= 17;
}

static inline int64_t case_sides(const struct tridiagonal_case *c)
{
    return c->s.sides > 1 ? c->s.sides : 1;
}
