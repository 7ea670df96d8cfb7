/* Verification (verify.h). NaN is replaced by INFINITY at once, because fmax ignores a NaN and a
 * running maximum would lose it. */
#include "verify.h"
#include "problems.h"

#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG >= 64, "the reference needs more digits than double");

double unit_roundoff(char type)
{
    return real_type(type) == 's' ? 0x1p-24 : 0x1p-53;
}

static double finite_or_infinity(long double x)
{
    return isfinite(x) ? (double)x : (double)INFINITY;
}

/* The recurrence computed step by step: the values at one i, and the largest bound so far. */
struct chain {
    struct recurrence_value at;
    long double u, tiny, largest;
};

static struct chain chain_start(char type, double w0)
{
    long double exact = type == 's' ? (float)w0 : w0;
    return (struct chain){.at = {exact, fabsl(exact), 0},
                          .u = unit_roundoff(type),
                          .tiny = type == 's' ? FLT_MIN : DBL_MIN,
                          .largest = fabsl(exact)};
}

static void chain_step(struct chain *c, long double s, long double t)
{
    c->at.exact = s * c->at.exact + t;
    c->at.bound = fabsl(s) * c->at.bound + fabsl(t);
    c->largest = c->largest < c->at.bound ? c->at.bound : c->largest;
    /* The last term is for underflow, which changes a product by at most the smallest normal number,
     * even on devices that flush subnormal numbers to zero. Two products may underflow: s_i w_{i-1},
     * and the product a_i. P-scheme and PCR multiply a_i, and so its error, by an earlier w_k, which
     * is at most the largest bound so far. */
    c->at.allowed = fabsl(s) * c->at.allowed + 6 * c->u * c->at.bound + c->tiny * (1 + c->largest);
}

/* Returns the verdict on w_first..w_(first+count-1), whose values are value[0..count-1]. */
static struct verdict compare(char type, int64_t first, int64_t count,
                              const struct recurrence_value *value, const void *w)
{
    struct verdict verdict = {.worst = 0};
    for (int64_t i = 0; i < count; i++) {
        long double difference = fabsl(get(type, w, first + i) - value[i].exact);
        double error = 0, used = 0;
        /* Divisions are slow, and nearly all elements are better than the worst so far. */
        if (difference <= verdict.error * value[i].bound &&
            difference <= verdict.used * value[i].allowed && isfinite(value[i].allowed))
            continue;
        /* If the reference overflows, `allowed` may be infinite, and any result would pass. So the
         * result then counts as wrong. */
        if (!isfinite(difference) || !isfinite(value[i].allowed))
            error = used = INFINITY;
        else if (difference > 0) {
            error = finite_or_infinity(difference / value[i].bound);
            used = finite_or_infinity(difference / value[i].allowed);
        }
        if (error > verdict.error)
            verdict.error = error;
        if (used > verdict.used) {
            verdict.used = used;
            verdict.worst = first + i;
        }
    }
    return verdict;
}

/* Adds the verdict on other elements to *all. Of two equally bad elements the first is the worst,
 * in whatever order the verdicts come. */
static void add_verdict(struct verdict *all, struct verdict other)
{
    if (other.error > all->error)
        all->error = other.error;
    if (other.used > all->used || (other.used == all->used && other.worst < all->worst)) {
        all->used = other.used;
        all->worst = other.worst;
    }
    all->ok = all->used <= 1;
}

/* The elements that are compared together. */
enum { BLOCK = 1024 };

struct verdict verify_recurrence(char type, int64_t n, double w0, const void *s, int s_inc,
                                 const void *t, int t_inc, const void *w)
{
    struct recurrence_value value[BLOCK];
    struct chain c = chain_start(type, w0);
    struct verdict verdict = {.ok = true};
    for (int64_t first = 0; first <= n; first += BLOCK) {
        int64_t count = n + 1 - first < BLOCK ? n + 1 - first : BLOCK;
        for (int64_t i = first; i < first + count; i++) {
            if (i > 0)
                chain_step(&c, get(type, s, (i - 1) * s_inc), get(type, t, (i - 1) * t_inc));
            value[i - first] = c.at;
        }
        add_verdict(&verdict, compare(type, first, count, value, w));
    }
    return verdict;
}

void recurrence_values(char type, int64_t n, double w0, const void *s, int s_inc, const void *t,
                       int t_inc, struct recurrence_value *value)
{
    struct chain c = chain_start(type, w0);
    value[0] = c.at;
    for (int64_t i = 1; i <= n; i++) {
        chain_step(&c, get(type, s, (i - 1) * s_inc), get(type, t, (i - 1) * t_inc));
        value[i] = c.at;
    }
}

