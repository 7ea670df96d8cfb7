/* The experiments of PL19: many tridiagonal systems, and one large one, by Thomas and by serial and parallel
 * cyclic reduction, each in the paper's kinds of memory and in two layouts, with and without the transfers to and
 * from the GPU, against the same methods on the CPU (Tables 1-4, Fig. 2), LAPACK and cuSPARSE. Every
 * configuration is verified before it is timed. Run: make run, or build/gpu/thomas_batch --help. */
#include "test/tridiagonal_batch_test.h"
#include "ceiling.h"
#include "cpu.h"
#include "device_program.h"
#include "expect.h"
#include "heat/heat_bench.h"
#include "peers.h"
#include "problems.h"
#include "results.h"
#include "thomas_batch.h"
#include "tridiagonal_batch.h"
#include "verify.h"

#include "../pscheme_g/pscheme_g.h" /* its transposition is what interleaves */

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Indices of variants[]: enum thomas_batch_variant in either layout, then these, where FIRST_PEER begins enum peer. */
enum {
    INTERLEAVED = THOMAS_BATCH_VARIANTS,
    INTERLEAVE = 2 * THOMAS_BATCH_VARIANTS,
    TRANSFERS,
    TRIDIAGONAL_BATCH, /* as kinds[] */
    TRIDIAGONAL_BATCH_END = TRIDIAGONAL_BATCH + 8,
    THOMAS_CPU = TRIDIAGONAL_BATCH_END,
    THOMAS_CPU_LANES,
    SERICR_CPU,
    LAPACK_GTSV,
    FIRST_PEER,
    HEAT = FIRST_PEER + PEERS,
    HEAT_CUSPARSE,
    HEAT_CUSPARSE_TRANSPOSED
};
static const struct variant variants[] = {
    {"thomas_global", "Thomas, one thread a system, global memory (PL19)"},
    {"thomas_shared", "the row at hand in shared memory (PL19)"},
    {"thomas_tile", "coalesced tiles of 32 systems, one tile ahead"},
    {"sericr_global", "cyclic reduction, one thread a system, two levels kept (PL19)"},
    {"sericr_shared", "its rows brought into shared memory (PL19)"},
    {"paracr_global", "parallel cyclic reduction, a launch a level (PL19)"},
    {"paracr_shared", "the block's rows and their factors in shared memory (PL19)"},
    {"paracr_partial", "the block's rows only (PL19)"},
    {"paracr_block", "a whole system in a block's shared memory"},
    {"thomas_global_interleaved", "the same nine in the interleaved layout"},
    {"thomas_shared_interleaved", ""},
    {"thomas_tile_interleaved", ""},
    {"sericr_global_interleaved", ""},
    {"sericr_shared_interleaved", ""},
    {"paracr_global_interleaved", ""},
    {"paracr_shared_interleaved", ""},
    {"paracr_partial_interleaved", ""},
    {"paracr_block_interleaved", ""},
    {"interleave", "what interleaving costs: four arrays there, x back"},
    {"transfers", "four arrays to the GPU and x back, from pinned and from pageable memory"},
    {"tridiagonal_batch", "each word once: whole systems in shared memory and registers"},
    {"tridiagonal_batch_pivoted", "with scaled partial pivoting"},
    {"tridiagonal_batch_interleaved", "each word twice, or once where it fits, interleaved"},
    {"tridiagonal_batch_interleaved_pivoted", "with scaled partial pivoting"},
    {"tridiagonal_batch_shared", "one matrix, as many right-hand sides as systems"},
    {"tridiagonal_batch_shared_interleaved", ""},
    {"tridiagonal_batch_constant", "one matrix of constant diagonals"},
    {"tridiagonal_batch_constant_interleaved", ""},
    {"thomas_cpu", "Thomas on the CPU, one thread and all cores"},
    {"thomas_cpu_lanes", "systems as the lanes of each core (SIMD)"},
    {"sericr_cpu", "SERICR on the CPU, all levels kept"},
    {"lapack_gtsv", "peer: LAPACK's xGTSV (with pivoting), all cores over systems"},
    {"cusparse_strided", "peer: cuSPARSE gtsv2StridedBatch, contiguous (GPU builds)"},
    {"cusparse_interleaved_thomas", "peer: cuSPARSE gtsvInterleavedBatch (GPU builds)"},
    {"cusparse_interleaved_lu", "with pivoting"},
    {"cusparse_interleaved_qr", "by rotations"},
    {"heat", "the heat equation by alternating directions on tridiagonal_batch.h"},
    {"heat_cusparse",
     "peer: rows by gtsv2StridedBatch, columns by gtsvInterleavedBatch (GPU builds)"},
    {"heat_cusparse_transposed", "peer: columns transposed and solved as rows (GPU builds)"},
    {NULL, NULL}};

/* ---- how exact ---- */

/* Which bound applies. */
enum family { THOMAS, SERICR, PARACR, LAPACK, FAMILIES };
static enum family family_of(int variant)
{
    int method = variant % INTERLEAVED;
    if (variant < INTERLEAVE)
        return method < SERICR_GLOBAL ? THOMAS : method < PARACR_GLOBAL ? SERICR : PARACR;
    return variant == THOMAS_CPU || variant == THOMAS_CPU_LANES ||
                   (variant >= TRIDIAGONAL_BATCH && variant < TRIDIAGONAL_BATCH_END)
               ? THOMAS
           : variant == SERICR_CPU  ? SERICR
           : variant == LAPACK_GTSV ? LAPACK
                                    : PARACR; /* cuSPARSE does not say */
}

/* Bound on the backward error of a row in units of roundoff. Elimination without pivoting of dominant rows: 12 (4u
 * |L||U|, |L||U| <= 3|A|: Higham, Accuracy and Stability of Numerical Algorithms, 9.5-9.6) and 4 to spare. PARACR
 * computes each x_i by a chain of its own, whose errors do not fit those of its neighbours: its error is the
 * forward one, bounded by 4 condition numbers: of dominant rows at most 2 over their least dominance
 * (|b| - |a| - |c|)/|b|. Poisson's rows have none, but are powers of two after each level. */
static double units_of(enum family family, enum system kind)
{
    static const double dominance[SYSTEM_KINDS] = {0.5 / 2.5, 0, 0.5e-3 / 1.0005, 0.5 / 2.5};
    return family != PARACR ? 16 : kind == SYSTEM_POISSON ? 64 : 4 * 2 / dominance[kind];
}

/* ---- buffers: everything that one size needs ---- */

enum { ARRAYS = 4 }; /* sub, diag, super, rhs */

struct buffers {
    char type;
    enum system kind;
    int64_t n, batch;
    /* Contiguous on host and device, and interleaved on the device. */
    void *host[ARRAYS], *host_x, *cpu_work;
    void *host_interleaved[ARRAYS]; /* GPU builds: from where interleaved arrays travel */
    void *in[ARRAYS], *interleaved[ARRAYS], *x, *natural, *work;
    long long *status, *host_status;
};

