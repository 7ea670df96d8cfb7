/* Inputs, verification and result status of problems A and B of W12, for pscheme_cpu and
 * pscheme_mpi. In problem B the arrays diag, off and x hold s, t and w. */
#pragma once

#include "problems.h"
#include "pscheme_cpu.h"
#include "verify.h"

/* The backward error that problem A may have, in units of roundoff u. Substitution on diagonally
 * dominant rows needs 12: the error is at most 4 u |L||U|, and |L||U| <= 3 |A| (Higham, Accuracy
 * and Stability of Numerical Algorithms, 9.5-9.6). P-scheme rounds twice more in q and in x. */
enum { ROUNDOFF_UNITS = 16 };

/* Calls function_s(…) if type is 's', otherwise function_d(…). */
#define TYPED(type, function, ...)                                                                 \
    ((type) == 's' ? function##_s(__VA_ARGS__) : function##_d(__VA_ARGS__))

/* The timed runs have constant coefficients, because only then W12 eq. 13 is right for every
 * row. */
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

/* The status of a CSV row from the solver's return value. */
static inline const char *outcome(int64_t status, struct verdict verdict)
{
    return status > 0 ? "zero pivot" : status < 0 ? "refused" : verdict_status(verdict);
}
