/* pscheme_cpu --check: all variants with different kinds of rows, sizes, parts and cores, bad
 * pivots, and invalid arguments. simd/check_lanes.c tests the variants on lanes. */
#include "main.h"

#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what all tests share ---- */

/* For the message of a failed test. The next call overwrites it. */
static const char *label(const struct run *r, const char *what)
{
    static char text[160];
    snprintf(text, sizeof text, "%s %c n %ld parts %ld cores %d %s", variants[r->variant].name,
             r->type, (long)r->n, (long)r->parts, r->cores, what);
    return text;
}

void expect_status(struct run *r, int64_t status, const char *what)
{
    run_total(r);
    EXPECT(r->status == status, "%s: status %ld, not %ld", label(r, what), (long)r->status,
           (long)status);
}

void expect_solved(struct run *r, double units, const char *what)
{
    expect_status(r, 0, what);
    struct verdict v = verify(r, units);
    EXPECT(v.ok, "%s: error %g, %g of what is allowed at %ld", label(r, what), v.error, v.used,
           (long)v.worst);
}

void expect_same(const struct run *r, int cores, const char *what)
{
    struct run more = *r;
    int64_t elements = r->variant >= RECURRENCE ? r->n + 1 : r->n;
    more.cores = cores;
    more.x = elements_alloc(elements, r->type);
    expect_status(&more, r->status, what);
    if (r->status == 0)
        EXPECT(memcmp(r->x, more.x, (size_t)(elements * size_of(r->type))) == 0,
               "%s: not the bits of one core", label(&more, what));
    free(more.x);
}

/* The workspace has exactly the size that pscheme_cpu.h states, so that a sanitizer finds an access
 * beyond its end. */
static struct run make_A(char type, enum tridiagonal_kind kind, int64_t n, int64_t parts)
{
    struct run r = run_alloc(type, n, parts, n, pscheme_work_elements(n, parts));
    fill_tridiagonal(type, kind, seed, n, r.diag, r.off, r.rhs);
    return r;
}

static struct run make_B(char type, enum recurrence_kind kind, int64_t n, int64_t parts)
{
    struct run r = run_alloc(type, n, parts, n + 1, n + 1 + parts);
    fill_recurrence(type, kind, seed, n, r.diag, r.off);
    return r;
}

void put_row(struct run *r, int64_t row, double diag, double off)
{
    put(r->type, r->diag, row, diag);
    put(r->type, r->off, row, off);
}

/* The numbers of parts that are tested: these and n. */
enum { CHECK_PARTS = 6 };
static int64_t parts_of(int k, int64_t n)
{
    static const int64_t parts[CHECK_PARTS] = {1, 2, 3, 7, 64};
    return k < CHECK_PARTS - 1 ? parts[k] : n;
}

/* ---- right results ---- */

/* The error that is allowed in x, in units of roundoff u; 0 if it may be too large to verify x.
 * Poisson rows are not strictly dominant, so nothing damps the rounding errors of W12 eq. 9-12. In
 * a part of M rows beta and delta get relative errors of about M u. Eq. 13 subtracts them, and the
 * difference is only about 1/M, so its relative error is M^2 u. The map of pscheme_p_map has no
 * such difference. */
static double chain_units(const struct run *r, enum tridiagonal_kind kind)
{
    double m = ceil((double)r->n / (double)r->parts);
    if (kind != TRIDIAGONAL_POISSON || (r->variant != EQ13 && r->variant != REPEAT))
        return ROUNDOFF_UNITS;
    return m * m * unit_roundoff(r->type) < 0.01 ? ROUNDOFF_UNITS + m * m : 0;
}

static void check_A(char type, enum tridiagonal_kind kind, int64_t n, int64_t parts,
                    enum variant_id variant)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    bool constant = kind == TRIDIAGONAL_CONSTANT || kind == TRIDIAGONAL_POISSON;
    struct run r = make_A(type, kind, n, parts);
    r.variant = variant;
    double units = chain_units(&r, kind);
    if (variant == EQ13 && n > 3 && !constant)
        expect_status(&r, PSCHEME_REFUSED, tridiagonal_name(kind));
    else if (units == 0)
        expect_status(&r, 0, tridiagonal_name(kind));
    else
        expect_solved(&r, units, tridiagonal_name(kind));
    if (is_parallel(variant))
        expect_same(&r, 2, tridiagonal_name(kind));
    run_free(&r);
}