static size_t bytes_of(const struct buffers *b)
{
    return (size_t)(b->n * b->batch) * (size_t)size_of(b->type);
}

/* Words of work a row: PARACR's two buffers; cuSPARSE's copies need three. */
enum { WORK_WORDS = 8 };

/* Bytes that a size takes on the device and on the host. */
struct need {
    double device, host;
};
static struct need need_of(char type, double n, double batch, int cores)
{
    double bytes = size_of(type) * n * batch, status = sizeof(long long) * batch;
    double work = (double)cpu_work(type, (int64_t)n, (int64_t)batch);
    struct need need = {(2 * ARRAYS + 2 + WORK_WORDS) * bytes + status,
                        (3 * ARRAYS + 2) * bytes + work * cores +
                            status}; /* pinned in both layouts, pageable */
    return need;
}

/* Room for n batch <= words of a type, n and batch as given at most. */
static void allocate(struct buffers *b, char type, int64_t words, int64_t n, int64_t batch,
                     int cores)
{
    size_t bytes = (size_t)words * (size_t)size_of(type);
    int64_t status = batch * (int64_t)(sizeof *b->status);
    for (int i = 0; i < ARRAYS; i++) {
        CHECK(cudaMallocHost(&b->host[i], bytes));
#ifdef __CUDACC__
        CHECK(cudaMallocHost(&b->host_interleaved[i], bytes));
#endif
        CHECK(cudaMalloc(&b->in[i], bytes));
        CHECK(cudaMalloc(&b->interleaved[i], bytes));
    }
    CHECK(cudaMallocHost(&b->host_x, bytes));
    CHECK(cudaMalloc(&b->x, bytes));
    CHECK(cudaMalloc(&b->natural, bytes));
    CHECK(cudaMalloc(&b->work, WORK_WORDS * bytes));
    CHECK(cudaMalloc(&b->status, (size_t)status));
    b->host_status = (long long *)host_alloc("thomas_batch", status);
    b->cpu_work = host_alloc("thomas_batch", cpu_work(type, n, batch) * cores);
}

static void release(struct buffers *b)
{
    for (int i = 0; i < ARRAYS; i++) {
        CHECK(cudaFreeHost(b->host[i]));
        CHECK(cudaFreeHost(b->host_interleaved[i]));
        CHECK(cudaFree(b->in[i]));
        CHECK(cudaFree(b->interleaved[i]));
    }
    CHECK(cudaFreeHost(b->host_x));
    CHECK(cudaFree(b->x));
    CHECK(cudaFree(b->natural));
    CHECK(cudaFree(b->work));
    CHECK(cudaFree(b->status));
    free(b->host_status);
    free(b->cpu_work);
}

/* Words from one layout to the other; one system is the same in both. */
static cudaError_t interleave(const struct buffers *b, bool back, const void *from, void *to,
                              cudaStream_t stream)
{
    return back ? pscheme_g_transpose(b->type, TRANSPOSE_PADDED, b->n, b->batch, from, to, stream)
                : pscheme_g_transpose(b->type, TRANSPOSE_PADDED, b->batch, b->n, from, to, stream);
}

static void upload(struct buffers *b)
{
    for (int i = 0; i < ARRAYS; i++) {
        CHECK(cudaMemcpy(b->in[i], b->host[i], bytes_of(b), cudaMemcpyHostToDevice));
        CHECK(interleave(b, false, b->in[i], b->interleaved[i], 0));
    }
}

static void make_systems(struct buffers *b, enum system kind, char type, uint64_t seed, int64_t n,
                         int64_t batch)
{
    b->type = type;
    b->kind = kind;
    b->n = n;
    b->batch = batch;
    fill_systems(type, kind, seed, n, batch, b->host[0], b->host[1], b->host[2], b->host[3]);
    upload(b);
}

/* ---- one solve ---- */

static struct thomas_batch plan(const struct buffers *b, bool interleaved, int threads)
{
    void *const *in = interleaved ? b->interleaved : b->in;
    struct thomas_batch s = {b->type, interleaved, b->n, b->batch, in[0],     in[1],
                             in[2],   in[3],       b->x, b->work,  b->status, threads};
    return s;
}

/* The solution on the host in contiguous order. */
static void fetch(struct buffers *b, bool interleaved)
{
    if (interleaved)
        CHECK(interleave(b, true, b->x, b->natural, 0));
    CHECK(cudaMemcpy(b->host_x, interleaved ? b->natural : b->x, bytes_of(b),
                     cudaMemcpyDeviceToHost));
}

/* The first system with a status, -1: none. */
static int64_t first_bad(const struct buffers *b)
{
    for (int64_t k = 0; k < b->batch; k++)
        if (b->host_status[k])
            return k;
    return -1;
}

/* host_x is verified; a status of any system is a failure. */
static struct verdict judge(const struct buffers *b, int variant, bool has_status)
{
    struct verdict verdict =
        verify_systems(b->type, b->n, b->batch, b->host[0], b->host[1], b->host[2], b->host[3],
                       b->host_x, units_of(family_of(variant), b->kind));
    if (has_status && first_bad(b) >= 0) {
        verdict.ok = false;
        verdict.worst = first_bad(b);
    }
    return verdict;
}

