/* W12 (Wakatani 2012), section II and Fig. 1: what P-scheme costs on CPU cores. A tridiagonal
 * system (problem A) by the original substitution, by P-scheme in three ways and by LAPACK, on one
 * thread and on several; the linear recurrence (problem B) by substitution and by P-scheme.
 *
 *     build/cpu/pscheme_cpu                      the paper's Fig. 1 and more sizes
 *     build/cpu/pscheme_cpu --quick              small sizes
 *     build/cpu/pscheme_cpu --check              verify everything */
#include "pscheme_cpu.h"

#include "expect.h"
#include "options.h"
#include "problems.h"
#include "results.h"
#include "timing.h"
#include "verify.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LAPACKE
#include <lapacke.h>
#endif

static const char NAME[] = "pscheme_cpu";

/* Units of roundoff allowed as backward error. Substitution on diagonally dominant rows: 4u |L||U|,
 * |L||U| <= 3|A| (Higham, Accuracy and Stability of Numerical Algorithms, 9.5-9.6), that is 12;
 * P-scheme rounds a product and a correction besides (2 each in q and in x): 16. Seen are 3 at
 * most, but for eq. 9-12 on rows that are nearly or not at all dominant, see chain_multiple(). */
enum { MULTIPLE = 16 };

enum variant_id {
    SUBSTITUTION,
    EQ13,
    REPEAT,
    MAP,
    LANES,
    LAPACK_GTSV,
    RECURRENCE,
    RECURRENCE_PSCHEME,
    RECURRENCE_LANES,
    VARIANTS
};

static const struct variant variants[] = {
    [SUBSTITUTION] = {"substitution", "problem A: eq. 4-6, serial"},
    [EQ13] = {"pscheme_eq13", "problem A: P-scheme, p by eq. 9-13 as printed"},
    [REPEAT] = {"pscheme_repeat", "problem A: P-scheme, one chain a part, eq. 5 repeated for p"},
    [MAP] = {"pscheme_map", "problem A: P-scheme, forward chain of the map for p"},
    [LANES] = {"pscheme_lanes", "problem A: P-scheme, the lanes of the cores as processors"},
    [LAPACK_GTSV] = {"lapack_gtsv", "problem A: LAPACK's xGTSV (with pivoting), serial"},
    [RECURRENCE] = {"recurrence", "problem B: w_i = s_i w_{i-1} + t_i, serial"},
    [RECURRENCE_PSCHEME] = {"recurrence_pscheme", "problem B: P-scheme"},
    [RECURRENCE_LANES] = {"recurrence_lanes",
                          "problem B: P-scheme, the lanes of the cores as processors"},
    {NULL, NULL},
};

/* By P-scheme in a number of parts that is chosen; with lanes it follows from n. */
static bool is_parallel(enum variant_id v)
{
    return v == EQ13 || v == REPEAT || v == MAP || v == RECURRENCE_PSCHEME;
}

static bool has_cores(enum variant_id v)
{
    return is_parallel(v) || v == LANES || v == RECURRENCE_LANES;
}

static enum pscheme_method method_of(enum variant_id v)
{
    return v == EQ13 ? PSCHEME_EQ13 : v == REPEAT ? PSCHEME_REPEAT : PSCHEME_MAP;
}

/* One run: what is called with what. Problem B keeps s, t, w in diag, off, x. */
struct run {
    enum variant_id variant;
    char type;
    int64_t n, parts;
    int cores;
    void *diag, *off, *rhs, *p, *q, *x, *work;
    int64_t status;
};

#define TYPED(type, function, ...)                                                                 \
    ((type) == 's' ? function##_s(__VA_ARGS__) : function##_d(__VA_ARGS__))

static void run_p(void *ctx)
{
    struct run *r = ctx;
    switch (r->variant) {
    case EQ13:
        r->status = TYPED(r->type, pscheme_p_eq13, r->n, r->parts, r->cores, r->diag, r->off, r->p,
                          r->work);
        break;
    case REPEAT:
        r->status = TYPED(r->type, pscheme_p_repeat, r->n, r->parts, r->cores, r->diag, r->off,
                          r->p, r->work);
        break;
    case MAP:
        r->status =
            TYPED(r->type, pscheme_p_map, r->n, r->parts, r->cores, r->diag, r->off, r->p, r->work);
        break;
    default:
        r->status = TYPED(r->type, substitution_p, r->n, r->diag, r->off, r->p);
    }
}

static void run_q(void *ctx)
{
    struct run *r = ctx;
    if (is_parallel(r->variant))
        r->status = TYPED(r->type, pscheme_q, r->n, r->parts, r->cores, r->diag, r->off, r->rhs,
                          r->p, r->q, r->work);
    else
        r->status = TYPED(r->type, substitution_q, r->n, r->diag, r->off, r->rhs, r->p, r->q);
}

static void run_x(void *ctx)
{
    struct run *r = ctx;
    if (is_parallel(r->variant))
        r->status = TYPED(r->type, pscheme_x, r->n, r->parts, r->cores, r->p, r->q, r->x, r->work);
    else
        r->status = TYPED(r->type, substitution_x, r->n, r->p, r->q, r->x);
}

#ifdef HAVE_LAPACKE
/* xGTSV destroys its matrix: sub, diag, super in work, p, q; right-hand side and result in x. */
static void lapack_reset(void *ctx)
{
    struct run *r = ctx;
    size_t word = (size_t)size_of(r->type), n = (size_t)r->n;
    /* Row i's super is column i + 1, row i + 1's sub column i. */
    for (int64_t i = 0; i + 1 < r->n; i++) {
        put(r->type, r->q, i, i == 0 ? 0 : -get(r->type, r->off, i));
        put(r->type, r->work, i, i + 1 == r->n - 1 ? 0 : -get(r->type, r->off, i + 1));
    }
    memcpy(r->p, r->diag, n * word);
    put(r->type, r->p, 0, 1);
    put(r->type, r->p, r->n - 1, 1);
    memcpy(r->x, r->rhs, n * word);
}

/* The _work form leaves out the wrapper's search for NaN. */
static void lapack_solve(void *ctx)
{
    struct run *r = ctx;
    lapack_int n = (lapack_int)r->n;
    r->status = r->type == 's'
                    ? LAPACKE_sgtsv_work(LAPACK_COL_MAJOR, n, 1, r->work, r->p, r->q, r->x, n)
                    : LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, n, 1, r->work, r->p, r->q, r->x, n);
}
#endif

