/* The experiments of W12 on a GPU: P-scheme for the recurrence w_i = scale w_{i-1} + offset over
 * G blocks of T threads, without and with the rearrangement, its three phases timed apart (Fig. 3
 * and 5), against one CPU thread (Fig. 4, 6, 8), and for a tridiagonal system. Every configuration
 * is verified before it is timed. Run: make run, or build/gpu/pscheme_gpu --help. */
#include "baseline.h"
#include "ceiling.h"
#include "device_program.h"
#include "expect.h"
#include "peers.h"
#include "problems.h"
#include "pscheme_gpu.h"
#include "results.h"
#include "verify.h"

#include <string.h>

/* Indices of variants[]. The first five are enum pscheme_variant. */
enum { FIRST_TRIDIAGONAL = PSCHEME_VARIANTS, TRIDIAGONAL, SERIAL, CUB, CUSPARSE };
static const struct variant variants[] = {
    {"block", "no rearrangement: a part is M words in a row (the paper)"},
    {"rearranged", "rearranged array: neighbouring threads read neighbouring words (the paper)"},
    {"register", "as rearranged, w_{i-1} kept in a register"},
    {"recompute", "as register, products a_i computed twice instead of stored"},
    {"ahead", "as recompute, loads of eight rows under way at once"},
    {"tridiagonal_block", "problem A: p, q and x by P-scheme, no rearrangement"},
    {"tridiagonal", "problem A, rearranged"},
    {"serial", "the original substitution on one CPU thread, the baseline of the speed-ups"},
    {"cub", "peer: CUB DeviceScan over the pairs (s_i, t_i) (GPU builds)"},
    {"cusparse_gtsv2", "peer: cuSPARSE gtsv2 for problem A (GPU builds)"},
    {NULL, NULL}};

/* Bound on the backward error in units of roundoff: 12 for substitution on dominant rows (4u |L||U|,
 * |L||U| <= 3|A|: Higham, Accuracy and Stability of Numerical Algorithms, 9.5-9.6), and 4 for the product
 * and the correction that P-scheme rounds besides in q and in x. */
static const double TRIDIAGONAL_UNITS = 16;

/* ---- buffers: everything that a run needs, for the largest n, allocated once ---- */

struct buffers {
    void *w, *products, *natural; /* problem B: in the layout; natural order */
    void *in[3], *laid[3];        /* problem A: diag, off, rhs in natural order and in the layout */
    void *x, *work;
    long long *status;
    void *host[4]; /* results and, for problem A, diag, off, rhs */
};

/* Words for n rows in P parts, whatever the layout: rows * P < n + P, and w_0. */
static int64_t words_for(int64_t n, int64_t parts)
{
    return n + parts + 1;
}

/* What allocate() takes, and as much again for the peers' workspaces. */
static void require(int64_t n, int64_t parts)
{
    double words = (double)words_for(n, parts);
    device_require("pscheme_gpu", 8.0 * 26 * words + ceiling_bytes(), 8.0 * 4 * words);
}

static void allocate(struct buffers *b, int64_t n, int64_t parts)
{
    size_t bytes = 8 * (size_t)words_for(n, parts);
    CHECK(cudaMalloc(&b->w, bytes));
    CHECK(cudaMalloc(&b->products, bytes));
    CHECK(cudaMalloc(&b->natural, bytes));
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMalloc(&b->in[i], bytes));
        CHECK(cudaMalloc(&b->laid[i], bytes));
    }
    CHECK(cudaMalloc(&b->x, bytes));
    CHECK(cudaMalloc(&b->work, 3 * bytes + 80 * (size_t)parts));
    CHECK(cudaMalloc(&b->status, sizeof *b->status));
    for (int i = 0; i < 4; i++)
        b->host[i] = host_alloc("pscheme_gpu", 8 * words_for(n, parts));
}

static void release(struct buffers *b)
{
    void *all[] = {b->w,       b->products, b->natural, b->in[0], b->in[1], b->in[2],
                   b->laid[0], b->laid[1],  b->laid[2], b->x,     b->work,  b->status};
    for (void *memory : all)
        CHECK(cudaFree(memory));
    for (int i = 0; i < 4; i++)
        free(b->host[i]);
}

/* ---- problem B ---- */

