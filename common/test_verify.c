/* Tests of verify.h and problems.h: verdicts on results of serial loops, and properties of inputs.
 */
#include "expect.h"
#include "problems.h"
#include "timing.h"
#include "verify.h"

#include <complex.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

typedef long double complex number;

static const int64_t sizes[] = {1, 2, 31, 1000, 100000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void *arrays[32]; /* of the running test */
static int array_count;

/* Exactly this size, so that AddressSanitizer detects an access beyond the end. */
static void *elements(char type, int64_t count)
{
    void *array = calloc((size_t)count, (size_t)size_of(type));
    if (!array || array_count == 32)
        abort();
    return arrays[array_count++] = array;
}

/* Frees all arrays but the first `kept`. */
static void free_arrays(int kept)
{
    while (array_count > kept)
        free(arrays[--array_count]);
}

static bool same_verdict(struct verdict a, struct verdict b)
{
    return a.ok == b.ok && a.error == b.error && a.used == b.used && a.worst == b.worst;
}

/* A result in memory, and the function that verifies it. */
typedef struct verdict verifier(const void *problem);

static struct verdict expect_ok(verifier *verify, const void *problem, bool ok, const char *what)
{
    struct verdict v = verify(problem);
    EXPECT(v.ok == ok && (v.used <= 1) == ok, "%s: error %g, used %g at %lld", what, v.error,
           v.used, (long long)v.worst);
    return v;
}

/* Sets an element, after which verification must fail and name `worst`, and restores it. */
static void caught(verifier *verify, const void *problem, char type, void *array, int64_t i,
                   double value, int64_t worst)
{
    double right = get(type, array, i);
    put(type, array, i, value);
    struct verdict v = expect_ok(verify, problem, false, "a wrong element");
    EXPECT(v.worst == worst, "%g instead of %g at %lld seen at %lld", value, right, (long long)i,
           (long long)v.worst);
    put(type, array, i, right);
}

/* ---- recurrences ---- */

struct recurrence {
    char type;
    int64_t n;
    double w0;
    int inc; /* of s and t; 0: they are constants */
    void *s, *t, *w;
};

static struct recurrence new_recurrence(char type, int64_t n, int inc)
{
    void *s = elements(type, inc ? n : 1), *t = elements(type, inc ? n : 1);
    return (struct recurrence){type, n, 1, inc, s, t, elements(type, n + 1)};
}

static void solve(const struct recurrence *r)
{
    put(r->type, r->w, 0, r->w0);
    for (int64_t i = 1; i <= r->n; i++) {
        double s = get(r->type, r->s, (i - 1) * r->inc), t = get(r->type, r->t, (i - 1) * r->inc);
        double w = get(r->type, r->w, i - 1), product = s * w;
        if (r->type == 's')
            product = (float)s * (float)w;
        put(r->type, r->w, i, product + t);
    }
}

/* Verifies w in both ways, which must agree: alone, and with the values kept. */
static struct verdict recurrence(const void *problem)
{
    const struct recurrence *r = problem;
    struct recurrence_value *value = malloc((size_t)(r->n + 1) * sizeof *value);
    if (!value)
        abort();
    recurrence_values(r->type, r->n, r->w0, r->s, r->inc, r->t, r->inc, value);
    struct verdict v = verify_recurrence(r->type, r->n, r->w0, r->s, r->inc, r->t, r->inc, r->w),
                   kept = verify_values(r->type, r->n, value, r->w);
    free(value);
    EXPECT(same_verdict(v, kept), "used %g at %lld; with values kept %g at %lld", v.used,
           (long long)v.worst, kept.used, (long long)kept.worst);
    return v;
}

/* The running bound B_i from B_(i-1). */
static double next_bound(const struct recurrence *r, double bound, int64_t i)
{
    return fabs(get(r->type, r->s, i - 1)) * bound + fabs(get(r->type, r->t, i - 1));
}

static void test_recurrence(char type, enum recurrence_kind kind, int64_t n)
{
    struct recurrence r = new_recurrence(type, n, 1);
    fill_recurrence(type, kind, 7, n, r.s, r.t);
    solve(&r);
    struct verdict v = expect_ok(recurrence, &r, true, "a serial loop");
    if (kind == RECURRENCE_CONTRACTING)
        EXPECT(v.error < 10 * unit_roundoff(type), "error %g", v.error);

    /* Verification allows at most E_i = 6u i B_i. The serial loop's own error is at most 2u i B_i,
     * and storing the result rounds once more. So an added 10u i B_i leaves at least 7u i B_i.
     * (Rounding errors add up, hence the factor i, if products of s are near 1.) */
    double bound = 1;
    for (int64_t i = 0; i <= n; i++) {
        bound = i > 0 ? next_bound(&r, bound, i) : 1;
        if (i > 1 && i != n / 2 && i != n)
            continue;
        double right = get(type, r.w, i);
        double wrong = (i > 0 ? 10 * (double)i : 2) * unit_roundoff(type) * bound;
        const double values[] = {right + wrong, right - wrong, NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 5; k++)
            caught(recurrence, &r, type, r.w, i, values[k], i);
    }
    expect_ok(recurrence, &r, true, "restored");

    /* If the inputs contain NaN or Inf, nothing can be verified, so every w must be rejected. */
    put(type, r.t, n / 2, NAN);
    expect_ok(recurrence, &r, false, "NaN in t");
    put(type, r.t, n / 2, INFINITY);
    expect_ok(recurrence, &r, false, "Inf in t");
}

/* A relative error of 100 u must be detected in the first, in the middle and in the last of the
 * elements that cancellation has not made small, |w_i| >= 0.7 B_i, and in 90% of all of them. */
static void test_sharpness(char type)
{
    const int64_t n = 1000;
    struct recurrence r = new_recurrence(type, n, 1);
    fill_recurrence(type, RECURRENCE_CONTRACTING, 3, n, r.s, r.t);
    solve(&r);
    int64_t places[3] = {-1, -1, -1}, full = 0, seen = 0;
    double bound = 1;
    for (int64_t i = 1; i <= n; i++) {
        bound = next_bound(&r, bound, i);
        double right = get(type, r.w, i);
        if (!(fabs(right) >= 0.7 * bound))
            continue;
        full++;
        places[0] = places[0] < 0 ? i : places[0];
        places[1] = i <= n / 2 ? i : places[1];
        places[2] = i;
        put(type, r.w, i, right * (1 + 100 * unit_roundoff(type)));
        seen += !recurrence(&r).ok;
        put(type, r.w, i, right);
    }
    EXPECT(full > 100 && places[0] < 20 && places[2] > n - 20, "%lld places", (long long)full);
    for (int k = 0; k < 3; k++)
        caught(recurrence, &r, type, r.w, places[k],
               get(type, r.w, places[k]) * (1 - 100 * unit_roundoff(type)), places[k]);
    EXPECT(10 * seen >= 9 * full, "100 u caught in %lld of %lld places", (long long)seen,
           (long long)full);
}

/* Special cases, of recurrences with constant coefficients. */
static void test_constant(struct recurrence r)
{
    r.w0 = RECURRENCE_W0;
    put(r.type, r.s, 0, RECURRENCE_SCALE);
    put(r.type, r.t, 0, RECURRENCE_OFFSET);
    EXPECT(get(r.type, r.s, 0) == RECURRENCE_SCALE, "SCALE is not exact");
    solve(&r);
    expect_ok(recurrence, &r, true, "constant");
    /* In single precision the serial loop stops 0.4% below the fixed point OFFSET/(1 - SCALE),
     * because there a step changes w by less than half an ulp. At this point E_i allows an error of
     * 6u/(1 - SCALE) = 2.3%, so an error of 3% must be detected. */
    caught(recurrence, &r, r.type, r.w, r.n,
           (r.type == 's' ? 1.03 : 1 + 1e-9) * get(r.type, r.w, r.n), r.n);

    r.n = 0;
    put(r.type, r.w, 0, 1);
    expect_ok(recurrence, &r, true, "w_0 alone");
    r.w0 = 1 + 1e-6;
    expect_ok(recurrence, &r, false, "another w_0");
    r.w0 = 0.1;
    put(r.type, r.w, 0, 0.1);
    expect_ok(recurrence, &r, true, "w_0 = 0.1, which rounds to the type");
}

/* The 200th power of `huge` exceeds the long double of x86-64, the 20000th every other one. */
static void test_overflow(struct recurrence r)
{
    double huge = r.type == 's' ? 3e38 : 1e308;
    put(r.type, r.s, 0, huge);
    for (int64_t i = 0; i <= r.n; i++)
        put(r.type, r.w, i, 1);
    expect_ok(recurrence, &r, false, "a reference that overflows");

    /* The exact result is 0 from w_1 = 1 - 1 on, but the bound overflows. */
    r = new_recurrence(r.type, 200, 1);
    for (int64_t i = 1; i < r.n; i++)
        put(r.type, r.s, i, huge);
    put(r.type, r.s, 0, 1);
    put(r.type, r.t, 0, -1);
    put(r.type, r.w, 0, 1);
    put(r.type, r.w, r.n, 1);
    expect_ok(recurrence, &r, false, "1 <= inf");
}

/* Tests the value of the bound. For w_1 = 0.5 * 1 + 1 it is E_1 = 6u B_1 = 9u, because B_1 = 1.5.
 * Errors of w_1 are multiples of an ulp, which is 2u: 8u must be accepted, 10u rejected. */
static void test_bound(struct recurrence r)
{
    const double u = unit_roundoff(r.type);
    r.n = 1;
    put(r.type, r.s, 0, 0.5);
    put(r.type, r.t, 0, 1);
    put(r.type, r.w, 0, 1);
    put(r.type, r.w, 1, 1.5 + 8 * u);
    struct verdict v = expect_ok(recurrence, &r, true, "8u of 9u");
    EXPECT(fabs(v.used - 8 / 9.0) < 1e-6 && fabs(v.error / u - 8 / 1.5) < 1e-6,
           "8u of 9u: used %g, error %g", v.used, v.error);
    put(r.type, r.w, 1, 1.5 - 10 * u);
    v = expect_ok(recurrence, &r, false, "10u of 9u");
    EXPECT(fabs(v.used - 10 / 9.0) < 1e-6, "10u of 9u: used %g", v.used);
}

/* The first solution consists of zeros. The second recurrence decreases until it underflows, and
 * its w must be accepted whether subnormal numbers are flushed to zero or not. */
static void test_zeros(struct recurrence r)
{
    r.w0 = 0;
    put(r.type, r.s, 0, 0.5);
    put(r.type, r.t, 0, 0);
    solve(&r);
    struct verdict v = expect_ok(recurrence, &r, true, "zeros");
    EXPECT(v.error == 0, "zeros: error %g", v.error);
    put(r.type, r.w, r.n / 2, -0.0);
    expect_ok(recurrence, &r, true, "-0 for 0");
    put(r.type, r.w, r.n / 2, 1e-30);
    expect_ok(recurrence, &r, false, "1e-30 for 0");
    r.w0 = 1;
    solve(&r);
    expect_ok(recurrence, &r, true, "gradual underflow");
    double least = r.type == 's' ? 0x1p-126 : 0x1p-1022;
    for (int64_t i = 0; i <= r.n; i++)
        if (get(r.type, r.w, i) < least)
            put(r.type, r.w, i, 0);
    expect_ok(recurrence, &r, true, "flush to zero");
}

/* ---- tridiagonal systems ---- */

/* Element i of an array of real or complex numbers. */
static number get_number(char type, const void *array, int64_t i)
{
    if (!is_complex(type))
        return get(type, array, i);
    char real = real_type(type);
    return (long double)get(real, array, 2 * i) +
           (long double)get(real, array, 2 * i + 1) * (number)I;
}

struct systems {
    char type;
    int64_t n, batch;
    void *sub, *diag, *super, *rhs, *x;
    void *off;       /* of W12 eq. 1-3: -sub and -super; NULL in general */
    double multiple; /* of the unit roundoff that verify_systems allows */
};

/* Solves the systems by the Thomas algorithm in long double and rounds the solutions. */
static void thomas(const struct systems *a)
{
    number *p = calloc((size_t)a->n, sizeof *p), *q = calloc((size_t)a->n, sizeof *q);
    if (!p || !q)
        abort();
    for (int64_t first = 0; first < a->n * a->batch; first += a->n) {
        for (int64_t i = 0; i < a->n; i++) {
            number below = i > 0 ? get_number(a->type, a->sub, first + i) : 0;
            number above = i < a->n - 1 ? get_number(a->type, a->super, first + i) : 0;
            number pivot = get_number(a->type, a->diag, first + i) - (i > 0 ? below * p[i - 1] : 0);
            p[i] = above / pivot;
            q[i] =
                (get_number(a->type, a->rhs, first + i) - (i > 0 ? below * q[i - 1] : 0)) / pivot;
        }
        number next = 0;
        for (int64_t i = a->n - 1; i >= 0; i--) {
            next = q[i] - p[i] * next;
            if (is_complex(a->type)) {
                put(real_type(a->type), a->x, 2 * (first + i), (double)creall(next));
                put(real_type(a->type), a->x, 2 * (first + i) + 1, (double)cimagl(next));
            } else {
                put(a->type, a->x, first + i, (double)creall(next));
            }
        }
    }
    free(p);
    free(q);
}

static struct systems new_systems(char type, int64_t n, int64_t batch)
{
    struct systems a = {.type = type, .n = n, .batch = batch, .multiple = 4};
    void **members[] = {&a.sub, &a.diag, &a.super, &a.rhs, &a.x};
    for (int k = 0; k < 5; k++)
        *members[k] = elements(type, n * batch);
    return a;
}

static struct systems make_systems(char type, enum system kind, uint64_t seed, int64_t n,
                                   int64_t batch)
{
    struct systems a = new_systems(type, n, batch);
    fill_systems(type, kind, seed, n, batch, a.sub, a.diag, a.super, a.rhs);
    thomas(&a);
    return a;
}

/* A system of W12 with its solution. Row `small` is multiplied by 2^-20; -1: none. */
static struct systems make_tridiagonal(char type, enum tridiagonal_kind kind, uint64_t seed,
                                       int64_t n, int64_t small)
{
    struct systems a = new_systems(type, n, 1);
    a.off = elements(type, n);
    fill_tridiagonal(type, kind, seed, n, a.diag, a.off, a.rhs);
    void *scaled[] = {a.diag, a.off, a.rhs};
    for (int k = 0; k < 3 && small >= 0; k++)
        put(type, scaled[k], small, 0x1p-20 * get(type, scaled[k], small));
    for (int64_t i = 0; i < n; i++) {
        put(type, a.sub, i, -get(type, a.off, i));
        put(type, a.super, i, -get(type, a.off, i));
    }
    thomas(&a);
    return a;
}

/* x = 0 solves a system with right-hand side 0, and -0 is 0. */
static void set_zeros(struct systems *a)
{
    memset(a->rhs, 0, (size_t)(a->n * a->batch) * (size_t)size_of(a->type));
    memset(a->x, 0, (size_t)(a->n * a->batch) * (size_t)size_of(a->type));
    put(a->type, a->x, a->n * a->batch / 2, -0.0);
}

static struct verdict normwise(const void *problem)
{
    const struct systems *a = problem;
    return verify_tridiagonal(a->type, a->n, a->diag, a->off, a->rhs, a->x, 4);
}

static void test_tridiagonal(char type, enum tridiagonal_kind kind, int64_t n)
{
    struct systems a = make_tridiagonal(type, kind, 11, n, -1);
    const int64_t ends[] = {0, n - 1};
    for (int k = 0; k < 2; k++)
        EXPECT(get(type, a.diag, ends[k]) == 1 && get(type, a.off, ends[k]) == 0, "boundary rows");
    struct verdict v = expect_ok(normwise, &a, true, "a solution");
    EXPECT(v.worst == -1, "worst %lld", (long long)v.worst);

    /* By norms an error is seen only if it is not small beside the largest |x|. */
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(get(type, a.x, i)));
    const int64_t places[] = {0, n / 2, n - 1};
    const double errors[] = {1e3 * unit_roundoff(type) * (1 + largest), 1 + largest, NAN, INFINITY};
    for (int k = 0; k < 3 * 4; k++)
        caught(normwise, &a, type, a.x, places[k / 4],
               get(type, a.x, places[k / 4]) + errors[k % 4], -1);
    put(type, a.rhs, n / 2, NAN);
    expect_ok(normwise, &a, false, "NaN in rhs");

    set_zeros(&a);
    for (int k = 0; k < 2; k++) { /* which are not read */
        put(type, a.diag, ends[k], NAN);
        put(type, a.off, ends[k], NAN);
    }
    v = expect_ok(normwise, &a, true, "zeros");
    EXPECT(v.error == 0, "zeros: error %g", v.error);
}

