/* See accuracy.h: forward errors and residuals of tridiagonal.h over the twenty matrices of matrices.h, with pivoting (both ways
 * to hold the rows) and without, beside LAPACK's xGTSV on the same systems. */
#include "bench/accuracy.h"
#include "csv.h"
#include "device_program.h"
#include "expect.h"
#include "test/matrices.h"
#include "peers.h"
#include "problems.h"
#include "tridiagonal.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

enum { LAPACK, PIVOTED, PIVOTED_TWICE, PLAIN, METHODS };
static const struct {
    const char *name;
    int pivot;
    enum tridiagonal_way way;
} methods[METHODS] = {{"lapack", 1, TRIDIAGONAL_AUTO},
                      {"tridiagonal_pivoted", 1, TRIDIAGONAL_AUTO},
                      {"tridiagonal_pivoted_twice", 1, TRIDIAGONAL_TWO_PASS},
                      {"tridiagonal", 0, TRIDIAGONAL_AUTO}};

enum { N = 512, N_LARGE = 1 << 20, SEEDS = 11, ARRAYS = 4 };

/* ---- marks, for the method with pivoting ---- */

/* Over the seeds. matrix_residual and verify_systems are in units of u; what is shown and judged is in those of eps = 2u, which
 * is LAPACK's precision (eps times base) and the spacing of numbers behind 1. */
struct summary {
    double forward;  /* median error */
    double residual; /* largest, relative to the terms of the row: matrix_residual */
    double row;      /* largest, relative to the row's coefficients times |x|_inf: verify_systems */
    int breakdowns;  /* seeds with a status other than 0 */
};

/* Both solvers err by their rounding times the condition, which LAPACK's error tells; a median may be this many times it:
 * another order of elimination has other constants. Where LAPACK's error is not below FORWARD_BELOW, in either precision, its
 * size is chance: the condition differs by orders of magnitude from seed to seed. So is it for the one seed of N_LARGE, where it is
 * shown but not judged. */
static const double FORWARD_TIMES = 10, FORWARD_BELOW = 1e-6;

/* Of a row, relative to its coefficients times |x|_inf: the bound of main.cu (UNITS). Rows are scaled; multipliers of at most 1
 * and a growth of at most 2 make |L||U| a few times |A|, as dominance does there. (LAPACK, which does not scale, exceeds it.) */
static const double ROW_EPS = 8;

/* Relative to the row's terms alone, which are small by chance where an unknown is near 0, no theory gives a bound. Over N
 * rows such chances are rare, and this holds; over N_LARGE they are not (in matrix 5 a row of x = -3e-5 alone: 3e4 eps, of LAPACK
 * 9e3), and it is shown but not judged. */
static const double RESIDUAL_EPS = 30;

enum { BAD_FORWARD = 1, BAD_RESIDUAL = 2, BAD_ROW = 4, BAD_STATUS = 8 };

/* lapack: NULL, where there is none: the forward error is not judged. NaN fails. */
static int judged(const struct summary *ours, const struct summary *lapack, int64_t n)
{
    int bad = 0;
    if (n < N_LARGE && lapack && !(lapack->forward >= FORWARD_BELOW) &&
        !(ours->forward <= FORWARD_TIMES * lapack->forward))
        bad |= BAD_FORWARD;
    if (n < N_LARGE && !(ours->residual <= RESIDUAL_EPS))
        bad |= BAD_RESIDUAL;
    if (!(ours->row <= ROW_EPS))
        bad |= BAD_ROW;
    if (ours->breakdowns)
        bad |= BAD_STATUS;
    return bad;
}

/* ---- one system ---- */

struct bench {
    char type;
    int64_t n;
    size_t bytes; /* of an array */
    void *host[ARRAYS], *scratch[ARRAYS], *truth, *x;
    void *in[ARRAYS], *out, *work;
    size_t work_bytes;
    long long *status;
};

static size_t word_of(char type)
{
    return (type == 's' || type == 'c' ? 4 : 8) * (type == 'c' || type == 'z' ? 2 : 1);
}

