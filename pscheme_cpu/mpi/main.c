/* W12 (Wakatani 2012), section II: P-scheme on MPI ranks, which share no memory, as the paper
 * designed it, for problems A and B. Propagation uses a chain of messages or MPI_Exscan.
 *
 *     common/mpirun.sh -np 4 build/cpu/pscheme_mpi           4 ranks, each with a part of the rows
 *
 * Rank 0 stores the complete problem, makes the inputs from it and verifies the results. The timed
 * code does not use these arrays. */
#include "main.h"

#include "expect.h"
#include "timing.h"

#include <math.h>
#include <stdlib.h>

static const char NAME[] = "pscheme_mpi";

struct pscheme_mpi mpi;

const struct variant variants[] = {
    {.name = "chain", .what = "problem B: one element from rank to rank"},
    {.name = "exscan", .what = "problem B: MPI_Exscan over the ranks' maps"},
    {.name = "tridiagonal_chain", .what = "problem A: one element from rank to rank, for p, q, x"},
    {.name = "tridiagonal_exscan", .what = "problem A: MPI_Exscan over the maps of p, q, x"},
    {.name = NULL},
};

bool is_tridiagonal(enum variant_id v)
{
    return v == TRIDIAGONAL_CHAIN || v == TRIDIAGONAL_EXSCAN;
}

enum pscheme_mpi_how how_of(enum variant_id v)
{
    return v == CHAIN || v == TRIDIAGONAL_CHAIN ? PSCHEME_MPI_CHAIN : PSCHEME_MPI_EXSCAN;
}

/* The timed phases, and the smallest number of elements that each can read and write for a row in
 * problems A and B. */
enum { TOTAL = PHASES, TIMES };
static const char *const phases[TIMES] = {"precompute", "propagate", "determine", "total"};
static const int moved_A[TIMES] = {15, 0, 10, 25}, moved_B[TIMES] = {4, 0, 3, 7};

void solve(struct run *r, double *seconds)
{
    if (is_tridiagonal(r->variant))
        r->status = TYPED(r->type, pscheme_mpi_solve, &mpi, how_of(r->variant), r->n, r->diag,
                          r->off, r->rhs, r->x, r->work, seconds);
    else
        r->status = TYPED(r->type, pscheme_mpi_recurrence, &mpi, how_of(r->variant), r->n,
                          RECURRENCE_W0, r->diag, r->off, r->x, r->work, seconds);
}

/* ---- memory and distribution ---- */

static double bytes_needed(int64_t n, char type)
{
    int64_t start, m = pscheme_mpi_rows(n, ranks, rank, &start);
    double elements = 4.0 * (double)(m + 2) + (double)pscheme_mpi_work_elements(m);
    if (rank == 0)
        elements += 4.0 * (double)(n + 1);
    return elements * size_of(type);
}

void elements_clear(int64_t count, char type, void *array)
{
    for (int64_t i = 0; i < count; i++)
        put(type, array, i, NAN);
}

void *elements_alloc(int64_t count, char type)
{
    void *array = malloc((size_t)(count * size_of(type)));
    if (array)
        elements_clear(count, type, array);
    return array;
}

int64_t x_elements(const struct run *r)
{
    return is_tridiagonal(r->variant) ? r->m + 2 : r->m + 1;
}

