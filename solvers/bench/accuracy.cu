/* The accuracy experiment of accuracy.h, and the functions of accuracy_case.h, which its tests use,
 * too. */
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

/* ---- criteria, for all methods but PLAIN ---- */

/* Our median forward error may be this many times LAPACK's. Both errors are the solver's rounding
 * error times the condition number of the matrix. The two solvers eliminate in different orders, so
 * their rounding errors differ by a constant factor. The forward error is not judged if LAPACK's is
 * FORWARD_BELOW or more, in either precision. For such matrices the condition number differs by
 * orders of magnitude from seed to seed. For the same reason the single seed of ACCURACY_N_LARGE is
 * shown but not judged. */
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
 * is not rare, so there the residual is shown but not judged. (In one system with matrix 5, a row's
 * x is -3e-5. The residual of this row is 3e4 eps by our solver and 9e3 eps by LAPACK.) */
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
    bool automatic = method == AUTOMATIC || method == AUTOMATIC_TWO_PASS,
         twice = method == PIVOTED_TWO_PASS || method == AUTOMATIC_TWO_PASS;
    t.pivot = method == PLAIN ? TRIDIAGONAL_PIVOT_NEVER
              : automatic     ? TRIDIAGONAL_PIVOT_AUTO
                              : TRIDIAGONAL_PIVOT_ALWAYS;
    t.way = twice ? TRIDIAGONAL_TWO_PASS : TRIDIAGONAL_AUTO;
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

/* Runs all methods on one matrix. `cases` has a case for each seed. Returns false if the matrix
 * does not exist in this build or for this n. *lapack becomes false if this build has no LAPACK. */
static bool measure(struct accuracy_case *cases, int matrix, uint64_t first_seed, int seeds,
                    struct summary summary[METHODS], bool *lapack)
{
    double error[METHODS][SEEDS];
    int made = 0;
    memset(summary, 0, METHODS * sizeof *summary);
    *lapack = true;
#pragma omp parallel for schedule(dynamic) reduction(+ : made) if (seeds > 1)
    for (int s = 0; s < seeds; s++)
        made += fill(&cases[s], matrix, first_seed + (uint64_t)s);
    if (made < seeds)
        return false;
    for (int s = 0; s < seeds; s++) {
        struct accuracy_case *a = &cases[s];
        case_upload(&a->c);
        for (int m = 0; m < METHODS; m++) {
            long long status = accuracy_solve(a, m);
            if (m == LAPACK && status < 0) {
                *lapack = false;
                continue;
            }
            error[m][s] =
                matrix_forward_error(a->c.s.type, a->c.s.n, case_host(&a->c, X), a->truth);
            accuracy_add(&summary[m], a, status);
        }
    }
    for (int m = *lapack ? LAPACK : PIVOTED; m < METHODS; m++) {
        qsort(error[m], (size_t)seeds, sizeof **error, by_size);
        summary[m].forward = error[m][seeds / 2]; /* the median: seeds is odd */
        if (summary[m].breakdowns == seeds)       /* no residual is known, and 0 would look small */
            summary[m].residual = summary[m].row = (double)INFINITY;
    }
    return true;
}

struct report {
    struct csv csv;
    int marks, failed; /* how many results were judged, and how many of them failed */
    int wrong;         /* as `failed`, without the results in single precision that only broke
                          down: some matrices exceed the range of that type */
    bool without_lapack;
};

static void csv_rows(FILE *file, char type, int64_t n, int matrix, int seeds,
                     const struct summary summary[METHODS], bool lapack)
{
    char text[128];
    snprintf(text, sizeof text, "%s", matrix_text(matrix));
    for (char *c = text; *c; c++)
        if (*c == ',') /* awk programs split a line at its commas, quoted or not */
            *c = ';';
    for (int m = lapack ? LAPACK : PIVOTED; m < METHODS; m++)
        fprintf(file, "%d,%s,%c,%lld,%d,%s,%.9g,%.9g,%.9g,%d\n", matrix, text, type, (long long)n,
                seeds, accuracy_methods[m], summary[m].forward, summary[m].residual, summary[m].row,
                summary[m].breakdowns);
}

