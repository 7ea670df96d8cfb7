/* Tests of verify.h and problems.h. Verification must accept the results of serial loops. It must
 * reject these results if one element is changed. The inputs of problems.h must have the properties
 * that its comments promise. Run: make test. */
#include "expect.h"
#include "problems.h"
#include "timing.h"
#include "verify.h"

#include <complex.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const int64_t sizes[] = {1, 2, 31, 1000, 100000};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 100000 };
static const char types[] = "sd";

/* Allocates an array of exactly this size, so that AddressSanitizer detects an access beyond its
 * end. */
static void *elements(char type, int64_t count)
{
    void *array = calloc((size_t)count, (size_t)size_of(type));
    if (!array)
        abort();
    return array;
}

static void serial(char type, int64_t n, double w0, const void *s, int s_inc, const void *t,
                   int t_inc, void *w)
{
    put(type, w, 0, w0);
    for (int64_t i = 1; i <= n; i++) {
        double s_i = get(type, s, (i - 1) * s_inc), t_i = get(type, t, (i - 1) * t_inc);
        if (type == 's') {
            float product = (float)s_i * (float)get(type, w, i - 1);
            put(type, w, i, product + (float)t_i);
        } else {
            put(type, w, i, s_i * get(type, w, i - 1) + t_i);
        }
    }
}

/* Verifies w in both ways, which must agree: alone, and with the values kept. */
static struct verdict verified(char type, int64_t n, const void *s, const void *t, const void *w)
{
    struct recurrence_value *value = malloc((size_t)(n + 1) * sizeof *value);
    if (!value)
        abort();
    recurrence_values(type, n, 1, s, 1, t, 1, value);
    struct verdict v = verify_recurrence(type, n, 1, s, 1, t, 1, w),
                   kept = verify_values(type, n, value, w);
    free(value);
    EXPECT(v.ok == kept.ok && v.error == kept.error && v.used == kept.used && v.worst == kept.worst,
           "%c n=%lld: error %g, used %g at %lld; with values kept %g, %g at %lld", type,
           (long long)n, v.error, v.used, (long long)v.worst, kept.error, kept.used,
           (long long)kept.worst);
    return v;
}

/* Sets w_i = value and verifies w. Verification must fail and name i as the worst element. */
static void caught(char type, int64_t n, const void *s, const void *t, void *w, int64_t i,
                   double value, const char *what)
{
    double right = get(type, w, i);
    put(type, w, i, value);
    struct verdict v = verified(type, n, s, t, w);
    EXPECT(!v.ok && !(v.used <= 1) && v.worst == i,
           "%c n=%lld: %s at %lld passed or was seen at %lld (error %g)", type, (long long)n, what,
           (long long)i, (long long)v.worst, v.error);
    put(type, w, i, right);
}

static void test_recurrence(char type, enum recurrence_kind kind, int64_t n)
{
    void *s = elements(type, n), *t = elements(type, n), *w = elements(type, n + 1);
    fill_recurrence(type, kind, 7, n, s, t);
    serial(type, n, 1, s, 1, t, 1, w);
    struct verdict v = verified(type, n, s, t, w);
    EXPECT(v.ok && v.used <= 1, "%c %s n=%lld: error %g, used %g at %lld", type,
           recurrence_name(kind), (long long)n, v.error, v.used, (long long)v.worst);
    if (kind == RECURRENCE_CONTRACTING)
        EXPECT(v.error < 10 * unit_roundoff(type), "%c n=%lld: error %g", type, (long long)n,
               v.error);

    /* Verification allows at most E_i = 6u i B_i. The serial loop's own error is at most 2u i B_i,
     * and storing the result rounds once more. If 10u i B_i is added to w_i, the error is therefore
     * at least 7u i B_i, so verification must detect it for all coefficients. (The factor i is
     * needed because rounding errors add up if products of s are near 1.) */
    double bound = 1;
    for (int64_t i = 0; i <= n; i++) {
        if (i > 0)
            bound = fabs(get(type, s, i - 1)) * bound + fabs(get(type, t, i - 1));
        if (i > 1 && i != n / 2 && i != n)
            continue;
        double right = get(type, w, i);
        double wrong = (i > 0 ? 10 * (double)i : 2) * unit_roundoff(type) * bound;
        caught(type, n, s, t, w, i, right + wrong, "too much");
        caught(type, n, s, t, w, i, right - wrong, "too little");
        caught(type, n, s, t, w, i, NAN, "NaN");
        caught(type, n, s, t, w, i, INFINITY, "Inf");
        caught(type, n, s, t, w, i, -INFINITY, "-Inf");
    }
    EXPECT(verify_recurrence(type, n, 1, s, 1, t, 1, w).ok, "w was not restored");

    /* If the inputs contain NaN or Inf, nothing can be verified, so every w must be rejected. */
    put(type, t, n / 2, NAN);
    EXPECT(!verified(type, n, s, t, w).ok, "NaN in t passed");
    put(type, t, n / 2, INFINITY);
    EXPECT(!verify_recurrence(type, n, 1, s, 1, t, 1, w).ok, "Inf in t passed");
    free(s);
    free(t);
    free(w);
}

