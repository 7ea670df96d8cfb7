/* The accuracy experiment (accuracy.h), and what it shares with its tests (accuracy_case.h). */
#include "bench/accuracy.h"
#include "bench/accuracy_case.h"
#include "csv.h"
#include "peers.h"
#include "verify.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

const char *const accuracy_methods[METHODS] = {
    "lapack",           "tridiagonal_pivoted",    "tridiagonal_pivoted_twice",
    "tridiagonal_auto", "tridiagonal_auto_twice", "tridiagonal"};

static const struct {
    int pivot;
    enum tridiagonal_way way;
    const char *heading;
    int width; /* of its column. Only without pivoting are residuals large */
} methods[METHODS] = {{0, TRIDIAGONAL_AUTO, "LAPACK", 13},
                      {TRIDIAGONAL_PIVOT_ALWAYS, TRIDIAGONAL_AUTO, "pivoted", 13},
                      {TRIDIAGONAL_PIVOT_ALWAYS, TRIDIAGONAL_TWO_PASS, "two passes", 13},
                      {TRIDIAGONAL_PIVOT_AUTO, TRIDIAGONAL_AUTO, "automatic", 13},
                      {TRIDIAGONAL_PIVOT_AUTO, TRIDIAGONAL_TWO_PASS, "two passes", 13},
                      {TRIDIAGONAL_PIVOT_NEVER, TRIDIAGONAL_AUTO, "not pivoted", 16}};

/* ---- criteria, for all methods but PLAIN ---- */

/* Our median forward error may be this many times LAPACK's. Both are the solver's rounding error
 * times the condition number; the solvers eliminate in different orders, so their rounding errors
 * differ by a constant factor. It is not judged from FORWARD_BELOW on or for ACCURACY_N_LARGE,
 * whose one seed says little, because then the condition number differs by orders of magnitude from
 * seed to seed. */
static const double FORWARD_TIMES = 10;

/* Bound on the residual of a row divided by its coefficients times |x|_inf, in eps. The residual is
 * a few roundings of |L||U||x|, so the bound needs |L||U| to be small relative to |A|. With scaled
 * pivoting, multipliers are at most 1 and growth is at most 2, so |L||U| is at most a few times
 * |A|. For dominant matrices that is true even without pivoting. (LAPACK does not scale the rows,
 * and exceeds this bound.) */
static const double ROW_EPS = 8;

/* Bound on the residual of a row divided by the sum of its terms, in eps. No theory gives such a
 * bound: if neighbouring unknowns happen to be near 0, all terms of a row are small, but the
 * residual is not. Among 512 rows this is rare, and the bound holds. Among ACCURACY_N_LARGE rows it
 * is not rare, so there the residual is shown but not judged. */
static const double RESIDUAL_EPS = 30;

int accuracy_judge(const struct summary *ours, const struct summary *lapack, int64_t n)
{
    int bad = 0; /* comparisons are written so that NaN fails */
    if (n < ACCURACY_N_LARGE && lapack && !(lapack->forward >= FORWARD_BELOW) &&
        !(ours->forward <= FORWARD_TIMES * lapack->forward))
        bad |= BAD_FORWARD;
    if (n < ACCURACY_N_LARGE && !(ours->residual <= RESIDUAL_EPS))
        bad |= BAD_RESIDUAL;
    if (!(ours->row <= ROW_EPS))
        bad |= BAD_ROW;
    if (ours->breakdowns)
        bad |= BAD_STATUS;
    return bad;
}

/* ---- one system ---- */

static size_t array_bytes(const struct accuracy_case *a)
{
    return (size_t)(a->c.s.n * size_of(a->c.s.type));
}

void accuracy_open(struct accuracy_case *a, char type, int64_t n)
{
    /* automatic pivoting needs the largest workspace */
    struct tridiagonal t = {.type = type, .n = n, .pivot = TRIDIAGONAL_PIVOT_AUTO};
    double bytes = (double)n * size_of(type);
    device_require("accuracy", 5 * bytes + (double)tridiagonal_workspace(&t), 10 * bytes);
    a->c = case_make({.type = type, .n = n}, TRIDIAGONAL_PIVOT_AUTO, DOMINANT, 0);
    a->truth = memory_host(&a->c.memory, array_bytes(a));
    a->has_truth = false;
    for (void *&scratch : a->scratch)
        scratch = memory_host(&a->c.memory, array_bytes(a));
}

