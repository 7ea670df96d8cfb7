/* pscheme_mpi --check: both problems and both methods of propagation with different kinds of rows
 * and sizes, the composition of maps, bad pivots and invalid arguments. Run it with 1, 2, 3 and
 * more ranks. */
#include "main.h"

#include <math.h>
#include <stdlib.h>

/* For the message of a failed test. The next call overwrites it. */
static const char *label(const struct run *r, const char *what)
{
    static char text[160];
    snprintf(text, sizeof text, "%s %c n %ld %s", variants[r->variant].name, r->type, (long)r->n,
             what);
    return text;
}

/* Are status and bits of the solution those of pscheme_cpu with as many parts as ranks? Valid on
 * rank 0. */
static bool same_as_parts(const struct run *r)
{
    char type = r->type;
    int64_t n = r->n, status = 0, count = is_tridiagonal(r->variant) ? n : n + 1;
    void *p = elements_alloc(n, type), *q = elements_alloc(n, type);
    void *x = elements_alloc(n + 1, type);
    void *work = elements_alloc(pscheme_work_elements(n + 1, ranks), type);
    if (!p || !q || !x || !work)
        abort();
    if (is_tridiagonal(r->variant))
        status = TYPED(type, pscheme_solve, PSCHEME_MAP, n, ranks, 1, r->whole_diag, r->whole_off,
                       r->whole_rhs, p, q, x, work);
    else
        TYPED(type, recurrence_pscheme, n, ranks, 1, RECURRENCE_W0, r->whole_diag, r->whole_off, x,
              work);
    bool same = r->status == status &&
                (status != 0 || memcmp(x, r->whole_x, (size_t)(count * size_of(type))) == 0);
    free(p);
    free(q);
    free(x);
    free(work);
    return same;
}

/* All ranks must return `status`. */
static void expect_status(struct run *r, int64_t status, const char *what)
{
    solve(r, NULL);
    bool agreed = is_agreed(r->status);
    EXPECT_0(agreed && r->status == status, "%s: status %ld, not %ld on all ranks", label(r, what),
             (long)r->status, (long)status);
}

/* ---- right results ---- */

/* Solves r, whose inputs have been distributed, and verifies the result. timed: the solver also
 * measures its phases, which must not change the result. */
static void check_run(struct run *r, bool timed, const char *what)
{
    double seconds[PHASES] = {0};
    elements_clear(x_elements(r), r->type, r->x);
    solve(r, timed ? seconds : NULL);
    bool agreed = is_agreed(r->status);
    struct verdict v = verify(r);
    EXPECT_0(agreed, "%s: another status than %ld on other ranks", label(r, what), (long)r->status);
    EXPECT_0(r->status == 0 && v.ok, "%s: status %ld, error %g, %g of what is allowed",
             label(r, what), (long)r->status, v.error, v.used);
    if (how_of(r->variant) == PSCHEME_MPI_CHAIN)
        EXPECT_0(same_as_parts(r), "%s: not the bits of %d parts", label(r, what), ranks);
    if (timed)
        EXPECT_0(seconds[0] >= 0 && seconds[1] > 0 && seconds[2] >= 0, "%s: phases of %g, %g, %g s",
                 label(r, what), seconds[0], seconds[1], seconds[2]);
}

static void check_size(char type, uint64_t seed, int64_t n)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    for (int kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
        struct run r = run_alloc(TRIDIAGONAL_CHAIN, type, n);
        if (rank == 0)
            fill_tridiagonal(type, kind, seed, n, r.whole_diag, r.whole_off, r.whole_rhs);
        scatter(&r);
        for (; r.variant <= TRIDIAGONAL_EXSCAN; r.variant++)
            check_run(&r, n == 1000, tridiagonal_name(kind));
        run_free(&r);
    }
    for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
        struct run r = run_alloc(CHAIN, type, n);
        if (rank == 0)
            fill_recurrence(type, kind, seed, n, r.whole_diag, r.whole_off);
        scatter(&r);
        for (; r.variant <= EXSCAN; r.variant++)
            check_run(&r, n == 1000, recurrence_name(kind));
        run_free(&r);
    }
}

