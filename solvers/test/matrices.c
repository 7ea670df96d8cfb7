/* See matrices.h. The formulas that make a matrix never add a product to another number. A compiler
 * may fuse a product and a sum into one instruction, and the bits would then differ between
 * machines. */
#include "test/matrices.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct number {
    double re, im;
};

static struct number real(double value)
{
    return (struct number){value, 0};
}

static struct number scaled(struct number a, double factor)
{
    return (struct number){a.re * factor, a.im * factor};
}

static void set(char type, void *array, int64_t i, struct number a)
{
    put_number(type, array, i, a.re, a.im);
}

/* Independent sequences of random numbers (streams), one for each purpose. The numbers of one
 * stream do not depend on how many numbers another stream has drawn. */
enum stream { STREAM_U, STREAM_COINS, STREAM_LATMS, STREAM_SOLUTION };

static struct random start(uint64_t seed, enum stream stream)
{
    struct random r = {seed ^ (uint64_t)stream * UINT64_C(0x9e3779b97f4a7c15)};
    r.state = random_bits(&r); /* so that neighbouring seeds give unrelated streams */
    return r;
}

static struct number draw(char type, struct random *r)
{
    struct number a = real(random_uniform(r, -1, 1));
    if (is_complex(type))
        a.im = random_uniform(r, -1, 1);
    return a;
}

/* The matrices: a, b and c where they are the same number in all rows, U where they are drawn or
 * computed. latms: the parameter MODE of LAPACK's xLATMS, for the matrices that it makes. */
#define U (double)NAN
static const struct {
    const char *text;
    double a, b, c;
    int latms;
} matrices[MATRICES] = {
    {"a, b, c ~ U", U, U, U, 0},
    {"b = 1e8; a, c ~ U", U, 1e8, U, 0},
    {"lesp(n)", U, U, U, 0},
    {"as 1, one a in the middle times 1e-50", U, U, U, 0},
    {"as 1, each a and c 0 with probability 1/2", U, U, U, 0},
    {"b = 64; a, c ~ U", U, 64, U, 0},
    {"inverse of kms(n, 1/2)", U, U, U, 0},
    {"condition 1e15, one large singular value", U, U, U, 1},
    {"condition 1e15, geometric singular values", U, U, U, 3},
    {"condition 1e15, one small singular value", U, U, U, 2},
    {"condition 1e15, arithmetic singular values", U, U, U, 4},
    {"as 1, all a times 1e-50", U, U, U, 0},
    {"dorr(n, 1e-4)", U, U, U, 0},
    {"b = 1e-8; a, c ~ U", U, 1e-8, U, 0},
    {"b = 0; a, c ~ U", U, 0, U, 0},
    {"a = c = 1, b = 1e-8", 1, 1e-8, 1, 0},
    {"a = c = 1, b = 1e8", 1, 1e8, 1, 0},
    {"a = c = -1, b = 4", -1, 4, -1, 0},
    {"a = -1, b = 4, c = 1", -1, 4, 1, 0},
    {"a = -1, b = 4; c ~ U", -1, 4, U, 0},
};
#undef U

const char *matrix_text(int which)
{
    return matrices[which - 1].text;
}

#ifdef HAVE_LAPACKE
#include <complex.h>
#include <lapacke.h>

/* Makes one of the matrices 8 to 11 by LAPACK's xLATMS. It computes in double precision for all
 * types. In single precision, n rotations would have n rounding errors, but so a matrix has only
 * the error of one rounding. LAPACK stores a band matrix by columns: column j holds super_{j-1},
 * diag_j, sub_{j+1}. A matrix with one row has no place for super and sub. */