/* Tests elements with |w_i| >= 0.7 B_i, that is, elements that cancellation has not made small. A
 * relative error of 100 u must be detected in the first, in the middle and in the last of these
 * elements, and in at least 90% of all of them. */
static void test_sharpness(char type)
{
    const int64_t n = 1000;
    void *s = elements(type, n), *t = elements(type, n), *w = elements(type, n + 1);
    fill_recurrence(type, RECURRENCE_CONTRACTING, 3, n, s, t);
    serial(type, n, 1, s, 1, t, 1, w);
    int64_t first = -1, middle = -1, last = -1, full = 0, seen = 0;
    double bound = 1;
    for (int64_t i = 1; i <= n; i++) {
        bound = fabs(get(type, s, i - 1)) * bound + fabs(get(type, t, i - 1));
        double right = get(type, w, i);
        if (!(fabs(right) >= 0.7 * bound))
            continue;
        full++;
        first = first < 0 ? i : first;
        middle = i <= n / 2 ? i : middle;
        last = i;
        put(type, w, i, right * (1 + 100 * unit_roundoff(type)));
        seen += !verify_recurrence(type, n, 1, s, 1, t, 1, w).ok;
        put(type, w, i, right);
    }
    EXPECT(full > 100 && first < 20 && last > n - 20, "%lld places", (long long)full);
    int64_t places[] = {first, middle, last};
    for (int k = 0; k < 3; k++)
        caught(type, n, s, t, w, places[k],
               get(type, w, places[k]) * (1 - 100 * unit_roundoff(type)), "100 u");
    EXPECT(10 * seen >= 9 * full, "%c: 100 u caught in %lld of %lld places", type, (long long)seen,
           (long long)full);
    free(s);
    free(t);
    free(w);
}

/* The next functions test special cases: constant coefficients (the arrays s and t are read with
 * increment 0), n = 0, a reference that overflows, a recurrence that underflows, and a solution of
 * zeros. w has n + 1 elements, s and t one each. */
static void test_constant(char type, int64_t n, void *w, void *s, void *t)
{
    put(type, s, 0, RECURRENCE_SCALE);
    put(type, t, 0, RECURRENCE_OFFSET);
    EXPECT(get(type, s, 0) == RECURRENCE_SCALE, "SCALE is not exact in %c", type);
    serial(type, n, RECURRENCE_W0, s, 0, t, 0, w);
    struct verdict v = verify_recurrence(type, n, RECURRENCE_W0, s, 0, t, 0, w);
    EXPECT(v.ok, "%c constant: used %g", type, v.used);
    /* In single precision the serial loop stops 0.4% below the fixed point OFFSET/(1 - SCALE),
     * because there a step changes w by less than half an ulp. At this point E_i allows an error of
     * 6u/(1 - SCALE) = 2.3%, so an error of 3% must be detected. */
    put(type, w, n, (type == 's' ? 1.03 : 1 + 1e-9) * get(type, w, n));
    v = verify_recurrence(type, n, RECURRENCE_W0, s, 0, t, 0, w);
    EXPECT(!v.ok && v.worst == n, "%c constant: a wrong end passed, used %g", type, v.used);

    put(type, w, 0, 1);
    EXPECT(verify_recurrence(type, 0, 1, s, 0, t, 0, w).ok, "n = 0");
    EXPECT(!verify_recurrence(type, 0, 1 + 1e-6, s, 0, t, 0, w).ok, "n = 0, another w_0");
    put(type, w, 0, 0.1);
    EXPECT(verify_recurrence(type, 0, 0.1, s, 0, t, 0, w).ok, "w_0 = 0.1 rounds to the type");
}