static void run_total(void *ctx)
{
    struct run *r = ctx;
    r->status = 0;
    switch (r->variant) {
    case SUBSTITUTION:
        r->status =
            TYPED(r->type, substitution_solve, r->n, r->diag, r->off, r->rhs, r->p, r->q, r->x);
        break;
    case EQ13:
    case REPEAT:
    case MAP:
        r->status = TYPED(r->type, pscheme_solve, method_of(r->variant), r->n, r->parts, r->cores,
                          r->diag, r->off, r->rhs, r->p, r->q, r->x, r->work);
        break;
    case LANES:
        r->status = TYPED(r->type, pscheme_solve_lanes, r->n, r->cores, r->diag, r->off, r->rhs,
                          r->p, r->q, r->x);
        break;
    case LAPACK_GTSV:
#ifdef HAVE_LAPACKE
        lapack_reset(r);
        lapack_solve(r);
#endif
        break;
    case RECURRENCE:
        r->status = TYPED(r->type, recurrence_serial, r->n, RECURRENCE_W0, r->diag, r->off, r->x);
        break;
    case RECURRENCE_PSCHEME:
        r->status = TYPED(r->type, recurrence_pscheme, r->n, r->parts, r->cores, RECURRENCE_W0,
                          r->diag, r->off, r->x, r->work);
        break;
    case RECURRENCE_LANES:
        r->status =
            TYPED(r->type, recurrence_lanes, r->n, r->cores, RECURRENCE_W0, r->diag, r->off, r->x);
        break;
    case VARIANTS:
        break;
    }
}

/* The phases that are timed and the words that each variant must move for one row: what a sweep
 * reads and writes, each array once. 0: has no such phase. */
enum { PHASES = 4 };
static const struct {
    const char *name;
    void (*work)(void *);
} phases[PHASES] = {{"p", run_p}, {"q", run_q}, {"x", run_x}, {"total", run_total}};
static const int words[VARIANTS][PHASES] = {
    [SUBSTITUTION] = {3, 5, 3, 11},
    [EQ13] = {9, 9, 7, 25},
    [REPEAT] = {5, 9, 7, 21},
    [MAP] = {9, 9, 7, 25},
    [LANES] = {0, 0, 0, 8},
    [LAPACK_GTSV] = {0, 0, 0, 12},
    [RECURRENCE] = {0, 0, 0, 3},
    [RECURRENCE_PSCHEME] = {0, 0, 0, 7},
    [RECURRENCE_LANES] = {0, 0, 0, 3},
};

static struct verdict verify(const struct run *r, double multiple)
{
    if (r->variant >= RECURRENCE)
        return verify_recurrence(r->type, r->n, RECURRENCE_W0, r->diag, 1, r->off, 1, r->x);
    return verify_tridiagonal(r->type, r->n, r->diag, r->off, r->rhs, r->x, multiple);
}

/* ---- memory ---- */

static const int64_t ARRAYS = 6; /* diag, off, rhs, p, q, x */

static double bytes_needed(int64_t n, int64_t parts, char type)
{
    return (double)size_of(type) * (double)(ARRAYS * (n + 1) + pscheme_work_words(n + 1, parts));
}

/* Pages are touched first by the cores that will use them, which matters where memory has nodes. */
static void *words_alloc(int64_t count, char type)
{
    int64_t page = 4096, bytes = count * size_of(type);
    char *array = malloc((size_t)bytes);
    if (!array) {
        fprintf(stderr, "%s: out of memory\n", NAME);
        exit(EXIT_DEVICE);
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < (bytes + page - 1) / page; i++)
        memset(array + i * page, 0, (size_t)(bytes - i * page < page ? bytes - i * page : page));
    return array;
}

/* work_words: exactly what the function says it needs, so that a sanitizer can tell. x has one word
 * more for problem B. */
static struct run run_alloc(char type, int64_t n, int64_t parts, int64_t x_words,
                            int64_t work_words)
{
    struct run r = {.type = type, .n = n, .parts = parts, .cores = 1};
    r.diag = words_alloc(n, type);
    r.off = words_alloc(n, type);
    r.rhs = words_alloc(n, type);
    r.p = words_alloc(n, type);
    r.q = words_alloc(n, type);
    r.x = words_alloc(x_words, type);
    r.work = words_alloc(work_words, type);
    return r;
}

