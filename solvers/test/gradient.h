/* Tests a gradient (tridiagonal_problem.h) in long double: against finite differences, against the
 * definition, and, if the systems are small, against dense solves with A^H. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Systems and their gradient in main memory. Arrays 0 to 3 are sub, diag, super and rhs. */
struct gradient_test {
    char type;
    int64_t systems;
    bool periodic, crank_nicolson;
    const void *in[4], *x, *dx; /* x: what the gradient was given */
    const void *d[4];           /* the result; NULL: not tested */
    int64_t elements[4];        /* of these arrays; the others have those of rhs */
    /* Functions of `of`: the rows of system k, and the element of its row i in an array. */
    const void *of;
    int64_t (*length)(const void *of, int64_t k);
    int64_t (*element)(const void *of, int array, int64_t k, int64_t i);
};

/* Of the definition: the backward error of A^H drhs = dx, relative to the largest drhs of the
 * system and in units of roundoff, and the error of dsub, ddiag and dsuper, relative to the bound
 * for a sum of so many terms. INFINITY if a number is not finite, if an element without effect is
 * not 0, or if an element of no row is not 0xff. */
struct gradient_errors {
    double adjoint, matrix;
};
struct gradient_errors gradient_errors(const struct gradient_test *t);

/* The largest difference to finite differences, and that of drhs to dense solves, both relative to
 * the largest derivative of an array. For systems of at most GRADIENT_SMALL rows. */
enum { GRADIENT_SMALL = 6 };
double gradient_difference(const struct gradient_test *t);

#ifdef __cplusplus
}
#endif