static void test_overflow(char type, int64_t n, void *w, void *s, void *t)
{
    /* The reference overflows: the 200th power of this number exceeds the long double of x86-64,
     * and the 20000th power exceeds every other type. The comparison with infinity must fail. */
    put(type, s, 0, type == 's' ? 3e38 : 1e308);
    put(type, t, 0, 0);
    for (int64_t i = 0; i <= n; i++)
        put(type, w, i, 1);
    EXPECT(!verify_recurrence(type, n, 1, s, 0, t, 0, w).ok, "%c: overflow passed", type);

    /* Here w_1 = 1 - 1 = 0, and huge s follow. The exact result stays 0 but the bound overflows.
     * The wrong result 1 must be rejected. */
    void *many_s = elements(type, 200), *many_t = elements(type, 200);
    memset(w, 0, (size_t)(n + 1) * (size_t)size_of(type));
    for (int64_t i = 1; i < 200; i++)
        put(type, many_s, i, get(type, s, 0));
    put(type, many_s, 0, 1);
    put(type, many_t, 0, -1);
    put(type, w, 0, 1);
    put(type, w, 200, 1);
    EXPECT(!verify_recurrence(type, 200, 1, many_s, 1, many_t, 1, w).ok, "%c: 1 <= inf", type);
    free(many_s);
    free(many_t);
}

static void test_bound(char type, void *w, void *s, void *t)
{
    /* Tests the value of the bound. For w_1 = 0.5 * 1 + 1 it is E_1 = 6u B_1 = 9u, because B_1 =
     * 1.5. Errors of w_1 are multiples of an ulp, which is 2u. So an error of 8u must be accepted,
     * and an error of 10u must be rejected. */
    put(type, s, 0, 0.5);
    put(type, t, 0, 1);
    put(type, w, 0, 1);
    put(type, w, 1, 1.5 + 8 * unit_roundoff(type));
    struct verdict v = verify_recurrence(type, 1, 1, s, 0, t, 0, w);
    EXPECT(v.ok && fabs(v.used - 8 / 9.0) < 1e-6, "%c: 8u of 9u: used %g", type, v.used);
    EXPECT(fabs(v.error / unit_roundoff(type) - 8 / 1.5) < 1e-6, "%c: error %g", type, v.error);
    put(type, w, 1, 1.5 - 10 * unit_roundoff(type));
    v = verify_recurrence(type, 1, 1, s, 0, t, 0, w);
    EXPECT(!v.ok && fabs(v.used - 10 / 9.0) < 1e-6, "%c: 10u of 9u: used %g", type, v.used);
    put(type, t, 0, 0);
}

static void test_zeros(char type, int64_t n, void *w, void *s, void *t)
{
    /* The first solution consists of zeros, and every other w must be rejected. The second
     * recurrence decreases until it underflows. Its w must be accepted whether subnormal numbers
     * are flushed to zero or not. */
    put(type, s, 0, 0.5);
    memset(w, 0, (size_t)(n + 1) * (size_t)size_of(type));
    struct verdict v = verify_recurrence(type, n, 0, s, 0, t, 0, w);
    EXPECT(v.ok && v.error == 0, "%c: zeros: error %g", type, v.error);
    put(type, w, n / 2, -0.0);
    EXPECT(verify_recurrence(type, n, 0, s, 0, t, 0, w).ok, "%c: -0 is not 0", type);
    put(type, w, n / 2, 1e-30);
    EXPECT(!verify_recurrence(type, n, 0, s, 0, t, 0, w).ok, "%c: 1e-30 for 0 passed", type);
    serial(type, n, 1, s, 0, t, 0, w);
    EXPECT(verify_recurrence(type, n, 1, s, 0, t, 0, w).ok, "%c: gradual underflow", type);
    double least = type == 's' ? 0x1p-126 : 0x1p-1022;
    for (int64_t i = 0; i <= n; i++)
        if (get(type, w, i) < least)
            put(type, w, i, 0);
    EXPECT(verify_recurrence(type, n, 1, s, 0, t, 0, w).ok, "%c: flush to zero", type);
}

static void test_recurrence_edges(char type)
{
    const int64_t n = 1 << 16;
    void *w = elements(type, n + 1), *s = elements(type, 1), *t = elements(type, 1);
    test_constant(type, n, w, s, t);
    test_overflow(type, n, w, s, t);
    test_bound(type, w, s, t);
    test_zeros(type, n, w, s, t);
    free(w);
    free(s);
    free(t);
}

/* Solves a system by the Thomas algorithm in double precision and rounds the solution to the type.
 * `off` is b of W12 eq. 1-3. */
static void thomas(char type, int64_t n, const void *diag, const void *off, const void *rhs,
                   void *x)
{
    double *p = elements('d', n), *q = elements('d', n);
    q[0] = get(type, rhs, 0);
    for (int64_t i = 1; i < n - 1; i++) {
        double a = get(type, diag, i), b = get(type, off, i), pivot = a - b * p[i - 1];
        p[i] = b / pivot;
        q[i] = (get(type, rhs, i) + b * q[i - 1]) / pivot;
    }
    double next = get(type, rhs, n - 1);
    put(type, x, n - 1, next);
    for (int64_t i = n - 2; i >= 0; i--) {
        next = next * p[i] + q[i];
        put(type, x, i, next);
    }
    free(p);
    free(q);
}