/* Solve on poisoned memory; status and solution come to the host. */
static void solve_here(struct buffers *b, int variant, int threads)
{
    bool interleaved = variant >= INTERLEAVED;
    enum thomas_batch_variant method = (enum thomas_batch_variant)(variant % INTERLEAVED);
    struct thomas_batch s = plan(b, interleaved, threads);
    size_t status = (size_t)b->batch * sizeof *b->status;
    size_t work = (size_t)thomas_batch_work(method, &s) * (size_t)size_of(b->type);
    s.work = NULL; /* exactly what is said to be needed, so that tools see what lies beyond */
    if (work > 0)
        CHECK(cudaMalloc(&s.work, work));
    CHECK(cudaMemset(b->x, 0xff, bytes_of(b)));
    if (work > 0)
        CHECK(cudaMemset(s.work, 0xff, work));
    CHECK(cudaMemset(b->status, 0x55, status));
    CHECK(thomas_batch_solve(method, &s, 0));
    CHECK(cudaMemcpy(b->host_status, b->status, status, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(s.work));
    fetch(b, interleaved);
}

static struct cpu_batch plan_cpu(const struct buffers *b, int cores)
{
    struct cpu_batch s = {b->type,     b->n,           b->batch,   b->host[0],
                          b->host[1],  b->host[2],     b->host[3], b->host_x,
                          b->cpu_work, b->host_status, cores};
    return s;
}

/* False where this build has no LAPACK. */
static bool run_cpu(int variant, const struct cpu_batch *s)
{
    if (variant == LAPACK_GTSV)
        return cpu_lapack(s);
    variant == THOMAS_CPU         ? cpu_thomas(s)
    : variant == THOMAS_CPU_LANES ? cpu_lanes(s)
                                  : cpu_sericr(s);
    return true;
}

/* ---- rows ---- */

/* Least words that a method moves for a row of a system. */
static double words_of(int variant, int64_t n, int64_t on_chip_from)
{
    double levels = 0, all = (double)n, words = 7;
    for (int64_t h = 1; h < n; h *= 2)
        levels++;
    switch (variant) {
    case THOMAS_GLOBAL: /* a, b, c, k; alpha, beta there and back; x */
    case THOMAS_SHARED:
    case THOMAS_TILE:
        return 9;
    case SERICR_GLOBAL: /* even rows and x: 4 + 3; and every level from the given rows */
    case SERICR_SHARED:
        for (int l = 0; n >> l > 0; l++)
            for (int i = 0; i < l; i++)
                words += (4 * (double)(n >> i) + 4 * (double)(n >> (i + 1))) / all;
        return words;
    case PARACR_GLOBAL: /* a level: 4 read, 4 written; the last writes x */
    case PARACR_SHARED:
    case PARACR_PARTIAL:
        return levels > 1 ? 8 * levels - 3 : 5;
    case PARACR_BLOCK: /* some levels, then read once and x */
        for (words = 5; on_chip_from > 1; on_chip_from /= 2)
            words += 8;
        return words;
    default:
        return 5; /* a, b, c, k, x */
    }
}

struct run {
    struct buffers *b;
    enum thomas_batch_variant method;
    struct thomas_batch s;
    struct cpu_batch cpu;
    int variant;
    void *const *host; /* from where the arrays come */
    void *host_x;
};

static cudaError_t run_solve(void *ctx, cudaStream_t stream)
{
    struct run *run = (struct run *)ctx;
    return thomas_batch_solve(run->method, &run->s, stream);
}

static cudaError_t run_interleave(void *ctx, cudaStream_t stream)
{
    struct buffers *b = ((struct run *)ctx)->b;
    for (int i = 0; i < ARRAYS; i++)
        TRY(interleave(b, false, b->in[i], b->interleaved[i], stream));
    return interleave(b, true, b->x, b->natural, stream);
}

static struct row row_for(const struct buffers *b, const char *variant, double words)
{
    struct row row = {};
    row.variant = variant;
    row.type = b->type;
    row.n = b->n;
    row.batch = b->batch;
    row.phase = "total";
    row.device = device_name();
    row.bytes = words * (double)bytes_of(b);
    row.error = -1;
    row.status = "ok";
    return row;
}

static const char *status_of(const struct buffers *b, struct verdict verdict, bool has_status)
{
    return has_status && first_bad(b) >= 0 ? "zero pivot" : verdict.ok ? "ok" : "wrong";
}

#ifdef __CUDACC__

static cudaError_t run_up(void *ctx, cudaStream_t stream)
{
    struct run *run = (struct run *)ctx;
    const void *const to[] = {run->s.sub, run->s.diag, run->s.super, run->s.rhs};
    for (int i = 0; i < ARRAYS; i++)
        TRY(cudaMemcpyAsync((void *)to[i], run->host[i], bytes_of(run->b), cudaMemcpyHostToDevice,
                            stream));
    return cudaSuccess;
}
static cudaError_t run_down(void *ctx, cudaStream_t stream)
{
    struct run *run = (struct run *)ctx;
    return cudaMemcpyAsync(run->host_x, run->s.x, bytes_of(run->b), cudaMemcpyDeviceToHost, stream);
}
static cudaError_t run_transfers(void *ctx, cudaStream_t stream)
{
    TRY(run_up(ctx, stream));
    return run_down(ctx, stream);
}
static cudaError_t run_solve_and_transfers(void *ctx, cudaStream_t stream)
{
    TRY(run_up(ctx, stream));
    TRY(run_solve(ctx, stream));
    return run_down(ctx, stream);
}

/* The copies alone. What comes back is not the solution of anything. */
static void transfer_rows(struct results *results, struct buffers *b, const struct options *o)
{
    struct run run = {};
    void *pageable[ARRAYS + 1];
    struct row row = row_for(b, variants[TRANSFERS].name, 5);
    run.b = b;
    run.s = plan(b, false, 32);
    run.host = b->host;
    run.host_x = b->host_x;
    row.phase = "pinned";
    CHECK(time_device(NULL, run_transfers, &run, o->reps, &row.time));
    results_add(results, &row);
    for (int i = 0; i <= ARRAYS; i++) {
        pageable[i] = host_alloc("thomas_batch", (int64_t)bytes_of(b));
        memcpy(pageable[i], i < ARRAYS ? b->host[i] : b->host_x, bytes_of(b));
    }
    run.host = pageable;
    run.host_x = pageable[ARRAYS];
    row.phase = "pageable";
    CHECK(time_device(NULL, run_transfers, &run, o->reps, &row.time));
    results_add(results, &row);
    for (void *memory : pageable)
        free(memory);
}

static void peer_row(struct results *results, struct buffers *b, const struct options *o,
                     enum peer peer)
{
    bool interleaved = peer != PEER_STRIDED;
    /* gtsv2 wants three rows; the interleaved ones give a system to a thread, and one thread would take minutes. */
    if (b->n < 3 || (interleaved && b->batch == 1))
        return;
    struct thomas_batch s = plan(b, interleaved, 32);
    struct row row = row_for(b, variants[FIRST_PEER + peer].name, 5);
    cudaError_t error = peer_cusparse(peer, &s, b->work, o->reps, &row.time);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        fprintf(stderr, "thomas_batch: %s: no memory for its workspace: left out\n", row.variant);
        return;
    }
    CHECK(error);
    fetch(b, interleaved);
    struct verdict verdict = judge(b, FIRST_PEER + peer, false);
    row.error = verdict.error;
    row.status = status_of(b, verdict, false);
    results_add(results, &row);
}

#endif

static void clock_work(void *ctx)
{
    struct run *run = (struct run *)ctx;
    run_cpu(run->variant, &run->cpu);
}

static void cpu_rows(struct results *results, struct buffers *b, const struct options *o,
                     int variant, int all_cores)
{
    int cores_of[] = {1, all_cores};
    struct timing one = timing_none();
    for (int cores : cores_of) {
        struct run run = {};
        if (variant == LAPACK_GTSV && cores < all_cores && b->batch > 1) /* a peer with all cores */
            continue;
        run.variant = variant;
        run.cpu = plan_cpu(b, cores);
        memset(b->host_x, 0xff, bytes_of(b));
        if ((cores > 1 && b->batch == 1) || !run_cpu(variant, &run.cpu))
            return;
        struct verdict verdict = judge(b, variant, true);
        struct row row = row_for(b, variants[variant].name, words_of(variant, b->n, 1));
        row.device = cpu_name();
        row.cores = cores;
        row.error = verdict.error;
        row.status = status_of(b, verdict, true);
        row.time = time_cores(&one, cores, false, NULL, clock_work, &run, o->reps);
        results_add(results, &row);
        if (cores == 1)
            one = row.time;
        if (all_cores == 1)
            return;
    }
}