/* Calls verify_systems with different numbers of threads. The verdict must always be the same. */
static struct verdict rowwise(const void *problem)
{
    static const int threads[] = {1, 2, 5};
    const struct systems *a = problem;
    int before = omp_get_max_threads();
    struct verdict v = {.worst = -2};
    for (int k = 0; k < 3; k++) {
        omp_set_num_threads(threads[k]);
        struct verdict other = verify_systems(a->type, a->n, a->batch, a->sub, a->diag, a->super,
                                              a->rhs, a->x, a->multiple);
        v = k == 0 ? other : v;
        EXPECT(same_verdict(v, other), "%g in %lld with one thread, %g in %lld with %d", v.error,
               (long long)v.worst, other.error, (long long)other.worst, threads[k]);
    }
    omp_set_num_threads(before);
    return v;
}

/* The verdict must be that of the first of the worst systems, each verified alone. */
static void worst_is_found(const struct systems *a, struct verdict v)
{
    double error = 0;
    int64_t worst = -1;
    for (int64_t k = 0; k < a->batch; k++) {
        size_t at = (size_t)(k * a->n) * (size_t)size_of(a->type);
        struct verdict one =
            verify_systems(a->type, a->n, 1, (char *)a->sub + at, (char *)a->diag + at,
                           (char *)a->super + at, (char *)a->rhs + at, (char *)a->x + at, 4);
        worst = one.error > error ? k : worst;
        error = fmax(error, one.error);
    }
    EXPECT(v.error == error && v.worst == worst, "%g in %lld, not %g in %lld", v.error,
           (long long)v.worst, error, (long long)worst);
}