static struct tridiagonal call(const struct bench *b, int method)
{
    struct tridiagonal t = {};
    t.type = b->type;
    t.n = b->n;
    t.sub = b->in[0];
    t.diag = b->in[1];
    t.super = b->in[2];
    t.rhs = b->in[3];
    t.x = b->out;
    t.pivot = methods[method].pivot;
    t.way = methods[method].way;
    t.status = b->status;
    return t;
}

static void open_bench(struct bench *b, char type, int64_t n)
{
    memset(b, 0, sizeof *b);
    b->type = type;
    b->n = n;
    b->bytes = (size_t)n * word_of(type);
    for (int m = PIVOTED; m < METHODS; m++) {
        struct tridiagonal t = call(b, m);
        size_t bytes = tridiagonal_workspace(&t);
        b->work_bytes = bytes > b->work_bytes ? bytes : b->work_bytes;
    }
    double all = (double)b->bytes;
    device_require("nshape", (ARRAYS + 1) * all + (double)b->work_bytes, (2 * ARRAYS + 2) * all);
    for (int i = 0; i < ARRAYS; i++) {
        b->host[i] = host_alloc("nshape", (int64_t)b->bytes);
        b->scratch[i] = host_alloc("nshape", (int64_t)b->bytes);
        CHECK(cudaMalloc(&b->in[i], b->bytes));
    }
    b->truth = host_alloc("nshape", (int64_t)b->bytes);
    b->x = host_alloc("nshape", (int64_t)b->bytes);
    CHECK(cudaMalloc(&b->out, b->bytes));
    CHECK(cudaMalloc(&b->work, b->work_bytes));
    CHECK(cudaMalloc(&b->status, sizeof *b->status));
    CHECK(tridiagonal_prepare(b->work, b->work_bytes, 0));
}

static void close_bench(struct bench *b)
{
    for (int i = 0; i < ARRAYS; i++) {
        free(b->host[i]);
        free(b->scratch[i]);
        CHECK(cudaFree(b->in[i]));
    }
    free(b->truth);
    free(b->x);
    CHECK(cudaFree(b->out));
    CHECK(cudaFree(b->work));
    CHECK(cudaFree(b->status));
}

/* False: no such matrix here. */
static bool make_system(struct bench *b, int which, uint64_t seed)
{
    if (!matrix_fill(which, b->type, b->n, seed, b->host[0], b->host[1], b->host[2]))
        return false;
    matrix_solution(b->type, b->n, seed, b->truth);
    matrix_product(b->type, b->n, b->host[0], b->host[1], b->host[2], b->truth, b->host[3]);
    for (int i = 0; i < ARRAYS; i++)
        CHECK(cudaMemcpy(b->in[i], b->host[i], b->bytes, cudaMemcpyHostToDevice));
    return true;
}

/* x by a method; its status, -1: LAPACK is not in this build. */
static long long solved(struct bench *b, int method)
{
    long long status;
    if (method == LAPACK) {
        for (int i = 0; i < ARRAYS; i++)
            memcpy(b->scratch[i], b->host[i], b->bytes);
        status =
            peer_lapack(b->type, b->n, b->scratch[0], b->scratch[1], b->scratch[2], b->scratch[3]);
        memcpy(b->x, b->scratch[3], b->bytes);
        return status;
    }
    struct tridiagonal t = call(b, method);
    CHECK(cudaMemset(b->out, 0xff, b->bytes)); /* NaN */
    CHECK(cudaMemset(b->status, 0x55, sizeof *b->status));
    CHECK(tridiagonal_solve(&t, b->work, b->work_bytes, 0));
    CHECK(cudaMemcpy(&status, b->status, sizeof status, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b->x, b->out, b->bytes, cudaMemcpyDeviceToHost));
    return status;
}