static struct pscheme_recurrence plan_recurrence(struct buffers *b, int variant, char type,
                                                 int64_t n, int blocks, int threads)
{
    struct pscheme_recurrence r =
        pscheme_recurrence_plan((enum pscheme_variant)variant, type, n, blocks, threads,
                                RECURRENCE_W0, RECURRENCE_SCALE, RECURRENCE_OFFSET);
    r.w = b->w;
    r.products = b->products;
    return r;
}

static struct verdict verdict_of_natural(struct buffers *b, char type, int64_t n)
{
    double scale, offset; /* one word of either type */
    put(type, &scale, 0, RECURRENCE_SCALE);
    put(type, &offset, 0, RECURRENCE_OFFSET);
    return device_verify_recurrence(type, n, RECURRENCE_W0, &scale, 0, &offset, 0, b->natural,
                                    b->host[0]);
}

/* Solve on poisoned memory and compare with the exact recurrence. */
static struct verdict solve_recurrence(struct buffers *b, const struct pscheme_recurrence *r)
{
    size_t word = (size_t)size_of(r->type);
    CHECK(cudaMemset(r->w, 0xff, (size_t)pscheme_words(&r->layout) * word));
    CHECK(cudaMemset(r->products, 0xff, (size_t)pscheme_product_words(r) * word));
    CHECK(cudaMemset(b->natural, 0xff, (size_t)r->layout.n * word));
    CHECK(pscheme_solve(r, 0));
    CHECK(pscheme_to_natural(r->type, &r->layout, r->w, b->natural, 0));
    return verdict_of_natural(b, r->type, r->layout.n);
}

/* What time_device runs and resets. */
struct recurrence_run {
    const struct pscheme_recurrence *r;
    void *natural;
};
static cudaError_t run_precompute(void *ctx, cudaStream_t stream)
{
    return pscheme_precompute(((struct recurrence_run *)ctx)->r, stream);
}
static cudaError_t run_propagate(void *ctx, cudaStream_t stream)
{
    return pscheme_propagate(((struct recurrence_run *)ctx)->r, stream);
}
static cudaError_t run_two(void *ctx, cudaStream_t stream)
{
    TRY(run_precompute(ctx, stream));
    return run_propagate(ctx, stream);
}
static cudaError_t run_determine(void *ctx, cudaStream_t stream)
{
    return pscheme_determine(((struct recurrence_run *)ctx)->r, stream);
}
static cudaError_t run_solve(void *ctx, cudaStream_t stream)
{
    return pscheme_solve(((struct recurrence_run *)ctx)->r, stream);
}
static cudaError_t run_rearrange(void *ctx, cudaStream_t stream)
{
    struct recurrence_run *run = (struct recurrence_run *)ctx;
    return pscheme_to_natural(run->r->type, &run->r->layout, run->r->w, run->natural, stream);
}
static cudaError_t run_solve_rearrange(void *ctx, cudaStream_t stream)
{
    TRY(run_solve(ctx, stream));
    return run_rearrange(ctx, stream);
}

/* A phase of problem B: what to time, what must have run before, and the least words a row it
 * moves, with the products stored and not. */
struct phase {
    const char *name;
    device_work reset, work;
    double words, words_recompute;
};
static const struct phase recurrence_phases[] = {
    {"precompute", NULL, run_precompute, 2, 1},
    {"propagate", run_precompute, run_propagate, 0, 0},
    {"determine", run_two, run_determine, 3, 2},
    {"total", NULL, run_solve, 5, 3},
    {"rearrange", run_solve, run_rearrange, 2, 2},
    {"total+rearrange", NULL, run_solve_rearrange, 7, 5},
};

static const char *status_of(struct verdict verdict)
{
    return verdict.ok ? "ok" : "wrong";
}

static void recurrence_rows(struct results *results, struct buffers *b, const struct options *o,
                            int variant, char type, int64_t n, int blocks, int threads)
{
    struct pscheme_recurrence r = plan_recurrence(b, variant, type, n, blocks, threads);
    struct verdict verdict = solve_recurrence(b, &r);
    struct row row = {};
    row.variant = variants[variant].name;
    row.type = type;
    row.n = n;
    row.blocks = blocks;
    row.threads = threads;
    row.parts = r.layout.parts;
    row.device = device_name();
    row.error = verdict.error;
    row.status = status_of(verdict);
    struct recurrence_run run = {&r, b->natural};
    for (const struct phase &phase : recurrence_phases) {
        bool rearranges = strstr(phase.name, "rearrange") != NULL;
        if ((device_is_cpu() && phase.work != run_solve) ||
            (rearranges && variant == PSCHEME_BLOCK))
            continue;
        row.phase = phase.name;
        row.bytes = (variant >= PSCHEME_RECOMPUTE ? phase.words_recompute : phase.words) *
                    (double)n * size_of(type);
        CHECK(time_device(phase.reset, phase.work, &run, o->reps, &row.time));
        results_add(results, &row);
    }
}