/* Characters of a method's two numbers. Only without pivoting are residuals large. */
static const int widths[METHODS] = {13, 13, 13, 13, 13, 16};

/* Prints what the matrices are, once, because the lines of the table have no room for it. */
static void legend(void)
{
    printf("\nmatrices of Klein and Strzodka (2021)\n");
    for (int matrix = 1; matrix <= MATRICES; matrix++)
        printf("%2d %s\n", matrix, matrix_text(matrix));
}

static void table_heading(char type, int64_t n)
{
    static const char *const methods[METHODS] = {"LAPACK",    "pivoted",    "two passes",
                                                 "automatic", "two passes", "not pivoted"};
    printf("\ntype %c, n = %lld: forward error (median) and residual (largest, in eps)\n  ", type,
           (long long)n);
    for (int m = 0; m < METHODS; m++)
        printf("%*s", widths[m], methods[m]);
    printf("\n");
}

static void table_row(struct report *report, char type, int64_t n, int matrix,
                      const struct summary summary[METHODS], bool lapack)
{
    printf("%2d", matrix);
    for (int m = 0; m < METHODS; m++)
        if (m == LAPACK && !lapack)
            printf("%*s", widths[m], "");
        else
            printf("%8.1e%*.2g", summary[m].forward, widths[m] - 8, summary[m].residual);
    printf("\n");
    for (int m = PIVOTED; m < PLAIN; m++) {
        const struct summary *ours = &summary[m], *theirs = lapack ? &summary[LAPACK] : NULL;
        const char *name = accuracy_methods[m];
        int bad = accuracy_judge(ours, theirs, n);
        report->marks++;
        report->failed += bad != 0;
        report->wrong += (bad & ~(real_type(type) == 's' ? BAD_STATUS : 0)) != 0;
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
}

/* Should the matrix be used with a million rows, too? Matrices 8 to 11 do not exist for so many
 * rows. The condition number of matrices 12 to 15 grows with n, so their results could not be
 * compared with those of 512 rows. */
static bool also_large(int matrix)
{
    return matrix <= 7 || matrix >= 16;
}

static void run_size(struct report *report, const struct options *o, char type, int64_t n,
                     int seeds)
{
    struct accuracy_case cases[SEEDS];
    for (int s = 0; s < seeds; s++)
        accuracy_open(&cases[s], type, n);
    table_heading(type, n);
    for (int matrix = 1; matrix <= MATRICES; matrix++) {
        struct summary summary[METHODS];
        bool lapack;
        if ((n > ACCURACY_N && !also_large(matrix)) ||
            !measure(cases, matrix, o->seed, seeds, summary, &lapack))
            continue;
        report->without_lapack = report->without_lapack || !lapack;
        if (report->csv.file)
            csv_rows(report->csv.file, type, n, matrix, seeds, summary, lapack);
        table_row(report, type, n, matrix, summary, lapack);
        fflush(stdout);
    }
    for (int s = 0; s < seeds; s++)
        case_close(&cases[s].c);
}

int accuracy_run(const char *program, const struct options *o)
{
    struct report report = {};
    char prefix[PREFIX_MOST];
    if (!csv_open(&report.csv, program, options_csv_prefix(o, NULL, prefix), "accuracy",
                  "matrix,text,type,n,seeds,method,forward_error,residual_eps,row_residual_eps,"
                  "breakdowns"))
        return EXIT_USAGE;
    legend();
    for (const char *type = o->quick ? "d" : "dszc"; *type; type++)
        run_size(&report, o, *type, ACCURACY_N, SEEDS);
    if (!device_is_cpu() && !o->quick)
        for (const char *type = "ds"; *type; type++)
            run_size(&report, o, *type, ACCURACY_N_LARGE, 1);
    if (report.without_lapack)
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