static void run_free(struct run *r)
{
    void *arrays[] = {r->diag, r->off, r->rhs, r->p, r->q, r->x, r->work};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

/* ---- the experiment ---- */

/* P-scheme with as many parts as cores, but on few cores with at least 8: one part would be
 * P-scheme in name only (nothing to propagate, p_0 = 0). That the time on one thread hardly depends
 * on the parts is seen with --cores 1 --parts 1,8,64,512. */
static int64_t default_parts(int cores)
{
    int64_t least = 8;
    return (least + cores - 1) / cores * cores;
}

/* one: of the same phase on one core. */
static struct timing time_phase(struct run *r, int phase, const struct timing *one, int reps)
{
#ifdef HAVE_LAPACKE
    if (r->variant == LAPACK_GTSV)
        return time_once(lapack_reset, lapack_solve, r, reps);
#endif
    return time_cores(one, r->cores, false, NULL, phases[phase].work, r, reps);
}

/* Verify, then time every phase. one[phase]: what one core took, set here when it is that. */
static void measure(struct results *results, struct run *r, struct timing *one, int reps)
{
    bool parallel = is_parallel(r->variant);
    run_total(r);
    struct verdict verdict = verify(r, MULTIPLE);
    const char *status = r->status > 0   ? "zero pivot"
                         : r->status < 0 ? "refused"
                         : verdict.ok    ? "ok"
                                         : "wrong";
    for (int phase = 0; phase < PHASES; phase++) {
        if (words[r->variant][phase] == 0)
            continue;
        bool ok = strcmp(status, "ok") == 0;
        struct row row = {
            .variant = variants[r->variant].name,
            .type = r->type,
            .n = r->n,
            .parts = parallel ? r->parts : 0,
            .cores = has_cores(r->variant) ? r->cores : 1,
            .phase = phases[phase].name,
            .device = cpu_name(),
            .time =
                ok ? time_phase(r, phase, r->cores > 1 ? &one[phase] : NULL, reps) : timing_none(),
            .bytes = (double)words[r->variant][phase] * (double)r->n * size_of(r->type),
            .error = verdict.error,
            .status = status,
        };
        results_add(results, &row);
        if (r->cores == 1)
            one[phase] = row.time;
    }
}

static void fill(struct run *r, uint64_t seed)
{
    if (r->variant < RECURRENCE) {
        fill_tridiagonal(r->type, TRIDIAGONAL_CONSTANT, seed, r->n, r->diag, r->off, r->rhs);
        return;
    }
    for (int64_t i = 0; i < r->n; i++) {
        put(r->type, r->diag, i, RECURRENCE_SCALE);
        put(r->type, r->off, i, RECURRENCE_OFFSET);
    }
}

static void measure_variant(struct results *results, struct run *r, const struct options *options)
{
    struct timing one[LIST_MAX][PHASES] = {0}; /* by the place in --parts */
    fill(r, options->seed);
    if (!has_cores(r->variant)) {
        r->cores = 1;
        measure(results, r, one[0], options->reps);
        return;
    }
    for (int c = 0; c < options->cores.count; c++) {
        r->cores = (int)options->cores.value[c];
        int count = is_parallel(r->variant) ? options->parts.count : 0;
        for (int k = 0; k < (count ? count : 1); k++) {
            r->parts = count ? options->parts.value[k] : default_parts(r->cores);
            measure(results, r, one[k], options->reps);
        }
    }
}

static int experiment(struct options *options)
{
    int64_t parts =
        list_largest(&options->parts, default_parts((int)list_largest(&options->cores, 1)));
    double need =
        bytes_needed(list_largest(&options->n, 1), parts, strchr(options->types, 'd') ? 'd' : 's');
    double missing = need - memory_available();
    if (missing > 0) {
        fprintf(stderr, "%s: %.1f GiB of memory are needed, %.1f GiB more than are available\n",
                NAME, need / (1 << 30), missing / (1 << 30));
        return EXIT_DEVICE;
    }
#ifndef HAVE_LAPACKE
    if (options->has_variant[LAPACK_GTSV])
        fprintf(stderr, "%s: built without LAPACKE: lapack_gtsv is left out\n", NAME);
    options->has_variant[LAPACK_GTSV] = false;
#endif

    struct results *results = results_open(NAME, cpu_name(), options->csv);
    if (!results)
        return EXIT_USAGE;
    int64_t done = 0, all = (int64_t)strlen(options->types) * options->n.count * VARIANTS;
    for (const char *type = options->types; *type; type++) {
        for (int i = 0; i < options->n.count; i++) {
            int64_t n = options->n.value[i];
            struct run r = run_alloc(*type, n, parts, n + 1, pscheme_work_words(n + 1, parts));
            for (r.variant = 0; r.variant < VARIANTS; r.variant++) {
                if (options->has_variant[r.variant])
                    measure_variant(results, &r, options);
                progress(NAME, ++done, all, variants[r.variant].name);
            }
            run_free(&r);
        }
    }
    return results_close(results);
}

/* ---- --check ---- */

static bool is_constant(enum tridiagonal_kind kind)
{
    return kind == TRIDIAGONAL_CONSTANT || kind == TRIDIAGONAL_POISSON;
}

/* Poisson rows have no dominance to damp anything. A chain of eq. 9-12 over M rows leaves errors of
 * M u in beta and delta, and eq. 13 takes the difference of the two, which is about 1/M: M^2 u are
 * lost. (The map has no such difference and needs no allowance.) 0: nothing is left to verify. */
static double chain_multiple(const struct run *r, enum tridiagonal_kind kind)
{
    double m = ceil((double)r->n / (double)r->parts);
    if (kind != TRIDIAGONAL_POISSON || (r->variant != EQ13 && r->variant != REPEAT))
        return MULTIPLE;
    return m * m * unit_roundoff(r->type) < 0.01 ? MULTIPLE + m * m : 0;
}

static bool same_bits(const struct run *r, const void *x, const void *y, int64_t count)
{
    return memcmp(x, y, (size_t)(count * size_of(r->type))) == 0;
}

static const int64_t check_parts[] = {1, 2, 3, 7, 64, 0}; /* 0: as many as n */
enum { CHECK_PARTS = sizeof check_parts / sizeof *check_parts };

static void check_parallel_A(char type, enum tridiagonal_kind kind, uint64_t seed, int64_t n,
                             int64_t parts, enum variant_id variant)
{
    struct run one = run_alloc(type, n, parts, n, pscheme_work_words(n, parts)), two = one;
    fill_tridiagonal(type, kind, seed, n, one.diag, one.off, one.rhs);
    one.variant = two.variant = variant;
    two.cores = 2;
    two.x = words_alloc(n, type);
    run_total(&one);
    run_total(&two);
    EXPECT(one.status == two.status, "%s %c %s n %ld parts %ld: status %ld, on two cores %ld",
           variants[variant].name, type, tridiagonal_name(kind), (long)n, (long)parts,
           (long)one.status, (long)two.status);
    if (variant == EQ13 && n > 3 && !is_constant(kind)) {
        EXPECT(one.status == PSCHEME_REFUSED, "eq. 13 %c %s n %ld parts %ld: status %ld", type,
               tridiagonal_name(kind), (long)n, (long)parts, (long)one.status);
    } else {
        double multiple = chain_multiple(&one, kind);
        struct verdict v = verify(&one, multiple);
        EXPECT(one.status == 0 && (v.ok || multiple == 0),
               "%s %c %s n %ld parts %ld: status %ld, error %g", variants[variant].name, type,
               tridiagonal_name(kind), (long)n, (long)parts, (long)one.status, v.error);
        EXPECT(same_bits(&one, one.x, two.x, n), "%s %c %s n %ld parts %ld: on two cores",
               variants[variant].name, type, tridiagonal_name(kind), (long)n, (long)parts);
    }
    free(two.x);
    run_free(&one);
}

static void check_parallel_B(char type, enum recurrence_kind kind, uint64_t seed, int64_t n,
                             int64_t parts)
{
    struct run one = run_alloc(type, n, parts, n + 1, n + 1 + parts), two = one;
    fill_recurrence(type, kind, seed, n, one.diag, one.off);
    one.variant = two.variant = RECURRENCE_PSCHEME;
    two.cores = 2;
    two.x = words_alloc(n + 1, type);
    run_total(&one);
    run_total(&two);
    struct verdict v = verify(&one, 0);
    EXPECT(v.ok, "recurrence_pscheme %c %s n %ld parts %ld: %g of what is allowed at %ld", type,
           recurrence_name(kind), (long)n, (long)parts, v.used, (long)v.worst);
    EXPECT(same_bits(&one, one.x, two.x, n + 1), "recurrence_pscheme %c %s n %ld parts %ld: cores",
           type, recurrence_name(kind), (long)n, (long)parts);
    free(two.x);
    run_free(&one);
}

static void check_size(char type, uint64_t seed, int64_t n)
{
    for (int kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
        struct run r = run_alloc(type, n, 1, n, n);
        fill_tridiagonal(type, kind, seed, n, r.diag, r.off, r.rhs);
        for (r.variant = SUBSTITUTION; r.variant <= LAPACK_GTSV; r.variant++) {
            if (r.variant == LANES)
                continue; /* check_lanes */
            if (is_parallel(r.variant)) {
                for (int k = 0; k < CHECK_PARTS; k++)
                    check_parallel_A(type, kind, seed, n, check_parts[k] ? check_parts[k] : n,
                                     r.variant);
                continue;
            }
#ifndef HAVE_LAPACKE
            if (r.variant == LAPACK_GTSV)
                continue;
#endif
            run_total(&r);
            struct verdict v = verify(&r, MULTIPLE);
            EXPECT(r.status == 0 && v.ok, "%s %c %s n %ld: status %ld, error %g",
                   variants[r.variant].name, type, tridiagonal_name(kind), (long)n, (long)r.status,
                   v.error);
        }
        run_free(&r);
    }
    for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
        struct run r = run_alloc(type, n, 1, n + 1, 1);
        fill_recurrence(type, kind, seed, n, r.diag, r.off);
        r.variant = RECURRENCE;
        run_total(&r);
        struct verdict v = verify(&r, 0);
        EXPECT(v.ok, "recurrence %c %s n %ld: %g of what is allowed at %ld", type,
               recurrence_name(kind), (long)n, v.used, (long)v.worst);
        run_free(&r);
        for (int k = 0; k < CHECK_PARTS; k++)
            check_parallel_B(type, kind, seed, n, check_parts[k] ? check_parts[k] : n);
    }
}