/* ---- problem A ---- */

/* Fill natural order on host (host[1..3]) and device. */
static void make_system(struct buffers *b, enum tridiagonal_kind kind, char type, uint64_t seed,
                        int64_t n)
{
    fill_tridiagonal(type, kind, seed, n, b->host[1], b->host[2], b->host[3]);
    for (int i = 0; i < 3; i++)
        CHECK(cudaMemcpy(b->in[i], b->host[i + 1], (size_t)(n * size_of(type)),
                         cudaMemcpyHostToDevice));
}

static void *interior(void *natural, char type)
{
    return (char *)natural + size_of(type);
}

struct tridiagonal_run {
    struct pscheme_tridiagonal t;
    int64_t n; /* with the boundary rows */
    struct buffers *b;
    enum pscheme_tridiagonal_phase phase;
};

static struct tridiagonal_run plan_tridiagonal(struct buffers *b, bool rearranged, char type,
                                               int64_t n, int blocks, int threads)
{
    struct tridiagonal_run run;
    struct pscheme_tridiagonal *t = &run.t;
    *t = pscheme_tridiagonal_plan(rearranged, type, n, blocks, threads, get(type, b->host[3], 0),
                                  get(type, b->host[3], n - 1));
    t->diag = rearranged ? b->laid[0] : interior(b->in[0], type);
    t->off = rearranged ? b->laid[1] : interior(b->in[1], type);
    t->rhs = rearranged ? b->laid[2] : interior(b->in[2], type);
    t->x = b->x;
    t->work = b->work;
    t->status = b->status;
    run.n = n;
    run.b = b;
    run.phase = PSCHEME_P_PRECOMPUTE;
    return run;
}

static bool is_rearranged(const struct tridiagonal_run *run)
{
    return run->t.diag == run->b->laid[0];
}

/* Inputs into the layout, the solution out of it. */
static cudaError_t run_gather(void *ctx, cudaStream_t stream)
{
    struct tridiagonal_run *run = (struct tridiagonal_run *)ctx;
    char type = run->t.type;
    for (int i = 0; i < 3; i++)
        TRY(pscheme_from_natural(type, &run->t.layout, interior(run->b->in[i], type),
                                 run->b->laid[i], stream));
    return cudaSuccess;
}
static cudaError_t run_scatter(void *ctx, cudaStream_t stream)
{
    struct tridiagonal_run *run = (struct tridiagonal_run *)ctx;
    return pscheme_to_natural(run->t.type, &run->t.layout, run->t.x,
                              interior(run->b->natural, run->t.type), stream);
}
static cudaError_t run_tridiagonal(void *ctx, cudaStream_t stream)
{
    return pscheme_tridiagonal_solve(&((struct tridiagonal_run *)ctx)->t, stream);
}
static cudaError_t run_moves(void *ctx, cudaStream_t stream)
{
    TRY(run_gather(ctx, stream));
    return run_scatter(ctx, stream);
}
static cudaError_t run_tridiagonal_and_moves(void *ctx, cudaStream_t stream)
{
    TRY(run_gather(ctx, stream));
    TRY(run_tridiagonal(ctx, stream));
    return run_scatter(ctx, stream);
}
static cudaError_t run_phase(void *ctx, cudaStream_t stream)
{
    struct tridiagonal_run *run = (struct tridiagonal_run *)ctx;
    return pscheme_tridiagonal_phase(&run->t, run->phase, stream);
}

