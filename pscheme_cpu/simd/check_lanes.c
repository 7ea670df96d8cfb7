/* The variants on SIMD lanes: all sizes up to some tiles and some larger ones, one core and
 * several, bad pivots, and numbers near both ends of the range of their type. */
#include "main.h"

#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Both problems with all kinds of rows. The arrays have exactly the size that the solvers need.
 * `cores` cores must compute the bits of one core. */
static void check_size(char type, int64_t n, int cores)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct run r = run_alloc(type, n, 1, n + 1, 1);
    r.variant = RECURRENCE_LANES;
    for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
        fill_recurrence(type, kind, seed, n, r.diag, r.off);
        expect_solved(&r, 0, recurrence_name(kind));
        if (cores > 1)
            expect_same(&r, cores, recurrence_name(kind));
    }
    free(r.x);
    r.x = elements_alloc(n, type);
    r.variant = LANES;
    for (int kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
        fill_tridiagonal(type, kind, seed, n, r.diag, r.off, r.rhs);
        expect_solved(&r, ROUNDOFF_UNITS, tridiagonal_name(kind));
        if (cores > 1)
            expect_same(&r, cores, tridiagonal_name(kind));
    }
    run_free(&r);
}

/* The solver on lanes must return the row that substitution returns, and solve systems in which a
 * pivot is zero only because a lane solves its rows alone. off = 0 before the changed rows, so the
 * first changed pivot is diag. */
static void check_pivots(char type)
{
    double epsilon = 2 * unit_roundoff(type), huge = type == 's' ? 1e30 : 1e200;
    const struct {
        const char *what;
        double diag, off, diag_next, off_next;
    } cases[] = {{"0, 0", 0, 0, 4, 1},
                 {"nan", NAN, 0.5, 4, 1},
                 {"off nan", 3, NAN, 4, 1},
                 {"inf", INFINITY, 0.5, 4, 1},
                 {"off inf", 3, INFINITY, 4, 1},
                 {"next pivot is 0", 1, 1, 1, 1},
                 {"next pivot is epsilon", 1, 1, 1 + epsilon, 1},
                 {"next pivot is two epsilon", 1, 1, 1 + 2 * epsilon, 1},
                 {"next pivot overflows", 1 / huge, 1, 4, huge},
                 {"p squared overflows", 1 / huge, 1, 4, 1},
                 {"next p overflows", 4, 0, 1 / huge, huge},
                 {"p overflows", 1 / huge, huge, 4, 0}};
    int64_t n = 4500;
    struct run r = run_alloc(type, n, 1, n, 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int64_t row = 1; row < n - 2; row += row < 70 || row > n - 70 ? 1 : 97) {
            fill_tridiagonal(type, TRIDIAGONAL_DOMINANT, seed, n, r.diag, r.off, r.rhs);
            put(type, r.off, row - 1, 0);
            put_row(&r, row, cases[c].diag, cases[c].off);
            put_row(&r, row + 1, cases[c].diag_next, cases[c].off_next);
            r.variant = SUBSTITUTION;
            run_p(&r);
            int64_t expected = r.status;
            r.variant = LANES;
            for (r.cores = 1; r.cores <= (row == 64 ? 3 : 1); r.cores++)
                expect_status(&r, expected, cases[c].what);
        }
    r.cores = 1;
    for (int64_t row = 2; row < n - 3; row += row < 200 ? 1 : 31) {
        fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
        put(type, r.diag, row, 0);
        expect_solved(&r, ROUNDOFF_UNITS, "diag 0 in one row, good pivots");
    }
    run_free(&r);
}

static void check_refused(char type)
{
    struct run none = {.variant = LANES, .type = type, .cores = 1};
    expect_status(&none, PSCHEME_REFUSED, "no rows");
    none.n = 4;
    none.cores = 0;
    expect_status(&none, PSCHEME_REFUSED, "no cores");
}

/* ---- numbers near the ends of a type's range ---- */

/* The largest |x_i - y_i| divided by the largest |y_i|. */
static double difference(char type, int64_t n, const void *x, const void *y)
{
    double most = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double here = fabs(get(type, x, i) - get(type, y, i));
        if (!(here <= most) && !isnan(most)) /* a NaN stays */
            most = here;
        largest = fmax(largest, fabs(get(type, y, i)));
    }
    return most > 0 ? most / largest : most;
}