/* Makes the system in main memory. Threads may do so at the same time. */
static bool fill(struct accuracy_case *a, int matrix, uint64_t seed)
{
    const struct tridiagonal_case *c = &a->c;
    void *sub = case_host(c, SUB), *diag = case_host(c, DIAG), *super = case_host(c, SUPER);
    if (!matrix_fill(matrix, c->s.type, c->s.n, seed, sub, diag, super))
        return false;
    if (!a->has_truth || a->seed_of_truth != seed)
        matrix_solution(c->s.type, c->s.n, seed, a->truth);
    a->has_truth = true;
    a->seed_of_truth = seed;
    matrix_product(c->s.type, c->s.n, sub, diag, super, a->truth, case_host(c, RHS));
    return true;
}

bool accuracy_make(struct accuracy_case *a, int matrix, uint64_t seed)
{
    if (!fill(a, matrix, seed))
        return false;
    case_upload(&a->c);
    return true;
}

long long accuracy_solve(struct accuracy_case *a, int method)
{
    struct tridiagonal t = a->c.t;
    t.pivot = methods[method].pivot;
    t.way = methods[method].way;
    if (method != LAPACK)
        return case_solve(&a->c, &t);
    for (int i = SUB; i <= RHS; i++)
        memcpy(a->scratch[i], case_host(&a->c, i), array_bytes(a));
    long long status =
        peer_lapack(t.type, t.n, a->scratch[0], a->scratch[1], a->scratch[2], a->scratch[3]);
    memcpy(case_host(&a->c, X), a->scratch[RHS], array_bytes(a));
    return status;
}

static bool all_nan(const struct accuracy_case *a)
{
    int64_t parts = (is_complex(a->c.s.type) ? 2 : 1) * a->c.s.n;
    for (int64_t i = 0; i < parts; i++)
        if (!isnan(get(real_type(a->c.s.type), case_host(&a->c, X), i)))
            return false;
    return true;
}
void accuracy_add(struct summary *summary, const struct accuracy_case *a, long long status)
{
    if (status > 0 && all_nan(a)) { /* the solver reported a breakdown, and x is NaN */
        summary->breakdowns++;
        return;
    }
    const char type = a->c.s.type;
    const int64_t n = a->c.s.n;
    const void *sub = case_host(&a->c, SUB), *diag = case_host(&a->c, DIAG),
               *super = case_host(&a->c, SUPER), *rhs = case_host(&a->c, RHS),
               *x = case_host(&a->c, X);
    double terms = matrix_residual(type, n, sub, diag, super, rhs, x), /* never NaN */
        row = verify_systems(type, n, 1, sub, diag, super, rhs, x, 1).error / unit_roundoff(type);
    summary->residual = fmax(summary->residual, terms / 2);
    summary->row = fmax(summary->row, row / 2);
    summary->breakdowns += status != 0;
}

/* ---- the experiment ---- */

enum { SEEDS = 11 };

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The experiment, and the type and n that it is at. */
struct report {
    struct csv csv;
    int first;         /* the first method: LAPACK, or PIVOTED if this build has no LAPACK */
    int marks, failed; /* how many results were judged, and how many of them failed */
    int wrong;         /* as `failed`, without the results in single precision that only broke
                          down: some matrices exceed the range of that type */
    char type;
    int64_t n;
    int seeds;
    uint64_t first_seed;
};

/* Runs all methods on one matrix. `cases` has a case for each seed. Returns false if the matrix
 * does not exist in this build or for this n. */
static bool measure(const struct report *r, struct accuracy_case *cases, int matrix,
                    struct summary summary[METHODS])
{
    double error[METHODS][SEEDS];
    int made = 0;
    memset(summary, 0, METHODS * sizeof *summary);
#pragma omp parallel for schedule(dynamic) reduction(+ : made) if (r->seeds > 1)
    for (int s = 0; s < r->seeds; s++)
        made += fill(&cases[s], matrix, r->first_seed + (uint64_t)s);
    if (made < r->seeds)
        return false;
    for (int s = 0; s < r->seeds; s++) {
        struct accuracy_case *a = &cases[s];
        case_upload(&a->c);
        for (int m = r->first; m < METHODS; m++) {
            long long status = accuracy_solve(a, m);
            error[m][s] = matrix_forward_error(r->type, r->n, case_host(&a->c, X), a->truth);
            accuracy_add(&summary[m], a, status);
        }
    }
    for (int m = r->first; m < METHODS; m++) {
        qsort(error[m], (size_t)r->seeds, sizeof **error, by_size);
        summary[m].forward = error[m][r->seeds / 2]; /* the median: seeds is odd */
        if (summary[m].breakdowns == r->seeds) /* no residual is known, and 0 would look small */
            summary[m].residual = summary[m].row = (double)INFINITY;
    }
    return true;
}

