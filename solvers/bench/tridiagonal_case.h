/* What the experiment and the tests of tridiagonal.h share: one case, a system in main memory and
 * on the device with all that a call needs; its matrices, its solution and the errors of that. */
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
    int offset[ARRAYS]; /* elements between an address that is a multiple of 256 and the array */
};

/* Each array lies in an image: its offset in front, for x also GUARD bytes before and behind. The
 * image in main memory is byte by byte that on the device. The workspace is followed by GUARD bytes
 * as well. */
enum { GUARD = 64 };
struct tridiagonal_case {
    struct shape s;
    int64_t elements; /* of rhs and of x, with the gaps between sides */
    void *host[ARRAYS], *device[ARRAYS];
    long long *status;
    struct tridiagonal t; /* the call */
    void *work;
    size_t work_bytes;
    struct memory memory;
};

/* Allocates, fills by case_fill and uploads a case. */
struct tridiagonal_case case_make(const struct shape &s, int pivot, int matrix, uint64_t seed);
void case_close(struct tridiagonal_case *c);

size_t case_image_bytes(const struct tridiagonal_case *c, int array);
/* Element i of an array in main memory. */
void *case_host(const struct tridiagonal_case *c, int array, int64_t i = 0);
void case_put(const struct tridiagonal_case *c, int array, int64_t i, double re, double im = 0);
void case_put_row(const struct tridiagonal_case *c, int64_t i, double sub, double diag,
                  double super);
/* All inputs to the device. */
void case_upload(const struct tridiagonal_case *c);

/* Matrices: 1 to MATRICES are those of matrices.h, and three more. The corners of a system that is
 * not periodic are NaN. Right-hand sides are drawn from `seed`; MIXED has its own. */
enum { SKEW = -2 /* rows -1, 0.5, 1 */, MIXED = -1 /* of problems.h */, DOMINANT = 0 };
void case_fill(const struct tridiagonal_case *c, int matrix, uint64_t seed);

/* Solves with call `t` into poisoned memory and copies x to main memory. Returns the status, or -1
 * if the call was refused. */
long long case_solve(const struct tridiagonal_case *c, const struct tridiagonal *t);

/* Largest backward errors of a row over all sides, in units of roundoff; INFINITY for NaN. terms:
 * |r_i| over |sub_i| |x_{i-1}| + |diag_i| |x_i| + |super_i| |x_{i+1}| + |rhs_i| (Oettli, Prager).
 * rows: |r_i| over (|sub_i| + |diag_i| + |super_i|) |x|_inf + |rhs_i|, as verify_systems. */
struct errors {
    double terms, rows;
};
struct errors case_errors(const struct tridiagonal_case *c);

/* The bound on both, in units of roundoff. The elimination of dominant matrices with true quotients
 * stays below 12 (nshape's UNITS). Here a quotient is a reciprocal, rounded three times, and a
 * product, and complex products are rounded twice as often: 5 x 12. */
static const double BOUND = 60;

static inline int64_t case_sides(const struct tridiagonal_case *c)
{
    return c->s.sides > 1 ? c->s.sides : 1;
}

#endif