/* off so small that a_i / b_i overflows (where eq. 9-12 must stop short), or nearly does. */
static void check_tiny_off(char type, uint64_t seed)
{
    int64_t n = 100;
    for (int k = 0; k < CHECK_PARTS; k++) {
        int64_t parts = check_parts[k] ? check_parts[k] : n;
        struct run r = run_alloc(type, n, parts, n, pscheme_work_words(n, parts));
        fill_tridiagonal(type, TRIDIAGONAL_DOMINANT, seed, n, r.diag, r.off, r.rhs);
        for (int64_t i = 5; i < n; i += 5)
            put(type, r.off, i,
                i % 2 ? (type == 's' ? 1e-40 : 1e-310) : (type == 's' ? 1e-37 : 1e-306));
        for (r.variant = REPEAT; r.variant <= MAP; r.variant++) {
            run_total(&r);
            struct verdict v = verify(&r, MULTIPLE);
            EXPECT(r.status == 0 && v.ok, "%s %c tiny off parts %ld: status %ld, error %g",
                   variants[r.variant].name, type, (long)parts, (long)r.status, v.error);
        }
        run_free(&r);
    }
}

/* The row is known at once, from p alone: q would meet the same pivot again. */
static void expect_row(struct run *r, int64_t row, const char *what)
{
    run_p(r);
    int64_t status_p = r->status;
    run_total(r);
    EXPECT(status_p == row && r->status == row, "%s %c: %s, row %ld, status %ld of p, %ld of all",
           variants[r->variant].name, r->type, what, (long)row, (long)status_p, (long)r->status);
}

/* The limits of what counts as a pivot. With one row a part P-scheme's are substitution's, but that
 * the map squares p. */