static double forward_error(const struct bench *b)
{
    return matrix_forward_error(b->type, b->n, b->x, b->truth);
}
static bool all_nan(const struct bench *b)
{
    int64_t words = (is_complex(b->type) ? 2 : 1) * b->n;
    for (int64_t i = 0; i < words; i++)
        if (real_type(b->type) == 's' ? !isnan(((const float *)b->x)[i])
                                      : !isnan(((const double *)b->x)[i]))
            return false;
    return true;
}
/* What one more seed adds to the largest; neither measure is ever NaN. */
static void add_seed(struct summary *summary, const struct bench *b, long long status)
{
    if (status > 0 && all_nan(b)) { /* said so, and gave no numbers */
        summary->breakdowns++;
        return;
    }
    double terms =
        matrix_residual(b->type, b->n, b->host[0], b->host[1], b->host[2], b->host[3], b->x);
    double row =
        verify_systems(b->type, b->n, 1, b->host[0], b->host[1], b->host[2], b->host[3], b->x, 1)
            .error /
        unit_roundoff(b->type);
    summary->residual = fmax(summary->residual, terms / 2);
    summary->row = fmax(summary->row, row / 2);
    summary->breakdowns += status != 0;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* All methods on one matrix. False: it does not exist here. *lapack: false where this build has none. */
static bool measure(struct bench *b, int which, uint64_t first_seed, int seeds,
                    struct summary summary[METHODS], bool *lapack)
{
    double error[METHODS][SEEDS];
    memset(summary, 0, METHODS * sizeof *summary);
    *lapack = true;
    for (int s = 0; s < seeds; s++) {
        if (!make_system(b, which, first_seed + (uint64_t)s))
            return false;
        for (int m = 0; m < METHODS; m++) {
            long long status = solved(b, m);
            if (m == LAPACK && status < 0) {
                *lapack = false;
                continue;
            }
            error[m][s] = forward_error(b);
            add_seed(&summary[m], b, status);
        }
    }
    for (int m = *lapack ? LAPACK : PIVOTED; m < METHODS; m++) {
        qsort(error[m], (size_t)seeds, sizeof **error, by_size);
        summary[m].forward = error[m][seeds / 2]; /* seeds is odd */
        if (summary[m].breakdowns == seeds)       /* no residual is not a small one */
            summary[m].residual = summary[m].row = (double)INFINITY;
    }
    return true;
}

/* ---- the experiment ---- */

struct report {
    struct csv csv;
    /* wrong: failed, but for breakdowns reported in single precision, whose range some of the matrices leave */
    int marks, failed, wrong;
    bool without_lapack;
};

static void csv_rows(FILE *file, char type, int64_t n, int which, int seeds,
                     const struct summary summary[METHODS], bool lapack)
{
    char text[128];
    snprintf(text, sizeof text, "%s", matrix_text(which));
    for (char *c = text; *c; c++)
        if (*c == ',') /* awk programs split a line at its commas, quoted or not */
            *c = ';';
    for (int m = lapack ? LAPACK : PIVOTED; m < METHODS; m++)
        fprintf(file, "%d,%s,%c,%lld,%d,%s,%.9g,%.9g,%.9g,%d\n", which, text, type, (long long)n,
                seeds, methods[m].name, summary[m].forward, summary[m].residual, summary[m].row,
                summary[m].breakdowns);
}

static void table_row(struct report *report, char type, int64_t n, int which,
                      const struct summary summary[METHODS], bool lapack)
{
    printf("%c %8lld %2d  ", type, (long long)n, which);
    for (int m = 0; m < METHODS; m++)
        if (m == LAPACK && !lapack)
            printf("%18s", "");
        else
            printf("%9.2e %8.3g", summary[m].forward, summary[m].residual);
    printf("  %s\n", matrix_text(which));
    for (int m = PIVOTED; m <= PIVOTED_TWICE; m++) {
        const struct summary *ours = &summary[m], *theirs = lapack ? &summary[LAPACK] : NULL;
        int bad = judged(ours, theirs, n);
        report->marks++;
        report->failed += bad != 0;
        report->wrong += (bad & ~(real_type(type) == 's' ? BAD_STATUS : 0)) != 0;
        if (bad & BAD_FORWARD)
            printf("  FAILED: %s: forward error %.3g, %.3g times LAPACK's\n", methods[m].name,
                   ours->forward, ours->forward / theirs->forward);
        if (bad & BAD_RESIDUAL)
            printf("  FAILED: %s: residual %.3g eps\n", methods[m].name, ours->residual);
        if (bad & BAD_ROW)
            printf("  FAILED: %s: residual %.3g eps of |x|_inf\n", methods[m].name, ours->row);
        if (bad & BAD_STATUS)
            printf("  FAILED: %s: %d breakdowns\n", methods[m].name, ours->breakdowns);
    }
}

static void table_head(void)
{
    printf("forward error (median), residual (largest, in eps)\n%15s", "");
    for (const char *name : {"LAPACK", "pivoted", "pivoted, twice", "not pivoted"})
        printf("%18s", name);
    printf("\n");
}

/* Those that a million rows leave as they are: 8 to 11 do not go so far, and the condition of 12 to 15 grows with n. */
static bool also_large(int which)
{
    return which <= 7 || which >= 16;
}

static void run_size(struct report *report, const struct options *o, char type, int64_t n,
                     int seeds)
{
    struct bench b;
    open_bench(&b, type, n);
    for (int which = 1; which <= MATRICES; which++) {
        struct summary summary[METHODS];
        bool lapack;
        if ((n > N && !also_large(which)) || !measure(&b, which, o->seed, seeds, summary, &lapack))
            continue;
        report->without_lapack = report->without_lapack || !lapack;
        if (report->csv.file)
            csv_rows(report->csv.file, type, n, which, seeds, summary, lapack);
        table_row(report, type, n, which, summary, lapack);
        fflush(stdout);
    }
    close_bench(&b);
}

int accuracy_run(const struct options *o, const char *csv)
{
    struct report report = {};
    char prefix[PREFIX_MOST];
    if (csv) { /* csv_open puts the end on again */
        static const char end[] = "_accuracy.csv";
        snprintf(prefix, sizeof prefix, "%s", csv);
        size_t length = strlen(prefix), tail = sizeof end - 1;
        if (length > tail && !strcmp(prefix + length - tail, end))
            prefix[length - tail] = 0;
    }
    /* Not "status": in CSV files that have it, anything but "ok" counts as a failure (plots/verified.awk). */
    if (!csv_open(&report.csv, "nshape", csv ? prefix : NULL, "accuracy",
                  "matrix,text,type,n,seeds,method,forward_error,residual_eps,row_residual_eps,"
                  "breakdowns"))
        return EXIT_USAGE;
    table_head();
    for (const char *type = o->quick ? "d" : "dszc"; *type; type++)
        run_size(&report, o, *type, N, SEEDS);
    if (!device_is_cpu() && !o->quick)
        for (const char *type = "ds"; *type; type++)
            run_size(&report, o, *type, N_LARGE, 1);
    if (report.without_lapack)
        fprintf(stderr, "nshape: accuracy: no LAPACK in this build: matrices 8 to 11 are left out, "
                        "forward errors are not judged\n");
    printf("%d marks, %d failed, %d of them not by range\n", report.marks, report.failed,
           report.wrong);
    if (!csv_close(&report.csv))
        return EXIT_USAGE;
    return report.wrong ? EXIT_WRONG : EXIT_VERIFIED;
}

/* ---- --check ---- */

static void check_matrix(struct bench *b, int which, uint64_t seed, int method)
{
    struct summary one = {};
    if (!make_system(b, which, seed))
        return; /* this build has no LAPACK to make it */
    add_seed(&one, b, solved(b, method));
    EXPECT(judged(&one, NULL, b->n) == 0,
           "%s, type %c, n = %lld, matrix %d (%s): %g eps, %g eps of |x|_inf, %d breakdowns",
           methods[method].name, b->type, (long long)b->n, which, matrix_text(which), one.residual,
           one.row, one.breakdowns);
}

/* Word `at` of x replaced: is it seen? */
static bool seen(struct bench *b, int64_t at, double value)
{
    struct summary one = {};
    double *word = (double *)b->x + at, right = *word;
    *word = value;
    add_seed(&one, b, 0);
    *word = right;
    return judged(&one, NULL, b->n) == (BAD_RESIDUAL | BAD_ROW);
}

static void check_judge(uint64_t seed)
{
    struct summary good = {9.9e-16, 1, 1, 0}, lapack = {1e-16, 1, 1, 0}, ours = good;
    EXPECT(judged(&good, &lapack, N) == 0, "9.9 times LAPACK's forward error");
    ours.forward = 1.01e-15;
    EXPECT(judged(&ours, &lapack, N) == BAD_FORWARD && judged(&ours, NULL, N) == 0 &&
               judged(&ours, &lapack, N_LARGE) == 0,
           "10.1 times");
    ours.forward = (double)NAN;
    EXPECT(judged(&ours, &lapack, N) == BAD_FORWARD, "NaN");
    ours.forward = (double)INFINITY;
    EXPECT(judged(&ours, &lapack, N) == BAD_FORWARD, "infinity");
    lapack.forward = FORWARD_BELOW;
    EXPECT(judged(&ours, &lapack, N) == 0, "LAPACK's own is chance");
    lapack.forward = (double)NAN;
    EXPECT(judged(&good, &lapack, N) == BAD_FORWARD, "NaN of LAPACK");
    for (double eps : {30.1, (double)NAN, (double)INFINITY}) {
        ours = good;
        ours.residual = eps;
        EXPECT(judged(&ours, NULL, N) == BAD_RESIDUAL && judged(&ours, NULL, N_LARGE) == 0,
               "%g eps", eps);
        ours = good;
        ours.row = eps;
        EXPECT(judged(&ours, NULL, N) == BAD_ROW && judged(&ours, NULL, N_LARGE) == BAD_ROW,
               "%g eps of |x|_inf", eps);
    }
    ours = good;
    ours.breakdowns = 1;
    EXPECT(judged(&ours, NULL, N) == BAD_STATUS, "a breakdown");

    struct bench b;
    open_bench(&b, 'd', N);
    make_system(&b, 1, seed);
    long long status = solved(&b, PIVOTED);
    add_seed(&good, &b, status);
    EXPECT(status == 0 && judged(&good, NULL, N) == 0, "what the judge is tried with");
    for (int64_t i = 0; i < N; i += i == 0 || i == N - 2 ? 1 : 30) {
        double right = ((double *)b.x)[i];
        for (double wrong : {right + 1e-10, (double)NAN, (double)INFINITY})
            EXPECT(seen(&b, i, wrong), "%g instead of %g, word %lld, is not seen", wrong, right,
                   (long long)i);
    }
    memset(b.x, 0, b.bytes);
    EXPECT(forward_error(&b) == 1, "x = 0 is as wrong as x is large: %g", forward_error(&b));
    close_bench(&b);
}

int accuracy_check(const struct options *o)
{
    int failed = expect_failed;
    for (const char *type = "dz"; *type; type++) {
        struct bench b;
        open_bench(&b, *type, N);
        for (int which = 1; which <= MATRICES; which++)
            for (int method : {PIVOTED, PIVOTED_TWICE})
                check_matrix(&b, which, o->seed + (method == PIVOTED), method);
        close_bench(&b);
        /* Words and chunks that are left over. 15 of an odd number of rows is singular; 8 to 11 take their time. */
        for (int64_t n : {N - 1, N + 1, N + 2}) {
            open_bench(&b, *type, n);
            for (int which = 1; which <= MATRICES; which++)
                if ((which < 8 || which > 11) && !(which == 15 && n % 2))
                    check_matrix(&b, which, o->seed, (which + n / 2) % 2 ? PIVOTED : PIVOTED_TWICE);
            close_bench(&b);
        }
    }
    check_judge(o->seed);
    return expect_failed - failed;
}
