/* Verification against a long double computation from the original inputs. All comparisons have the
 * form `ok = (error <= bound)`, which is false for NaN.
 *
 * `type` is a letter as in BLAS: 's' for float, 'd' for double; verify_systems also takes 'c' and
 * 'z', pairs of floats or doubles. Some arrays have an increment as in BLAS: inc = 1 for an
 * ordinary array; inc = 0 for a constant, whose one element is used for every i. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

__BEGIN_DECLS

struct verdict {
    bool ok;
    /* As each function below defines it. INFINITY if the result, the inputs or the reference
     * contain NaN or infinity. */
    double error;
    double used;   /* error divided by the allowed error; ok is true if used <= 1 */
    int64_t worst; /* index at which `used` is largest; -1 for a normwise error */
};

/* The status for a row of results: "ok" or "wrong". */
static inline const char *verdict_status(struct verdict verdict)
{
    return verdict.ok ? "ok" : "wrong";
}

/* The unit roundoff u of a type's arithmetic: 2^-24 for 's', 'c', 'h' and 'b', 2^-53 for 'd' and
 * 'z'. */
double unit_roundoff(char type);

/* The recurrence w_i = s_i w_{i-1} + t_i, 1 <= i <= n (W12, problem B). s and t hold s_1..s_n and
 * t_1..t_n; w holds w_0..w_n.
 *
 * The error is the maximum of |w_i - exact_i| / B_i with the running bound B_0 = |w_0|, B_i = |s_i|
 * B_{i-1} + |t_i|.
 *
 * The allowed error at i is E_0 = 0 (because w_0 is a copy), E_i = |s_i| E_{i-1} + 6 u B_i +
 * underflow (verify.c). The 6 is a sum: a step of the serial recurrence rounds twice. P-scheme and
 * PCR also compute products a_i of consecutive s, which round once per factor, and then replace w_i
 * by w_i + a_i w_k with an earlier unknown w_k, which rounds twice. One u is left for second-order
 * terms. */
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

/* W12, problem A (W12 eq. 1-3): x_0 = rhs_0; -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i;
 * x_{n-1} = rhs_{n-1}. All arrays hold n elements. diag and off of the first and the last row are
 * not read.
 *
 * The error is the normwise backward error |A x - rhs|_inf / (|A|_inf |x|_inf + |rhs|_inf), of
 * which `multiple` unit roundoffs are allowed. */
struct verdict verify_tridiagonal(char type, int64_t n, const void *diag, const void *off,
                                  const void *rhs, const void *x, double multiple);

/* `batch` general tridiagonal systems of n rows, stored one after the other (fill_systems of
 * problems.h). The first sub and the last super of a system are not read. All cores are used.
 *
 * The error is the largest backward error of a row: |sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} -
 * rhs_i| / ((|sub_i| + |diag_i| + |super_i|) |x|_inf + |rhs_i|), with |x|_inf of this system. It is
 * at least the normwise backward error and also detects errors in rows or systems with small
 * coefficients. `multiple` unit roundoffs are allowed. verdict.worst is the index of the system
 * with the largest error. */
struct verdict verify_systems(char type, int64_t n, int64_t batch, const void *sub,
                              const void *diag, const void *super, const void *rhs, const void *x,
                              double multiple);

__END_DECLS