static void check_limits(char type, uint64_t seed)
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
    int64_t n = 4, parts = 2;
    struct run r = run_alloc(type, n, parts, n, pscheme_work_words(n, parts));
    fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(type, r.diag, 1, cases[i].diag_1);
        put(type, r.off, 1, cases[i].off_1);
        put(type, r.diag, 2, cases[i].diag_2);
        put(type, r.off, 2, cases[i].off_2);
        for (r.variant = SUBSTITUTION; r.variant <= MAP; r.variant++)
            if (r.variant != EQ13)
                expect_row(&r, r.variant == MAP ? cases[i].row_map : cases[i].row, cases[i].what);
    }
    run_free(&r);
}

/* Constant coefficients whose last pivot is one unit of rounding and not zero, so that p is finite:
 * 2 cos(2 pi / 7) in single precision, where pivot_6 is -epsilon; 2 cos(pi / 5) in double, where
 * pivot_4 is epsilon. off = 1, and one row a part: no product is rounded, the pivots are the same on
 * every machine. */
static void check_limit_eq13(char type, uint64_t seed)
{
    double diag = type == 's' ? 1.2469796037174671 : 1.6180339887498949;
    int64_t row = type == 's' ? 6 : 4, n = row + 2;
    struct run r = run_alloc(type, n, row, n, pscheme_work_words(n, row));
    fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
    for (int64_t i = 1; i <= row; i++) {
        put(type, r.diag, i, diag);
        put(type, r.off, i, 1);
    }
    for (r.variant = SUBSTITUTION; r.variant <= REPEAT; r.variant++)
        expect_row(&r, row, "last pivot is epsilon");
    /* The same pivot in the chain of a part. */
    r.variant = EQ13;
    r.parts = 1;
    expect_row(&r, row, "last pivot of one part is epsilon");
    run_free(&r);
}

/* Pivots that vanish in a part taken alone, not in the system: 4 parts of 5 rows, changed just
 * before and just behind the first border. The backward chain of eq. 9-12 meets what lies before
 * it, the forward chain of the map what lies behind; the others must solve the system. */
static void check_part_pivots(char type, uint64_t seed)
{
    static const struct {
        int64_t first;
        double diag_first, diag_second;
        int64_t row_repeat, row_map;
    } cases[] = {{5, 0, 4, 5, 0}, {6, 0, 4, 0, 6}, {4, 0.5, 2, 4, 0}, {6, 2, 0.5, 0, 7}};
    int64_t n = 22, parts = 4;
    struct run r = run_alloc(type, n, parts, n, pscheme_work_words(n, parts));
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
            struct verdict v = verify(&r, MULTIPLE);
            EXPECT(row != 0 || v.ok, "%s %c: pivots of other parts, error %g",
                   variants[r.variant].name, type, v.error);
        }
    }
    run_free(&r);
}