/* Composes `count` maps, a power of 2, in the order of a binary tree. Returns the composed map at
 * 0. */
static double tree(char type, const struct pscheme_mpi_map *map, int elements, int count,
                   char *maps)
{
    int bytes = elements * size_of(type);
    for (int step = 1; step < count; step *= 2)
        for (int i = 2 * step - 1; i < count; i += 2 * step)
            MPI_Reduce_local(maps + (i - step) * bytes, maps + i * bytes, 1, map->elements,
                             map->compose);
    return get(type, maps, (int64_t)elements * (count - 1));
}

/* The composition of 64 maps of one row each. The other tests compose only few maps, and the first
 * rank's map is always constant. The composed map at 0 must be p (problem B: w) of the last row.
 * The rows are only slightly dominant and |s| is close to 1, so that every row influences the
 * result. p may have an error of one unit of roundoff for each row, and w ROWS times as much,
 * because |w| is at most about ROWS. */
static void check_composition(char type, uint64_t seed)
{
    enum { ROWS = 64 };
    double diag[ROWS + 2], off[ROWS + 2], rhs[ROWS + 2], p[ROWS + 2];
    double s[ROWS], t[ROWS], w[ROWS + 1], moebius[3 * ROWS], affine[2 * ROWS];
    const struct pscheme_mpi_map *moebius_map = type == 's' ? &mpi.moebius_s : &mpi.moebius_d;
    const struct pscheme_mpi_map *affine_map = type == 's' ? &mpi.affine_s : &mpi.affine_d;
    fill_tridiagonal('d', TRIDIAGONAL_HEAT, seed, ROWS + 2, diag, off, rhs);
    fill_recurrence('d', RECURRENCE_NEAR_ONE, seed, ROWS, s, t);
    substitution_p_d(ROWS + 2, diag, off, p);
    recurrence_serial_d(ROWS, 0, s, t, w);
    for (int i = 0; i < ROWS; i++) {
        double phat = off[i + 1] / diag[i + 1];
        put(type, moebius, 3 * i, phat);
        put(type, moebius, 3 * i + 1, phat * phat);
        put(type, moebius, 3 * i + 2, -phat);
        put(type, affine, 2 * i, t[i]);
        put(type, affine, 2 * i + 1, s[i]);
    }
    double u = unit_roundoff(type);
    double tree_p = tree(type, moebius_map, 3, ROWS, (char *)moebius);
    double tree_w = tree(type, affine_map, 2, ROWS, (char *)affine);
    EXPECT_0(fabs(tree_p - p[ROWS]) <= ROWS * u, "%c: p %.17g of composed maps, not %.17g", type,
             tree_p, p[ROWS]);
    EXPECT_0(fabs(tree_w - w[ROWS]) <= ROWS * u * ROWS, "%c: w %.17g of composed maps, not %.17g",
             type, tree_w, w[ROWS]);

    /* The pivot of these two maps is 1 - (1 - 2 u) = epsilon, which is bad, so the result must be
     * NaN. */
    const double rounding[6] = {1, 1, -1, 1, 1, -(1 - 2 * u)};
    for (int k = 0; k < 6; k++)
        put(type, moebius, k, rounding[k]);
    tree_p = tree(type, moebius_map, 3, 2, (char *)moebius);
    EXPECT_0(isnan(tree_p), "%c: p %.17g beyond a pivot of epsilon", type, tree_p);
}

/* ---- bad pivots ---- */

static void make(struct run *r, enum tridiagonal_kind kind, uint64_t seed)
{
    if (rank == 0)
        fill_tridiagonal(r->type, kind, seed, r->n, r->whole_diag, r->whole_off, r->whole_rhs);
}