static void test_tridiagonal(char type, enum tridiagonal_kind kind, int64_t n)
{
    void *diag = elements(type, n), *off = elements(type, n), *rhs = elements(type, n),
         *x = elements(type, n);
    fill_tridiagonal(type, kind, 11, n, diag, off, rhs);
    EXPECT(get(type, diag, 0) == 1 && get(type, off, 0) == 0 && get(type, diag, n - 1) == 1 &&
               get(type, off, n - 1) == 0,
           "boundary rows of %s", tridiagonal_name(kind));
    thomas(type, n, diag, off, rhs, x);
    struct verdict v = verify_tridiagonal(type, n, diag, off, rhs, x, 4);
    EXPECT(v.ok && v.worst == -1, "%c %s n=%lld: error %g = %g of what is allowed", type,
           tridiagonal_name(kind), (long long)n, v.error, v.used);

    /* The error is measured by norms, so an error in an element is detected only if it is not small
     * relative to the largest |x|. */
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(get(type, x, i)));
    int64_t places[] = {0, n / 2, n - 1};
    double errors[] = {1e3 * unit_roundoff(type) * (1 + largest), 1 + largest, NAN, INFINITY};
    for (int k = 0; k < 3; k++) {
        for (int e = 0; e < 4; e++) {
            double right = get(type, x, places[k]);
            put(type, x, places[k], right + errors[e]);
            v = verify_tridiagonal(type, n, diag, off, rhs, x, 4);
            EXPECT(!v.ok && !(v.used <= 1), "%c %s n=%lld: + %g at %lld passed: error %g", type,
                   tridiagonal_name(kind), (long long)n, errors[e], (long long)places[k], v.error);
            put(type, x, places[k], right);
        }
    }
    put(type, rhs, n / 2, NAN);
    EXPECT(!verify_tridiagonal(type, n, diag, off, rhs, x, 4).ok, "NaN in rhs passed");

    /* diag and off of the first and last row are not read, so they may be NaN. x = 0 solves a
     * system with right-hand side 0. */
    memset(rhs, 0, (size_t)n * (size_t)size_of(type));
    memset(x, 0, (size_t)n * (size_t)size_of(type));
    put(type, diag, 0, NAN);
    put(type, off, 0, NAN);
    put(type, diag, n - 1, NAN);
    put(type, off, n - 1, NAN);
    v = verify_tridiagonal(type, n, diag, off, rhs, x, 4);
    EXPECT(v.ok && v.error == 0, "%c n=%lld: zeros: error %g", type, (long long)n, v.error);
    put(type, x, n / 2, -0.0);
    EXPECT(verify_tridiagonal(type, n, diag, off, rhs, x, 4).ok, "-0 is not 0");
    free(diag);
    free(off);
    free(rhs);
    free(x);
}

/* Solves `batch` general systems by the Thomas algorithm in long double and rounds the solutions to
 * the type. */
static void thomas_systems(char type, int64_t n, int64_t batch, const void *sub, const void *diag,
                           const void *super, const void *rhs, void *x)
{
    long double *p = calloc((size_t)n, sizeof *p), *q = calloc((size_t)n, sizeof *q);
    if (!p || !q)
        abort();
    for (int64_t first = 0; first < n * batch; first += n) {
        for (int64_t i = 0; i < n; i++) {
            long double a = i > 0 ? get(type, sub, first + i) : 0;
            long double c = i < n - 1 ? get(type, super, first + i) : 0;
            long double pivot = get(type, diag, first + i) - (i > 0 ? a * p[i - 1] : 0);
            p[i] = c / pivot;
            q[i] = (get(type, rhs, first + i) - (i > 0 ? a * q[i - 1] : 0)) / pivot;
        }
        long double next = 0;
        for (int64_t i = n - 1; i >= 0; i--) {
            next = q[i] - p[i] * next;
            put(type, x, first + i, (double)next);
        }
    }
    free(p);
    free(q);
}

struct systems {
    char type;
    int64_t n, batch;
    void *sub, *diag, *super, *rhs, *x;
};