/* System k gets the solution of its neighbour, which is wrong. Then the last system is made equal
 * to system k. Both are equally wrong, and verification must name the first of them. */
static void test_neighbours(const struct systems *a, int64_t k)
{
    size_t bytes = (size_t)a->n * (size_t)size_of(a->type), last = (size_t)(a->batch - 1) * bytes;
    char *all[] = {a->sub, a->diag, a->super, a->rhs, a->x};
    memcpy(all[4] + (size_t)k * bytes, all[4] + (size_t)(k - 1) * bytes, bytes);
    EXPECT(expect_ok(rowwise, a, false, "the solution of a neighbour").worst == k, "elsewhere");
    for (int p = 0; p < 5; p++)
        memcpy(all[p] + last, all[p] + (size_t)k * bytes, bytes);
    EXPECT(expect_ok(rowwise, a, false, "equal errors").worst == k, "not the first");
    put(a->type, a->x, k * a->n, NAN);
    put(a->type, a->x, a->batch * a->n - 1, NAN);
    EXPECT(expect_ok(rowwise, a, false, "two NaN").worst == k, "not the first NaN");
}

static void test_systems(char type, enum system kind, int64_t n, int64_t batch)
{
    struct systems a = make_systems(type, kind, 11, n, batch);
    struct verdict v = expect_ok(rowwise, &a, true, "solutions");
    worst_is_found(&a, v);
    /* Rounding x changes the residual of a row by at most u (|sub| + |diag| + |super|) |x|. */
    EXPECT(v.error <= 1.001 * unit_roundoff(type) &&
               fabs(v.used - v.error / (4 * unit_roundoff(type))) < 1e-6,
           "error %g, used %g in %lld", v.error, v.used, (long long)v.worst);

    const int64_t k = batch / 2;
    int64_t largest = k * n;
    for (int64_t i = k * n; i < (k + 1) * n; i++)
        if (fabs(get(type, a.x, i)) > fabs(get(type, a.x, largest)))
            largest = i;
    const int64_t places[] = {largest, k * n, k * n + n / 2, k * n + n - 1};
    for (int p = 0; p < 4; p++) {
        double x = get(type, a.x, places[p]), change = 1e-3 * get(type, a.x, largest);
        const double values[] = {x + change, NAN, -INFINITY};
        for (int e = 0; e < 3; e++)
            caught(rowwise, &a, type, a.x, places[p], values[e], k);
    }
    caught(rowwise, &a, type, a.rhs, largest, NAN, k);
    if (batch > 1)
        test_neighbours(&a, k);
    set_zeros(&a);
    v = expect_ok(rowwise, &a, true, "zeros");
    EXPECT(v.error == 0 && v.worst == -1, "zeros: error %g in %lld", v.error, (long long)v.worst);
}