/* Refused before anything is touched: there is nothing to touch. */
static void check_refused(char type)
{
    static const struct {
        int64_t n, parts;
        int cores;
    } cases[] = {{0, 1, 1}, {-1, 1, 1}, {4, 0, 1}, {4, -1, 1}, {4, 1, 0}, {4, 1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run r = {
            .type = type, .n = cases[i].n, .parts = cases[i].parts, .cores = cases[i].cores};
        for (r.variant = SUBSTITUTION; r.variant <= MAP; r.variant++) {
            if (r.variant == SUBSTITUTION && r.n >= 1)
                continue;
            expect_row(&r, PSCHEME_REFUSED, "n, parts or cores < 1");
            run_q(&r);
            EXPECT(r.status == PSCHEME_REFUSED, "q of %s %c n %ld parts %ld cores %d: status %ld",
                   variants[r.variant].name, type, (long)r.n, (long)r.parts, r.cores,
                   (long)r.status);
        }
    }
    int64_t status = TYPED(type, pscheme_solve, (enum pscheme_method)(PSCHEME_MAP + 1), 4, 1, 1,
                           NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    EXPECT(status == PSCHEME_REFUSED, "unknown method %c: status %ld", type, (long)status);
}

static int64_t status_of(void (*work)(void *), struct run *r)
{
    work(r);
    return r->status;
}

static bool is_filled(const void *array, int byte, size_t bytes)
{
    const unsigned char *bytes_of = array;
    size_t same = 0;
    while (same < bytes && bytes_of[same] == byte)
        same++;
    return same == bytes;
}

/* A pointer that is NULL or not aligned, of those that a phase uses, is refused and nothing is
 * written, and so are sizes whose bytes overflow or that are too small; the other pointers may be
 * NULL. */
static void check_pointers(char type, uint64_t seed)
{
    enum { DIAG = 1, OFF = 2, RHS = 4, P = 8, Q = 16, X = 32, WORK = 64, POISON = 0x5a };
    static const int used_by[PHASES] = {DIAG | OFF | P, DIAG | OFF | RHS | P | Q, P | Q | X,
                                        DIAG | OFF | RHS | P | Q | X};
    static const struct {
        int64_t n, parts;
        int cores;
    } bad[] = {{-1, 3, 1},  {INT64_MAX / 63, 3, 1},  {INT64_MAX, 3, 1}, {10, 0, 1},
               {10, -1, 1}, {10, INT64_MAX / 63, 1}, {10, 3, 0},        {10, 3, -1}};
    int64_t n = 2000, parts = 3;
    size_t word = (size_t)size_of(type), bytes = (size_t)n * word;
    struct run r = run_alloc(type, n, parts, n + 1, pscheme_work_words(n, parts) + 1);
    void *outputs[] = {r.p, r.q, r.x, r.work};
    for (r.variant = 0; r.variant < VARIANTS; r.variant++)
        for (int phase = 0; phase < PHASES; phase++) {
            if (words[r.variant][phase] == 0 || r.variant == LAPACK_GTSV)
                continue;
            fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
            int used = r.variant < RECURRENCE ? used_by[phase] : DIAG | OFF | X;
            if (is_parallel(r.variant))
                used |= WORK;
            for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
                memset(outputs[i], POISON, bytes);
            struct run good = r;
            struct expect_pointer all[] = {
                EXPECT_POINTER(r.diag, word), EXPECT_POINTER(r.off, word),
                EXPECT_POINTER(r.rhs, word),  EXPECT_POINTER(r.p, word),
                EXPECT_POINTER(r.q, word),    EXPECT_POINTER(r.x, word),
                EXPECT_POINTER(r.work, word)};
            for (int k = 0; k < 7; k++) {
                struct expect_pointer one[] = {all[k]};
                if (used >> k & 1)
                    EXPECT_POINTERS(one, status_of(phases[phase].work, &r), PSCHEME_REFUSED);
            }
            for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                bool parts_matter = is_parallel(r.variant), cores_matter = has_cores(r.variant);
                r.n = bad[i].n;
                r.parts = parts_matter ? bad[i].parts : 3;
                r.cores = cores_matter ? bad[i].cores : 1;
                if (r.n == 10 && r.parts == 3 && r.cores == 1)
                    continue;
                int64_t status = status_of(phases[phase].work, &r);
                EXPECT(status == PSCHEME_REFUSED, "%s %c %s: n %ld parts %ld cores %d: status %ld",
                       variants[r.variant].name, type, phases[phase].name, (long)r.n, (long)r.parts,
                       r.cores, (long)status);
            }
            for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
                EXPECT(is_filled(outputs[i], POISON, bytes), "%s %c %s: what was refused wrote",
                       variants[r.variant].name, type, phases[phase].name);
            r = good;
            for (int k = 0; k < 7; k++)
                if (!(used >> k & 1))
                    expect_exchange(all[k].at, NULL);
            memset(outputs[0], 0, bytes); /* an input of the phases q and x */
            memset(outputs[1], 0, bytes);
            int64_t status = status_of(phases[phase].work, &r);
            EXPECT(status == 0, "%s %c %s: NULL for what is not used: status %ld",
                   variants[r.variant].name, type, phases[phase].name, (long)status);
            r = good;
        }
    for (r.variant = RECURRENCE; r.variant <= RECURRENCE_LANES; r.variant++) {
        struct run none = {.variant = r.variant, .type = type, .parts = 1, .cores = 1, .x = r.x};
        none.work = r.work;
        EXPECT(status_of(run_total, &none) == 0 && get(type, r.x, 0) == RECURRENCE_W0,
               "%s %c: n 0 needs neither s nor t", variants[r.variant].name, type);
    }
    run_free(&r);
}

/* A pivot that is zero, not finite or nothing but rounding is reported with its row. */
static void check_pivots(char type, uint64_t seed)
{
    static const struct {
        const char *what;
        double diag, off;
    } bad[] = {{"0, 0", 0, 0},
               {"nan, 0.5", NAN, 0.5},
               {"3, nan", 3, NAN},
               {"inf, 0.5", INFINITY, 0.5},
               {"3, inf", 3, INFINITY}};
    static const int64_t rows[] = {1, 2, 50, 97, 98};
    int64_t n = 100;
    for (int k = 0; k < CHECK_PARTS; k++) {
        int64_t parts = check_parts[k] ? check_parts[k] : n;
        struct run r = run_alloc(type, n, parts, n, pscheme_work_words(n, parts));
        for (r.variant = SUBSTITUTION; r.variant <= MAP; r.variant++) {
            for (size_t b = 0; r.variant != EQ13 && b < sizeof bad / sizeof *bad; b++) {
                for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                    fill_tridiagonal(type, TRIDIAGONAL_DOMINANT, seed, n, r.diag, r.off, r.rhs);
                    put(type, r.diag, rows[i], bad[b].diag);
                    put(type, r.off, rows[i], bad[b].off);
                    run_total(&r);
                    EXPECT(r.status == rows[i], "%s %c parts %ld: row %ld is %s, status %ld",
                           variants[r.variant].name, type, (long)parts, (long)rows[i], bad[b].what,
                           (long)r.status);
                }
            }
            /* diag = off: p_1 = 1 and the second pivot is 1 - 1. The backward chain of a part meets
             * its own zero first, whose row is another. */
            for (int64_t i = 0; i < n; i++) {
                put(type, r.diag, i, 1);
                put(type, r.off, i, 1);
            }
            run_total(&r);
            EXPECT(r.variant == REPEAT ? r.status > 0 : r.status == 2,
                   "%s %c parts %ld: second pivot 0, status %ld", variants[r.variant].name, type,
                   (long)parts, (long)r.status);
        }
        /* Eq. 13 is neither for a diag that varies, be it in one row, nor for off = 0. */
        r.variant = EQ13;
        for (int64_t i = 0; i < n; i++)
            put(type, r.diag, i, i == n / 2 ? 5 : 4);
        run_total(&r);
        EXPECT(r.status == PSCHEME_REFUSED, "eq. 13 %c parts %ld: one diag differs, status %ld",
               type, (long)parts, (long)r.status);
        put(type, r.diag, n / 2, 4);
        for (int64_t i = 0; i < n; i++)
            put(type, r.off, i, 0);
        run_total(&r);
        EXPECT(r.status == PSCHEME_REFUSED, "eq. 13 %c parts %ld: off 0, status %ld", type,
               (long)parts, (long)r.status);
        run_free(&r);
    }
}