/* The row that the solver complained of (0: none); the verdict is then about nothing. */
static long long solve_tridiagonal(struct tridiagonal_run *run, struct verdict *verdict)
{
    struct pscheme_tridiagonal *t = &run->t;
    size_t word = (size_t)size_of(t->type), bytes = (size_t)run->n * word;
    struct buffers *b = run->b;
    if (is_rearranged(run)) {
        for (int i = 0; i < 3; i++)
            CHECK(cudaMemset(b->laid[i], 0xff, (size_t)pscheme_words(&t->layout) * word));
        if (t->layout.n > 0)
            CHECK(run_gather(run, 0));
    }
    CHECK(cudaMemset(t->x, 0xff, (size_t)pscheme_words(&t->layout) * word));
    CHECK(cudaMemset(t->work, 0xff, (size_t)pscheme_tridiagonal_work(&t->layout) * word));
    CHECK(cudaMemset(b->natural, 0xff, bytes));
    CHECK(pscheme_tridiagonal_solve(t, 0));
    if (t->layout.n > 0)
        CHECK(run_scatter(run, 0));
    long long status;
    CHECK(cudaMemcpy(&status, t->status, sizeof status, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b->host[0], b->natural, bytes, cudaMemcpyDeviceToHost));
    put(t->type, b->host[0], 0, t->first);
    put(t->type, b->host[0], run->n - 1, t->last);
    *verdict = verify_tridiagonal(t->type, run->n, b->host[1], b->host[2], b->host[3], b->host[0],
                                  TRIDIAGONAL_UNITS);
    return status;
}

static const char *const tridiagonal_phases[PSCHEME_TRIDIAGONAL_PHASES] = {
    "p_precompute", "p_propagate", "p_determine", "q_propagate",
    "q_determine",  "x_propagate", "x_determine"};
/* Least words a row that each phase moves. */
static const double tridiagonal_words[PSCHEME_TRIDIAGONAL_PHASES] = {5, 0, 9, 0, 5, 0, 3};
static const double TRIDIAGONAL_WORDS = 22, MOVE_WORDS = 8;

static void tridiagonal_rows(struct results *results, struct buffers *b, const struct options *o,
                             int variant, char type, int64_t n, int blocks, int threads)
{
    struct tridiagonal_run run =
        plan_tridiagonal(b, variant == TRIDIAGONAL, type, n, blocks, threads);
    struct verdict verdict;
    long long status = solve_tridiagonal(&run, &verdict);
    struct row row = {};
    row.variant = variants[variant].name;
    row.type = type;
    row.n = n;
    row.blocks = blocks;
    row.threads = threads;
    row.parts = run.t.layout.parts;
    row.device = device_name();
    row.error = verdict.error;
    row.status = status ? "zero pivot" : status_of(verdict);
    double bytes = (double)n * size_of(type);

    row.phase = "total";
    row.bytes = TRIDIAGONAL_WORDS * bytes;
    CHECK(time_device(NULL, run_tridiagonal, &run, o->reps, &row.time));
    results_add(results, &row);
    if (device_is_cpu())
        return;
    for (int phase = 0; phase < PSCHEME_TRIDIAGONAL_PHASES; phase++) {
        run.phase = (enum pscheme_tridiagonal_phase)phase;
        row.phase = tridiagonal_phases[phase];
        row.bytes = tridiagonal_words[phase] * bytes;
        CHECK(time_device(run_tridiagonal, run_phase, &run, o->reps, &row.time));
        results_add(results, &row);
    }
    if (!is_rearranged(&run))
        return;
    row.phase = "rearrange";
    row.bytes = MOVE_WORDS * bytes;
    CHECK(time_device(NULL, run_moves, &run, o->reps, &row.time));
    results_add(results, &row);
    row.phase = "total+rearrange";
    row.bytes = (TRIDIAGONAL_WORDS + MOVE_WORDS) * bytes;
    CHECK(time_device(NULL, run_tridiagonal_and_moves, &run, o->reps, &row.time));
    results_add(results, &row);
}

/* ---- peers ---- */