/* Tests the value of the error with the system 2 x = 1. If x = 0.5 + 4u, the residual is 8u and the
 * divisor is 2 |x| + 1 = 2 + 8u. So the error is 8u / (2 + 8u), about 4u. */
static void test_systems_bound(char type)
{
    struct systems a = make_systems(type, SYSTEM_POISSON, 1, 1, 1);
    const double u = unit_roundoff(type);
    put(type, a.rhs, 0, 1);
    put(type, a.x, 0, 0.5 + 4 * u);
    struct verdict v = expect_ok(rowwise, &a, true, "4u of 4u");
    EXPECT(fabs(v.error / u - 4) < 1e-5 && fabs(v.used - 1) < 1e-5, "%g u, used %g", v.error / u,
           v.used);
    a.multiple = 3.9;
    v = expect_ok(rowwise, &a, false, "4u of 3.9u");
    EXPECT(fabs(v.used - 4 / 3.9) < 1e-5, "4u of 3.9u: used %g", v.used);
}

/* Computes x with a wrong right-hand side in a small row. verify_systems must detect the error,
 * because it compares a residual with the coefficients of its row. verify_tridiagonal does not
 * detect it, because it compares with the norm of the whole matrix. */
static void test_small_row(char type)
{
    const int64_t n = 1000, row = 300;
    struct systems a = make_tridiagonal(type, TRIDIAGONAL_DOMINANT, 5, n, row);
    for (int wrong = 0; wrong < 2; wrong++) {
        double right = get(type, a.rhs, row);
        put(type, a.rhs, row, wrong ? right * (1 + 1e5 * unit_roundoff(type)) : right);
        thomas(&a);
        put(type, a.rhs, row, right);
        double error = expect_ok(normwise, &a, true, "by norms").error;
        struct verdict v = expect_ok(rowwise, &a, !wrong, "row by row");
        EXPECT(v.error >= error, "wrong %d: %g, normwise %g", wrong, v.error, error);
    }
}