/* Where one thread would take minutes: more rows one after the other than the paper's figure needs. A step of
 * SERICR costs about four of Thomas. */
static bool too_long(enum thomas_batch_variant method, int64_t n, int64_t batch)
{
    const int64_t most = INT64_C(1) << 24;
    int64_t levels = 0;
    while (n >> levels > 0)
        levels++;
    if (method == SERICR_GLOBAL || method == SERICR_SHARED)
        return 4 * n * levels > most;
    /* Of THOMAS_TILE's warp 31 lanes would do nothing but copy. */
    return method < SERICR_GLOBAL && (method == THOMAS_TILE && batch == 1 ? 16 * n : n) > most;
}

static void gpu_rows(struct results *results, struct buffers *b, const struct options *o,
                     int variant, int threads)
{
    bool interleaved = variant >= INTERLEAVED;
    struct run run = {};
    run.b = b;
    run.method = (enum thomas_batch_variant)(variant % INTERLEAVED);
    run.s = plan(b, interleaved, threads);
    run.host = interleaved ? b->host_interleaved : b->host;
    run.host_x = b->host_x;
    if (too_long(run.method, b->n, b->batch)) {
        fprintf(stderr, "thomas_batch: left out: %s, n = %lld: one thread would take minutes\n",
                variants[variant].name, (long long)b->n);
        return;
    }
    int most;
    CHECK(device_attribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (thomas_batch_shared(run.method, &run.s) > (size_t)most) {
        fprintf(stderr,
                "thomas_batch: left out: %s, type %c, T = %d: a block needs %zu bytes of shared "
                "memory, this device gives %d\n",
                variants[variant].name, b->type, threads, thomas_batch_shared(run.method, &run.s),
                most);
        return;
    }
    solve_here(b, variant, threads);
    struct verdict verdict = judge(b, variant, true);
    int64_t on_chip_from = 1;
    while (run.method == PARACR_BLOCK &&
           on_chip_from * b->batch < thomas_batch_blocks(run.method, &run.s))
        on_chip_from *= 2;
    struct row row = row_for(b, variants[variant].name, words_of(run.method, b->n, on_chip_from));
    row.blocks = thomas_batch_blocks(run.method, &run.s);
    row.threads = thomas_batch_threads(run.method, &run.s);
    row.error = verdict.error;
    row.status = status_of(b, verdict, true);
    CHECK(time_device(NULL, run_solve, &run, o->reps, &row.time));
    results_add(results, &row);
#ifdef __CUDACC__
    if (row.time.median_ms > 1e3) /* the transfers would not be seen */
        return;
    row.phase = "total+transfers";
    row.bytes = 5 * (double)bytes_of(b);
    CHECK(time_device(NULL, run_solve_and_transfers, &run, o->reps, &row.time));
    results_add(results, &row);
#endif
}

/* A variant with its own T is run once, not for each T asked for; and so is one thread a system where one block has
 * more threads than there are systems. */
static bool seen(const struct options *o, const struct buffers *b, int variant, int t)
{
    enum thomas_batch_variant method = (enum thomas_batch_variant)(variant % INTERLEAVED);
    struct thomas_batch s = plan(b, variant >= INTERLEAVED, (int)o->threads.value[t]);
    int threads = thomas_batch_threads(method, &s);
    bool thread_a_system = method < PARACR_GLOBAL;
    for (int i = 0; i < t; i++) {
        if (thread_a_system && b->batch <= o->threads.value[i] && b->batch <= o->threads.value[t])
            return true;
        s.threads = (int)o->threads.value[i];
        if (thomas_batch_threads(method, &s) == threads)
            return true;
    }
    return false;
}

static cudaError_t run_batch(void *ctx, cudaStream_t stream)
{
    return tridiagonal_batch_solve((struct tridiagonal_batch *)ctx, stream);
}
static const struct kind {
    bool interleaved, pivot;
    enum tridiagonal_matrix matrix;
} kinds[] = {{false, false, TRIDIAGONAL_BATCH_OWN},      {false, true, TRIDIAGONAL_BATCH_OWN},
             {true, false, TRIDIAGONAL_BATCH_OWN},       {true, true, TRIDIAGONAL_BATCH_OWN},
             {false, false, TRIDIAGONAL_BATCH_SHARED},   {true, false, TRIDIAGONAL_BATCH_SHARED},
             {false, false, TRIDIAGONAL_BATCH_CONSTANT}, {true, false, TRIDIAGONAL_BATCH_CONSTANT}};

/* Of all systems the first one's matrix, or that of its row in the middle (of two rows the last, whose super has no effect). */
static void share_matrix(struct buffers *b, bool constant)
{
    size_t word = (size_t)size_of(b->type), n = (size_t)b->n * word,
           middle = (size_t)b->n / 2 * word;
    for (int i = 0; i < ARRAYS - 1; i++) {
        char *host = (char *)b->host[i];
        const char *same = (const char *)b->host[i == 2 && b->n == 2 ? 0 : i] + middle;
        for (size_t at = 0; at < n && constant; at += word)
            if (host + at != same)
                memcpy(host + at, same, word);
        for (size_t k = 1; k < (size_t)b->batch; k++)
            memcpy(host + k * n, host, n);
        CHECK(cudaMemcpy(b->in[i], host, n, cudaMemcpyHostToDevice));
    }
}
static void batch_row(struct results *results, struct buffers *b, const struct options *o,
                      int variant)
{
    const struct kind *kind = &kinds[variant - TRIDIAGONAL_BATCH];
    bool own = kind->matrix == TRIDIAGONAL_BATCH_OWN;
    if (kind->interleaved && b->batch == 1)
        return;
    if (!own)
        share_matrix(b, kind->matrix == TRIDIAGONAL_BATCH_CONSTANT);
    size_t status_bytes = (size_t)b->batch * sizeof(int);
    void *const *in = kind->interleaved && own ? b->interleaved : b->in;
    int *status = (int *)((void *)b->status);
    struct tridiagonal_batch call = {};
    call.type = b->type;
    call.n = b->n;
    call.batch = b->batch;
    call.sub = in[0];
    call.diag = in[1];
    call.super = in[2];
    call.rhs = kind->interleaved ? b->interleaved[3] : b->in[3];
    call.x = b->x;
    call.status = status;
    call.pivot = kind->pivot;
    call.matrix = kind->matrix;
    call.interleaved = kind->interleaved;
    call.work = b->work;
    size_t work = tridiagonal_batch_work(&call);
    if (work > WORK_WORDS * bytes_of(b))
        CHECK(cudaMalloc(&call.work, work));
    CHECK(cudaMemset(b->x, 0xff, bytes_of(b)));
    CHECK(cudaMemset(status, 0x55, status_bytes));
    CHECK(tridiagonal_batch_solve(&call, 0));
    fetch(b, kind->interleaved);
    int *found = (int *)host_alloc("thomas_batch", (int64_t)status_bytes);
    CHECK(cudaMemcpy(found, status, status_bytes, cudaMemcpyDeviceToHost));
    for (int64_t k = 0; k < b->batch; k++)
        b->host_status[k] = found[k];
    free(found);
    struct verdict verdict = judge(b, variant, true);
    struct row row =
        row_for(b, variants[variant].name, own ? (work > 0 ? 9 : 5) : (work > 0 ? 3 : 2));
    row.bytes += (double)status_bytes;
    row.error = verdict.error;
    row.status = status_of(b, verdict, true);
    CHECK(time_device(NULL, run_batch, &call, o->reps, &row.time));
    results_add(results, &row);
    if (call.work != b->work)
        CHECK(cudaFree(call.work));
    if (!own)
        make_systems(b, b->kind, b->type, o->seed, b->n, b->batch);
}

static void all_rows(struct results *results, struct buffers *b, const struct options *o, int cores)
{
    for (int v = THOMAS_CPU; v <= LAPACK_GTSV; v++)
        if (o->has_variant[v])
            cpu_rows(results, b, o, v, cores);
#ifdef __CUDACC__
    for (int i = 0; i < ARRAYS; i++)
        CHECK(cudaMemcpy(b->host_interleaved[i], b->interleaved[i], bytes_of(b),
                         cudaMemcpyDeviceToHost));
#endif
    for (int v = 0; v < INTERLEAVE; v++)
        for (int t = 0; t < o->threads.count; t++)
            if (o->has_variant[v] && !(v >= INTERLEAVED && b->batch == 1) && !seen(o, b, v, t))
                gpu_rows(results, b, o, v, (int)o->threads.value[t]);
    for (int v = TRIDIAGONAL_BATCH; v < TRIDIAGONAL_BATCH_END; v++)
        if (o->has_variant[v])
            batch_row(results, b, o, v);
    if (o->has_variant[INTERLEAVE] && b->batch > 1) {
        struct run run = {};
        struct row row = row_for(b, variants[INTERLEAVE].name, 10);
        run.b = b;
        CHECK(time_device(NULL, run_interleave, &run, o->reps, &row.time));
        results_add(results, &row);
    }
#ifdef __CUDACC__
    if (o->has_variant[TRANSFERS])
        transfer_rows(results, b, o);
    for (int peer = 0; peer < PEERS; peer++)
        if (o->has_variant[FIRST_PEER + peer])
            peer_row(results, b, o, (enum peer)peer);
#endif
}

/* ---- the sweep ---- */

static int all_cores(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static void experiment(struct results *results, const char *program, const struct options *o)
{
    const struct list *sizes = o->rows.count > 0 ? &o->rows : &o->batch;
    int64_t done = 0, all = (int64_t)strlen(o->types) * o->n.count * sizes->count;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++)
            for (int k = 0; k < sizes->count; k++) {
                int64_t n = o->n.value[i],
                        batch = o->rows.count > 0 ? o->rows.value[k] / n : o->batch.value[k];
                if (batch == 0)
                    batch = 1;
                struct need need = need_of(*type, (double)n, (double)batch, all_cores());
                if (device_fits(need.device, need.host)) {
                    struct buffers b = {};
                    allocate(&b, *type, n * batch, n, batch, all_cores());
                    make_systems(&b, SYSTEM_DOMINANT, *type, o->seed, n, batch);
                    all_rows(results, &b, o, all_cores());
                    release(&b);
                } else
                    fprintf(stderr,
                            "%s: left out: %lld systems of n = %lld, type %c, need %.1f GiB on the "
                            "device, %.1f on the host\n",
                            program, (long long)batch, (long long)n, *type, need.device / (1 << 30),
                            need.host / (1 << 30));
                progress(program, ++done, all, "sizes");
            }
}

/* The heat equation in files of its own beside CSV, or, asked for alone, in files named after it. With sizes, which are meant for
 * others then, its steps only. */
static int heat(const struct options *o, bool alone)
{
    char prefix[PREFIX_MOST];
    const bool *has = o->has_variant;
    struct heat_asked asked = {has[HEAT], has[HEAT_CUSPARSE], has[HEAT_CUSPARSE_TRANSPOSED],
                               has[HEAT] && (alone || o->next)};
    if (!has[HEAT] && !has[HEAT_CUSPARSE] && !has[HEAT_CUSPARSE_TRANSPOSED])
        return EXIT_VERIFIED;
    return heat_run(o, !o->next, asked, options_csv_prefix(o, alone ? NULL : "heat", prefix));
}

/* Sizes that were asked for must fit; of the default ones those that do not are left out. */
static int sweep(const struct program *program, const struct options *options)
{
    struct options o = *options;
    bool heat_alone = true;
    for (int v = 0; v < HEAT; v++)
        heat_alone = heat_alone && !o.has_variant[v];
    if (heat_alone)
        return heat(options, true);
    for (int i = 0; i < o.threads.count; i++)
        if (o.threads.value[i] % 32 != 0) {
            fprintf(stderr, "%s: --threads: '%lld' is not a multiple of 32\n", program->name,
                    (long long)o.threads.value[i]);
            return EXIT_USAGE;
        }
    bool defaults = options->next != NULL;
    for (const char *type = o.types; *type && !defaults; type++) {
        double n = (double)list_largest(&o.n, 1), rows = (double)list_largest(&o.rows, 1),
               batch =
                   o.rows.count > 0 ? (rows > n ? rows / n : 1) : (double)list_largest(&o.batch, 1);
        struct need need = need_of(*type, n, batch, all_cores());
        device_require(program->name, need.device, need.host);
    }
    device_require(program->name, ceiling_bytes(), 0);
    struct results *results = results_open(program->name, program->device, options->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, options->reps);
    do
        experiment(results, program->name, &o);
    while (options_next(program, &o));
    int status = results_close(results), of_heat = heat(options, false);
    return status > of_heat ? status : of_heat;
}

/* ---- --check ---- */

/* The largest backward errors seen, in units of roundoff, printed at the end. */
static double worst_units[FAMILIES][SYSTEM_KINDS];

static void expect_solved(const struct buffers *b, int variant, int threads)
{
    struct verdict verdict = judge(b, variant, true);
    double *worst = &worst_units[family_of(variant)][b->kind];
    *worst = fmax(*worst, verdict.error / unit_roundoff(b->type));
    EXPECT(verdict.ok,
           "%s, %s, type %c, n = %lld, batch = %lld, %d threads: %.2g of the bound in system %lld",
           variants[variant].name, system_name(b->kind), b->type, (long long)b->n,
           (long long)b->batch, threads, verdict.used, (long long)verdict.worst);
}

/* All variants on one batch: verified, and the same bits in both layouts. */
static void check_variants(struct buffers *b, int threads)
{
    void *contiguous = malloc(bytes_of(b));
    for (int method = 0; method < THOMAS_BATCH_VARIANTS; method++)
        for (int v = method; v < INTERLEAVE; v += INTERLEAVED) {
            solve_here(b, v, threads);
            expect_solved(b, v, threads);
            if (v == method)
                memcpy(contiguous, b->host_x, bytes_of(b));
            else
                EXPECT(memcmp(contiguous, b->host_x, bytes_of(b)) == 0,
                       "%s: the layout changes the result, %s, type %c, n = %lld, batch = %lld, T "
                       "= %d",
                       variants[v].name, system_name(b->kind), b->type, (long long)b->n,
                       (long long)b->batch, threads);
        }
    free(contiguous);
}

/* LAPACK's pivoting compares rows: where their scales differ it is exact for the matrix as a whole, not row by
 * row. */
static void check_cpu(struct buffers *b)
{
    for (int v = THOMAS_CPU; v <= LAPACK_GTSV; v++)
        for (int cores = 1; cores <= 2; cores++) {
            struct cpu_batch s = plan_cpu(b, cores);
            memset(b->host_x, 0xff, bytes_of(b));
            memset(b->host_status, 0x55, (size_t)b->batch * sizeof *b->host_status);
            if ((v != LAPACK_GTSV || b->kind < SYSTEM_BARELY) && run_cpu(v, &s))
                expect_solved(b, v, cores);
        }
}

/* The lanes on the last 1, 1 + step, … of `most` systems and on 1 to `cores` cores give the bits and the statuses of
 * Thomas. One system in five has a bad row: its pivot is zero, not a number, infinite, or too small to be inverted. Memory
 * ends where the systems do, so that tools see what lies beyond. */
static void check_lanes(char type, enum system kind, int64_t n, int64_t most, int64_t step,
                        int cores)
{
    const double bad[] = {0, (double)NAN, (double)INFINITY, type == 's' ? 1e-39 : 1e-309};
    size_t row = (size_t)size_of(type), system = (size_t)n * row;
    size_t many = (size_t)most;
    void *in[ARRAYS], *x = malloc(many * system);
    long long *status = (long long *)malloc(many * sizeof *status);
    for (void *&array : in)
        array = malloc(many * system);
    fill_systems(type, kind, 7, n, most, in[0], in[1], in[2], in[3]);
    for (int64_t k = 2; k < most; k += 5) {
        put(type, in[0], k * n + k % n, 0);
        put(type, in[1], k * n + k % n, bad[k / 5 % 4]);
    }
    struct cpu_batch s = {
        type,   n, most, in[0], in[1], in[2], in[3], x, malloc((size_t)cpu_work(type, n, most)),
        status, 1};
    cpu_thomas(&s);
    free(s.work);
    for (s.batch = 1; s.batch <= most; s.batch += step)
        for (s.cores = 1; s.cores <= cores; s.cores++) {
            size_t batch = (size_t)s.batch, from = (many - batch) * system;
            int64_t wrong = -1;
            s.sub = (char *)in[0] + from;
            s.diag = (char *)in[1] + from;
            s.super = (char *)in[2] + from;
            s.rhs = (char *)in[3] + from;
            s.x = malloc(batch * system);
            s.work = malloc((size_t)(cpu_work(type, n, s.batch) * s.cores));
            s.status = (long long *)malloc(batch * sizeof *s.status);
            memset(s.x, 0xff, batch * system);
            memset(s.status, 0x55, batch * sizeof *s.status);
            cpu_lanes(&s);
            for (size_t k = 0; k < batch && wrong < 0; k++)
                if (s.status[k] != status[many - batch + k] ||
                    (s.status[k] == 0 &&
                     memcmp((char *)s.x + k * system, (char *)x + from + k * system, system)))
                    wrong = (int64_t)k;
            EXPECT(
                wrong < 0,
                "thomas_cpu_lanes, %s, type %c, n = %lld, batch = %lld, %d cores: system %lld is "
                "not as Thomas has it",
                system_name(kind), type, (long long)n, (long long)s.batch, s.cores,
                (long long)wrong);
            free(s.x);
            free(s.work);
            free(s.status);
        }
    for (void *array : in)
        free(array);
    free(x);
    free(status);
}

/* Four systems in one: what a bad row `at` (2 <= at < n - 2) of one system does. */
enum defect {
    ZERO_ROW,    /* all zero */
    SINGULAR,    /* rows at - 1 and at are x + y twice, and coupled to nothing else */
    NEARLY,      /* the same but for one rounding unit */
    SOUND,       /* the same but for sixteen: small, but a pivot */
    NOT_A_NUMBER /* diag */
};

static void set_row(struct buffers *b, int64_t system, int64_t i, double sub, double diag,
                    double super)
{
    const double values[] = {sub, diag, super};
    for (int array = 0; array < 3; array++)
        put(b->type, b->host[array], system * b->n + i, values[array]);
}

static void damage(struct buffers *b, enum defect defect, int64_t system, int64_t at)
{
    if (defect == ZERO_ROW)
        set_row(b, system, at, 0, 0, 0);
    else if (defect == NOT_A_NUMBER)
        put(b->type, b->host[1], system * b->n + at, (double)NAN);
    else {
        set_row(b, system, at - 1, 0, 1, 1);
        double more = defect == NEARLY ? 2 : defect == SOUND ? 32 : 0;
        set_row(b, system, at, 1, 1 + more * unit_roundoff(b->type), 0);
    }
}

/* Which row a method names, 0: none. Of the two rows of a singular pair Thomas comes to the second last; PARACR
 * frees both at once and names the first; SERICR frees the odd one. Nearly singular, b of that row becomes one
 * rounding unit, exactly, without a neighbour: no pivot of SERICR unless it is an even row of its level. */
static long long row_named(enum defect defect, enum family family, int64_t at)
{
    if (defect == SOUND)
        return 0;
    if (defect != SINGULAR && defect != NEARLY)
        return at + 1;
    int64_t row = family == THOMAS ? at : family == PARACR ? at - 1 : at - (at % 2 == 0);
    bool pivot = family != SERICR || row / 2 % 2 == 0;
    return defect == NEARLY && !pivot ? 0 : row + 1;
}

/* Every defect at both ends and in an even and an odd row inside, each in a system of its own between sound ones: it
 * is reported with its row, and the sound systems keep every bit. */
static void check_pivots(struct buffers *b, char type, int64_t n)
{
    struct {
        enum defect defect;
        int64_t at;
    } cases[64];
    int count = 0;
    for (int defect = ZERO_ROW; defect <= NOT_A_NUMBER; defect++)
        for (int64_t at = 0; at < n; at++)
            if ((at <= 1 || at >= n - 2 || at == n / 2 || at == n / 2 + 1) &&
                (at > 0 || defect == ZERO_ROW || defect == NOT_A_NUMBER))
                cases[count++] = {(enum defect)defect, at};
    size_t bytes = (size_t)(n * size_of(type));
    char *sound = (char *)malloc(bytes * (size_t)(2 * count + 1));
    for (int v = 0; v <= SERICR_CPU; v++) {
        if (v >= INTERLEAVE && v < THOMAS_CPU) /* tridiagonal_batch.h has tests of its own */
            continue;
        for (int damaged = 0; damaged < 2; damaged++) {
            make_systems(b, SYSTEM_DOMINANT, type, 7, n, 2 * count + 1);
            for (int i = 0; i < count && damaged; i++)
                damage(b, cases[i].defect, 2 * i + 1, cases[i].at);
            upload(b);
            struct cpu_batch c = plan_cpu(b, 2);
            v > INTERLEAVE ? (void)run_cpu(v, &c) : solve_here(b, v, 64);
            if (!damaged)
                memcpy(sound, b->host_x, bytes_of(b));
        }
        for (int i = 0; i < count; i++)
            EXPECT(b->host_status[2 * i + 1] ==
                       row_named(cases[i].defect, family_of(v), cases[i].at),
                   "%s, type %c, n = %lld, defect %d in row %lld: reported %lld", variants[v].name,
                   type, (long long)n, cases[i].defect, (long long)cases[i].at,
                   b->host_status[2 * i + 1]);
        for (int64_t k = 0; k <= count; k++) {
            size_t at = (size_t)(2 * k) * bytes;
            EXPECT(b->host_status[2 * k] == 0 &&
                       memcmp(sound + at, (char *)b->host_x + at, bytes) == 0,
                   "%s, type %c, n = %lld: system %lld, which is sound, is disturbed",
                   variants[v].name, type, (long long)n, (long long)(2 * k));
        }
    }
    free(sound);
}

/* A pivot whose inverse overflows is reported by Thomas, which multiplies by it; it is never a silent NaN. */
static void check_subnormal(struct buffers *b, char type)
{
    for (int v = 0; v < INTERLEAVE; v++) {
        make_systems(b, SYSTEM_DOMINANT, type, 1, 9, 3);
        set_row(b, 1, 4, 0, type == 's' ? 1e-39 : 1e-309, 0);
        put(type, b->host[3], 9 + 4, type == 's' ? 1e-39 : 1e-309);
        upload(b);
        solve_here(b, v, 32);
        bool sane = verify_systems(type, 9, 3, b->host[0], b->host[1], b->host[2], b->host[3],
                                   b->host_x, units_of(family_of(v), b->kind))
                        .ok;
        EXPECT(sane || b->host_status[1] != 0, "%s, type %c: a subnormal pivot: status %lld",
               variants[v].name, type, b->host_status[1]);
        EXPECT(family_of(v) != THOMAS || b->host_status[1] == 5, "%s, type %c: not reported",
               variants[v].name, type);
    }
}

/* What makes no sense is refused, nothing to do is done. */
static void check_misuse(struct buffers *b)
{
    make_systems(b, SYSTEM_DOMINANT, 's', 1, 100, 3);
    for (int v = 0; v < THOMAS_BATCH_VARIANTS; v++) {
        enum thomas_batch_variant method = (enum thomas_batch_variant)v;
        static const int threads_of[] = {0, 16, 48, 1056};
        struct thomas_batch s = plan(b, false, 32);
        for (int threads : threads_of) {
            s.threads = threads;
            EXPECT(thomas_batch_solve(method, &s, 0) == cudaErrorInvalidValue, "%d threads",
                   threads);
        }
        s = plan(b, false, 32);
        s.type = 'x';
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaErrorInvalidValue, "type x");
        s = plan(b, false, 32);
        s.n = -1;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaErrorInvalidValue, "n = -1");
        s.n = 1ll << 40;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaErrorInvalidValue, "n = 2^40");
        s.n = 1ll << 36;
        s.batch = 1ll << 36;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaErrorInvalidValue, "n batch = 2^72");
        s.n = 1;
        s.batch = 1ll << 47;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaErrorInvalidValue, "2^47 systems");
        s.batch = -1;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaErrorInvalidValue, "-1 systems");
        EXPECT(thomas_batch_blocks(method, &s) == 0, "blocks of a struct that makes no sense");
        s = plan(b, false, 32);
        s.batch = 0;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess, "no systems");
        s = plan(b, false, 32);
        s.n = 0;
        CHECK(cudaMemset(b->status, 0x55, 3 * sizeof *b->status));
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess, "no rows");
        CHECK(cudaMemcpy(b->host_status, b->status, 3 * sizeof *b->status, cudaMemcpyDeviceToHost));
        EXPECT(first_bad(b) == -1, "no rows, status %lld", b->host_status[0]);
    }
    struct thomas_batch s = plan(b, false, 32);
    EXPECT(thomas_batch_solve(THOMAS_BATCH_VARIANTS, &s, 0) == cudaErrorInvalidValue,
           "no such variant");
}