static struct systems make_systems(char type, enum system kind, uint64_t seed, int64_t n,
                                   int64_t batch)
{
    struct systems a = {type, n, batch, NULL, NULL, NULL, NULL, NULL};
    void **arrays[] = {&a.sub, &a.diag, &a.super, &a.rhs, &a.x};
    for (int k = 0; k < 5; k++)
        *arrays[k] = elements(type, n * batch);
    fill_systems(type, kind, seed, n, batch, a.sub, a.diag, a.super, a.rhs);
    thomas_systems(type, n, batch, a.sub, a.diag, a.super, a.rhs, a.x);
    return a;
}

static void free_systems(struct systems *a)
{
    free(a->sub);
    free(a->diag);
    free(a->super);
    free(a->rhs);
    free(a->x);
}

/* Calls verify_systems with different numbers of threads. The verdict must always be the same. */
static struct verdict verdict_of(const struct systems *a, double multiple)
{
    static const int threads[] = {1, 2, 5};
    int before = omp_get_max_threads();
    struct verdict v = {.worst = -2};
    for (int k = 0; k < 3; k++) {
        omp_set_num_threads(threads[k]);
        struct verdict other = verify_systems(a->type, a->n, a->batch, a->sub, a->diag, a->super,
                                              a->rhs, a->x, multiple);
        v = k == 0 ? other : v;
        EXPECT(other.ok == v.ok && other.error == v.error && other.used == v.used &&
                   other.worst == v.worst,
               "%c n=%lld batch=%lld: %g in %lld with one thread, %g in %lld with %d", a->type,
               (long long)a->n, (long long)a->batch, v.error, (long long)v.worst, other.error,
               (long long)other.worst, threads[k]);
    }
    omp_set_num_threads(before);
    return v;
}

/* The verdict of all systems must be that of the worst of them: the first of the largest errors of
 * the systems, each verified alone. */
static void worst_is_found(const struct systems *a, struct verdict v)
{
    double error = 0;
    int64_t worst = -1;
    for (int64_t k = 0; k < a->batch; k++) {
        size_t at = (size_t)(k * a->n) * (size_t)size_of(a->type);
        struct verdict one =
            verify_systems(a->type, a->n, 1, (char *)a->sub + at, (char *)a->diag + at,
                           (char *)a->super + at, (char *)a->rhs + at, (char *)a->x + at, 4);
        if (one.error > error) {
            error = one.error;
            worst = k;
        }
    }
    EXPECT(v.error == error && v.worst == worst, "%c n=%lld batch=%lld: %g in %lld, not %g in %lld",
           a->type, (long long)a->n, (long long)a->batch, v.error, (long long)v.worst, error,
           (long long)worst);
}

/* Verifies the systems. Verification must fail and name system k. */
static void system_caught(const struct systems *a, int64_t k, const char *what)
{
    struct verdict v = verdict_of(a, 4);
    EXPECT(!v.ok && !(v.used <= 1) && v.worst == k,
           "%c n=%lld batch=%lld: %s in %lld passed or was seen in %lld (error %g)", a->type,
           (long long)a->n, (long long)a->batch, what, (long long)k, (long long)v.worst, v.error);
}

static void test_neighbours(const struct systems *a, int64_t k)
{
    /* System k gets the solution of its neighbour, which is wrong. Then the last system is made
     * equal to system k. Now both are equally wrong, and verification must name the first of
     * them. */
    size_t bytes = (size_t)a->n * (size_t)size_of(a->type);
    char *x = a->x;
    memcpy(x + (size_t)k * bytes, x + (size_t)(k - 1) * bytes, bytes);
    system_caught(a, k, "the solution of a neighbour");
    void *arrays[] = {a->sub, a->diag, a->super, a->rhs, a->x};
    for (int p = 0; p < 5; p++)
        memcpy((char *)arrays[p] + (size_t)(a->batch - 1) * bytes,
               (char *)arrays[p] + (size_t)k * bytes, bytes);
    system_caught(a, k, "equal errors");
    put(a->type, a->x, k * a->n, NAN);
    put(a->type, a->x, a->batch * a->n - 1, NAN);
    system_caught(a, k, "two NaN");
}