static bool fill_latms(int mode, char type, int64_t n, uint64_t seed, void *sub, void *diag,
                       void *super)
{
    const int parts = is_complex(type) ? 2 : 1;
    const lapack_int rows = (lapack_int)n;
    const double condition = real_type(type) == 's' ? 0.1 / unit_roundoff('s') : 1e15;
    struct random r = start(seed, STREAM_LATMS);
    lapack_int iseed[4];
    for (int k = 0; k < 4; k++) /* xLATMS needs numbers from 0 to 4095, of which the last is odd */
        iseed[k] = (lapack_int)(random_bits(&r) >> 52) | (k == 3);
    double *band = calloc((size_t)(3 * n * parts), sizeof *band);
    double *work = calloc((size_t)(3 * n * parts), sizeof *work);
    double *values = calloc((size_t)n, sizeof *values);
    bool ok =
        band && work && values &&
        (parts == 1 ? LAPACKE_dlatms_work(LAPACK_COL_MAJOR, rows, rows, 'S', iseed, 'N', values,
                                          mode, condition, 1, 1, 1, 'Z', band, 3, work)
                    : LAPACKE_zlatms_work(LAPACK_COL_MAJOR, rows, rows, 'S', iseed, 'N', values,
                                          mode, condition, 1, 1, 1, 'Z', (double complex *)band, 3,
                                          (double complex *)work)) == 0;
    for (int64_t j = 0; ok && j < n; j++)
        for (int k = 0; k < 3; k++) {
            void *array = k == 0 ? super : k == 1 ? diag : sub;
            const int64_t i = j + k - 1;
            const double *element = band + (3 * j + k - (n == 1)) * parts;
            if (i >= 0 && i < n)
                set(type, array, i, (struct number){element[0], parts == 2 ? element[1] : 0});
        }
    free(band);
    free(work);
    free(values);
    return ok;
}
#else
static bool fill_latms(int mode, char type, int64_t n, uint64_t seed, void *sub, void *diag,
                       void *super)
{
    (void)mode, (void)type, (void)n, (void)seed, (void)sub, (void)diag, (void)super;
    return false;
}
#endif

bool matrix_exists(int which, char type, int64_t n)
{
    if (which < 1 || which > MATRICES || n < 1)
        return false;
    if (!type || !strchr("sdcz", type))
        return false;
#ifndef HAVE_LAPACKE
    if (matrices[which - 1].latms)
        return false;
#endif
    return !matrices[which - 1].latms || n <= MATRICES_LATMS_N;
}

struct row {
    struct number a, b, c;
};

/* Returns row i = 1..n of N. J. Higham's gallery('lesp', n): tridiag(1 ./ (2:n), -(2*(2:n+1) + 1),
 * 2:n). */
static struct row lesp_row(int64_t i)
{
    return (struct row){real(1 / (double)i), real(-(double)(2 * i + 3)), real((double)(i + 1))};
}

/* Returns row i = 1..n of the inverse of gallery('kms', n, r) with r = 1/2: 1/(1 - r^2) tridiag(-r,
 * 1 + r^2, -r), with 1/(1 - r^2) in both corners of the diagonal. */
static struct row kms_row(int64_t i, int64_t n)
{
    const double diag[] = {5 / 3.0, 4 / 3.0,
                           1}; /* index: how many corners of the matrix this row contains */
    return (struct row){real(-2 / 3.0), real(diag[(i == 1) + (i == n)]), real(-2 / 3.0)};
}

/* Returns row i = 1..n of gallery('dorr', n, theta) with theta = 1e-4. Its elements are sums of
 * theta/h^2 and (0.5 - i h)/h, where h = 1/(n + 1). */
static struct row dorr_row(int64_t i, int64_t n)
{
    const double points = (double)n + 1, term = points * points / 1e4;
    const double slope = points / 2 - (double)i; /* exact: a half-integer */
    const bool upper = i <= (n + 1) / 2;
    const double a = upper ? -term : -term + slope, c = upper ? -term - slope : -term;
    return (struct row){real(a), real(-(a + c)), real(c)};
}

