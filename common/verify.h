/* Verification: before a method is timed, its result is compared with long double arithmetic on the
 * original inputs. All comparisons have the form `ok = (error <= bound)`, which NaN fails.
 *
 * `type` is BLAS's letter: 's' for float, 'd' for double; in verify_systems also 'c' and 'z', which
 * are pairs of these. Vectors are void pointers, some with an increment as in BLAS: inc = 1 for an
 * array, inc = 0 for a constant, whose one element is read for every i. */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct verdict {
    bool ok;
    /* The measure that each function below names; CSV rows show it. INFINITY if the result, the
     * inputs or the reference contain NaN or infinity. */
    double error;
    double used;   /* error divided by what rounding allows; ok means used <= 1 */
    int64_t worst; /* index where `used` is largest, -1 for a normwise measure */
};

/* The status of a row of results: "ok" or "wrong". */
static inline const char *verdict_status(struct verdict verdict)
{
    return verdict.ok ? "ok" : "wrong";
}

/* Unit roundoff u of a type, or of a complex type's parts: 2^-24 or 2^-53. */
double unit_roundoff(char type);

/* w_i = s_i w_{i-1} + t_i, 1 <= i <= n (W12, problem B). s and t hold s_1..s_n and t_1..t_n, w
 * holds w_0..w_n (n + 1 elements).
 *
 * error: max |w_i - exact_i| / B_i with the running bound B_0 = |w_0|, B_i = |s_i| B_{i-1} + |t_i|.
 * Allowed at i: E_0 = 0 (w_0 is a copy), E_i = |s_i| E_{i-1} + 6 u B_i + underflow. Why 6: a step
 * of the serial recurrence rounds twice (2 u B_i); P-scheme and PCR also round the product a_i once
 * a step (u), and a correction w_i + a_i w_kM rounds twice (2 u); one u is left for second-order
 * terms. The underflow of a product adds at most the smallest normal number times B. */
struct verdict verify_recurrence(char type, int64_t n, double w0, const void *s, int s_inc,
                                 const void *t, int t_inc, const void *w);

/* W12, problem A (W12 eq. 1-3): x_0 = rhs_0; -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i;
 * x_{n-1} = rhs_{n-1}. All arrays hold n elements. diag and off of the first and last row are not
 * read.
 *
 * error: normwise backward error |A x - rhs|_inf / (|A|_inf |x|_inf + |rhs|_inf). ok if that is at
 * most `multiple` times the unit roundoff. */
struct verdict verify_tridiagonal(char type, int64_t n, const void *diag, const void *off,
                                  const void *rhs, const void *x, double multiple);

/* General tridiagonal systems, `batch` of n rows, one after the other (fill_systems of problems.h).
 * The first sub and the last super of a system are not read. All cores are used.
 *
 * error: the largest backward error of a row, |sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} -
 * rhs_i| divided by (|sub_i| + |diag_i| + |super_i|) |x|_inf + |rhs_i|, where |x|_inf is the
 * system's. It is at least the normwise error and, unlike that, does not overlook rows or systems
 * of small scale. ok if it is at most `multiple` times the unit roundoff. worst: the system's
 * index. */
struct verdict verify_systems(char type, int64_t n, int64_t batch, const void *sub,
                              const void *diag, const void *super, const void *rhs, const void *x,
                              double multiple);

#ifdef __cplusplus
}
#endif
#endif