static void put_row(struct run *r, int64_t row, double diag, double off)
{
    if (rank == 0) {
        put(r->type, r->whole_diag, row, diag);
        put(r->type, r->whole_off, row, off);
    }
}

/* All ranks must report a bad pivot, whichever rank has the row. */
static void check_pivots(char type, uint64_t seed, enum variant_id variant)
{
    static const int64_t rows[] = {1, 2, 50, 97, 98};
    enum { ROWS = sizeof rows / sizeof *rows };
    struct run r = run_alloc(variant, type, 100);
    for (int i = 0; i <= ROWS; i++) {
        make(&r, TRIDIAGONAL_DOMINANT, seed);
        if (i < ROWS)
            put_row(&r, rows[i], 0, 0);
        for (int64_t row = 0; i == ROWS && row < r.n; row++)
            put_row(&r, row, 1, 1); /* the second pivot is 1 - 1 = 0 */
        scatter(&r);
        expect_status(&r, i < ROWS ? rows[i] : 2, "zero pivot");
        if (how_of(variant) == PSCHEME_MPI_CHAIN)
            EXPECT_0(same_as_parts(&r), "%s: not the status of %d parts", label(&r, "zero pivot"),
                     ranks);
    }
    run_free(&r);
}

/* Two bad pivots in different sweeps. The last row of the first rank has p = 1, so the pivot of the
 * next row is 1 - 1 = 0, which only the determination of p finds, because the pre-computation takes
 * the p before a part as 0. Row 98 has diag = off = 0, which the pre-computation finds first, so
 * row 98 is reported, as in pscheme_cpu. */
static void check_order(char type, uint64_t seed, enum variant_id variant)
{
    int64_t bad = 98, border = 50;
    struct run r = run_alloc(variant, type, 100);
    if (ranks > 1)
        pscheme_mpi_rows(r.n - 2, ranks, 1, &border);
    for (int both = 0; both < 2; both++) {
        make(&r, TRIDIAGONAL_CONSTANT, seed);
        put_row(&r, border - 1, 4, 0);
        put_row(&r, border, 1, 1);
        put_row(&r, border + 1, 1, 1);
        if (both)
            put_row(&r, bad, 0, 0);
        scatter(&r);
        expect_status(&r, both && ranks > 1 ? bad : border + 1, "two bad pivots");
        EXPECT_0(same_as_parts(&r), "%s: not the status of %d parts", label(&r, "two bad pivots"),
                 ranks);
    }
    run_free(&r);
}

/* One row for each rank: the first with diag = 4, the others with diag = off = 1. p is 1/4, 4/3,
 * -3, 1/4, … and no pivot of the system is small. But two consecutive rows with diag = off = 1,
 * solved alone, are singular. The chain must solve the system. MPI_Exscan may compose the maps of
 * two such ranks and then must report a row. */
static void check_group_pivots(char type, uint64_t seed, enum variant_id variant)
{
    struct run r = run_alloc(variant, type, ranks + 2);
    make(&r, TRIDIAGONAL_CONSTANT, seed);
    for (int64_t i = 2; i <= ranks; i++)
        put_row(&r, i, 1, 1);
    scatter(&r);
    solve(&r, NULL);
    bool agreed = is_agreed(r.status);
    struct verdict v = verify(&r);
    if (how_of(variant) == PSCHEME_MPI_CHAIN)
        EXPECT_0(agreed && r.status == 0 && v.ok && same_as_parts(&r), "%s: status %ld, error %g",
                 label(&r, "one row a rank"), (long)r.status, v.error);
    else
        EXPECT_0(agreed && (r.status == 0 ? v.ok : r.status > 0), "%s: status %ld, error %g",
                 label(&r, "one row a rank"), (long)r.status, v.error);
    run_free(&r);
}

/* ---- invalid arguments ---- */

