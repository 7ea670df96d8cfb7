/* Problem A and problem B of W12 in main memory: inputs, verification and the words for the
 * outcome. Shared by pscheme_cpu and pscheme_mpi. Problem B keeps s, t, w in the arrays diag,
 * off, x. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "problems.h"
#include "pscheme_cpu.h"
#include "verify.h"

/* Units of roundoff allowed as backward error of problem A. Substitution on diagonally dominant
 * rows takes 12: 4 u |L||U| with |L||U| <= 3 |A| (Higham, Accuracy and Stability of Numerical
 * Algorithms, 9.5-9.6). P-scheme rounds a product and a correction more, 2 each in q and in x:
 * 16. */
enum { ROUNDOFF_UNITS = 16 };

/* function_s(…) or function_d(…). */
#define TYPED(type, function, ...)                                                                 \
    ((type) == 's' ? function##_s(__VA_ARGS__) : function##_d(__VA_ARGS__))

/* The timed inputs: constant coefficients, so that W12 eq. 13 serves every row. */
static inline void fill_constant(bool recurrence, char type, uint64_t seed, int64_t n, void *diag,
                                 void *off, void *rhs)
{
    if (!recurrence)
        fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, diag, off, rhs);
    for (int64_t i = 0; recurrence && i < n; i++) {
        put(type, diag, i, RECURRENCE_SCALE);
        put(type, off, i, RECURRENCE_OFFSET);
    }
}

static inline struct verdict verify_problem(bool recurrence, char type, int64_t n, double w0,
                                            const void *diag, const void *off, const void *rhs,
                                            const void *x, double units)
{
    return recurrence ? verify_recurrence(type, n, w0, diag, 1, off, 1, x)
                      : verify_tridiagonal(type, n, diag, off, rhs, x, units);
}

/* The status of a CSV row: of the solver's return value, then of the verification. */
static inline const char *outcome(int64_t status, struct verdict verdict)
{
    return status > 0 ? "zero pivot" : status < 0 ? "refused" : verdict_status(verdict);
}

#endif