/* Pointers that are NULL or not aligned are refused, and nothing is written; what is not needed may
 * be NULL. */
static void check_pointers(struct buffers *b, char type)
{
    enum { N = 100, BATCH = 3 };
    const unsigned char poison = 0x5a;
    make_systems(b, SYSTEM_DOMINANT, type, 1, N, BATCH);
    size_t word = (size_t)size_of(type);
    CHECK(cudaMemset(b->x, poison, bytes_of(b)));
    CHECK(cudaMemset(b->work, poison, bytes_of(b)));
    CHECK(cudaMemset(b->status, poison, BATCH * sizeof *b->status));
    for (int v = 0; v < THOMAS_BATCH_VARIANTS; v++) {
        enum thomas_batch_variant method = (enum thomas_batch_variant)v;
        struct thomas_batch s = plan(b, false, 32);
        struct expect_pointer arrays[] = {
            EXPECT_POINTER(s.sub, word),   EXPECT_POINTER(s.diag, word),
            EXPECT_POINTER(s.super, word), EXPECT_POINTER(s.rhs, word),
            EXPECT_POINTER(s.x, word),     EXPECT_POINTER(s.status, sizeof *s.status)};
        EXPECT_POINTERS(arrays, thomas_batch_solve(method, &s, 0), cudaErrorInvalidValue);
        struct expect_pointer work[] = {EXPECT_POINTER(s.work, word)};
        if (thomas_batch_work(method, &s) > 0)
            EXPECT_POINTERS(work, thomas_batch_solve(method, &s, 0), cudaErrorInvalidValue);
        s.n = 0;
        struct expect_pointer status[] = {EXPECT_POINTER(s.status, sizeof *s.status)};
        EXPECT_POINTERS(status, thomas_batch_solve(method, &s, 0), cudaErrorInvalidValue);
        s.batch = INT64_MAX / 7;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaErrorInvalidValue, "2^63 / 7 statuses");
        EXPECT(thomas_batch_solve(method, NULL, 0) == cudaErrorInvalidValue, "no struct");
    }
    EXPECT(device_holds(b->x, poison, bytes_of(b)) && device_holds(b->work, poison, bytes_of(b)) &&
               device_holds(b->status, poison, BATCH * sizeof *b->status),
           "type %c: what was refused wrote", type);
    for (int v = 0; v < THOMAS_BATCH_VARIANTS; v++) {
        enum thomas_batch_variant method = (enum thomas_batch_variant)v;
        struct thomas_batch s = {};
        s.type = type;
        s.n = N;
        s.threads = 32;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess, "%s: no systems, no arrays",
               variants[v].name);
        s.n = 0;
        s.batch = BATCH;
        s.status = b->status;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess, "%s: no rows, a status alone",
               variants[v].name);
        s = plan(b, false, 32);
        s.n = 1;
        if (thomas_batch_work(method, &s) == 0)
            s.work = NULL;
        EXPECT(thomas_batch_solve(method, &s, 0) == cudaSuccess, "%s: no work for one row",
               variants[v].name);
    }
}