struct verdict verify_values(char type, int64_t n, const struct recurrence_value *value,
                             const void *w)
{
    struct verdict all = {.ok = true};
#pragma omp parallel if (n >= 64 * BLOCK)
    {
        struct verdict mine = {.ok = true};
#pragma omp for schedule(static) nowait
        for (int64_t first = 0; first <= n; first += BLOCK)
            add_verdict(&mine, compare(type, first, n + 1 - first < BLOCK ? n + 1 - first : BLOCK,
                                       value + first, w));
#pragma omp critical
        add_verdict(&all, mine);
    }
    return all;
}

struct verdict verify_tridiagonal(char type, int64_t n, const void *diag, const void *off,
                                  const void *rhs, const void *x, double multiple)
{
    long double residual = 0, norm_a = 0, norm_x = 0, norm_rhs = 0;
#pragma omp parallel for reduction(max : residual, norm_a, norm_x, norm_rhs) if (n > 1 << 16)
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
    if (residual > 0) /* otherwise the divisor may be 0, too */
        verdict.error = finite_or_infinity(residual / (norm_a * norm_x + norm_rhs));
    verdict.used = finite_or_infinity(verdict.error / (multiple * unit_roundoff(type)));
    verdict.ok = verdict.used <= 1;
    return verdict;
}

/* A real or complex number. The argument `parts` of the functions below is 1 for real numbers,
 * whose `im` is 0, and 2 for complex numbers. */
struct number {
    long double re, im;
};