static void check_B(char type, enum recurrence_kind kind, int64_t n, int64_t parts,
                    enum variant_id variant)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    struct run r = make_B(type, kind, n, parts);
    r.variant = variant;
    expect_solved(&r, 0, recurrence_name(kind));
    if (is_parallel(variant))
        expect_same(&r, 2, recurrence_name(kind));
    run_free(&r);
}

static void check_size(char type, int64_t n)
{
    for (int kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
        check_A(type, kind, n, 1, SUBSTITUTION);
        for (enum variant_id v = EQ13; v <= MAP; v++)
            for (int k = 0; k < CHECK_PARTS; k++)
                check_A(type, kind, n, parts_of(k, n), v);
#ifdef HAVE_LAPACKE
        check_A(type, kind, n, 1, LAPACK_GTSV);
#endif
    }
    for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
        check_B(type, kind, n, 1, RECURRENCE);
        for (int k = 0; k < CHECK_PARTS; k++)
            check_B(type, kind, n, parts_of(k, n), RECURRENCE_PSCHEME);
    }
}

/* Where a_i / b_i overflows, the chain of W12 eq. 9-12 must stop. */
static void check_tiny_off(char type)
{
    int64_t n = 100;
    for (int k = 0; k < CHECK_PARTS; k++) {
        struct run r = make_A(type, TRIDIAGONAL_DOMINANT, n, parts_of(k, n));
        for (int64_t i = 5; i < n; i += 5)
            put(type, r.off, i,
                i % 2 ? (type == 's' ? 1e-40 : 1e-310) : (type == 's' ? 1e-37 : 1e-306));
        for (r.variant = REPEAT; r.variant <= MAP; r.variant++)
            expect_solved(&r, ROUNDOFF_UNITS, "tiny off");
        run_free(&r);
    }
}

/* ---- bad pivots ---- */

/* Both the sweep for p and the complete solver must return this row. */
static void expect_row(struct run *r, int64_t row, const char *what)
{
    run_p(r);
    EXPECT(r->status == row, "%s: status %ld of p, not %ld", label(r, what), (long)r->status,
           (long)row);
    expect_status(r, row, what);
}

/* A pivot that is zero or not finite is reported with its row. */
static void check_pivots(char type)
{
    static const struct {
        const char *what;
        double diag, off;
    } bad[] = {{"diag, off 0, 0", 0, 0},
               {"diag, off nan, 0.5", NAN, 0.5},
               {"diag, off 3, nan", 3, NAN},
               {"diag, off inf, 0.5", INFINITY, 0.5},
               {"diag, off 3, inf", 3, INFINITY}};
    static const int64_t rows[] = {1, 2, 50, 97, 98};
    int64_t n = 100;
    for (int k = 0; k < CHECK_PARTS; k++) {
        struct run r = make_A(type, TRIDIAGONAL_DOMINANT, n, parts_of(k, n));
        for (r.variant = SUBSTITUTION; r.variant <= MAP; r.variant++) {
            for (size_t b = 0; r.variant != EQ13 && b < sizeof bad / sizeof *bad; b++)
                for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                    fill_tridiagonal(type, TRIDIAGONAL_DOMINANT, seed, n, r.diag, r.off, r.rhs);
                    put_row(&r, rows[i], bad[b].diag, bad[b].off);
                    expect_row(&r, rows[i], bad[b].what);
                }
            /* The pivot of row 2 is zero: diag = off = 1 in all rows, so p_1 = 1 and the pivot
             * is 1 - 1. pscheme_p_repeat may report another row: it begins at the last row of
             * each part, which it solves alone, and meets another zero pivot there. */
            for (int64_t i = 0; i < n; i++)
                put_row(&r, i, 1, 1);
            run_total(&r);
            EXPECT(r.variant == REPEAT ? r.status > 0 : r.status == 2, "%s: status %ld",
                   label(&r, "second pivot 0"), (long)r.status);
        }
        r.variant = EQ13; /* eq. 13 needs constant coefficients and off != 0 */
        for (int64_t i = 0; i < n; i++)
            put(type, r.diag, i, i == n / 2 ? 5 : 4);
        expect_status(&r, PSCHEME_REFUSED, "one diag differs");
        for (int64_t i = 0; i < n; i++)
            put_row(&r, i, 4, 0);
        expect_status(&r, PSCHEME_REFUSED, "off 0");
        run_free(&r);
    }
}

