/* Verification, see verify.h. What is not finite is turned into INFINITY at once, because a running
 * maximum loses NaN. */
#include "verify.h"
#include "problems.h"

#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG >= 64, "the reference needs more digits than double");

double unit_roundoff(char type)
{
    return type == 's' ? 0x1p-24 : 0x1p-53;
}

static double finite_or_infinity(long double x)
{
    return isfinite(x) ? (double)x : (double)INFINITY;
}

struct verdict verify_recurrence(char type, int64_t n, double w0, const void *s, int s_inc,
                                 const void *t, int t_inc, const void *w)
{
    const long double u = unit_roundoff(type), tiny = type == 's' ? FLT_MIN : DBL_MIN;
    long double exact = type == 's' ? (float)w0 : w0;
    long double bound = fabsl(exact), largest = bound, allowed = 0;
    struct verdict verdict = {.worst = 0};
    for (int64_t i = 0; i <= n; i++) {
        if (i > 0) {
            long double s_i = get(type, s, (i - 1) * s_inc), t_i = get(type, t, (i - 1) * t_inc);
            exact = s_i * exact + t_i;
            bound = fabsl(s_i) * bound + fabsl(t_i);
            largest = fmaxl(largest, bound);
            /* Last term: s_i w_{i-1} may underflow, which loses at most the smallest normal number
             * (devices may flush to zero); so may the product a_i, a loss that the correction
             * multiplies by some w_kM of the past, at most the largest bound so far. */
            allowed = fabsl(s_i) * allowed + 6 * u * bound + tiny * (1 + largest);
        }
        long double difference = fabsl(get(type, w, i) - exact);
        double error = 0, used = 0;
        /* allowed = inf would let anything pass: a reference that overflows proves nothing. */
        if (!isfinite(difference) || !isfinite(allowed))
            error = used = INFINITY;
        else if (difference > 0) {
            error = finite_or_infinity(difference / bound);
            used = finite_or_infinity(difference / allowed);
        }
        if (error > verdict.error)
            verdict.error = error;
        if (used > verdict.used) {
            verdict.used = used;
            verdict.worst = i;
        }
    }
    verdict.ok = verdict.used <= 1;
    return verdict;
}

struct verdict verify_tridiagonal(char type, int64_t n, const void *diag, const void *off,
                                  const void *rhs, const void *x, double multiple)
{
    long double residual = 0, norm_a = 0, norm_x = 0, norm_rhs = 0;
    for (int64_t i = 0; i < n; i++) {
        long double a = 1, b = 0, sum = 0;
        long double x_i = get(type, x, i), rhs_i = get(type, rhs, i);
        if (i > 0 && i < n - 1) {
            a = get(type, diag, i);
            b = get(type, off, i);
            sum = (long double)get(type, x, i - 1) + get(type, x, i + 1);
        }
        long double r = fabsl(a * x_i - b * sum - rhs_i);
        residual = fmaxl(residual, isfinite(r) ? r : (long double)INFINITY);
        norm_a = fmaxl(norm_a, fabsl(a) + 2 * fabsl(b));
        norm_x = fmaxl(norm_x, fabsl(x_i));
        norm_rhs = fmaxl(norm_rhs, fabsl(rhs_i));
    }
    struct verdict verdict = {.worst = -1};
    if (residual > 0) /* not 0/0 where everything is 0 */
        verdict.error = finite_or_infinity(residual / (norm_a * norm_x + norm_rhs));
    verdict.used = finite_or_infinity(verdict.error / (multiple * unit_roundoff(type)));
    verdict.ok = verdict.used <= 1;
    return verdict;
}

/* The largest backward error of a row of the system whose first row is `first`; INFINITY where NaN is. */
static double system_error(char type, int64_t n, int64_t first, const void *sub, const void *diag,
                           const void *super, const void *rhs, const void *x)
{
    long double norm_x = 0, error = 0;
    for (int64_t i = first; i < first + n; i++)
        norm_x = fmaxl(norm_x, fabsl((long double)get(type, x, i)));
    for (int64_t i = first; i < first + n; i++) {
        long double b = get(type, diag, i), d = get(type, rhs, i);
        long double r = b * get(type, x, i) - d, norm = fabsl(b);
        if (i > first) {
            long double a = get(type, sub, i);
            r += a * get(type, x, i - 1);
            norm += fabsl(a);
        }
        if (i < first + n - 1) {
            long double c = get(type, super, i);
            r += c * get(type, x, i + 1);
            norm += fabsl(c);
        }
        if (!isfinite(r))
            return (double)INFINITY;
        if (r != 0) /* not 0/0 where everything is 0 */
            error = fmaxl(error, fabsl(r) / (norm * norm_x + fabsl(d)));
    }
    return finite_or_infinity(error);
}

struct verdict verify_systems(char type, int64_t n, int64_t batch, const void *sub,
                              const void *diag, const void *super, const void *rhs, const void *x,
                              double multiple)
{
    struct verdict verdict = {.worst = -1};
#pragma omp parallel
    {
        double error = 0;
        int64_t worst = -1;
#pragma omp for schedule(static) nowait
        for (int64_t k = 0; k < batch; k++) {
            double e = system_error(type, n, k * n, sub, diag, super, rhs, x);
            if (e > error) {
                error = e;
                worst = k;
            }
        }
#pragma omp critical
        if (error > verdict.error || (error == verdict.error && worst < verdict.worst)) {
            verdict.error = error;
            verdict.worst = worst;
        }
    }
    verdict.used = finite_or_infinity(verdict.error / (multiple * unit_roundoff(type)));
    verdict.ok = verdict.used <= 1;
    return verdict;
}