/* A corrupted result must not pass. */
static void check_checker(struct buffers *b)
{
    make_systems(b, SYSTEM_MIXED, 's', 1, 100, 33);
    solve_here(b, THOMAS_GLOBAL, 32);
    EXPECT(judge(b, THOMAS_GLOBAL, true).ok, "sound before it is damaged");
    float *x = (float *)b->host_x + 20 * 100 + 50;
    *x *= 1 + 1e-4f;
    struct verdict verdict = judge(b, THOMAS_GLOBAL, true);
    EXPECT(!verdict.ok && verdict.worst == 20, "a wrong x is found in system %lld",
           (long long)verdict.worst);
    *x = NAN;
    EXPECT(!judge(b, THOMAS_GLOBAL, true).ok, "NaN passes");
}

/* The full cross of n, batch, kinds, types and T on a GPU. On the CPU device, and with --quick (for tools that make
 * every access slow), n batch up to 10000 rows and a few pairs beyond, the larger ones with dominant systems and
 * one T alone: each n meets small batches, each batch small n. */
static void check_all_lanes(char type)
{
    static const int64_t larger[] = {47, 127, 128, 1000, 4095};
    for (int i = 0; i < SYSTEM_KINDS; i++) {
        enum system kind = (enum system)i;
        for (int64_t n = 1; n <= 70; n++)
            check_lanes(type, kind, n, 70, kind == SYSTEM_DOMINANT ? 1 : 7, 1);
        for (int64_t n : larger)
            check_lanes(type, kind, n, 37, 12, 3);
    }
}