/* Rejects a wrong imaginary part, a conjugate, and NaN. */
static void test_complex_system(char type, enum system kind, int64_t n)
{
    struct systems a = make_systems(type, kind, 11, n, 1);
    for (int64_t i = 0; i < n; i++) {
        long double off = (i > 0 ? cabsl(get_number(type, a.sub, i)) : 0) +
                          (i < n - 1 ? cabsl(get_number(type, a.super, i)) : 0);
        EXPECT(cabsl(get_number(type, a.diag, i)) >= off * (1 - 8 * unit_roundoff(type)),
               "row %lld is not dominant", (long long)i);
    }
    a.multiple = 2;
    struct verdict v = expect_ok(rowwise, &a, true, "a solution");
    EXPECT(v.error > 0 || n == 1, "error %g", v.error);
    int64_t at = 2 * (n / 2) + 1;
    double right = get(real_type(type), a.x, at);
    const double wrong[] = {right * (1 + 1e-3), -right, NAN};
    for (int k = 0; k < 3; k++)
        caught(rowwise, &a, real_type(type), a.x, at, wrong[k], 0);
}

/* ---- problems.h ---- */

/* Can `value` be a result of random_term() (problems.c) times `scale`? */
static bool is_term(double value, double scale)
{
    return fabs(value) >= 1e-3 * scale && fabs(value) < scale;
}