static void put_scaled(char type, int64_t n, int exponent, const void *from, void *to)
{
    for (int64_t i = 0; i < n; i++)
        put(type, to, i, ldexp(get(type, from, i), exponent));
}

/* A scaled copy of base. In problem A the interior rows of the matrix are multiplied by 2^matrix,
 * and the right-hand side such that x is multiplied by 2^size. In problem B, where `matrix` is 0, t
 * and w_0 are multiplied by 2^size, so w is, too. */
static struct run scaled(const struct run *base, bool recurrence, int matrix, int size)
{
    char type = base->type;
    int64_t n = base->n;
    struct run r = run_alloc(type, n, 1, recurrence ? n + 1 : n, 1);
    r.w0 = ldexp(1, size);
    put_scaled(type, n, matrix, base->diag, r.diag);
    put_scaled(type, n, matrix + (recurrence ? size : 0), base->off, r.off);
    put_scaled(type, n, matrix + size, base->rhs, r.rhs);
    for (int64_t i = 0; i < n; i += n - 1)
        put(type, r.rhs, i, ldexp(get(type, base->rhs, i), size));
    return r;
}

/* Solves r by both variants. The results must agree, although the lanes flush small numbers to 0.
 * Frees r. */
static void expect_serial(struct run *r, enum variant_id serial, enum variant_id lanes, int cores,
                          const char *what, int matrix, int size)
{
    int64_t elements = serial == RECURRENCE ? r->n + 1 : r->n;
    void *expected = elements_alloc(elements, r->type);
    r->variant = serial;
    run_total(r);
    int64_t status = r->status;
    memcpy(expected, r->x, (size_t)(elements * size_of(r->type)));
    r->variant = lanes;
    r->cores = cores;
    run_total(r);
    double error = status == 0 ? difference(r->type, elements, r->x, expected) : 0;
    EXPECT(r->status == status && error <= ROUNDOFF_UNITS * unit_roundoff(r->type),
           "%s %c %s: coefficients 2^%d, result 2^%d, cores %d: status %ld, not %ld; error %g",
           variants[lanes].name, r->type, what, matrix, size, cores, (long)r->status, (long)status,
           error);
    free(expected);
    run_free(r);
}

/* unpaired: diag is 0 in every 32nd row, the first of a lane, which cannot be solved alone. */
static void check_scale(const struct run *base, const char *what, int matrix, int size,
                        bool unpaired, int cores)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct run r = scaled(base, false, matrix, size);
    for (int64_t row = 65; unpaired && row < r.n - 2; row += 32)
        put(r.type, r.diag, row, 0);
    expect_serial(&r, SUBSTITUTION, LANES, cores, what, matrix, size);
}

/* From below the smallest number of the type to near the largest. */
static void check_range(char type)
{
    int least = type == 's' ? -150 : -1075, middle = type == 's' ? -80 : -950,
        most = type == 's' ? 125 : 1021, step = type == 's' ? 3 : 5;
    struct run base = run_alloc(type, 2300, 1, 1, 1);
    int64_t n = base.n;
    for (int e = least; e <= most; e += e < middle || e > -middle ? step : 37) {
        int cores = e % 4 == 0 ? 2 : 1;
        fill_tridiagonal(type, TRIDIAGONAL_DOMINANT, seed, n, base.diag, base.off, base.rhs);
        check_scale(&base, "dominant", 0, e, false, cores);
        check_scale(&base, "dominant", e, 0, false, cores);
        check_scale(&base, "dominant", e / 2, e - e / 2, false, cores);
        fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, base.diag, base.off, base.rhs);
        check_scale(&base, "constant", e, 0, false, cores);
        check_scale(&base, "diag 0", e, 0, true, cores);
        check_scale(&base, "diag 0", 0, e, true, cores);
        fill_recurrence(type, RECURRENCE_CONTRACTING, seed, n, base.diag, base.off);
        struct run r = scaled(&base, true, 0, e);
        expect_serial(&r, RECURRENCE, RECURRENCE_LANES, 1, "contracting", 0, e);
    }
    run_free(&base);
}

void check_lanes(char type)
{
    for (int64_t n = 1; n <= 2000; n++)
        check_size(type, n, n % 100 == 0 ? 2 + (int)(n / 100 % 2) : 1);
    /* With the last size the solvers prefetch. */
    static const int64_t sizes[] = {4097, 10000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int cores = 2; cores <= 3; cores++)
            check_size(type, sizes[i], cores);
    check_pivots(type);
    check_refused(type);
    check_range(type);
}