/* Pivots close to the limit between good and bad, and the row that must be reported. Each part has
 * one row, so substitution and P-scheme have the same pivots. But the map also squares p, which may
 * overflow (row_map). */
static void check_limits(char type)
{
    double epsilon = 2 * unit_roundoff(type), huge = type == 's' ? 1e30 : 1e200;
    const struct {
        const char *what;
        double diag_1, off_1, diag_2, off_2;
        int64_t row, row_map;
    } cases[] = {{"pivot_2 is epsilon", 1, 1, 1 + epsilon, 1, 2, 2},
                 {"pivot_2 is two epsilon", 1, 1, 1 + 2 * epsilon, 1, 0, 0},
                 {"pivot_2 overflows", 1 / huge, 1, 4, huge, 2, 1},
                 {"p_1 squared overflows", 1 / huge, 1, 4, 1, 0, 1},
                 {"p_2 overflows", 4, 0, 1 / huge, huge, 2, 2},
                 {"p_1 overflows", 1 / huge, huge, 4, 0, 1, 1}};
    struct run r = make_A(type, TRIDIAGONAL_CONSTANT, 4, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_row(&r, 1, cases[i].diag_1, cases[i].off_1);
        put_row(&r, 2, cases[i].diag_2, cases[i].off_2);
        for (r.variant = SUBSTITUTION; r.variant <= MAP; r.variant++)
            if (r.variant != EQ13)
                expect_row(&r, r.variant == MAP ? cases[i].row_map : cases[i].row, cases[i].what);
    }
    run_free(&r);
}

/* The last pivot is zero in exact arithmetic, and epsilon or -epsilon because of rounding. So p
 * stays finite, but the pivot is bad. diag is 2 cos(2 pi / 7) with pivot_6 = -epsilon in single
 * precision, and 2 cos(pi / 5) with pivot_4 = epsilon in double. off is 1 and each part has one
 * row, so every product is exact, and the pivots are the same on every machine. */
static void check_limit_eq13(char type)
{
    double diag = type == 's' ? 1.2469796037174671 : 1.6180339887498949;
    int64_t row = type == 's' ? 6 : 4;
    struct run r = make_A(type, TRIDIAGONAL_CONSTANT, row + 2, row);
    for (int64_t i = 1; i <= row; i++)
        put_row(&r, i, diag, 1);
    for (r.variant = SUBSTITUTION; r.variant <= REPEAT; r.variant++)
        expect_row(&r, row, "last pivot is epsilon");
    r.variant = EQ13; /* the chain of a single part has the same pivot */
    r.parts = 1;
    expect_row(&r, row, "last pivot is epsilon");
    run_free(&r);
}

/* Pivots that are zero only if a part is solved alone: 4 parts of 5 rows, with changed rows at the
 * border between the first part (rows 1..5) and the second. A zero pivot before the border stops
 * the chain of W12 eq. 9-12, which runs backwards; one after it stops the map, which runs forwards.
 * The other methods must solve the system. */