static void fill_rows(int which, char type, int64_t n, uint64_t seed, void *sub, void *diag,
                      void *super)
{
    const double tiny = real_type(type) == 's' ? 1e-30 : 1e-50, a = matrices[which - 1].a,
                 b = matrices[which - 1].b, c = matrices[which - 1].c;
    struct random u = start(seed, STREAM_U), coins = start(seed, STREAM_COINS);
    for (int64_t i = 0; i < n; i++) {
        struct row row;
        row.a = draw(type, &u);
        row.b = draw(type, &u);
        row.c = draw(type, &u);
        row.a = isnan(a) ? row.a : real(a);
        row.b = isnan(b) ? row.b : real(b);
        row.c = isnan(c) ? row.c : real(c);
        if (which == 12 || (which == 4 && i == n / 2))
            row.a = scaled(row.a, tiny);
        else if (which == 5) {
            row.a = random_bits(&coins) >> 63 ? real(0) : row.a;
            row.c = random_bits(&coins) >> 63 ? real(0) : row.c;
        } else if (which == 3)
            row = lesp_row(i + 1);
        else if (which == 7)
            row = kms_row(i + 1, n);
        else if (which == 13)
            row = dorr_row(i + 1, n);
        set(type, sub, i, row.a);
        set(type, diag, i, row.b);
        set(type, super, i, row.c);
    }
}

bool matrix_fill(int which, char type, int64_t n, uint64_t seed, void *sub, void *diag, void *super)
{
    if (!matrix_exists(which, type, n))
        return false;
    if (!matrices[which - 1].latms)
        fill_rows(which, type, n, seed, sub, diag, super);
    else if (!fill_latms(matrices[which - 1].latms, type, n, seed, sub, diag, super))
        return false;
    const struct number unused = {(double)NAN, (double)NAN};
    set(type, sub, 0, unused);
    set(type, super, n - 1, unused);
    return true;
}

static double uniform(struct random *r)
{
    return random_uniform(r, 0, 1);
}

/* Returns true with probability exp(-1/2), by a method of von Neumann. It draws uniform numbers
 * from [0, 1) until a number is not smaller than the one before it; the first number must be
 * smaller than 1/2. Let m count the numbers before the one that ends the series. m >= k has the
 * probability (1/2)^k / k!, so m is even with the probability 1 - 1/2 + (1/2)^2/2! - … =
 * exp(-1/2). */
static bool exp_half(struct random *r)
{
    double last = 0.5;
    for (bool even = true;; even = !even) {
        const double next = uniform(r);
        if (!(next < last))
            return even;
        last = next;
    }
}

/* Returns true with probability exp(-x (2 k + x) / (2 k + 2)), by the same method as exp_half. */
static bool exp_fraction(struct random *r, int k, double x)
{
    const double other = (2 * k + x) / (2 * k + 2);
    double last = x;
    for (bool even = true;; even = !even) {
        const double next = uniform(r);
        if (!(next < last) || !(uniform(r) < other))
            return even;
        last = next;
    }
}

static bool all(struct random *r, int times)
{
    for (int i = 0; i < times; i++)
        if (!exp_half(r))
            return false;
    return true;
}

/* Returns a normally distributed number with mean 0 and standard deviation 1, by algorithm N of C.
 * F. F. Karney, Sampling exactly from the normal distribution, ACM TOMS 42 (2016). The algorithm
 * only compares numbers, so all machines give the same result. Box and Muller's method calls
 * logarithm and cosine, which differ between libraries. */
static double random_normal(struct random *r)
{
    for (;;) {
        int k = 0;
        while (exp_half(r))
            k++;
        if (!all(r, k * (k - 1)))
            continue;
        const double x = uniform(r);
        int accepted = 0;
        while (accepted <= k && exp_fraction(r, k, x))
            accepted++;
        if (accepted <= k)
            continue;
        return random_bits(r) >> 63 ? -(k + x) : k + x;
    }
}