void run_free(struct run *r)
{
    void *arrays[] = {r->diag,       r->off,       r->rhs,       r->x,      r->work,
                      r->whole_diag, r->whole_off, r->whole_rhs, r->whole_x};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

struct run run_alloc(enum variant_id variant, char type, int64_t n)
{
    bool tridiagonal = is_tridiagonal(variant);
    struct run r = {.variant = variant, .type = type, .n = n};
    r.m = pscheme_mpi_rows(tridiagonal ? (n > 2 ? n - 2 : 0) : n, ranks, rank, &r.start);
    int64_t input = tridiagonal ? r.m + 2 : r.m;
    const struct {
        void **array;
        int64_t elements;
    } all[] = {{&r.diag, input},
               {&r.off, input},
               {&r.rhs, input},
               {&r.x, x_elements(&r)},
               {&r.work, tridiagonal ? pscheme_mpi_work_elements(r.m) : r.m + 1},
               {&r.whole_diag, n},
               {&r.whole_off, n},
               {&r.whole_rhs, n},
               {&r.whole_x, n + 1}};
    int have = 1, all_have;
    for (int k = 0; k < (rank == 0 ? 9 : 5); k++)
        have = have && (*all[k].array = elements_alloc(all[k].elements, type));
    MPI_Allreduce(&have, &all_have, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all_have) {
        if (rank == 0)
            fprintf(stderr, "%s: out of memory\n", NAME);
        run_free(&r);
        exit(mpi_program_end(EXIT_DEVICE));
    }
    return r;
}

/* The part of an array that a rank owns: `count` elements from index `local` of its own array and
 * from index `global` of the array of all rows. */
struct span {
    int64_t local, global, count;
};

/* ROWS: the arrays of problem A. COEFFICIENTS: s and t of problem B. RESULT: w of problem B. */
enum kind { ROWS, COEFFICIENTS, RESULT };

static struct span span_of(enum kind kind, int64_t n, int k)
{
    int64_t start, m = pscheme_mpi_rows(kind != ROWS ? n : n > 2 ? n - 2 : 0, ranks, k, &start);
    if (kind == COEFFICIENTS)
        return (struct span){0, start, m};
    /* Only the first rank owns element 0 of its array, and only the last rank owns element m + 1
     * (problem A). */
    int64_t first = k == 0 ? 0 : 1, last = kind == ROWS && k == ranks - 1 ? m + 1 : m;
    if (kind == ROWS && start + last >= n) /* with n = 1 there is no last row */
        last = n - 1 - start;
    return (struct span){first, start + first, last - first + 1};
}

enum direction { SCATTER, GATHER };

/* Copies between `whole`, the array of rank 0 with all rows, and `local`, the array of this
 * rank. */
static void distribute(enum direction direction, enum kind kind, const struct run *r, char *whole,
                       char *local)
{
    int64_t size = size_of(r->type);
    for (int k = 0; k < ranks; k++) {
        struct span span = span_of(kind, r->n, k);
        int64_t bytes = span.count * size;
        char *here = k == rank ? local + span.local * size : NULL;
        char *there = rank == 0 ? whole + span.global * size : NULL;
        char *from = direction == SCATTER ? there : here, *to = direction == SCATTER ? here : there;
        int sender = direction == SCATTER ? 0 : k, receiver = direction == SCATTER ? k : 0;
        if (rank == sender && rank == receiver)
            memcpy(to, from, (size_t)bytes);
        else if (rank == sender)
            send_bytes(from, bytes, receiver);
        else if (rank == receiver)
            receive_bytes(to, bytes, sender);
    }
}

void scatter(struct run *r)
{
    enum kind kind = is_tridiagonal(r->variant) ? ROWS : COEFFICIENTS;
    distribute(SCATTER, kind, r, r->whole_diag, r->diag);
    distribute(SCATTER, kind, r, r->whole_off, r->off);
    if (kind == ROWS)
        distribute(SCATTER, kind, r, r->whole_rhs, r->rhs);
}

void fill(struct run *r, uint64_t seed)
{
    if (rank == 0)
        fill_constant(!is_tridiagonal(r->variant), r->type, seed, r->n, r->whole_diag, r->whole_off,
                      r->whole_rhs);
    scatter(r);
}

struct verdict verify(struct run *r)
{
    bool tridiagonal = is_tridiagonal(r->variant);
    distribute(GATHER, tridiagonal ? ROWS : RESULT, r, r->whole_x, r->x);
    if (rank != 0)
        return (struct verdict){.ok = false};
    return verify_problem(!tridiagonal, r->type, r->n, RECURRENCE_W0, r->whole_diag, r->whole_off,
                          r->whole_rhs, r->whole_x, ROUNDOFF_UNITS);
}

/* ---- the experiment ---- */

/* The ms until the last rank has finished. Every rank waits for all others before it reads its
 * clock, because ranks that share a core may start late. A sample is one call, however short: with
 * several the first rank could start the next call before the others have finished. */
static double sample_total(struct run *r)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = clock_ms();
    solve(r, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    double ms = clock_ms() - start, slowest;
    MPI_Allreduce(&ms, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* Sets slowest_ms[] to the time of each phase on its slowest rank. */
static void sample_phases(struct run *r, double slowest_ms[PHASES])
{
    double seconds[PHASES] = {0};
    solve(r, seconds);
    MPI_Allreduce(seconds, slowest_ms, PHASES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int phase = 0; phase < PHASES; phase++)
        slowest_ms[phase] *= 1e3;
}

/* Verifies the variant, which is the warm-up, and then takes samples of the phases and of the total
 * in turn, again if other load disturbed them. The conditions of the loops use times that are the
 * same on all ranks, so all stop at the same sample. */
static void measure(struct results *results, struct run *r, int reps)
{
    static double ms[TIMES][1000]; /* --reps is at most 1000 */
    static struct timing_sample of_phases[1000], of_total[1000];
    solve(r, NULL);
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
        int elements = (is_tridiagonal(r->variant) ? moved_A : moved_B)[t];
        struct row row = {
            .variant = variants[r->variant].name,
            .type = r->type,
            .n = r->n,
            .parts = ranks,
            .ranks = ranks,
            .phase = phases[t],
            .device = cpu_name(),
            .time = ok ? timing_summary("clock", ms[t], count) : timing_none(),
            .bytes = (double)elements * (double)r->n * size_of(r->type),
            .error = verdict.error,
            .status = outcome(r->status, verdict),
        };
        row.time.disturbed = t == TOTAL ? total_disturbed : phases_disturbed;
        results_add(results, &row);
    }
}

/* Returns the exit status, which is valid on rank 0 only. */
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
    for (const char *type = options->types; *type; type++)
        for (int i = 0; i < options->n.count; i++)
            for (enum variant_id v = 0; v < VARIANTS; v++) {
                if (options->has_variant[v]) {
                    struct run r = run_alloc(v, *type, options->n.value[i]);
                    fill(&r, options->seed);
                    measure(results, &r, options->reps);
                    run_free(&r);
                }
                if (rank == 0)
                    progress(NAME, ++done, all, variants[v].name);
            }
    return rank == 0 ? results_close(results) : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    wait_passively(argv);
    const struct program program = {
        .name = NAME,
        .summary = "P-scheme over MPI ranks (W12 sec. II). Run by common/mpirun.sh "
                   "-np RANKS.",
        .variants = variants,
        .takes = "n type=sd",
        .paper = "--n 1M,4M --type s --reps 10",
        .quick = "--n 64K,256K,1M --type s,d --reps 5",
        .device = cpu_name(),
    };
    struct options options;
    int status = mpi_program_begin(&program, argc, argv, &options);
    if (status < 0) {
        if (pscheme_mpi_open(MPI_COMM_WORLD, &mpi) != 0)
            MPI_Abort(MPI_COMM_WORLD, EXIT_DEVICE);
        if (options.quick)
            expect_few_tests();
        status = options.check ? check(&options) : experiment(&options);
        pscheme_mpi_close(&mpi);
    }
    return mpi_program_end(status);
}