static void check_part_pivots(char type)
{
    static const struct {
        int64_t first;
        double diag_first, diag_second;
        int64_t row_repeat, row_map;
    } cases[] = {{5, 0, 4, 5, 0}, {6, 0, 4, 0, 6}, {4, 0.5, 2, 4, 0}, {6, 2, 0.5, 0, 7}};
    int64_t n = 22;
    struct run r = make_A(type, TRIDIAGONAL_CONSTANT, n, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
        put(type, r.diag, cases[i].first, cases[i].diag_first);
        put(type, r.diag, cases[i].first + 1, cases[i].diag_second);
        for (r.variant = SUBSTITUTION; r.variant <= MAP; r.variant++) {
            int64_t row = r.variant == REPEAT ? cases[i].row_repeat
                          : r.variant == MAP  ? cases[i].row_map
                          : r.variant == EQ13 ? PSCHEME_REFUSED
                                              : 0;
            expect_row(&r, row, "pivot of a part alone is 0");
            if (row == 0)
                expect_solved(&r, ROUNDOFF_UNITS, "pivot of a part alone is 0");
        }
    }
    run_free(&r);
}

/* ---- invalid arguments ---- */

static int64_t status_of(void (*work)(void *), struct run *r)
{
    work(r);
    return r->status;
}

/* Each entry has one invalid number and two valid ones. */
static const struct {
    int64_t n, parts;
    int cores;
} bad_numbers[] = {{0, 1, 1},  {-1, 3, 1},  {INT64_MAX / 63, 3, 1},  {INT64_MAX, 3, 1},
                   {10, 0, 1}, {10, -1, 1}, {10, INT64_MAX / 63, 1}, {10, 3, 0},
                   {10, 3, -1}};
enum { BAD_NUMBERS = sizeof bad_numbers / sizeof *bad_numbers };

/* A variant that does not use parts or cores accepts bad values of them, and problem B accepts n =
 * 0. */
static bool is_bad(enum variant_id v, int k)
{
    if (bad_numbers[k].n != 10)
        return bad_numbers[k].n != 0 || v < RECURRENCE;
    return bad_numbers[k].parts != 3 ? is_parallel(v) : has_cores(v);
}

static bool is_filled(const void *array, int byte, size_t bytes)
{
    const unsigned char *bytes_of = array;
    size_t same = 0;
    while (same < bytes && bytes_of[same] == byte)
        same++;
    return same == bytes;
}

enum { DIAG = 1, OFF = 2, RHS = 4, P = 8, Q = 16, X = 32, WORK = 64, ALL_ARRAYS = 7 };

/* The arrays that a phase uses, as a sum of the flags above. */
static int used_arrays(enum variant_id v, int phase)
{
    static const int used_by[PHASES] = {DIAG | OFF | P, DIAG | OFF | RHS | P | Q, P | Q | X,
                                        DIAG | OFF | RHS | P | Q | X};
    return (v < RECURRENCE ? used_by[phase] : DIAG | OFF | X) | (is_parallel(v) ? WORK : 0);
}

/* A phase refuses bad numbers and bad pointers to arrays that it uses, and then writes nothing.
 * Arrays that it does not use may be NULL. */
static void check_phase(struct run *r, int phase)
{
    enum { POISON = 0x5a };
    size_t size = (size_t)size_of(r->type), bytes = (size_t)r->n * size;
    void *outputs[] = {r->p, r->q, r->x, r->work};
    const char *name = phases[phase].name;
    void (*work)(void *) = phases[phase].work;
    int used = used_arrays(r->variant, phase);
    struct run good = *r;
    struct expect_pointer all[ALL_ARRAYS] = {
        EXPECT_POINTER(r->diag, size), EXPECT_POINTER(r->off, size), EXPECT_POINTER(r->rhs, size),
        EXPECT_POINTER(r->p, size),    EXPECT_POINTER(r->q, size),   EXPECT_POINTER(r->x, size),
        EXPECT_POINTER(r->work, size)};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        memset(outputs[i], POISON, bytes);
    for (int k = 0; k < ALL_ARRAYS; k++) {
        struct expect_pointer one[] = {all[k]};
        if (used >> k & 1)
            EXPECT_POINTERS(one, status_of(work, r), PSCHEME_REFUSED);
    }
    for (int k = 0; k < BAD_NUMBERS; k++) {
        r->n = bad_numbers[k].n;
        r->parts = bad_numbers[k].parts;
        r->cores = bad_numbers[k].cores;
        if (is_bad(r->variant, k))
            EXPECT(status_of(work, r) == PSCHEME_REFUSED, "%s: status %ld", label(r, name),
                   (long)r->status);
    }
    *r = good;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        EXPECT(is_filled(outputs[i], POISON, bytes), "%s: a refused call wrote", label(r, name));
    for (int k = 0; k < ALL_ARRAYS; k++)
        if (!(used >> k & 1))
            expect_exchange(all[k].at, NULL);
    /* The phases q and x read p and q. Products of the poison overflow; with p = q = 0 all pivots
     * are good. */
    memset(outputs[0], 0, bytes);
    memset(outputs[1], 0, bytes);
    EXPECT(status_of(work, r) == 0, "%s: NULL for unused arrays: status %ld", label(r, name),
           (long)r->status);
    *r = good;
}