void matrix_solution(char type, int64_t n, uint64_t seed, void *x)
{
    struct random r = start(seed, STREAM_SOLUTION);
    const int parts = is_complex(type) ? 2 : 1;
    for (int64_t i = 0; i < parts * n; i++)
        put(real_type(type), x, i, 3 + random_normal(&r));
}

/* ---- long double ---- */

struct wide {
    long double re, im;
};

static struct wide wide(char type, const void *array, int64_t i)
{
    const char part = real_type(type);
    if (!is_complex(type))
        return (struct wide){get(part, array, i), 0};
    return (struct wide){get(part, array, 2 * i), get(part, array, 2 * i + 1)};
}

static long double modulus(struct wide a)
{
    return a.im == 0 ? fabsl(a.re) : hypotl(a.re, a.im); /* the same, but hypotl is slow */
}

/* From this n on several threads share the rows. */
enum { MANY_ROWS = 100000 };

/* The product of a row of A with x, and the sum of the moduli of the terms of this product. */
struct sum {
    struct wide value;
    long double moduli;
};

static void add_term(struct sum *sum, struct wide a, struct wide x)
{
    sum->value.re += a.re * x.re - a.im * x.im;
    sum->value.im += a.re * x.im + a.im * x.re;
    sum->moduli += modulus(a) * modulus(x);
}

static struct sum row_sum(char type, int64_t n, const void *sub, const void *diag,
                          const void *super, const void *x, int64_t i)
{
    struct sum sum = {.moduli = 0};
    if (i > 0)
        add_term(&sum, wide(type, sub, i), wide(type, x, i - 1));
    add_term(&sum, wide(type, diag, i), wide(type, x, i));
    if (i < n - 1)
        add_term(&sum, wide(type, super, i), wide(type, x, i + 1));
    return sum;
}

/* Rounds `value` once. put() takes a double, so its result would be rounded twice. */
static void put_rounded(char type, void *array, int64_t i, long double value)
{
    if (type == 's')
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = (double)value;
}

void matrix_product(char type, int64_t n, const void *sub, const void *diag, const void *super,
                    const void *x, void *rhs)
{
    const int parts = is_complex(type) ? 2 : 1;
#pragma omp parallel for schedule(static) if (n > MANY_ROWS)
    for (int64_t i = 0; i < n; i++) {
        const struct wide value = row_sum(type, n, sub, diag, super, x, i).value;
        put_rounded(real_type(type), rhs, parts * i, value.re);
        if (parts == 2)
            put_rounded(real_type(type), rhs, 2 * i + 1, value.im);
    }
}

double matrix_forward_error(char type, int64_t n, const void *x, const void *x_true)
{
    const int64_t parts = is_complex(type) ? 2 * n : n;
    long double difference = 0, norm = 0;
    for (int64_t i = 0; i < parts; i++) {
        const long double found = get(real_type(type), x, i),
                          truth = get(real_type(type), x_true, i);
        difference += (found - truth) * (found - truth);
        norm += truth * truth;
    }
    if (!isfinite(difference) ||
        !isfinite(norm)) /* a NaN or infinite element makes one of these sums non-finite */
        return (double)INFINITY;
    return difference > 0 ? (double)sqrtl(difference / norm) : 0;
}

double matrix_residual(char type, int64_t n, const void *sub, const void *diag, const void *super,
                       const void *rhs, const void *x)
{
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (n > MANY_ROWS)
    for (int64_t i = 0; i < n; i++) {
        const struct sum sum = row_sum(type, n, sub, diag, super, x, i);
        const struct wide right = wide(type, rhs, i);
        const struct wide r = {sum.value.re - right.re, sum.value.im - right.im};
        const long double residual = modulus(r), scale = sum.moduli + modulus(right);
        if (!isfinite(residual) || !isfinite(scale)) /* fmax would drop a NaN */
            largest = (double)INFINITY;
        else if (residual > 0)
            largest = fmax(largest, (double)(residual / scale));
    }
    return largest / unit_roundoff(type);
}