#ifdef __CUDACC__
static void peer_rows(struct results *results, struct buffers *b, const struct options *o,
                      char type, int64_t n)
{
    size_t bytes = (size_t)(n * size_of(type));
    struct row row = {};
    row.type = type;
    row.n = n;
    row.phase = "total";
    row.device = device_name();
    if (o->has_variant[CUB]) {
        for (int64_t i = 0; i < n; i++) {
            put(type, b->host[1], i, RECURRENCE_SCALE);
            put(type, b->host[2], i, RECURRENCE_OFFSET);
        }
        for (int i = 0; i < 2; i++)
            CHECK(cudaMemcpy(b->in[i], b->host[i + 1], bytes, cudaMemcpyHostToDevice));
        CHECK(peer_cub(type, n, RECURRENCE_W0, b->in[0], b->in[1], b->natural, o->reps, &row.time));
        struct verdict verdict = verdict_of_natural(b, type, n);
        row.variant = variants[CUB].name;
        row.bytes = 3.0 * (double)bytes;
        row.error = verdict.error;
        row.status = status_of(verdict);
        results_add(results, &row);
    }
    if (o->has_variant[CUSPARSE] && n >= 3) {
        make_system(b, TRIDIAGONAL_DOMINANT, type, o->seed, n);
        for (int64_t i = 0; i < n; i++) /* sub and super diagonal are -off */
            put(type, b->host[0], i, -get(type, b->host[2], i));
        CHECK(cudaMemcpy(b->laid[0], b->host[0], bytes, cudaMemcpyHostToDevice));
        CHECK(peer_cusparse(type, n, b->laid[0], b->in[0], b->laid[0], b->in[2], b->natural,
                            o->reps, &row.time));
        CHECK(cudaMemcpy(b->host[0], b->natural, bytes, cudaMemcpyDeviceToHost));
        struct verdict verdict = verify_tridiagonal(type, n, b->host[1], b->host[2], b->host[3],
                                                    b->host[0], TRIDIAGONAL_UNITS);
        row.variant = variants[CUSPARSE].name;
        row.bytes = 5.0 * (double)bytes;
        row.error = verdict.error;
        row.status = status_of(verdict);
        results_add(results, &row);
    }
}
#endif

/* ---- the sweep ---- */

static int sweep(const struct program *program, const struct options *o)
{
    int64_t n_most = list_largest(&o->n, 1),
            parts_most = list_largest(&o->blocks, 1) * list_largest(&o->threads, 1);
    require(n_most, parts_most);
    struct results *results = results_open(program->name, program->device, o->csv);
    if (!results)
        return EXIT_USAGE;
    struct buffers b;
    allocate(&b, n_most, parts_most);
    ceiling_rows(results, o->reps);
    int64_t done = 0,
            all = (int64_t)strlen(o->types) * o->n.count * o->blocks.count * o->threads.count;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            int64_t n = o->n.value[i];
            if (o->has_variant[SERIAL])
                baseline_row(results, *type, n, o->reps);
#ifdef __CUDACC__
            peer_rows(results, &b, o, *type, n);
#endif
            make_system(&b, TRIDIAGONAL_DOMINANT, *type, o->seed, n);
            for (int g = 0; g < o->blocks.count; g++)
                for (int t = 0; t < o->threads.count; t++) {
                    int blocks = (int)o->blocks.value[g];
                    int threads = (int)o->threads.value[t];
                    for (int v = 0; v <= TRIDIAGONAL; v++)
                        if (o->has_variant[v] && v < FIRST_TRIDIAGONAL)
                            recurrence_rows(results, &b, o, v, *type, n, blocks, threads);
                        else if (o->has_variant[v])
                            tridiagonal_rows(results, &b, o, v, *type, n, blocks, threads);
                    progress(program->name, ++done, all, "configurations");
                }
        }
    release(&b);
    return results_close(results);
}

/* ---- --check ---- */

static void check_one(struct buffers *b, char type, int64_t n, int blocks, int threads,
                      uint64_t seed)
{
    size_t word = (size_t)size_of(type);
    char *block_result = (char *)b->host[1];
    for (int v = 0; v < PSCHEME_VARIANTS; v++) {
        struct pscheme_recurrence r = plan_recurrence(b, v, type, n, blocks, threads);
        struct verdict verdict = solve_recurrence(b, &r);
        EXPECT(verdict.ok,
               "%s, type %c, n = %lld, G = %d, T = %d: %.2g of what rounding allows at %lld",
               variants[v].name, type, (long long)n, blocks, threads, verdict.used,
               (long long)verdict.worst);
        if (v == PSCHEME_BLOCK)
            memcpy(block_result, b->host[0], (size_t)(n + 1) * word);
        else if (v == PSCHEME_REARRANGED) /* the same operations in the same order: the same bits */
            EXPECT(memcmp(block_result, b->host[0], (size_t)(n + 1) * word) == 0,
                   "rearrangement changes the result, type %c, n = %lld, G = %d, T = %d", type,
                   (long long)n, blocks, threads);
    }
    for (int kind = 0; kind < TRIDIAGONAL_KINDS; kind++) {
        /* Poisson's condition is n^2: beyond 1/u the system is singular in this type. */
        if (kind == TRIDIAGONAL_POISSON && (double)n * (double)n * unit_roundoff(type) > 2)
            continue;
        make_system(b, (enum tridiagonal_kind)kind, type, seed, n);
        for (int rearranged = 0; rearranged < 2; rearranged++) {
            struct tridiagonal_run run = plan_tridiagonal(b, rearranged, type, n, blocks, threads);
            struct verdict verdict;
            long long status = solve_tridiagonal(&run, &verdict);
            EXPECT(
                status == 0 && verdict.ok,
                "tridiagonal %s, layout %d, type %c, n = %lld, G = %d, T = %d: row %lld, backward "
                "error %.3g, %.2g of the bound",
                tridiagonal_name((enum tridiagonal_kind)kind), rearranged, type, (long long)n,
                blocks, threads, status, verdict.error, verdict.used);
        }
    }
}

