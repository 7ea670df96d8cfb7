/* Verification (verify.h). NaN becomes INFINITY at once: fmax would ignore it. */
#include "verify.h"
#include "problems.h"

#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(LDBL_MANT_DIG >= 64, "the reference needs more digits than double");

double unit_roundoff(char type)
{
    return real_type(type) == 'd' ? 0x1p-53 : 0x1p-24;
}

static double finite_or_infinity(long double x)
{
    return isfinite(x) ? (double)x : (double)INFINITY;
}

static struct verdict judged(struct verdict verdict, double allowed)
{
    verdict.used = finite_or_infinity(verdict.error / allowed);
    verdict.ok = verdict.used <= 1;
    return verdict;
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
    /* The last term is for underflow, which changes a product by at most the smallest normal
     * number, even where subnormal numbers are flushed to zero: the product s_i w_{i-1}, and a_i,
     * which P-scheme and PCR multiply by an earlier w_k, at most the largest bound so far. */
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
        /* No division for an element that is better than the worst so far, as nearly all are. */
        if (difference <= verdict.error * value[i].bound &&
            difference <= verdict.used * value[i].allowed && isfinite(value[i].allowed))
            continue;
        /* If the reference overflows, any result would pass. So it counts as wrong. */
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

/* Adds the verdict on other elements to *all. Of equally bad elements the first is the worst. */
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

/* Like fmaxl, but not a call. */
static long double at_least(long double p, long double q)
{
    return q > p ? q : p;
}

struct verdict verify_tridiagonal(char type, int64_t n, const void *diag, const void *off,
                                  const void *rhs, const void *x, double multiple)
{
    long double residual = 0, norm_a = 0, norm_x = 0, norm_rhs = 0;
#pragma omp parallel for reduction(max : residual, norm_a, norm_x, norm_rhs) if (n > 1 << 16)
    for (int64_t i = 0; i < n; i++) {
        long double a = 1, b = 0, sum = 0, x_i = get(type, x, i), rhs_i = get(type, rhs, i);
        if (i > 0 && i < n - 1) {
            a = get(type, diag, i);
            b = get(type, off, i);
            sum = (long double)get(type, x, i - 1) + get(type, x, i + 1);
        }
        long double r = fabsl(a * x_i - b * sum - rhs_i);
        residual = at_least(residual, isfinite(r) ? r : (long double)INFINITY);
        norm_a = at_least(norm_a, fabsl(a) + 2 * fabsl(b));
        norm_x = at_least(norm_x, fabsl(x_i));
        norm_rhs = at_least(norm_rhs, fabsl(rhs_i));
    }
    struct verdict verdict = {.worst = -1};
    if (residual > 0) /* otherwise the divisor may be 0, too */
        verdict.error = finite_or_infinity(residual / (norm_a * norm_x + norm_rhs));
    return judged(verdict, multiple * unit_roundoff(type));
}

/* In the inline functions below `parts` is 1 for real numbers, whose `im` is 0, and 2 for complex
 * numbers, and `real` is 's' or 'd'. BY_TYPE passes constants for both, without which the compiler
 * finds no SIMD instructions. */
#define INLINE static inline __attribute__((always_inline))
struct number {
    long double re, im;
};

/* As get() (problems.h), but no call. */
INLINE double element(char real, const void *array, int64_t i)
{
    return real == 's' ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

INLINE struct number number_at(int parts, char real, const void *array, int64_t i)
{
    struct number z = {element(real, array, parts * i),
                       parts > 1 ? element(real, array, 2 * i + 1) : 0};
    return z;
}

/* The squares neither overflow nor underflow: long double has a larger range than double. */
INLINE long double modulus(int parts, struct number z)
{
    return parts > 1 ? sqrtl(z.re * z.re + z.im * z.im) : fabsl(z.re);
}

/* Adds x y to *sum. Returns |x|. */
INLINE long double add_product(int parts, struct number *sum, struct number x, struct number y)
{
    sum->re += x.re * y.re;
    if (parts > 1) {
        sum->re -= x.im * y.im;
        sum->im += x.re * y.im + x.im * y.re;
    }
    return modulus(parts, x);
}

/* One system of n rows, the first of which is element `first` of the arrays. */
struct rows {
    int64_t n, first;
    const void *sub, *diag, *super, *rhs, *x;
};

/* The largest backward error (verify.h) of the rows from `from` to `to`; INFINITY for NaN. */
INLINE double exact_error(int parts, char real, const struct rows *s, int64_t from, int64_t to,
                          double norm_x)
{
    double error = 0;
    for (int64_t i = s->first + from; i < s->first + to; i++) {
        struct number d = number_at(parts, real, s->rhs, i), sum = {-d.re, -d.im};
        long double norm = add_product(parts, &sum, number_at(parts, real, s->diag, i),
                                       number_at(parts, real, s->x, i));
        if (i > s->first)
            norm += add_product(parts, &sum, number_at(parts, real, s->sub, i),
                                number_at(parts, real, s->x, i - 1));
        if (i < s->first + s->n - 1)
            norm += add_product(parts, &sum, number_at(parts, real, s->super, i),
                                number_at(parts, real, s->x, i + 1));
        long double r = modulus(parts, sum);
        if (!isfinite(r))
            error = (double)INFINITY;
        else if (r > 0) /* otherwise the divisor may be 0, too */
            error = fmax(error, (double)(r / (norm * norm_x + modulus(parts, d))));
    }
    return error;
}

/* s + *error becomes the exact sum of s and x (Knuth). Returns the rounded sum. */
INLINE double add_exactly(double s, double x, double *error)
{
    double sum = s + x, from_x = sum - s;
    *error += (s - (sum - from_x)) + (x - from_x);
    return sum;
}

/* The same for the product a x, whose rounding error is a number of its own. */
INLINE double add_product_exactly(double s, double a, double x, double *error)
{
    double product = a * x;
    *error += fma(a, x, -product);
    return add_exactly(s, product, error);
}

/* The bits of a number that is at least 0: ordered as the numbers are, those of NaN above all. All
 * compilers find SIMD instructions for the maximum of integers. */
INLINE int64_t order_of(double number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits & INT64_MAX;
}

INLINE double number_of(int64_t order)
{
    double number;
    memcpy(&number, &order, sizeof number);
    return number;
}

/* |re + i im|. The squares must not overflow. If they underflow, the result is too small. */
INLINE double estimated_modulus(int parts, double re, double im)
{
    return parts > 1 ? sqrt(re * re + im * im) : fabs(re);
}

/* The residual of a row so far. Each part is a sum of two doubles. */
struct residual {
    double re, im, re_error, im_error;
};

/* Adds element i of `array` times element j of x to *r. Returns the modulus of the element. */
INLINE double add_term(int parts, char real, struct residual *r, const void *array, int64_t i,
                       const void *x, int64_t j)
{
    double a_re = element(real, array, parts * i), x_re = element(real, x, parts * j), a_im = 0;
    r->re = add_product_exactly(r->re, a_re, x_re, &r->re_error);
    if (parts > 1) {
        double x_im = element(real, x, 2 * j + 1);
        a_im = element(real, array, 2 * i + 1);
        r->re = add_product_exactly(r->re, -a_im, x_im, &r->re_error);
        r->im = add_product_exactly(r->im, a_re, x_im, &r->im_error);
        r->im = add_product_exactly(r->im, a_im, x_re, &r->im_error);
    }
    return estimated_modulus(parts, a_re, a_im);
}

/* The backward error of row i, but for rounding errors far below 1%. INFINITY if it cannot tell:
 * for non-finite numbers, and numbers whose products may overflow or underflow. */
INLINE double row_estimate(int parts, char real, const struct rows *s, int64_t i, bool below,
                           bool above, double norm_x)
{
    const double tiny = 0x1p-400, huge = 0x1p400;
    double d_re = element(real, s->rhs, parts * i),
           d_im = parts > 1 ? element(real, s->rhs, 2 * i + 1) : 0;
    struct residual r = {-d_re, -d_im, 0, 0};
    double norm = add_term(parts, real, &r, s->diag, i, s->x, i);
    if (below)
        norm += add_term(parts, real, &r, s->sub, i, s->x, i - 1);
    if (above)
        norm += add_term(parts, real, &r, s->super, i, s->x, i + 1);
    double scale = norm * norm_x + estimated_modulus(parts, d_re, d_im),
           error = estimated_modulus(parts, r.re + r.re_error, r.im + r.im_error) / scale;
    /* & and not &&: a branch would prevent SIMD instructions. */
    int known = (scale > tiny) & (scale < huge) & (error <= DBL_MAX);
    return known ? error : (double)INFINITY;
}

/* exact_error(), but for rounding errors far below 1%, by SIMD instructions in a small part of the
 * time. INFINITY if it cannot tell. */
INLINE double estimated_error(int parts, char real, const struct rows *system, int64_t from,
                              int64_t to, double norm_x)
{
#if defined FP_FAST_FMA || defined __FMA__ /* clang defines only the second */
    const struct rows rows = *system, *s = &rows;
    int64_t first = s->first, last = first + s->n - 1, worst = 0;
    if (from == 0)
        worst = order_of(row_estimate(parts, real, s, first, false, s->n > 1, norm_x));
    if (to == s->n && s->n > 1) {
        int64_t error = order_of(row_estimate(parts, real, s, last, true, false, norm_x));
        worst = error > worst ? error : worst;
    }
    int64_t begin = from == 0 ? first + 1 : first + from, end = to == s->n ? last : first + to;
    for (int64_t i = begin; i < end; i++) {
        int64_t error = order_of(row_estimate(parts, real, s, i, true, true, norm_x));
        worst = error > worst ? error : worst;
    }
    return norm_x < 0x1p400 ? number_of(worst) : (double)INFINITY;
#else
    (void)parts, (void)real, (void)system, (void)from, (void)to, (void)norm_x, (void)row_estimate;
    return (double)INFINITY;
#endif
}

/* Returns the largest modulus of x in the rows from `from` to `to`. NaN if one is NaN. */
INLINE double norm_of_x(int parts, char real, const struct rows *s, int64_t from, int64_t to)
{
    const void *x = s->x;
    int64_t begin = s->first + from, end = s->first + to, largest = 0;
    for (int64_t i = begin; i < end; i++) {
        double re = element(real, x, parts * i), im = parts > 1 ? element(real, x, 2 * i + 1) : 0;
        int64_t size = order_of(parts > 1 ? re * re + im * im : re);
        largest = size > largest ? size : largest;
    }
    double square = number_of(largest);
    if (parts == 1)
        return square;
    if (square > 0x1p-800 && square < 0x1p800)
        return sqrt(square);
    long double norm = 0;
    for (int64_t i = begin; i < end; i++)
        norm = fmaxl(norm, modulus(parts, number_at(parts, real, x, i)));
    return (double)norm;
}

/* The largest backward error of the rows if it is above `least`, otherwise a number that is at most
 * `least`. Only rows that can be the worst of a system are computed exactly. */
INLINE double worst_error(int parts, char real, const struct rows *s, int64_t from, int64_t to,
                          double norm_x, double least)
{
    if (estimated_error(parts, real, s, from, to, norm_x) < 0.99 * least)
        return 0;
    return exact_error(parts, real, s, from, to, norm_x);
}

#define BY_TYPE(type, function, ...)                                                               \
    ((type) == 's'   ? function(1, 's', __VA_ARGS__)                                               \
     : (type) == 'd' ? function(1, 'd', __VA_ARGS__)                                               \
     : (type) == 'c' ? function(2, 's', __VA_ARGS__)                                               \
                     : function(2, 'd', __VA_ARGS__))
static double norm_of_rows(char type, const struct rows *s, int64_t from, int64_t to)
{
    return BY_TYPE(type, norm_of_x, s, from, to);
}
static double error_of_rows(char type, const struct rows *s, int64_t from, int64_t to,
                            double norm_x, double least)
{
    return BY_TYPE(type, worst_error, s, from, to, norm_x, least);
}

/* ROWS_TOGETHER are estimated at once. Several threads share a system of more than MANY_ROWS. */
enum { ROWS_TOGETHER = 4096, MANY_ROWS = 100000 };

/* The largest backward error of a row in the system, or `least` if that is larger. */
static double system_error(char type, const struct rows *s, double least)
{
    double norm_x = 0, error = least;
#pragma omp parallel for reduction(max : norm_x) if (s->n > MANY_ROWS)
    for (int64_t from = 0; from < s->n; from += ROWS_TOGETHER) {
        int64_t to = s->n - from < ROWS_TOGETHER ? s->n : from + ROWS_TOGETHER;
        norm_x = fmax(norm_x, norm_of_rows(type, s, from, to));
    }
#pragma omp parallel if (s->n > MANY_ROWS)
    {
        double mine = least;
#pragma omp for schedule(static) nowait
        for (int64_t from = 0; from < s->n; from += ROWS_TOGETHER) {
            int64_t to = s->n - from < ROWS_TOGETHER ? s->n : from + ROWS_TOGETHER;
            mine = fmax(mine, error_of_rows(type, s, from, to, norm_x, mine));
        }
#pragma omp critical
        error = fmax(error, mine);
    }
    return finite_or_infinity(error);
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
            struct rows s = {n, k * n, sub, diag, super, rhs, x};
            double e = system_error(type, &s, error);
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
    return judged(verdict, multiple * unit_roundoff(type));
}