static void csv_rows(const struct report *r, int matrix, const struct summary *summary)
{
    char text[128];
    snprintf(text, sizeof text, "%s", matrix_text(matrix));
    for (char *c = text; *c; c++)
        if (*c == ',') /* awk programs split a line at its commas, quoted or not */
            *c = ';';
    for (int m = r->first; m < METHODS && r->csv.file; m++)
        fprintf(r->csv.file, "%d,%s,%c,%lld,%d,%s,%.9g,%.9g,%.9g,%d\n", matrix, text, r->type,
                (long long)r->n, r->seeds, accuracy_methods[m], summary[m].forward,
                summary[m].residual, summary[m].row, summary[m].breakdowns);
}

static void table_heading(const struct report *r)
{
    printf("\ntype %c, n = %lld: forward error (median) and residual (largest, in eps)\n  ",
           r->type, (long long)r->n);
    for (const auto &method : methods)
        printf("%*s", method.width, method.heading);
    printf("\n");
}

static void table_row(struct report *r, int matrix, const struct summary *summary)
{
    printf("%2d", matrix);
    if (r->first != LAPACK)
        printf("%*s", methods[LAPACK].width, "");
    for (int m = r->first; m < METHODS; m++)
        printf("%8.1e%*.2g", summary[m].forward, methods[m].width - 8, summary[m].residual);
    printf("\n");
    for (int m = PIVOTED; m < PLAIN; m++) {
        const struct summary *ours = &summary[m],
                             *theirs = r->first == LAPACK ? &summary[LAPACK] : NULL;
        const char *name = accuracy_methods[m];
        int bad = accuracy_judge(ours, theirs, r->n);
        r->marks++;
        r->failed += bad != 0;
        r->wrong += (bad & ~(real_type(r->type) == 's' ? BAD_STATUS : 0)) != 0;
        if (bad & BAD_FORWARD)
            printf("  FAILED: %s: forward error %.3g, %.3g times LAPACK's\n", name, ours->forward,
                   ours->forward / theirs->forward);
        if (bad & BAD_RESIDUAL)
            printf("  FAILED: %s: residual %.3g eps\n", name, ours->residual);
        if (bad & BAD_ROW)
            printf("  FAILED: %s: residual %.3g eps of |x|_inf\n", name, ours->row);
        if (bad & BAD_STATUS)
            printf("  FAILED: %s: %d breakdowns\n", name, ours->breakdowns);
    }
    fflush(stdout);
}

/* Should the matrix be used with a million rows, too? Matrices 8 to 11 do not exist for that many
 * rows. The condition number of matrices 12 to 15 grows with n, so their results could not be
 * compared with those of 512 rows. */
static bool also_large(int matrix)
{
    return matrix <= 7 || matrix >= 16;
}

static void run_size(struct report *r, char type, int64_t n, int seeds)
{
    struct accuracy_case cases[SEEDS];
    r->type = type, r->n = n, r->seeds = seeds;
    for (int s = 0; s < seeds; s++)
        accuracy_open(&cases[s], type, n);
    table_heading(r);
    for (int matrix = 1; matrix <= MATRICES; matrix++) {
        struct summary summary[METHODS];
        if ((n > ACCURACY_N && !also_large(matrix)) || !measure(r, cases, matrix, summary))
            continue;
        csv_rows(r, matrix, summary);
        table_row(r, matrix, summary);
    }
    for (int s = 0; s < seeds; s++)
        case_close(&cases[s].c);
}

int accuracy_run(const char *program, const struct options *o)
{
    /* matrices 8 to 11 need LAPACK */
    const bool has_lapack = matrix_exists(8, 'd', ACCURACY_N);
    struct report report = {.first = has_lapack ? LAPACK : PIVOTED, .first_seed = o->seed};
    char prefix[PREFIX_MOST];
    if (!csv_open(&report.csv, program, options_csv_prefix(o, NULL, prefix), "accuracy",
                  "matrix,text,type,n,seeds,method,forward_error,residual_eps,row_residual_eps,"
                  "breakdowns"))
        return EXIT_USAGE;
    printf("\nmatrices of Klein and Strzodka (2021)\n");
    for (int matrix = 1; matrix <= MATRICES; matrix++)
        printf("%2d %s\n", matrix, matrix_text(matrix));
    for (const char *type = o->quick ? "d" : "dszc"; *type; type++)
        run_size(&report, *type, ACCURACY_N, SEEDS);
    if (!device_is_cpu() && !o->quick)
        for (const char *type = "ds"; *type; type++)
            run_size(&report, *type, ACCURACY_N_LARGE, 1);
    if (!has_lapack)
        fprintf(stderr,
                "%s: accuracy: no LAPACK in this build: matrices 8 to 11 are left out, "
                "forward errors are not judged\n",
                program);
    printf("%d marks, %d failed, %d of them not by range\n", report.marks, report.failed,
           report.wrong);
    if (!csv_close(&report.csv))
        return EXIT_USAGE;
    return report.wrong ? EXIT_WRONG : EXIT_VERIFIED;
}