/* Rows at and at + 1 of a system are set to diag, off = d0, 1 and d1, 1 and nothing comes into them from
 * above (off = 0 in the row before): p_at = 1/d0, so row at + 1 has the pivot d1 - 1/d0. */
static long long row_found(struct buffers *b, char type, int at, double d0, double d1, int threads)
{
    int64_t n = 100;
    fill_tridiagonal(type, TRIDIAGONAL_CONSTANT, 1, n, b->host[1], b->host[2], b->host[3]);
    put(type, b->host[2], at - 1, 0);
    put(type, b->host[1], at, d0);
    put(type, b->host[2], at, 1);
    put(type, b->host[1], at + 1, d1);
    put(type, b->host[2], at + 1, 1);
    for (int i = 0; i < 3; i++)
        CHECK(cudaMemcpy(b->in[i], b->host[i + 1], (size_t)(n * size_of(type)),
                         cudaMemcpyHostToDevice));
    struct tridiagonal_run run = plan_tridiagonal(b, threads > 1, type, n, 1, threads);
    struct verdict verdict;
    return solve_tridiagonal(&run, &verdict);
}

static void check_pivots(struct buffers *b)
{
    static const int threads_of[] = {1, 7, 32, 98};
    for (const char *type = "sd"; *type; type++)
        for (int threads : threads_of)
            for (int at = 1; at <= 40; at += 13) {
                double epsilon = 2 * unit_roundoff(*type);
                long long zero = row_found(b, *type, at, 1, 1, threads);
                long long tiny = row_found(b, *type, at, 1, 1 + epsilon, threads);
                long long small = row_found(b, *type, at, 1, 1 + 4 * epsilon, threads);
                EXPECT(zero == at + 1 && tiny == at + 1 && small == 0,
                       "row %d, P = %d: pivot 0 reported in row %lld, epsilon in %lld, 4 epsilon "
                       "in %lld",
                       at + 1, threads, zero, tiny, small);
            }
    /* Two parts of 49 rows; row 51 is the second row of part 1, whose own pivot there is 1 - 1 = 0, while
     * that of the system is not: p_49 = 2 - sqrt(3) comes in. */
    int64_t n = 100;
    for (const char *type = "sd"; *type; type++) {
        fill_tridiagonal(*type, TRIDIAGONAL_CONSTANT, 1, n, b->host[1], b->host[2], b->host[3]);
        put(*type, b->host[1], 50, 1);
        put(*type, b->host[1], 51, 1);
        for (int i = 0; i < 3; i++)
            CHECK(cudaMemcpy(b->in[i], b->host[i + 1], (size_t)(n * size_of(*type)),
                             cudaMemcpyHostToDevice));
        struct tridiagonal_run one = plan_tridiagonal(b, false, *type, n, 1, 1);
        struct tridiagonal_run two = plan_tridiagonal(b, false, *type, n, 1, 2);
        struct verdict verdict;
        long long row = solve_tridiagonal(&one, &verdict);
        EXPECT(row == 0 && verdict.ok, "in one part row %lld", row);
        row = solve_tridiagonal(&two, &verdict);
        EXPECT(row == 51, "a part's own pivot 0 in row 51 is reported in row %lld", row);
    }
}

