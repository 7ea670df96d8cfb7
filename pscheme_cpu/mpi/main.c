/* W12 (Wakatani 2012), section II: P-scheme where it comes from, on ranks that share no memory. The linear recurrence
 * (problem B) and the tridiagonal system (problem A), propagated by a chain of messages and by MPI_Exscan.
 *
 *     common/mpirun.sh -np 4 build/cpu/pscheme_mpi             a part of the rows on each of 4 ranks
 *     common/mpirun.sh -np 4 build/cpu/pscheme_mpi --quick     small sizes
 *     common/mpirun.sh -np 4 build/cpu/pscheme_mpi --check     verify everything
 *
 * Rank 0 alone reads the command line, prints and writes. It also holds the whole problem, for it makes the inputs and
 * verifies the results; what is timed knows nothing of that. */
#include "pscheme_mpi.h"

#include "mpi_program.h"
#include "problems.h"
#include "timing.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char NAME[] = "pscheme_mpi";

/* As in main.c of pscheme_cpu: units of roundoff allowed as backward error of problem A. */
enum { MULTIPLE = 16 };

enum variant_id { CHAIN, EXSCAN, TRIDIAGONAL_CHAIN, TRIDIAGONAL_EXSCAN, VARIANTS };

static const struct variant variants[] = {
    [CHAIN] = {"chain", "problem B: one word from rank to rank"},
    [EXSCAN] = {"exscan", "problem B: MPI_Exscan over the ranks' maps"},
    [TRIDIAGONAL_CHAIN] = {"tridiagonal_chain",
                           "problem A: one word from rank to rank, for p, q, x"},
    [TRIDIAGONAL_EXSCAN] = {"tridiagonal_exscan", "problem A: MPI_Exscan over the maps of p, q, x"},
    {NULL, NULL},
};

static bool is_tridiagonal(enum variant_id v)
{
    return v == TRIDIAGONAL_CHAIN || v == TRIDIAGONAL_EXSCAN;
}

static enum pscheme_mpi_how how_of(enum variant_id v)
{
    return v == CHAIN || v == TRIDIAGONAL_CHAIN ? PSCHEME_MPI_CHAIN : PSCHEME_MPI_EXSCAN;
}

static struct pscheme_mpi mpi;

/* The phases that are timed and the words that each must move for one row (see README.md). */
enum { PHASES = 3, TOTAL = PHASES, TIMES };
static const char *const phases[TIMES] = {"precompute", "propagate", "determine", "total"};
static const int words_A[TIMES] = {15, 0, 10, 25}, words_B[TIMES] = {4, 0, 3, 7};

/* One run. Problem B keeps s, t, w in diag, off, x. */
struct run {
    enum variant_id variant;
    char type;
    int64_t n, m, start;
    void *diag, *off, *rhs, *x, *work;                  /* this rank's */
    void *whole_diag, *whole_off, *whole_rhs, *whole_x; /* rank 0's */
    int64_t status;
};