/* Bad numbers are refused before any array is read, so all arrays are NULL. */
static void check_refused(char type)
{
    enum pscheme_mpi_how none = PSCHEME_MPI_EXSCAN + 1;
    int64_t status[] = {
        TYPED(type, pscheme_mpi_solve, &mpi, PSCHEME_MPI_CHAIN, 0, NULL, NULL, NULL, NULL, NULL,
              NULL),
        TYPED(type, pscheme_mpi_solve, &mpi, none, 4, NULL, NULL, NULL, NULL, NULL, NULL),
        TYPED(type, pscheme_mpi_recurrence, &mpi, PSCHEME_MPI_CHAIN, -1, 0, NULL, NULL, NULL, NULL,
              NULL),
        TYPED(type, pscheme_mpi_recurrence, &mpi, none, 4, 0, NULL, NULL, NULL, NULL, NULL)};
    for (size_t i = 0; i < sizeof status / sizeof *status; i++)
        EXPECT_0(status[i] == PSCHEME_REFUSED, "refused, case %d %c: status %ld", (int)i, type,
                 (long)status[i]);
}

/* A pointer that is NULL or not aligned on one rank. All ranks must return, and this rank must
 * write nothing. In problem A all ranks return PSCHEME_REFUSED. In problem B only this rank does;
 * the ranks before it have their results, and those after it NaN. */
static void check_pointers(char type, uint64_t seed, enum variant_id variant)
{
    struct run r = run_alloc(variant, type, 50);
    fill(&r, seed);
    double seconds[PHASES] = {0};
    void *x = r.x, *timed = seconds;
    size_t size = (size_t)size_of(type);
    struct {
        void **at;
        size_t alignment;
    } pointers[] = {{&r.diag, size},           {&r.off, size}, {&r.x, size}, {&r.work, size},
                    {&timed, sizeof *seconds}, {&r.rhs, size}};
    size_t count = is_tridiagonal(variant) ? 6 : 5;
    int bad = ranks / 2; /* the rank with the bad pointer: the middle one of three */
    for (size_t k = 0; k < count; k++)
        for (int null = 0; null < 2; null++) {
            void *good = *pointers[k].at;
            if (null && good == seconds) /* `seconds` may be NULL on all ranks */
                continue;
            elements_clear(x_elements(&r), type, x);
            if (rank == bad)
                *pointers[k].at = null ? NULL : (char *)good + pointers[k].alignment / 2;
            solve(&r, timed);
            *pointers[k].at = good;
            bool written = false, numbers = true;
            for (int64_t i = 1; i < x_elements(&r); i++) {
                written |= !isnan(get(type, x, i));
                numbers &= !isnan(get(type, x, i));
            }
            int right = is_tridiagonal(variant)
                            ? r.status == PSCHEME_REFUSED && (rank != bad || !written)
                        : rank < bad  ? r.status == 0 && numbers
                        : rank == bad ? r.status == PSCHEME_REFUSED && !written
                                      : r.status == 0 && !written;
            int everywhere;
            MPI_Allreduce(&right, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
            EXPECT_0(everywhere, "%s: pointer %d of rank %d",
                     label(&r, null ? "NULL" : "not aligned"), (int)k, bad);
        }
    check_run(&r, false, "after bad pointers");
    run_free(&r);
}

int check(const struct options *options)
{
    /* with ranks + 1 rows, problem A has ranks - 1 interior rows, so one rank has no rows */
    const int64_t sizes[] = {1, 2, 3, ranks + 1, 31, 1000, 4097};
    for (const char *type = "sd"; *type; type++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_size(*type, options->seed, sizes[i]);
        for (enum variant_id v = 0; v < VARIANTS; v++)
            check_pointers(*type, options->seed, v);
        for (enum variant_id v = TRIDIAGONAL_CHAIN; v <= TRIDIAGONAL_EXSCAN; v++) {
            check_pivots(*type, options->seed, v);
            check_order(*type, options->seed, v);
            check_group_pivots(*type, options->seed, v);
        }
        check_composition(*type, options->seed);
        check_refused(*type);
    }
    return rank == 0 ? expect_done() : EXIT_VERIFIED;
}