/* What makes no sense is refused, nothing to do is done. */
static void check_misuse(struct buffers *b)
{
    struct pscheme_recurrence r = plan_recurrence(b, PSCHEME_BLOCK, 's', 100, 2, 16);
    r.threads = 8;
    EXPECT(pscheme_solve(&r, 0) == cudaErrorInvalidValue, "parts other than G * T");
    r = plan_recurrence(b, PSCHEME_BLOCK, 's', 100, 0, 16);
    EXPECT(pscheme_solve(&r, 0) == cudaErrorInvalidValue, "no blocks");
    r = plan_recurrence(b, PSCHEME_BLOCK, 'x', 100, 2, 16);
    EXPECT(pscheme_solve(&r, 0) == cudaErrorInvalidValue, "type x");
    r = plan_recurrence(b, PSCHEME_REARRANGED, 's', 0, 2, 16);
    EXPECT(pscheme_solve(&r, 0) == cudaSuccess &&
               pscheme_to_natural('s', &r.layout, r.w, b->natural, 0) == cudaSuccess,
           "n = 0");
    r = plan_recurrence(b, PSCHEME_BLOCK, 's', 100, 1, 2000);
    EXPECT(pscheme_solve(&r, 0) != cudaSuccess, "2000 threads a block");
}

/* Sizes whose words or bytes no 64-bit number counts, and pointers that are NULL or not aligned:
 * refused, and nothing is written. */
static void check_pointers(struct buffers *b, char type)
{
    static const int64_t sizes[] = {-1, INT64_MAX / 31, INT64_MAX};
    const unsigned char poison = 0x5a;
    size_t word = (size_t)size_of(type), bytes = 100 * word;
    void *const outputs[] = {b->w, b->products, b->natural, b->x, b->work};
    for (void *output : outputs)
        CHECK(cudaMemset(output, poison, bytes));
    CHECK(cudaMemset(b->status, poison, sizeof *b->status));

    cudaError_t (*const phases[])(const struct pscheme_recurrence *, cudaStream_t) = {
        pscheme_precompute, pscheme_propagate, pscheme_determine, pscheme_solve};
    for (auto phase : phases) {
        for (int v = 0; v < PSCHEME_VARIANTS; v++) {
            struct pscheme_recurrence r = plan_recurrence(b, v, type, 100, 2, 16);
            struct expect_pointer arrays[] = {EXPECT_POINTER(r.w, word),
                                              EXPECT_POINTER(r.products, word)};
            EXPECT_POINTERS(arrays, phase(&r, 0), cudaErrorInvalidValue);
            for (int64_t n : sizes) {
                r = plan_recurrence(b, v, type, n, 2, 16);
                EXPECT(phase(&r, 0) == cudaErrorInvalidValue, "n = %lld", (long long)n);
            }
        }
        EXPECT(phase(NULL, 0) == cudaErrorInvalidValue, "no struct");
    }

    cudaError_t (*const moves[])(char, const struct pscheme_layout *, const void *, void *,
                                 cudaStream_t) = {pscheme_to_natural, pscheme_from_natural};
    for (auto to : moves) {
        struct pscheme_layout layout = pscheme_rearranged_layout(100, 32);
        const void *in = b->in[0];
        void *out = b->natural;
        struct expect_pointer arrays[] = {EXPECT_POINTER(in, word), EXPECT_POINTER(out, word)};
        EXPECT_POINTERS(arrays, to(type, &layout, in, out, 0), cudaErrorInvalidValue);
        EXPECT(to(type, NULL, in, out, 0) == cudaErrorInvalidValue, "no layout");
        for (int64_t n : sizes) {
            layout = pscheme_rearranged_layout(n, 32);
            EXPECT(to(type, &layout, in, out, 0) == cudaErrorInvalidValue, "n = %lld",
                   (long long)n);
        }
        layout = pscheme_rearranged_layout(0, 32);
        EXPECT(to(type, &layout, NULL, NULL, 0) == cudaSuccess, "n = 0 needs no arrays");
    }

    for (int phase = 0; phase <= PSCHEME_TRIDIAGONAL_PHASES; phase++) {
        auto call = [phase](const struct pscheme_tridiagonal *t) {
            return phase < PSCHEME_TRIDIAGONAL_PHASES
                       ? pscheme_tridiagonal_phase(t, (enum pscheme_tridiagonal_phase)phase, 0)
                       : pscheme_tridiagonal_solve(t, 0);
        };
        for (int rearranged = 0; rearranged < 2; rearranged++) {
            struct pscheme_tridiagonal good =
                pscheme_tridiagonal_plan(rearranged, type, 100, 2, 16, 0, 0);
            good.diag = b->in[0];
            good.off = b->in[1];
            good.rhs = b->in[2];
            good.x = b->x;
            good.work = b->work;
            good.status = b->status;
            struct pscheme_tridiagonal t = good;
            struct expect_pointer arrays[] = {
                EXPECT_POINTER(t.diag, word), EXPECT_POINTER(t.off, word),
                EXPECT_POINTER(t.rhs, word),  EXPECT_POINTER(t.x, word),
                EXPECT_POINTER(t.work, word), EXPECT_POINTER(t.status, sizeof *t.status)};
            EXPECT_POINTERS(arrays, call(&t), cudaErrorInvalidValue);
            t.threads = 8;
            EXPECT(call(&t) == cudaErrorInvalidValue, "parts other than G * T");
            t = good;
            t.layout.n = INT64_MAX / 31;
            EXPECT(call(&t) == cudaErrorInvalidValue, "n = 2^63 / 31");
        }
        EXPECT(call(NULL) == cudaErrorInvalidValue, "no struct");
    }

    for (void *output : outputs)
        EXPECT(device_holds(output, poison, bytes), "what was refused wrote");
    EXPECT(device_holds(b->status, poison, sizeof *b->status), "what was refused wrote a status");

    struct pscheme_recurrence nothing =
        pscheme_recurrence_plan(PSCHEME_AHEAD, type, 0, 2, 16, 1, 1, 1);
    EXPECT(pscheme_solve(&nothing, 0) == cudaSuccess, "n = 0 needs no arrays");
    struct pscheme_tridiagonal t = pscheme_tridiagonal_plan(true, type, 2, 2, 16, 0, 0);
    struct expect_pointer status[] = {EXPECT_POINTER(t.status, sizeof *t.status)};
    t.status = b->status;
    EXPECT_POINTERS(status, pscheme_tridiagonal_solve(&t, 0), cudaErrorInvalidValue);
    EXPECT(pscheme_tridiagonal_solve(&t, 0) == cudaSuccess &&
               device_holds(b->status, 0, sizeof *b->status),
           "two rows: no arrays but a status, which is 0");
}