#define TYPED(type, function, ...)                                                                 \
    ((type) == 's' ? function##_s(__VA_ARGS__) : function##_d(__VA_ARGS__))

static void run_total(struct run *r, double *seconds)
{
    if (is_tridiagonal(r->variant))
        r->status = TYPED(r->type, pscheme_mpi_solve, &mpi, how_of(r->variant), r->n, r->diag,
                          r->off, r->rhs, r->x, r->work, seconds);
    else
        r->status = TYPED(r->type, pscheme_mpi_recurrence, &mpi, how_of(r->variant), r->n,
                          RECURRENCE_W0, r->diag, r->off, r->x, r->work, seconds);
}

/* ---- memory and distribution ---- */

/* Bytes of all that a rank allocates. */
static double bytes_needed(int64_t n, char type)
{
    int64_t start, m = pscheme_mpi_rows(n, ranks, rank, &start);
    double words = 4.0 * (double)(m + 2) + (double)pscheme_mpi_work_words(m);
    if (rank == 0)
        words += 4.0 * (double)(n + 1);
    return words * size_of(type);
}

/* NaN, so that a word that a rank does not have, but uses, is seen. */
static void words_clear(int64_t count, char type, void *array)
{
    for (int64_t i = 0; i < count; i++)
        put(type, array, i, NAN);
}

/* NULL without memory. */
static void *words_alloc(int64_t count, char type)
{
    void *array = malloc((size_t)(count * size_of(type)));
    if (array)
        words_clear(count, type, array);
    return array;
}

static void run_free(struct run *r)
{
    void *arrays[] = {r->diag,       r->off,       r->rhs,       r->x,      r->work,
                      r->whole_diag, r->whole_off, r->whole_rhs, r->whole_x};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

/* False on all ranks if one of them has no memory. The sizes are exactly those that the solvers ask for, so that a
 * sanitizer can tell. */
static bool run_alloc(struct run *r, enum variant_id variant, char type, int64_t n)
{
    bool tridiagonal = is_tridiagonal(variant);
    int64_t rows = tridiagonal ? (n > 2 ? n - 2 : 0) : n;
    *r = (struct run){.variant = variant, .type = type, .n = n};
    r->m = pscheme_mpi_rows(rows, ranks, rank, &r->start);
    int64_t given = tridiagonal ? r->m + 2 : r->m;
    int have = (r->diag = words_alloc(given, type)) && (r->off = words_alloc(given, type)) &&
               (r->rhs = words_alloc(given, type)) &&
               (r->x = words_alloc(tridiagonal ? r->m + 2 : r->m + 1, type)) &&
               (r->work = words_alloc(tridiagonal ? pscheme_mpi_work_words(r->m) : r->m + 1, type));
    if (rank == 0)
        have = have && (r->whole_diag = words_alloc(n, type)) &&
               (r->whole_off = words_alloc(n, type)) && (r->whole_rhs = words_alloc(n, type)) &&
               (r->whole_x = words_alloc(n + 1, type));
    int all_have;
    MPI_Allreduce(&have, &all_have, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all_have)
        run_free(r);
    return all_have;
}

/* A rank's own words of an array: `count` of them from index `local` there, from index `global` of the whole. */
struct span {
    int64_t local, global, count;
};

/* Problem A: its rows, and at the ends those of the system, of which n = 1 has but one. */
static struct span span_rows(int64_t n, int k)
{
    int64_t start, m = pscheme_mpi_rows(n > 2 ? n - 2 : 0, ranks, k, &start);
    int64_t first = k == 0 ? 0 : 1, last = k == ranks - 1 ? m + 1 : m;
    last = start + last < n ? last : n - 1 - start;
    return (struct span){first, start + first, last - first + 1};
}

/* Problem B: s and t; w with w_0. */
static struct span span_coefficients(int64_t n, int k)
{
    int64_t start, m = pscheme_mpi_rows(n, ranks, k, &start);
    return (struct span){0, start, m};
}

static struct span span_w(int64_t n, int k)
{
    int64_t start, m = pscheme_mpi_rows(n, ranks, k, &start);
    return k == 0 ? (struct span){0, 0, m + 1} : (struct span){1, start + 1, m};
}

enum direction { SCATTER, GATHER };

/* Between rank 0's whole array and the ranks' own words. */
static void distribute(enum direction direction, const struct run *r,
                       struct span (*span_of)(int64_t n, int k), char *whole, char *local)
{
    int64_t word = size_of(r->type);
    for (int k = 0; k < ranks; k++) {
        struct span span = span_of(r->n, k);
        int64_t bytes = span.count * word;
        char *here = k == rank ? local + span.local * word : NULL;
        char *there = rank == 0 ? whole + span.global * word : NULL;
        if (k == 0 && rank == 0)
            memcpy(direction == SCATTER ? here : there, direction == SCATTER ? there : here,
                   (size_t)bytes);
        else if (rank == 0 && direction == SCATTER)
            send_bytes(there, bytes, k);
        else if (rank == 0)
            receive_bytes(there, bytes, k);
        else if (k == rank && direction == SCATTER)
            receive_bytes(here, bytes, 0);
        else if (k == rank)
            send_bytes(here, bytes, 0);
    }
}

static void scatter(struct run *r)
{
    bool tridiagonal = is_tridiagonal(r->variant);
    struct span (*span_of)(int64_t, int) = tridiagonal ? span_rows : span_coefficients;
    distribute(SCATTER, r, span_of, r->whole_diag, r->diag);
    distribute(SCATTER, r, span_of, r->whole_off, r->off);
    if (tridiagonal)
        distribute(SCATTER, r, span_of, r->whole_rhs, r->rhs);
}

/* The verdict is rank 0's; elsewhere it says nothing. */
static struct verdict verify(struct run *r)
{
    bool tridiagonal = is_tridiagonal(r->variant);
    distribute(GATHER, r, tridiagonal ? span_rows : span_w, r->whole_x, r->x);
    if (rank != 0)
        return (struct verdict){.ok = false};
    if (tridiagonal)
        return verify_tridiagonal(r->type, r->n, r->whole_diag, r->whole_off, r->whole_rhs,
                                  r->whole_x, MULTIPLE);
    return verify_recurrence(r->type, r->n, RECURRENCE_W0, r->whole_diag, 1, r->whole_off, 1,
                             r->whole_x);
}

/* ---- the experiment ---- */

/* From when the first rank is let go to when the last one is done: each waits for all before it looks at its clock, as ranks
 * that share a core start late. A sample is one call, however short: between two calls the ranks must wait for each other, or
 * the first would run ahead of the others. */
static double sample_total(struct run *r)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = clock_ms();
    run_total(r, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    double ms = clock_ms() - start, slowest;
    MPI_Allreduce(&ms, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void sample_phases(struct run *r, double slowest_ms[PHASES])
{
    double seconds[PHASES] = {0};
    run_total(r, seconds);
    MPI_Allreduce(seconds, slowest_ms, PHASES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int phase = 0; phase < PHASES; phase++)
        slowest_ms[phase] *= 1e3;
}

/* Verify, which is the warm-up too, then time, again if other load disturbed that. All ranks count
 * the same times and so stop together. */
static void measure(struct results *results, struct run *r, int reps)
{
    static double ms[TIMES][1000]; /* --reps allows no more */
    static struct timing_sample of_phases[1000], of_total[1000];
    run_total(r, NULL);
    struct verdict verdict = verify(r);
    int ok = r->status == 0 && verdict.ok, count = 0;
    bool phases_disturbed = false, total_disturbed = false;
    MPI_Bcast(&ok, 1, MPI_INT, 0, MPI_COMM_WORLD);
    double begun = 0, spent = 0;
    for (int i = 0; ok && i <= REPEATS_MOST; i++, begun = spent) {
        for (count = 0;
             count < reps && (count < SAMPLES_LEAST || spent - begun < 1e3 * TIMING_SECONDS);
             count++) {
            double now[TIMES], sum = 0;
            struct timing_sample before = timing_usage();
            sample_phases(r, now);
            for (int phase = 0; phase < PHASES; phase++)
                sum += now[phase];
            of_phases[count] = mpi_program_sample(before, sum);
            before = timing_usage();
            now[TOTAL] = sample_total(r);
            of_total[count] = mpi_program_sample(before, now[TOTAL]);
            for (int t = 0; t < TIMES; t++) {
                ms[t][count] = now[t];
                spent += now[t];
            }
        }
        phases_disturbed = mpi_program_disturbed(of_phases, count, 1, 1);
        total_disturbed = mpi_program_disturbed(of_total, count, 1, 1);
        if ((!phases_disturbed && !total_disturbed) || spent > 1e3 * TIMING_SECONDS)
            break;
    }
    for (int t = 0; rank == 0 && t < TIMES; t++) {
        int words = (is_tridiagonal(r->variant) ? words_A : words_B)[t];
        struct row row = {
            .variant = variants[r->variant].name,
            .type = r->type,
            .n = r->n,
            .parts = ranks,
            .ranks = ranks,
            .phase = phases[t],
            .device = cpu_name(),
            .time = ok ? timing_summary("clock", ms[t], count) : timing_none(),
            .bytes = (double)words * (double)r->n * size_of(r->type),
            .error = verdict.error,
            .status = r->status > 0   ? "zero pivot"
                      : r->status < 0 ? "refused"
                      : verdict.ok    ? "ok"
                                      : "wrong",
        };
        row.time.disturbed = t == TOTAL ? total_disturbed : phases_disturbed;
        results_add(results, &row);
    }
}

static void fill(struct run *r, uint64_t seed)
{
    if (rank == 0 && is_tridiagonal(r->variant))
        fill_tridiagonal(r->type, TRIDIAGONAL_CONSTANT, seed, r->n, r->whole_diag, r->whole_off,
                         r->whole_rhs);
    for (int64_t i = 0; rank == 0 && !is_tridiagonal(r->variant) && i < r->n; i++) {
        put(r->type, r->whole_diag, i, RECURRENCE_SCALE);
        put(r->type, r->whole_off, i, RECURRENCE_OFFSET);
    }
    scatter(r);
}

/* The statuses of experiment() and check() are rank 0's. */
static int experiment(const struct options *options)
{
    double need =
        bytes_needed(list_largest(&options->n, 1), strchr(options->types, 'd') ? 'd' : 's');
    double missing = mpi_program_missing(need), all_need;
    MPI_Reduce(&need, &all_need, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (missing > 0) {
        if (rank == 0)
            fprintf(stderr, "%s: %.1f GiB of memory are needed, %.1f GiB more than are available\n",
                    NAME, all_need / (1 << 30), missing / (1 << 30));
        return EXIT_DEVICE;
    }
    struct results *results;
    if (!mpi_program_results(NAME, cpu_name(), options->csv, &results))
        return EXIT_USAGE;
    int64_t done = 0, all = (int64_t)strlen(options->types) * options->n.count * VARIANTS;
    for (const char *type = options->types; *type; type++) {
        for (int i = 0; i < options->n.count; i++) {
            for (enum variant_id v = 0; v < VARIANTS; v++) {
                if (options->has_variant[v]) {
                    struct run r;
                    if (!run_alloc(&r, v, *type, options->n.value[i])) {
                        if (rank == 0)
                            fprintf(stderr, "%s: out of memory\n", NAME);
                        return EXIT_DEVICE;
                    }
                    fill(&r, options->seed);
                    measure(results, &r, options->reps);
                    run_free(&r);
                }
                if (rank == 0)
                    progress(NAME, ++done, all, variants[v].name);
            }
        }
    }
    return rank == 0 ? results_close(results) : EXIT_VERIFIED;
}

/* ---- --check ---- */

/* On rank 0: pscheme_cpu with as many parts as ranks, in a memory of its own. */
static bool same_as_parts(const struct run *r)
{
    char type = r->type;
    int64_t n = r->n, status = 0, count = is_tridiagonal(r->variant) ? n : n + 1;
    void *p = words_alloc(n, type), *q = words_alloc(n, type), *x = words_alloc(n + 1, type);
    void *work = words_alloc(pscheme_work_elements(n + 1, ranks), type);
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

/* The system has been distributed. Timed phases must not change the result. */
static void check_run(struct run *r, bool timed, const char *what)
{
    double seconds[PHASES] = {0};
    words_clear(is_tridiagonal(r->variant) ? r->m + 2 : r->m + 1, r->type, r->x);
    run_total(r, timed ? seconds : NULL);
    bool agreed = is_agreed(r->status);
    struct verdict v = verify(r);
    EXPECT_0(agreed, "%s %c %s n %ld: another status than %ld on other ranks",
             variants[r->variant].name, r->type, what, (long)r->n, (long)r->status);
    EXPECT_0(r->status == 0 && v.ok, "%s %c %s n %ld: status %ld, error %g, %g of what is allowed",
             variants[r->variant].name, r->type, what, (long)r->n, (long)r->status, v.error,
             v.used);
    if (how_of(r->variant) == PSCHEME_MPI_CHAIN)
        EXPECT_0(same_as_parts(r), "%s %c %s n %ld: not what %d parts give",
                 variants[r->variant].name, r->type, what, (long)r->n, ranks);
    if (timed)
        EXPECT_0(seconds[0] >= 0 && seconds[1] > 0 && seconds[2] >= 0,
                 "%s %c: phases of %g, %g, %g s", variants[r->variant].name, r->type, seconds[0],
                 seconds[1], seconds[2]);
}

static void check_alloc(struct run *r, enum variant_id variant, char type, int64_t n)
{
    if (!run_alloc(r, variant, type, n)) {
        fprintf(stderr, "%s: out of memory\n", NAME);
        exit(EXIT_DEVICE);
    }
}

static void check_size(char type, uint64_t seed, int64_t n)
{
    for (int kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
        struct run r;
        check_alloc(&r, TRIDIAGONAL_CHAIN, type, n);
        if (rank == 0)
            fill_tridiagonal(type, kind, seed, n, r.whole_diag, r.whole_off, r.whole_rhs);
        scatter(&r);
        for (; r.variant <= TRIDIAGONAL_EXSCAN; r.variant++)
            check_run(&r, n == 1000, tridiagonal_name(kind));
        run_free(&r);
    }
    for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
        struct run r;
        check_alloc(&r, CHAIN, type, n);
        if (rank == 0)
            fill_recurrence(type, kind, seed, n, r.whole_diag, r.whole_off);
        scatter(&r);
        for (; r.variant <= EXSCAN; r.variant++)
            check_run(&r, n == 1000, recurrence_name(kind));
        run_free(&r);
    }
}

/* Compose `count` maps of `words` words as a tree, pairs, pairs of pairs, … (count a power of 2), and return the value at
 * 0 of the whole. */
static double tree(char type, const struct pscheme_mpi_map *map, int words, int count, char *maps)
{
    int bytes = words * size_of(type);
    for (int step = 1; step < count; step *= 2)
        for (int i = 2 * step - 1; i < count; i += 2 * step)
            MPI_Reduce_local(maps + (i - step) * bytes, maps + i * bytes, 1, map->words,
                             map->compose);
    return get(type, maps, (int64_t)words * (count - 1));
}

/* The first rank's map is constant, and so few ranks compose no two maps that are not. Here maps of single rows are
 * composed whatever the ranks are. The tree from 0 must give p of the last row by substitution, and w of problem B.
 * Neither forgets what lies behind (heat rows are barely dominant, |s| is near 1); a unit of roundoff a row is
 * allowed, of w's bound. */
static void check_composition(char type, uint64_t seed)
{
    enum { ROWS = 64 };
    double diag[ROWS + 2], off[ROWS + 2], rhs[ROWS + 2], p[ROWS + 2];
    double s[ROWS], t[ROWS], w[ROWS + 1], moebius[3 * ROWS], affine[2 * ROWS];
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
    double tree_p =
        tree(type, type == 's' ? &mpi.moebius_s : &mpi.moebius_d, 3, ROWS, (char *)moebius);
    double tree_w =
        tree(type, type == 's' ? &mpi.affine_s : &mpi.affine_d, 2, ROWS, (char *)affine);
    EXPECT_0(fabs(tree_p - p[ROWS]) <= ROWS * u, "%c: p %.17g of composed maps, not %.17g", type,
             tree_p, p[ROWS]);
    EXPECT_0(fabs(tree_w - w[ROWS]) <= ROWS * u * ROWS, "%c: w %.17g of composed maps, not %.17g",
             type, tree_w, w[ROWS]);

    /* Of the pivot of these two nothing is left but rounding. */
    const double rounding[6] = {1, 1, -1, 1, 1, -(1 - 2 * u)};
    for (int k = 0; k < 6; k++)
        put(type, moebius, k, rounding[k]);
    tree_p = tree(type, type == 's' ? &mpi.moebius_s : &mpi.moebius_d, 3, 2, (char *)moebius);
    EXPECT_0(isnan(tree_p), "%c: p %.17g beyond a pivot of epsilon", type, tree_p);
}

/* A bad pivot is reported with its row, on all ranks, wherever it is. */
static void check_pivots(char type, uint64_t seed, enum variant_id variant)
{
    static const int64_t rows[] = {1, 2, 50, 97, 98};
    int64_t n = 100;
    struct run r;
    check_alloc(&r, variant, type, n);
    for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
        bool each = i == sizeof rows / sizeof *rows; /* diag = off in all rows: pivot_2 is 1 - 1 */
        int64_t row = each ? 2 : rows[i];
        if (rank == 0) {
            fill_tridiagonal(type, TRIDIAGONAL_DOMINANT, seed, n, r.whole_diag, r.whole_off,
                             r.whole_rhs);
            for (int64_t j = 0; j < n; j++) {
                if (each || j == row) {
                    put(type, r.whole_diag, j, each ? 1 : 0);
                    put(type, r.whole_off, j, each ? 1 : 0);
                }
            }
        }
        scatter(&r);
        run_total(&r, NULL);
        bool agreed = is_agreed(r.status);
        EXPECT_0(agreed && r.status == row, "%s %c: row %ld, status %ld", variants[variant].name,
                 type, (long)row, (long)r.status);
        if (how_of(variant) == PSCHEME_MPI_CHAIN)
            EXPECT_0(same_as_parts(&r), "%s %c: row %ld, not the status of %d parts",
                     variants[variant].name, type, (long)row, ranks);
    }
    run_free(&r);
}

/* Two bad pivots that different sweeps find: p before the second rank's first row is 1 and makes that row's pivot 1 - 1,
 * which only determination sees; row 98 is 0, which pre-computation sees and pscheme_cpu therefore reports. */
static void check_order(char type, uint64_t seed, enum variant_id variant)
{
    int64_t n = 100, bad = 98, border = n / 2;
    struct run r;
    check_alloc(&r, variant, type, n);
    if (ranks > 1)
        pscheme_mpi_rows(n - 2, ranks, 1, &border);
    for (int both = 0; both < 2; both++) {
        if (rank == 0) {
            fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, n, r.whole_diag, r.whole_off,
                             r.whole_rhs);
            put(type, r.whole_off, border - 1, 0);
            put(type, r.whole_diag, border, 1);
            put(type, r.whole_diag, border + 1, 1);
            put(type, r.whole_diag, bad, both ? 0 : 4);
            put(type, r.whole_off, bad, both ? 0 : 1);
        }
        scatter(&r);
        run_total(&r, NULL);
        bool agreed = is_agreed(r.status);
        int64_t row = both && ranks > 1 ? bad : border + 1;
        EXPECT_0(agreed && r.status == row && same_as_parts(&r), "%s %c: row %ld, status %ld",
                 variants[variant].name, type, (long)row, (long)r.status);
    }
    run_free(&r);
}

/* diag = off = 1 behind a first row of 4: p goes 1/4, 4/3, -3, 1/4, … and no pivot is small, but two rows taken alone
 * are singular. With one row a rank no part is. The chain must solve it; a scan may compose two such ranks, and
 * then must say so. */
static void check_group_pivots(char type, uint64_t seed, enum variant_id variant)
{
    struct run r;
    check_alloc(&r, variant, type, ranks + 2);
    if (rank == 0) {
        fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, seed, r.n, r.whole_diag, r.whole_off,
                         r.whole_rhs);
        for (int64_t i = 2; i <= ranks; i++)
            put(type, r.whole_diag, i, 1);
    }
    scatter(&r);
    run_total(&r, NULL);
    bool agreed = is_agreed(r.status);
    struct verdict v = verify(&r);
    if (how_of(variant) == PSCHEME_MPI_CHAIN)
        EXPECT_0(agreed && r.status == 0 && v.ok && same_as_parts(&r),
                 "%s %c one row a rank: status %ld, error %g", variants[variant].name, type,
                 (long)r.status, v.error);
    else
        EXPECT_0(agreed && (r.status == 0 ? v.ok : r.status > 0),
                 "%s %c one row a rank: status %ld, error %g", variants[variant].name, type,
                 (long)r.status, v.error);
    run_free(&r);
}

/* Refused before anything is touched: there is nothing to touch. */
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

/* A pointer of one rank that is NULL or not aligned: all ranks come back, this one has touched
 * nothing, and nobody takes the result for one. */
static void check_pointers(char type, uint64_t seed, enum variant_id variant)
{
    struct run r;
    check_alloc(&r, variant, type, 50);
    fill(&r, seed);
    double seconds[PHASES] = {0};
    int64_t outputs = is_tridiagonal(variant) ? r.m + 2 : r.m + 1;
    void *x = r.x, *timed = seconds;
    struct {
        void **at;
        size_t alignment;
    } pointers[] = {{&r.diag, (size_t)size_of(type)}, {&r.off, (size_t)size_of(type)},
                    {&r.x, (size_t)size_of(type)},    {&r.work, (size_t)size_of(type)},
                    {&timed, sizeof *seconds},        {&r.rhs, (size_t)size_of(type)}};
    size_t count = is_tridiagonal(variant) ? 6 : 5;
    int bad = ranks / 2; /* of three ranks the one between */
    for (size_t k = 0; k < count; k++)
        for (int aligned = 0; aligned < 2; aligned++) {
            void *good = *pointers[k].at;
            if (aligned && good == seconds) /* may be NULL, if all have none */
                continue;
            words_clear(outputs, type, x);
            if (rank == bad)
                *pointers[k].at = aligned ? NULL : (char *)good + pointers[k].alignment / 2;
            run_total(&r, timed);
            *pointers[k].at = good;
            bool touched = false, numbers = true;
            for (int64_t i = 1; i < outputs; i++) {
                touched |= !isnan(get(type, x, i));
                numbers &= !isnan(get(type, x, i));
            }
            int as_said = is_tridiagonal(variant)
                              ? r.status == PSCHEME_REFUSED && (rank != bad || !touched)
                          : rank < bad  ? r.status == 0 && numbers
                          : rank == bad ? r.status == PSCHEME_REFUSED && !touched
                                        : r.status == 0 && !touched;
            int everywhere;
            MPI_Allreduce(&as_said, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
            EXPECT_0(everywhere, "%s %c: pointer %d of rank %d %s", variants[variant].name, type,
                     (int)k, bad, aligned ? "NULL" : "not aligned");
        }
    run_total(&r, NULL);
    struct verdict v = verify(&r);
    EXPECT_0(r.status == 0 && v.ok, "%s %c after all that: status %ld", variants[variant].name,
             type, (long)r.status);
    run_free(&r);
}

static int check(const struct options *options)
{
    const int64_t sizes[] = {1,  2,    3,   ranks + 1,
                             31, 1000, 4097}; /* ranks + 1: one rank has no row */
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

int main(int argc, char **argv)
{
    wait_passively(argv);
    const struct program program = {
        .name = NAME,
        .summary = "P-scheme over MPI ranks (Wakatani 2012, section II). Run by common/mpirun.sh "
                   "-np RANKS.",
        .variants = variants,
        .takes = "n type=sd",
        .paper = "--n 256K,1M,4M,16M --type s,d",
        .quick = "--n 64K,256K,1M --type s,d --reps 5",
        .device = cpu_name(),
    };
    struct options options;
    int status = mpi_program_begin(&program, argc, argv, &options);
    if (status < 0) {
        if (pscheme_mpi_open(MPI_COMM_WORLD, &mpi) != 0)
            MPI_Abort(MPI_COMM_WORLD, EXIT_DEVICE);
        status = options.check ? check(&options) : experiment(&options);
        pscheme_mpi_close(&mpi);
    }
    return mpi_program_end(status);
}