/* Each function with exactly the work that its comment asks for: a sanitizer sees one word less. */
static void check_work(char type, uint64_t seed)
{
    static const int64_t sizes[] = {1, 2, 3, 10};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int64_t n = sizes[i], parts = 1; parts <= n + 1; parts++) {
            struct run r = run_alloc(type, n, parts, n, 5 * parts);
            fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
            r.variant = REPEAT;
            run_p(&r);
            int64_t status = r.status;
            for (r.variant = EQ13; status == 0 && r.variant <= MAP; r.variant += MAP - EQ13) {
                free(r.work);
                r.work = words_alloc(3 * n, type);
                run_p(&r);
                status = r.status;
            }
            r.variant = MAP;
            free(r.work);
            r.work = words_alloc(n + parts, type);
            run_q(&r);
            run_x(&r);
            struct verdict v = verify(&r, MULTIPLE);
            EXPECT(status == 0 && r.status == 0 && v.ok, "work %c n %ld parts %ld: error %g", type,
                   (long)n, (long)parts, v.error);
            run_free(&r);
        }
    }
}

/* Lanes: n words an array and no more, for a sanitizer; the same bits on any number of cores. */
static void check_lanes_size(char type, uint64_t seed, int64_t n, int cores)
{
    struct run one = run_alloc(type, n, 1, n + 1, 1), more = one;
    more.cores = cores;
    more.x = words_alloc(n + 1, type);
    one.variant = more.variant = RECURRENCE_LANES;
    for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
        fill_recurrence(type, kind, seed, n, one.diag, one.off);
        run_total(&one);
        struct verdict v = verify(&one, 0);
        EXPECT(v.ok, "recurrence_lanes %c %s n %ld: %g of what is allowed at %ld", type,
               recurrence_name(kind), (long)n, v.used, (long)v.worst);
        if (cores > 1)
            run_total(&more);
        EXPECT(cores == 1 || same_bits(&one, one.x, more.x, n + 1),
               "recurrence_lanes %c %s n %ld: on %d cores", type, recurrence_name(kind), (long)n,
               cores);
    }
    free(one.x);
    free(more.x);
    one.x = words_alloc(n, type);
    more.x = words_alloc(n, type);
    one.variant = more.variant = LANES;
    for (int kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
        fill_tridiagonal(type, kind, seed, n, one.diag, one.off, one.rhs);
        run_total(&one);
        struct verdict v = verify(&one, MULTIPLE);
        EXPECT(one.status == 0 && v.ok, "pscheme_lanes %c %s n %ld: status %ld, error %g", type,
               tridiagonal_name(kind), (long)n, (long)one.status, v.error);
        if (cores > 1)
            run_total(&more);
        EXPECT(cores == 1 || (more.status == 0 && same_bits(&one, one.x, more.x, n)),
               "pscheme_lanes %c %s n %ld: on %d cores, status %ld", type, tridiagonal_name(kind),
               (long)n, cores, (long)more.status);
    }
    free(more.x);
    run_free(&one);
}

/* Substitution's rows and its alone: a pivot that vanishes only where a lane is taken alone is no failure. p_{row-1} = 0,
 * so that row starts afresh. */
static void check_lanes_pivots(char type, uint64_t seed)
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
            put(type, r.diag, row, cases[c].diag);
            put(type, r.off, row, cases[c].off);
            put(type, r.diag, row + 1, cases[c].diag_next);
            put(type, r.off, row + 1, cases[c].off_next);
            r.variant = SUBSTITUTION;
            run_p(&r);
            int64_t expected = r.status;
            r.variant = LANES;
            for (r.cores = 1; r.cores <= (row == 64 ? 3 : 1); r.cores++) {
                run_total(&r);
                EXPECT(r.status == expected,
                       "pscheme_lanes %c: row %ld %s, cores %d: status %ld, not %ld", type,
                       (long)row, cases[c].what, r.cores, (long)r.status, (long)expected);
            }
        }
    /* A lane's first rows are 0 x = 4 x' and the like: the pivots of the system are good. */
    r.cores = 1;
    for (int64_t row = 2; row < n - 3; row += row < 200 ? 1 : 31) {
        fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.diag, r.off, r.rhs);
        put(type, r.diag, row, 0);
        put(type, r.diag, row + 1, 4);
        run_total(&r);
        struct verdict v = verify(&r, MULTIPLE);
        EXPECT(r.status == 0 && v.ok, "pscheme_lanes %c: diag 0 in row %ld: status %ld, error %g",
               type, (long)row, (long)r.status, v.error);
    }
    run_free(&r);
    struct run none = {.variant = LANES, .type = type, .cores = 1};
    run_total(&none);
    EXPECT(none.status == PSCHEME_REFUSED, "pscheme_lanes %c n 0: status %ld", type,
           (long)none.status);
    none.n = 4;
    none.cores = 0;
    run_total(&none);
    EXPECT(none.status == PSCHEME_REFUSED, "pscheme_lanes %c, no cores: status %ld", type,
           (long)none.status);
}

/* The largest |x_i - y_i| over the largest |y_i|. */
static double difference(char type, int64_t n, const void *x, const void *y)
{
    double most = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        double here = fabs(get(type, x, i) - get(type, y, i));
        most = here <= most ? most : here; /* NaN stays: no comparison with it holds */
        size = fmax(size, fabs(get(type, y, i)));
    }
    return most > 0 ? most / size : most;
}

static void put_scaled(char type, int64_t n, int exponent, const void *from, void *to)
{
    for (int64_t i = 0; i < n; i++)
        put(type, to, i, ldexp(get(type, from, i), exponent));
}

/* A matrix times 2^matrix whose x is about 2^size: whatever lanes flush, they say what substitution
 * says. `unpaired`: a row with diag 0, which lanes cannot begin with. */