/* A corrupted result must not pass. */
static void check_checker(struct buffers *b)
{
    struct pscheme_recurrence r = plan_recurrence(b, PSCHEME_BLOCK, 's', 1000, 4, 16);
    struct verdict verdict = solve_recurrence(b, &r);
    EXPECT(verdict.ok, "sound before it is damaged");
    float wrong = 0.5f;
    CHECK(cudaMemcpy((float *)b->natural + 637, &wrong, sizeof wrong, cudaMemcpyHostToDevice));
    verdict = verdict_of_natural(b, 's', 1000);
    EXPECT(!verdict.ok && verdict.worst == 638, "a wrong w_638 is found at %lld",
           (long long)verdict.worst);
}

/* All sizes with all G and T on a GPU; with --quick there the large sizes with one pair only (for tools that
 * make every access slow); on the CPU device small sizes with chosen pairs. */
static int check(const struct options *o)
{
    static const int64_t sizes[] = {1, 2, 31, 32, 33, 1000, 4097, 1 << 18, 1 << 20, 1000007};
    static const int pairs[][2] = {{1, 1},    {4, 16},   {3, 33},  {32, 64},
                                   {16, 256}, {32, 512}, {2, 1024}};
    bool all = !device_is_cpu() && !o->quick;
    int64_t n_most = device_is_cpu() ? 4097 : 1 << 20;
    require(n_most, 32 * 512);
    struct buffers b;
    allocate(&b, n_most, 32 * 512);
    for (const char *type = "sd"; *type; type++)
        for (int64_t n : sizes) {
            if (n > n_most)
                continue;
            for (const int *pair : pairs)
                if (n <= 4097 || (pair[0] == 16 && !all))
                    check_one(&b, *type, n, pair[0], pair[1], o->seed);
            for (int blocks = 4; all && blocks <= 32; blocks *= 2)
                for (int threads = 16; threads <= 512; threads *= 2)
                    check_one(&b, *type, n, blocks, threads, o->seed);
        }
    check_pivots(&b);
    check_misuse(&b);
    check_pointers(&b, 's');
    check_pointers(&b, 'd');
    check_checker(&b);
    release(&b);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {};
    program.name = "pscheme_gpu";
    program.summary = "P-scheme on a GPU: the recurrence and the tridiagonal system of W12";
    program.variants = variants;
    program.takes = "n blocks threads type=sd";
    program.paper = "--n 256K,1M --blocks 4,8,16,32 --threads 16,32,64,128,256,512 --type s";
    program.quick = "--n 4K,16K --blocks 4,32 --threads 16,64,256 --type s,d --reps 5";
    return device_main(&program, argc, argv, check, sweep);
}
