/* Recurrences of 2 x 2 matrices for the experiments and tests of solvers/recurrence2.h: making
 * them, running them on the device, and verifying the results in main memory. */
#pragma once

#include "device_program.h"
#include "recurrence2.h"

/* Coefficients. In every kind but the last one the recurrence forgets where it began. */
enum recurrence2_style {
    RECURRENCE2_TAME, /* LINEAR: |a| + |b| <= 1. MOBIUS: all in [0.5, 1). LU: strictly dominant */
    RECURRENCE2_POISSON, /* LU: rows 0.7 (-1 2 -1), hardly dominant; else as TAME */
    RECURRENCE2_WILD     /* MOBIUS, LU: all in [-1, 1), so there are poles; LINEAR as TAME */
};

/* A recurrence and its arrays on the device (in p) and, with the prefix host_, in main memory. */
struct recurrence2_case {
    struct memory memory;
    struct recurrence2 p;
    enum recurrence2_style style;
    void *host_in[4], *host_before, *host_x, *host_u, *host_mantissa;
    int64_t *host_exponent, *host_status;
    void *in[4], *x, *u; /* aligned arrays; those of p may be moved by up to 3 elements */
    void *work;          /* workspace of `bytes` bytes, prepared */
    size_t bytes;
};

/* Allocates the arrays of p and fills in the inputs. Exits if there is too little memory. Free it
 * by memory_free. */
void recurrence2_case_begin(struct recurrence2_case *c, struct recurrence2 p,
                            enum recurrence2_style style, uint64_t seed);

/* Copies the inputs to the device. */
void recurrence2_case_upload(struct recurrence2_case *c);

/* Fills the outputs with NaN unless they replace an input, runs the solver, fetches the outputs and
 * verifies them. */
struct verdict recurrence2_case_solve(struct recurrence2_case *c);

/* Compares the outputs of sequences [first, last) with a loop in higher precision.
 *
 * LINEAR: the bound of recurrence2.h. MOBIUS: the distance on the projective line, |x - y| /
 * sqrt((1 + x^2) (1 + y^2)). A step takes the vector v = (x, 1) to m v and a distance of the step
 * before to |det m| |v|^2 / |m v|^2 times it, and rounding adds u |m| |v| / |m v|. Allowed are 8
 * times what adds up so. LU: what is left of the row, |b - u - a x_(i-1)|, relative to |a| + |u| +
 * |a x_(i-1)|, at most 16 u if TAME and 64 u of POISSON, which is up to twice what was seen
 * (recurrence2.h); and c = x u within 2 u. The status must be 0 and, if WILD, may be another; after
 * status 0 what it promises is allowed. The determinant, relative: 64 u plus 8 u a row, of POISSON
 * what is allowed of a row times n^2 / 6, of WILD 64 sqrt(n) times the largest relative error of a
 * pivot of the loop in the type of the elements. */
struct verdict recurrence2_case_verdict(const struct recurrence2_case *c, int64_t first,
                                        int64_t last);

/* The tests of solvers/recurrence2.h (test/recurrence2.cu). If `all` is true, those that take long
 * on the CPU device run, too. */
void recurrence2_check(uint64_t seed, bool all);