static void test_systems(char type, enum system kind, int64_t n, int64_t batch)
{
    struct systems a = make_systems(type, kind, 11, n, batch);
    struct verdict v = verdict_of(&a, 4);
    worst_is_found(&a, v);
    /* Rounding x to the type changes the residual of a row by at most u (|sub| + |diag| + |super|)
     * |x|_inf. */
    EXPECT(v.ok && v.error <= 1.001 * unit_roundoff(type) &&
               fabs(v.used - v.error / (4 * unit_roundoff(type))) < 1e-6,
           "%c %s n=%lld batch=%lld: error %g, used %g in %lld", type, system_name(kind),
           (long long)n, (long long)batch, v.error, v.used, (long long)v.worst);

    const int64_t k = batch / 2;
    int64_t largest = k * n;
    for (int64_t i = k * n; i < (k + 1) * n; i++)
        if (fabs(get(type, a.x, i)) > fabs(get(type, a.x, largest)))
            largest = i;
    const int64_t places[] = {largest, k * n, k * n + n / 2, k * n + n - 1};
    for (int p = 0; p < 4; p++) {
        double right = get(type, a.x, places[p]);
        /* a change by 1e-3 |x|_inf */
        put(type, a.x, places[p], right + 1e-3 * get(type, a.x, largest));
        system_caught(&a, k, "1e-3");
        put(type, a.x, places[p], NAN);
        system_caught(&a, k, "NaN");
        put(type, a.x, places[p], -INFINITY);
        system_caught(&a, k, "-Inf");
        put(type, a.x, places[p], right);
    }
    double right = get(type, a.rhs, largest);
    put(type, a.rhs, largest, NAN);
    system_caught(&a, k, "NaN in rhs");
    put(type, a.rhs, largest, right);

    if (batch > 1)
        test_neighbours(&a, k);

    /* x = 0 solves systems with right-hand side 0 without any error, so verification must give -1
     * as the worst system. */
    memset(a.rhs, 0, (size_t)(n * batch) * (size_t)size_of(type));
    memset(a.x, 0, (size_t)(n * batch) * (size_t)size_of(type));
    put(type, a.x, n * batch / 2, -0.0);
    v = verdict_of(&a, 4);
    EXPECT(v.ok && v.error == 0 && v.worst == -1, "%c n=%lld: zeros: error %g in %lld", type,
           (long long)n, v.error, (long long)v.worst);
    free_systems(&a);
}

/* Tests the value of the error with the system 2 x = 1. If x = 0.5 + 4u, the residual is 8u and the
 * divisor is 2 |x| + 1 = 2 + 8u. So the error is 8u / (2 + 8u), about 4u. */
static void test_systems_bound(char type)
{
    struct systems a = make_systems(type, SYSTEM_POISSON, 1, 1, 1);
    const double u = unit_roundoff(type);
    put(type, a.rhs, 0, 1);
    put(type, a.x, 0, 0.5 + 4 * u);
    struct verdict v = verdict_of(&a, 4);
    EXPECT(v.ok && fabs(v.error / u - 4) < 1e-5 && fabs(v.used - 1) < 1e-5, "%c: %g u, used %g",
           type, v.error / u, v.used);
    v = verdict_of(&a, 3.9);
    EXPECT(!v.ok && fabs(v.used - 4 / 3.9) < 1e-5, "%c: 4u of 3.9u: used %g", type, v.used);
    free_systems(&a);
}

/* Multiplies one row by 2^-20 and computes x with a wrong right-hand side in this row.
 * verify_systems must detect the error, because it compares a residual with the coefficients of its
 * row. verify_tridiagonal does not detect it, because it compares with the norm of the whole
 * matrix. */
static void test_small_row(char type)
{
    const int64_t n = 1000, row = 300;
    const double scale = 0x1p-20, u = unit_roundoff(type);
    struct systems a = make_systems(type, SYSTEM_DOMINANT, 1, n, 1);
    void *off = elements(type, n);
    fill_tridiagonal(type, TRIDIAGONAL_DOMINANT, 5, n, a.diag, off, a.rhs);
    put(type, a.diag, row, scale * get(type, a.diag, row));
    put(type, off, row, scale * get(type, off, row));
    put(type, a.rhs, row, scale * get(type, a.rhs, row));
    for (int64_t i = 0; i < n; i++) {
        put(type, a.sub, i, -get(type, off, i));
        put(type, a.super, i, -get(type, off, i));
    }
    for (int wrong = 0; wrong < 2; wrong++) {
        double right = get(type, a.rhs, row);
        put(type, a.rhs, row, wrong ? right * (1 + 1e5 * u) : right);
        thomas_systems(type, n, 1, a.sub, a.diag, a.super, a.rhs, a.x);
        put(type, a.rhs, row, right);
        struct verdict normwise = verify_tridiagonal(type, n, a.diag, off, a.rhs, a.x, 4);
        EXPECT(normwise.ok, "%c: the normwise error is %g u", type, normwise.error / u);
        struct verdict v = verdict_of(&a, 4);
        EXPECT(v.ok == !wrong && v.error >= normwise.error, "%c: wrong %d: %g u, normwise %g u",
               type, wrong, v.error / u, normwise.error / u);
    }
    free(off);
    free_systems(&a);
}

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