/* With --variant and no variant of a GPU: the lanes alone, whose vectors differ from build to build. */
static int check(const struct options *o)
{
    if (!o->has_variant[0] && o->has_variant[THOMAS_CPU_LANES]) {
        check_all_lanes('s');
        check_all_lanes('d');
        return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
    }
    static const int64_t sizes[] = {1, 2, 3, 31, 32, 33, 127, 1000, 4095, 4096, 5000};
    static const int64_t batches[] = {1, 2, 31, 33, 1000};
    bool all = !device_is_cpu() && !o->quick;
    if (!o->has_variant[0] && o->has_variant[TRIDIAGONAL_BATCH]) {
        EXPECT(tridiagonal_batch_check(all, o->seed) == 0, "tridiagonal_batch.h");
        return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
    }
    if (!o->has_variant[0] && o->has_variant[HEAT]) {
        EXPECT(heat_check() == 0, "heat equation");
        return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
    }
    int64_t rows_most = all ? 5000 * 1000 : 4801 * 64; /* check_pivots: up to 64 systems */
    struct buffers b = {};
    allocate(&b, 'd', rows_most, 5000, 1000, 2);
    for (const char *type = "sd"; *type; type++) {
        for (int64_t n : sizes)
            for (int64_t batch : batches) {
                bool small = n * batch <= 2000 || (n > 1000 && batch == 1);
                if (!all && n * batch > 10000 && !(n == 1000 && batch == 31) &&
                    !(n == 33 && batch == 1000))
                    continue;
                for (int kind = 0; kind < SYSTEM_KINDS; kind++) {
                    if (!all && !small && kind != SYSTEM_DOMINANT)
                        continue;
                    make_systems(&b, (enum system)kind, *type, o->seed, n, batch);
                    check_variants(&b, 64);
                    if (all || (small && kind == SYSTEM_DOMINANT))
                        check_variants(&b, batch > 1 ? 32 : 512);
                    check_cpu(&b);
                }
            }
        for (int64_t n = 1; n <= 3; n++)
            check_pivots(&b, *type, n);
        check_pivots(&b, *type, 100);
        check_all_lanes(*type);
        check_subnormal(&b, *type);
    }
    check_pivots(&b, 's', 4801); /* beyond what a block holds */
    check_misuse(&b);
    check_pointers(&b, 's');
    check_pointers(&b, 'd');
    check_checker(&b);
    release(&b);
    EXPECT(tridiagonal_batch_check(all, o->seed) == 0, "tridiagonal_batch.h");
    EXPECT(heat_check() == 0, "heat equation");

    static const char *const names[FAMILIES] = {"Thomas", "SERICR", "PARACR", "LAPACK"};
    printf("largest backward error of a row, in units of roundoff:\n%-8s", "");
    for (int kind = 0; kind < SYSTEM_KINDS; kind++)
        printf(" %9s", system_name((enum system)kind));
    for (int family = 0; family < FAMILIES; family++) {
        printf("\n%-8s", names[family]);
        for (double worst : worst_units[family])
            printf(" %9.3g", worst);
    }
    printf("\n");
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {};
    program.name = "thomas_batch";
    program.summary = "Batched tridiagonal systems: Thomas against cyclic reduction (PL19)";
    program.variants = variants;
    program.takes = "n batch rows threads type=sd";
    program.paper =
        "--n 4095 --batch 5000,10000,15000,20000,25000 --threads 32,256 --type s,d --reps 3; "
        "--n 1K,4K,16K,64K,256K,1M,4M,16M --batch 1";
    program.quick =
        "--n 127,1000 --batch 1,33 --threads 32 --type s,d --reps 3; --n 1K,4K --batch 1";
    return device_main(&program, argc, argv, check, sweep);
}