static void check_lanes_scale(const struct run *base, const char *what, int matrix, int size,
                              bool unpaired, int cores)
{
    char type = base->type;
    int64_t n = base->n;
    struct run r = run_alloc(type, n, 1, n, 1);
    void *expected = words_alloc(n, type);
    put_scaled(type, n, matrix, base->diag, r.diag);
    put_scaled(type, n, matrix, base->off, r.off);
    put_scaled(type, n, matrix + size, base->rhs, r.rhs);
    for (int64_t i = 0; i < n; i += n - 1)
        put(type, r.rhs, i, ldexp(get(type, base->rhs, i), size));
    for (int64_t row = 65; unpaired && row < n - 2; row += 32)
        put(type, r.diag, row, 0);
    run_total(&r);
    int64_t status = r.status;
    memcpy(expected, r.x, (size_t)(n * size_of(type)));
    r.variant = LANES;
    r.cores = cores;
    run_total(&r);
    double error = status == 0 ? difference(type, n, r.x, expected) : 0;
    EXPECT(r.status == status && error <= MULTIPLE * unit_roundoff(type),
           "pscheme_lanes %c %s: matrix 2^%d, x 2^%d, cores %d: status %ld, not %ld; error %g",
           type, what, matrix, size, cores, (long)r.status, (long)status, error);
    free(expected);
    run_free(&r);
}

static void check_recurrence_scale(const struct run *base, int size)
{
    char type = base->type;
    int64_t n = base->n;
    struct run r = run_alloc(type, n, 1, n + 1, 1);
    void *expected = words_alloc(n + 1, type);
    double w0 = ldexp(1, size);
    put_scaled(type, n, 0, base->diag, r.diag);
    put_scaled(type, n, size, base->off, r.off);
    TYPED(type, recurrence_serial, n, w0, r.diag, r.off, expected);
    TYPED(type, recurrence_lanes, n, 1, w0, r.diag, r.off, r.x);
    double error = difference(type, n + 1, r.x, expected);
    EXPECT(error <= MULTIPLE * unit_roundoff(type), "recurrence_lanes %c: w 2^%d: error %g", type,
           size, error);
    free(expected);
    run_free(&r);
}

/* Up to both ends of the type's range, and past them. */
static void check_lanes_range(char type, uint64_t seed)
{
    int least = type == 's' ? -150 : -1075, middle = type == 's' ? -80 : -950,
        most = type == 's' ? 125 : 1021, step = type == 's' ? 3 : 5;
    struct run base = run_alloc(type, 2300, 1, 1, 1);
    int64_t n = base.n;
    for (int e = least; e <= most; e += e < middle || e > -middle ? step : 37) {
        int cores = e % 4 == 0 ? 2 : 1;
        fill_tridiagonal(type, TRIDIAGONAL_DOMINANT, seed, n, base.diag, base.off, base.rhs);
        check_lanes_scale(&base, "dominant", 0, e, false, cores);
        check_lanes_scale(&base, "dominant", e, 0, false, cores);
        check_lanes_scale(&base, "dominant", e / 2, e - e / 2, false, cores);
        fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, base.diag, base.off, base.rhs);
        check_lanes_scale(&base, "constant", e, 0, false, cores);
        check_lanes_scale(&base, "diag 0", e, 0, true, cores);
        check_lanes_scale(&base, "diag 0", 0, e, true, cores);
        fill_recurrence(type, RECURRENCE_CONTRACTING, seed, n, base.diag, base.off);
        check_recurrence_scale(&base, e);
    }
    run_free(&base);
}

static void check_lanes(char type, uint64_t seed)
{
    for (int64_t n = 1; n <= 2000; n++)
        check_lanes_size(type, seed, n, n % 100 == 0 ? 2 + (int)(n / 100 % 2) : 1);
    static const int64_t sizes[] = {4097, 10000, 300000}; /* the last is fetched ahead */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int cores = 2; cores <= 3; cores++)
            check_lanes_size(type, seed, sizes[i], cores);
    check_lanes_pivots(type, seed);
    check_lanes_range(type, seed);
}

/* With --variant and not the first: the lanes alone, whose vectors differ from build to build. */
static int check(const struct options *options)
{
    if (!options->has_variant[SUBSTITUTION] && options->has_variant[LANES]) {
        check_lanes('s', options->seed);
        check_lanes('d', options->seed);
        return expect_done();
    }
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 1000, 4097};
    for (const char *type = "sd"; *type; type++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_size(*type, options->seed, sizes[i]);
        check_tiny_off(*type, options->seed);
        check_limits(*type, options->seed);
        check_limit_eq13(*type, options->seed);
        check_part_pivots(*type, options->seed);
        check_refused(*type);
        check_pointers(*type, options->seed);
        check_pivots(*type, options->seed);
        check_work(*type, options->seed);
        check_lanes(*type, options->seed);
    }
    return expect_done();
}

int main(int argc, char **argv)
{
    wait_passively(argv);
    /* One thread, then twice as many and twice as many, up to all. */
    char cores[128] = "1", paper[256], quick[256];
    for (int c = 2, all = omp_get_num_procs(), length = 1; c / 2 < all; c *= 2)
        length += snprintf(cores + length, sizeof cores - (size_t)length, ",%d", c < all ? c : all);
    snprintf(paper, sizeof paper, "--n 1K,4K,16K,64K,256K,1M,4M,16M --type s,d --cores %s", cores);
    snprintf(quick, sizeof quick, "--n 1K,4K,16K,64K,256K,1M --type s,d --cores %s --reps 5",
             cores);

    const struct program program = {
        .name = NAME,
        .summary =
            "Substitution against P-scheme on CPU cores (Wakatani 2012, section II, Fig. 1).\n"
            "Without --parts: the smallest multiple of the cores that is at least 8.",
        .variants = variants,
        .takes = "n parts cores type=sd",
        .paper = paper,
        .quick = quick,
        .device = cpu_name(),
    };
    struct options options;
    int status = options_parse(&program, argc, argv, &options);
    if (status >= 0)
        return status;
    return options.check ? check(&options) : experiment(&options);
}