/* Can (sub, diag, super, rhs) be a row of this kind of system, multiplied by `scale`? */
static bool row_is(enum system kind, const double *row, bool first, bool last, double scale)
{
    double sub = first ? 0 : row[0], super = last ? 0 : row[2], off = fabs(sub) + fabs(super);
    if (!is_term(row[3], scale))
        return false;
    if (kind == SYSTEM_POISSON)
        return row[1] == 2 && (first || sub == -1) && (last || super == -1);
    if (!(first || is_term(sub, scale)) || !(last || is_term(super, scale)))
        return false;
    bool barely = kind == SYSTEM_BARELY;
    double base = barely && off == 0 ? 1 : off;
    double margin = (fabs(row[1]) - base) / (barely ? 1e-3 * base : scale);
    return margin >= 0.5 - 1e-9 && margin < 1.5 + 1e-9;
}

/* The smallest power of two by which row_is() accepts a row, as those of SYSTEM_MIXED. */
static double scale_of(enum system kind, const double *row, bool first, bool last)
{
    double scale = kind == SYSTEM_MIXED ? 0x1p-41 : 1, end = 1 / scale;
    while (scale < end && !row_is(kind, row, first, last, scale))
        scale *= 2;
    return scale;
}

/* System k depends only on k and the seed (5 for `d`), not on the size of the batch. */
static void test_seeds(const struct systems *d, enum system kind)
{
    const int64_t n = d->n;
    const void *all[] = {d->sub, d->diag, d->super, d->rhs};
    int kept = array_count;
    for (int64_t batch = 1; batch <= 9; batch += 4) {
        struct systems few = make_systems('d', kind, 5, n, batch);
        const void *same[] = {few.sub, few.diag, few.super, few.rhs};
        for (int m = 0; m < 4; m++)
            EXPECT(memcmp(same[m], all[m], (size_t)(n * batch) * 8) == 0,
                   "another system in a batch of %lld", (long long)batch);
        free_arrays(kept);
    }
    struct systems other = make_systems('d', kind, 6, n, d->batch);
    int equal = 0;
    for (int64_t k = 0; k < d->batch; k++) {
        double own = get('d', d->rhs, k * n);
        equal += own == get('d', other.rhs, k * n);
        for (int64_t j = 0; j < k; j++)
            equal += own == get('d', d->rhs, j * n);
    }
    EXPECT(equal == 0, "%d systems twice", equal);
}

struct range {
    int64_t least, most;
};
static void widen(struct range *r, int64_t value)
{
    r->least = value < r->least ? value : r->least;
    r->most = value > r->most ? value : r->most;
}