/* The smallest power of two by which row_is() accepts the row. A row of SYSTEM_MIXED is a dominant
 * row times a power of two. */
static double scale_of(enum system kind, const double *row, bool first, bool last)
{
    double scale = kind == SYSTEM_MIXED ? 0x1p-41 : 1, end = 1 / scale;
    while (scale < end && !row_is(kind, row, first, last, scale))
        scale *= 2;
    return scale;
}

/* System k of `d`, which has seed 5, must depend only on k and on the seed, not on the size of the
 * batch. */
static void test_seeds(const struct systems *d, enum system kind)
{
    const int64_t n = d->n;
    const void *all[] = {d->sub, d->diag, d->super, d->rhs};
    for (int64_t batch = 1; batch <= 9; batch += 4) {
        struct systems few = make_systems('d', kind, 5, n, batch);
        const void *same[] = {few.sub, few.diag, few.super, few.rhs};
        for (int m = 0; m < 4; m++)
            EXPECT(memcmp(same[m], all[m], (size_t)(n * batch) * 8) == 0,
                   "%s n=%lld: another system in a batch of %lld", system_name(kind), (long long)n,
                   (long long)batch);
        free_systems(&few);
    }
    struct systems other = make_systems('d', kind, 6, n, d->batch);
    int equal = 0;
    for (int64_t k = 0; k < d->batch; k++) {
        double own = get('d', d->rhs, k * n);
        equal += own == get('d', other.rhs, k * n);
        for (int64_t j = 0; j < k; j++)
            equal += own == get('d', d->rhs, j * n);
    }
    EXPECT(equal == 0, "%s n=%lld: %d systems twice", system_name(kind), (long long)n, equal);
    free_systems(&other);
}

static void test_system_problems(enum system kind, int64_t n)
{
    enum { BATCH = 64 };
    const int64_t all = n * BATCH;
    struct systems f = make_systems('s', kind, 5, n, BATCH);
    struct systems d = make_systems('d', kind, 5, n, BATCH);
    const void *single[] = {f.sub, f.diag, f.super, f.rhs};
    const void *both[] = {d.sub, d.diag, d.super, d.rhs};
    int64_t rounded = 0, nans = 0, inside = 0, negative[4] = {0}, numbers[4] = {0};
    int64_t lowest_mean = 100, highest_mean = -100, least = 100, most = -100, widest = 0;
    for (int64_t k = 0; k < BATCH; k++) {
        int low = 100, high = -100;
        int64_t sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double row[4];
            for (int m = 0; m < 4; m++) {
                row[m] = get('d', both[m], k * n + i);
                double in_single = get('s', single[m], k * n + i);
                if ((m == 0 && i == 0) || (m == 2 && i == n - 1)) {
                    nans += isnan(row[m]) && isnan(in_single);
                    continue;
                }
                rounded += in_single == (float)row[m];
                negative[m] += row[m] < 0;
                numbers[m]++;
            }
            double scale = scale_of(kind, row, i == 0, i == n - 1);
            inside += row_is(kind, row, i == 0, i == n - 1, scale);
            int power = ilogb(scale);
            low = power < low ? power : low;
            high = power > high ? power : high;
            sum += power;
        }
        least = low < least ? low : least;
        most = high > most ? high : most;
        widest = high - low > widest ? high - low : widest;
        lowest_mean = sum / n < lowest_mean ? sum / n : lowest_mean;
        highest_mean = sum / n > highest_mean ? sum / n : highest_mean;
    }
    EXPECT(inside == all && nans == 2 * BATCH && rounded == 4 * all - 2 * BATCH,
           "%s n=%lld: of %lld rows %lld inside, %lld NaN, %lld elements rounded",
           system_name(kind), (long long)n, (long long)all, (long long)inside, (long long)nans,
           (long long)rounded);
    for (int m = kind == SYSTEM_POISSON ? 3 : 0; m < 4; m++)
        EXPECT(4 * negative[m] >= numbers[m] && 4 * negative[m] <= 3 * numbers[m],
               "%s n=%lld, array %d: %lld of %lld negative", system_name(kind), (long long)n, m,
               (long long)negative[m], (long long)numbers[m]);
    /* SYSTEM_MIXED multiplies each row, and also each system, by a power of two between 2^-20 and
     * 2^20, so the product is between 2^-40 and 2^40. The smallest power that row_is() accepts may
     * be half the true one, so it may be 2^-41. */
    if (kind == SYSTEM_MIXED && n >= 1000)
        EXPECT(least >= -41 && most <= 40 && widest >= 40 && widest <= 41 && lowest_mean < -15 &&
                   highest_mean > 15,
               "scales 2^%d to 2^%d, %d in a system, mean of a system 2^%d to 2^%d", (int)least,
               (int)most, (int)widest, (int)lowest_mean, (int)highest_mean);

    test_seeds(&d, kind);
    free_systems(&f);
    free_systems(&d);
}