/* As get() (problems.h), but inline: a call for each element would take most of the time. */
static inline double element(char real, const void *array, int64_t i)
{
    return real == 's' ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static inline struct number number_at(int parts, char real, const void *array, int64_t i)
{
    struct number z = {element(real, array, parts * i),
                       parts > 1 ? element(real, array, 2 * i + 1) : 0};
    return z;
}

static inline long double modulus(int parts, struct number z)
{
    return parts > 1 ? hypotl(z.re, z.im) : fabsl(z.re);
}

/* Adds x y to *sum. Returns |x|. */
static inline long double add_product(int parts, struct number *sum, struct number x,
                                      struct number y)
{
    sum->re += x.re * y.re;
    if (parts > 1) {
        sum->re -= x.im * y.im;
        sum->im += x.re * y.im + x.im * y.re;
    }
    return modulus(parts, x);
}

/* If a system has more rows than this, several threads share the verification of its rows. */
enum { MANY_ROWS = 100000 };

/* Returns the largest backward error of a row (verify.h) in the system whose first row is `first`;
 * INFINITY if there is a NaN. Callers pass constants for `parts` and `real`, so that the compiler
 * can remove the complex arithmetic for the real types and the test of the type. */
static inline double system_error(int parts, char real, int64_t n, int64_t first, const void *sub,
                                  const void *diag, const void *super, const void *rhs,
                                  const void *x)
{
    /* These variables are not long double, because few compilers allow this type in an OpenMP
     * reduction. */
    double norm_x = 0, error = 0;
#pragma omp parallel for reduction(max : norm_x) if (n > MANY_ROWS)
    for (int64_t i = first; i < first + n; i++)
        norm_x = fmax(norm_x, (double)modulus(parts, number_at(parts, real, x, i)));
#pragma omp parallel for reduction(max : error) if (n > MANY_ROWS)
    for (int64_t i = first; i < first + n; i++) {
        struct number d = number_at(parts, real, rhs, i), sum = {-d.re, -d.im};
        long double norm =
            add_product(parts, &sum, number_at(parts, real, diag, i), number_at(parts, real, x, i));
        if (i > first)
            norm += add_product(parts, &sum, number_at(parts, real, sub, i),
                                number_at(parts, real, x, i - 1));
        if (i < first + n - 1)
            norm += add_product(parts, &sum, number_at(parts, real, super, i),
                                number_at(parts, real, x, i + 1));
        long double r = modulus(parts, sum);
        if (!isfinite(r))
            error = (double)INFINITY;
        else if (r > 0) /* otherwise the divisor may be 0, too */
            error = fmax(error, (double)(r / (norm * norm_x + modulus(parts, d))));
    }
    return finite_or_infinity(error);
}

/* s + *error becomes the exact sum of s and x (Knuth). Returns the rounded sum. */
static inline double add_exactly(double s, double x, double *error)
{
    double sum = s + x, from_x = sum - s;
    *error += (s - (sum - from_x)) + (x - from_x);
    return sum;
}

/* The same for the product a x, whose rounding error is a number of its own. */
static inline double add_product_exactly(double s, double a, double x, double *error)
{
    double product = a * x;
    *error += fma(a, x, -product);
    return add_exactly(s, product, error);
}

/* Returns the backward error of the row a x_below + b x + c x_above = d, with a residual that is the
 * sum of two doubles. Sets *unknown to 1 if it cannot tell: for non-finite numbers, and for rows so
 * small that the rounding errors of products underflow. */
static inline double row_estimate(double a, double b, double c, double d, double x_below, double x,
                                  double x_above, double norm_x, int *unknown)
{
    const double tiny = 0x1p-900;
    double error = 0, sum = add_product_exactly(-d, a, x_below, &error);
    sum = add_product_exactly(sum, b, x, &error);
    sum = add_product_exactly(sum, c, x_above, &error);
    double scale = (fabs(a) + fabs(b) + fabs(c)) * norm_x + fabs(d),
           relative = fabs(sum + error) / scale;
    *unknown |= !(scale > tiny && relative <= DBL_MAX);
    return relative;
}

/* Returns what system_error() returns for a real type and n > 1, but for its rounding errors, which
 * are far below 1%. SIMD instructions compute it in a small part of the time. Returns NaN if it
 * cannot tell. */
static inline double system_estimate(char real, int64_t n, int64_t first, const void *sub,
                                     const void *diag, const void *super, const void *rhs,
                                     const void *x)
{
    int64_t last = first + n - 1;
    double norm_x = 0, worst;
    int unknown = 0;
#pragma omp simd reduction(max : norm_x)
    for (int64_t i = first; i <= last; i++) {
        double magnitude = fabs(element(real, x, i));
        norm_x = magnitude > norm_x ? magnitude : norm_x;
    }
    double at_first = row_estimate(0, element(real, diag, first), element(real, super, first),
                                   element(real, rhs, first), 0, element(real, x, first),
                                   element(real, x, first + 1), norm_x, &unknown),
           at_last = row_estimate(element(real, sub, last), element(real, diag, last), 0,
                                  element(real, rhs, last), element(real, x, last - 1),
                                  element(real, x, last), 0, norm_x, &unknown);
    worst = at_first > at_last ? at_first : at_last;
#pragma omp simd reduction(max : worst) reduction(| : unknown)
    for (int64_t i = first + 1; i < last; i++) {
        double relative =
            row_estimate(element(real, sub, i), element(real, diag, i), element(real, super, i),
                         element(real, rhs, i), element(real, x, i - 1), element(real, x, i),
                         element(real, x, i + 1), norm_x, &unknown);
        worst = relative > worst ? relative : worst;
    }
    return unknown ? (double)NAN : worst;
}

/* Returns whether the error of a system is surely below `error`. */
static inline bool surely_below(double error, char type, int64_t n, int64_t first, const void *sub,
                                const void *diag, const void *super, const void *rhs, const void *x)
{
#ifdef FP_FAST_FMA
    if (n < 2 || n > MANY_ROWS || is_complex(type))
        return false;
    double estimate = type == 's' ? system_estimate('s', n, first, sub, diag, super, rhs, x)
                                  : system_estimate('d', n, first, sub, diag, super, rhs, x);
    return estimate < 0.99 * error; /* false if the estimate is NaN */
#else
    (void)error, (void)type, (void)n, (void)first;
    (void)sub, (void)diag, (void)super, (void)rhs, (void)x;
    return false;
#endif
}

struct verdict verify_systems(char type, int64_t n, int64_t batch, const void *sub,
                              const void *diag, const void *super, const void *rhs, const void *x,
                              double multiple)
{
    struct verdict verdict = {.worst = -1};
#pragma omp parallel if (batch > 1)
    {
        double error = 0;
        int64_t worst = -1;
#pragma omp for schedule(static) nowait
        for (int64_t k = 0; k < batch; k++) {
            /* Only the worst system counts, and few are worse than all before them. */
            if (surely_below(error, type, n, k * n, sub, diag, super, rhs, x))
                continue;
            double e = type == 's'   ? system_error(1, 's', n, k * n, sub, diag, super, rhs, x)
                       : type == 'd' ? system_error(1, 'd', n, k * n, sub, diag, super, rhs, x)
                       : type == 'c' ? system_error(2, 's', n, k * n, sub, diag, super, rhs, x)
                                     : system_error(2, 'd', n, k * n, sub, diag, super, rhs, x);
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