static void test_system_problems(enum system kind, int64_t n)
{
    enum { BATCH = 64 };
    const int64_t all = n * BATCH;
    struct systems f = make_systems('s', kind, 5, n, BATCH);
    struct systems d = make_systems('d', kind, 5, n, BATCH);
    const void *single[] = {f.sub, f.diag, f.super, f.rhs};
    const void *both[] = {d.sub, d.diag, d.super, d.rhs};
    const struct range none = {100, -100};
    int64_t rounded = 0, nans = 0, inside = 0, widest = 0, negative[4] = {0}, numbers[4] = {0};
    struct range powers = none, means = none; /* of two: of all rows, and the mean of a system */
    for (int64_t k = 0; k < BATCH; k++) {
        struct range own = none;
        int64_t sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double row[4];
            for (int m = 0; m < 4; m++) {
                row[m] = get('d', both[m], k * n + i);
                double in_single = get('s', single[m], k * n + i);
                bool unused = (m == 0 && i == 0) || (m == 2 && i == n - 1);
                nans += unused && isnan(row[m]) && isnan(in_single);
                rounded += !unused && in_single == (float)row[m];
                negative[m] += !unused && row[m] < 0;
                numbers[m] += !unused;
            }
            double scale = scale_of(kind, row, i == 0, i == n - 1);
            inside += row_is(kind, row, i == 0, i == n - 1, scale);
            widen(&own, ilogb(scale));
            sum += ilogb(scale);
        }
        widen(&powers, own.least);
        widen(&powers, own.most);
        widen(&means, sum / n);
        widest = own.most - own.least > widest ? own.most - own.least : widest;
    }
    EXPECT(inside == all && nans == 2 * BATCH && rounded == 4 * all - 2 * BATCH,
           "of %lld rows %lld inside, %lld NaN, %lld elements rounded", (long long)all,
           (long long)inside, (long long)nans, (long long)rounded);
    for (int m = kind == SYSTEM_POISSON ? 3 : 0; m < 4; m++)
        EXPECT(4 * negative[m] >= numbers[m] && 4 * negative[m] <= 3 * numbers[m],
               "array %d: %lld of %lld negative", m, (long long)negative[m], (long long)numbers[m]);
    /* SYSTEM_MIXED multiplies each row, and also each system, by a power of two between 2^-20 and
     * 2^20. The smallest power that row_is() accepts may be half the true one, hence 2^-41. */
    if (kind == SYSTEM_MIXED && n >= 1000)
        EXPECT(powers.least >= -41 && powers.most <= 40 && widest >= 40 && widest <= 41 &&
                   means.least < -15 && means.most > 15,
               "scales 2^%d to 2^%d, %d in a system, mean of a system 2^%d to 2^%d",
               (int)powers.least, (int)powers.most, (int)widest, (int)means.least, (int)means.most);
    test_seeds(&d, kind);
}

static void test_random(void)
{
    /* The published first two numbers of splitmix64 for the seed 1234567. */
    struct random r = {1234567};
    EXPECT(random_bits(&r) == UINT64_C(6457827717110365317), "splitmix64, first");
    EXPECT(random_bits(&r) == UINT64_C(3203168211198807973), "splitmix64, second");
    struct random skipped = r;
    random_skip(&skipped, 3);
    for (int i = 0; i < 3; i++)
        random_bits(&r);
    EXPECT(random_bits(&skipped) == random_bits(&r), "splitmix64, three numbers left out");
    double low = 1, high = 0, sum = 0;
    for (int i = 0; i < 100000; i++) {
        double v = random_uniform(&r, 0, 1);
        low = fmin(low, v);
        high = fmax(high, v);
        sum += v;
    }
    EXPECT(low >= 0 && low < 1e-3 && high < 1 && high > 0.999 && fabs(sum / 100000 - 0.5) < 0.005,
           "uniform: %g to %g, mean %g", low, high, sum / 100000);
}