/* Returns element i of a complex array. */
static long double complex number(char type, const void *array, int64_t i)
{
    return (long double)get(real_type(type), array, 2 * i) +
           (long double)get(real_type(type), array, 2 * i + 1) * (long double complex)I;
}

/* Tests the complex types. Verification must accept the rounded solution. It must reject a solution
 * in which one imaginary part is wrong, one element is replaced by its conjugate, or one element is
 * NaN. */
static void test_complex_system(char type, enum system kind, int64_t n)
{
    enum { MOST = 64 };
    double sub[2 * MOST], diag[2 * MOST], super[2 * MOST], rhs[2 * MOST], x[2 * MOST];
    long double complex alpha[MOST], beta[MOST], next = 0;
    char real = real_type(type);
    fill_systems(type, kind, 11, n, 1, sub, diag, super, rhs);
    for (int64_t i = 0; i < n; i++) {
        long double complex below = i > 0 ? number(type, sub, i) : 0,
                            above = i < n - 1 ? number(type, super, i) : 0;
        long double off = cabsl(below) + cabsl(above), slack = 8 * (long double)unit_roundoff(type);
        EXPECT(cabsl(number(type, diag, i)) >= off * (1 - slack), "dominant, type %c, row %ld",
               type, (long)i);
        long double complex pivot = number(type, diag, i) + (i > 0 ? below * alpha[i - 1] : 0);
        alpha[i] = -above / pivot;
        beta[i] = (number(type, rhs, i) - (i > 0 ? below * beta[i - 1] : 0)) / pivot;
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        next = alpha[i] * next + beta[i];
        put(real, x, 2 * i, (double)creall(next));
        put(real, x, 2 * i + 1, (double)cimagl(next));
    }
    struct verdict v = verify_systems(type, n, 1, sub, diag, super, rhs, x, 2);
    EXPECT(v.ok && (v.error > 0 || n == 1), "type %c, %s, n = %ld: %g", type, system_name(kind),
           (long)n, v.used);
    int64_t at = 2 * (n / 2) + 1;
    double sound = get(real, x, at);
    put(real, x, at, sound * (1 + 1e-3));
    EXPECT(!verify_systems(type, n, 1, sub, diag, super, rhs, x, 2).ok,
           "an imaginary part is wrong, type %c", type);
    put(real, x, at, -sound);
    EXPECT(!verify_systems(type, n, 1, sub, diag, super, rhs, x, 2).ok, "a conjugate, type %c",
           type);
    put(real, x, at, (double)NAN);
    EXPECT(!verify_systems(type, n, 1, sub, diag, super, rhs, x, 2).ok, "NaN, type %c", type);
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

int main(int argc, char **argv)
{
    (void)argc;
    wait_passively(argv);
    EXPECT(1 + 2 * (float)unit_roundoff('s') > 1 && (float)(1 + unit_roundoff('s')) == 1, "u of s");
    EXPECT(1 + 2 * unit_roundoff('d') > 1 && (double)(1 + unit_roundoff('d')) == 1, "u of d");
    for (const char *type = types; *type; type++) {
        for (int k = 0; k < SIZES; k++) {
            for (enum recurrence_kind kind = 0; kind < RECURRENCE_KINDS; kind++)
                test_recurrence(*type, kind, sizes[k]);
            for (enum tridiagonal_kind kind = 0; kind < TRIDIAGONAL_KINDS; kind++)
                test_tridiagonal(*type, kind, sizes[k]);
        }
        test_sharpness(*type);
        test_recurrence_edges(*type);
        for (enum system kind = 0; kind < SYSTEM_KINDS; kind++)
            for (int k = 0; k < SIZES - 1; k++)
                for (int64_t batch = 1; batch <= 9; batch += 4)
                    test_systems(*type, kind, sizes[k], batch);
        test_systems_bound(*type);
        test_small_row(*type);
    }
    for (enum system kind = 0; kind < SYSTEM_KINDS; kind++)
        for (int k = 0; k < SIZES - 1; k++)
            test_system_problems(kind, sizes[k]);
    for (const char *type = "cz"; *type; type++)
        for (enum system kind = 0; kind < SYSTEM_KINDS; kind++)
            for (int64_t n = 1; n <= 61; n += 20)
                test_complex_system(*type, kind, n);
    test_random();
    test_fills();
    return expect_done();
}
