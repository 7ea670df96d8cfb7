/* Verification. Before a method is timed, its result is compared with a long double computation
 * from the original inputs. All comparisons have the form `ok = (error <= bound)`, which is false
 * if the error is NaN.
 *
 * `type` is a letter as in BLAS: 's' for float, 'd' for double. verify_systems also allows 'c' and
 * 'z', whose elements are pairs of floats or doubles. Arrays are passed as void pointers, some with
 * an increment as in BLAS: inc = 1 for an ordinary array; inc = 0 for a constant, whose one element
 * is used for every i. */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct verdict {
    bool ok;
    /* The error as each function below defines it; CSV rows contain it. INFINITY if the result, the
     * inputs or the reference contain NaN or infinity. */
    double error;
    double used;   /* error divided by the allowed error; ok is true if used <= 1 */
    int64_t worst; /* index at which `used` is largest; -1 for a normwise error */
};

/* The status for a row of results: "ok" or "wrong". */
static inline const char *verdict_status(struct verdict verdict)
{
    return verdict.ok ? "ok" : "wrong";
}

/* The unit roundoff u of a type: 2^-24 for 's' and 'c', 2^-53 for 'd' and 'z'. */
double unit_roundoff(char type);

/* Verifies the solution of the recurrence w_i = s_i w_{i-1} + t_i, 1 <= i <= n (W12, problem B). s
 * and t hold s_1..s_n and t_1..t_n. w holds w_0..w_n (n + 1 elements).
 *
 * The error is the maximum of |w_i - exact_i| / B_i with the running bound B_0 = |w_0|, B_i = |s_i|
 * B_{i-1} + |t_i|.
 *
 * The allowed error at i is E_0 = 0 (because w_0 is a copy), E_i = |s_i| E_{i-1} + 6 u B_i +
 * underflow. The factor 6 is a sum. A step of the serial recurrence rounds twice (2 u). P-scheme
 * and PCR also compute products a_i of consecutive factors s, which round once per factor (u). They
 * then replace w_i by w_i + a_i w_k, where w_k is an earlier unknown. This rounds twice (2 u). One
 * u is left for second-order terms. The term `underflow` is explained in verify.c. */
struct verdict verify_recurrence(char type, int64_t n, double w0, const void *s, int s_inc,
                                 const void *t, int t_inc, const void *w);

/* The same for many results of one recurrence: recurrence_values computes what verify_recurrence
 * compares with, at w_0..w_n, once. verify_values compares a result with it, on all cores. */
struct recurrence_value {
    long double exact, bound, allowed; /* the exact w_i, B_i and E_i */
};
void recurrence_values(char type, int64_t n, double w0, const void *s, int s_inc, const void *t,
                       int t_inc, struct recurrence_value *value);
struct verdict verify_values(char type, int64_t n, const struct recurrence_value *value,
                             const void *w);

/* Verifies the solution of W12, problem A (W12 eq. 1-3): x_0 = rhs_0; -off_i x_{i-1} + diag_i x_i -
 * off_i x_{i+1} = rhs_i; x_{n-1} = rhs_{n-1}. All arrays hold n elements. diag and off of the first
 * and the last row are not read.
 *
 * The error is the normwise backward error |A x - rhs|_inf / (|A|_inf |x|_inf + |rhs|_inf). The
 * verdict is ok if it is at most `multiple` times the unit roundoff. */
struct verdict verify_tridiagonal(char type, int64_t n, const void *diag, const void *off,
                                  const void *rhs, const void *x, double multiple);

/* Verifies the solutions of `batch` general tridiagonal systems of n rows, stored one after the
 * other (fill_systems of problems.h). The first sub and the last super of a system are not read.
 * All cores are used.
 *
 * The error is the largest backward error of a row: |sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} -
 * rhs_i| divided by (|sub_i| + |diag_i| + |super_i|) |x|_inf + |rhs_i|, where |x|_inf is the
 * maximum over this system. This error is at least the normwise backward error. Unlike the normwise
 * error it also detects errors in rows or systems with small coefficients. The verdict is ok if the
 * error is at most `multiple` times the unit roundoff. verdict.worst is the index of the system
 * with the largest error. */
struct verdict verify_systems(char type, int64_t n, int64_t batch, const void *sub,
                              const void *diag, const void *super, const void *rhs, const void *x,
                              double multiple);

#ifdef __cplusplus
}
#endif
#endif