static void test_fills(void)
{
    enum { N = 1000 };
    static float sf[N], tf[N], rf[N];
    static double sd[N], td[N], rd[N];
    for (enum recurrence_kind kind = 0; kind < RECURRENCE_KINDS; kind++) {
        fill_recurrence('s', kind, 5, N, sf, tf);
        fill_recurrence('d', kind, 5, N, sd, td);
        int same = 0, zeros = 0, inside = 0, negative = 0;
        for (int i = 0; i < N; i++) {
            double a = fabs(sd[i]);
            same += sf[i] == (float)sd[i] && tf[i] == (float)td[i];
            inside += fabs(td[i]) >= 1e-3 && fabs(td[i]) < 1 &&
                      (kind == RECURRENCE_NEAR_ONE ? fabs(fabs(a - 1) - 1e-5) < 1e-9
                                                   : a == 0 || (a >= 0.1 && a < 0.9));
            zeros += a == 0 && (i + 1) % 17 == 0;
            negative += sd[i] < 0;
        }
        EXPECT(same == N && inside == N, "%s: %d equal, %d in range", recurrence_name(kind), same,
               inside);
        EXPECT(zeros == (kind == RECURRENCE_WITH_ZEROS ? N / 17 : 0), "%d zeros", zeros);
        EXPECT(negative > N / 3 && negative < 2 * N / 3, "%d negative", negative);
    }
    for (enum tridiagonal_kind kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
        fill_tridiagonal('s', kind, 5, N, sf, tf, rf);
        fill_tridiagonal('d', kind, 5, N, sd, td, rd);
        int same = 0, zeros = 0, inside = 0;
        for (int i = 0; i < N; i++) {
            same += sf[i] == (float)sd[i] && tf[i] == (float)td[i] && rf[i] == (float)rd[i];
            double margin = fabs(sd[i]) - 2 * fabs(td[i]);
            inside += fabs(rd[i]) >= 1e-3 && fabs(rd[i]) < 1 &&
                      (kind == TRIDIAGONAL_POISSON ? margin >= 0 : margin >= 0.4999);
            zeros += td[i] == 0;
        }
        EXPECT(same == N && inside == N, "%s: %d equal, %d in range", tridiagonal_name(kind), same,
               inside);
        EXPECT(zeros == 2 + (kind == TRIDIAGONAL_WITH_ZEROS ? N / 13 : 0), "%d zeros", zeros);
    }
    fill_recurrence('d', RECURRENCE_CONTRACTING, 6, N, rd, td);
    fill_recurrence('d', RECURRENCE_CONTRACTING, 5, N, sd, td);
    EXPECT(sd[0] != rd[0], "two seeds, one input");
}

static void test_type(char type)
{
    void (*const edges[])(struct recurrence) = {test_constant, test_overflow, test_bound,
                                                test_zeros};
    for (int k = 0; k < SIZES; k++) {
        for (enum recurrence_kind kind = 0; kind < RECURRENCE_KINDS; kind++) {
            expect_case("%c %s n=%lld", type, recurrence_name(kind), (long long)sizes[k]);
            test_recurrence(type, kind, sizes[k]);
            free_arrays(0);
        }
        for (enum tridiagonal_kind kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
            expect_case("%c %s n=%lld", type, tridiagonal_name(kind), (long long)sizes[k]);
            test_tridiagonal(type, kind, sizes[k]);
            free_arrays(0);
        }
    }
    expect_case("%c", type);
    test_sharpness(type);
    for (int k = 0; k < 4; k++)
        edges[k](new_recurrence(type, 1 << 16, 0));
    free_arrays(0);
    for (enum system kind = 0; kind < SYSTEM_KINDS; kind++)
        for (int k = 0; k < SIZES - 1; k++)
            for (int64_t batch = 1; batch <= 9; batch += 4) {
                expect_case("%c %s n=%lld batch=%lld", type, system_name(kind), (long long)sizes[k],
                            (long long)batch);
                test_systems(type, kind, sizes[k], batch);
                free_arrays(0);
            }
    expect_case("%c", type);
    test_systems_bound(type);
    test_small_row(type);
}

int main(int argc, char **argv)
{
    (void)argc;
    wait_passively(argv);
    EXPECT(1 + 2 * (float)unit_roundoff('s') > 1 && (float)(1 + unit_roundoff('s')) == 1, "u of s");
    EXPECT(1 + 2 * unit_roundoff('d') > 1 && (double)(1 + unit_roundoff('d')) == 1, "u of d");
    test_type('s');
    test_type('d');
    for (enum system kind = 0; kind < SYSTEM_KINDS; kind++) {
        for (int k = 0; k < SIZES - 1; k++) {
            expect_case("%s n=%lld", system_name(kind), (long long)sizes[k]);
            test_system_problems(kind, sizes[k]);
            free_arrays(0);
        }
        for (int64_t n = 1; n <= 61; n += 20) {
            expect_case("%s n=%lld", system_name(kind), (long long)n);
            test_complex_system('c', kind, n);
            test_complex_system('z', kind, n);
            free_arrays(0);
        }
    }
    test_random();
    test_fills();
    return expect_done();
}