static void check_refused(char type)
{
    int64_t n = 2000, parts = 3;
    struct run r = run_alloc(type, n, parts, n + 1, pscheme_work_elements(n, parts) + 1);
    for (r.variant = 0; r.variant < VARIANTS; r.variant++)
        for (int phase = 0; phase < PHASES; phase++)
            if (moved[r.variant][phase] != 0 && r.variant != LAPACK_GTSV) {
                fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
                check_phase(&r, phase);
            }
    int64_t status = TYPED(type, pscheme_solve, (enum pscheme_method)(PSCHEME_MAP + 1), n, parts, 1,
                           r.diag, r.off, r.rhs, r.p, r.q, r.x, r.work);
    EXPECT(status == PSCHEME_REFUSED, "unknown method %c: status %ld", type, (long)status);
    struct run none = {.type = type, .parts = 1, .cores = 1, .w0 = r.w0, .x = r.x, .work = r.work};
    for (none.variant = RECURRENCE; none.variant <= RECURRENCE_LANES; none.variant++)
        EXPECT(status_of(run_total, &none) == 0 && get(type, r.x, 0) == r.w0, "%s",
               label(&none, "needs neither s nor t"));
    run_free(&r);
}

/* Each function gets a workspace of exactly the size that pscheme_cpu.h states. */
static void check_work(char type)
{
    static const int64_t sizes[] = {1, 2, 3, 10};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int64_t n = sizes[i], parts = 1; parts <= n + 1; parts++) {
            struct run r = run_alloc(type, n, parts, n, 5 * parts);
            fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
            r.variant = REPEAT;
            EXPECT(status_of(run_p, &r) == 0, "%s: status %ld", label(&r, "p"), (long)r.status);
            for (r.variant = EQ13; r.variant <= MAP; r.variant += MAP - EQ13) {
                free(r.work);
                r.work = elements_alloc(3 * n, type);
                EXPECT(status_of(run_p, &r) == 0, "%s: status %ld", label(&r, "p"), (long)r.status);
            }
            r.variant = MAP;
            free(r.work);
            r.work = elements_alloc(n + parts, type);
            run_q(&r);
            run_x(&r);
            struct verdict v = verify(&r, ROUNDOFF_UNITS);
            EXPECT(r.status == 0 && v.ok, "%s: error %g", label(&r, "q and x"), v.error);
            run_free(&r);
        }
}

/* With --variant pscheme_lanes but not substitution only the variants on lanes are tested:
 * common/test.sh uses this for builds with other vector instructions. */
int check(const struct options *options)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 1000, 4097};
    bool lanes_alone = !options->has_variant[SUBSTITUTION] && options->has_variant[LANES];
    for (const char *type = "sd"; *type; type++) {
        check_lanes(*type);
        if (lanes_alone)
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_size(*type, sizes[i]);
        check_tiny_off(*type);
        check_pivots(*type);
        check_limits(*type);
        check_limit_eq13(*type);
        check_part_pivots(*type);
        check_refused(*type);
        check_work(*type);
    }
    if (!lanes_alone)
        operations_check();
    return expect_done();
}
