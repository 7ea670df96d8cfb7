/* The experiments of PL19 (Tables 1-4, Fig. 2): many tridiagonal systems, or a single large one, by
 * Thomas, serial and parallel cyclic reduction, in the paper's kinds of memory and two layouts,
 * with and without transfers; beside them the CPU, LAPACK and cuSPARSE. Run: make run, or
 * build/gpu/thomas_batch --help. */
#include "main.h"
#include "bench/peers.h"
#include "ceiling.h"

#include <initializer_list>
#include <math.h>
#include <unistd.h>

extern const struct peer peer_cusparse_strided;

/* A method in the contiguous and in the interleaved layout, and with SMALL_SHARED_BYTES. */
static constexpr struct variant method(const char *name, const char *what, int id)
{
    enum family family = id < SERICR_GLOBAL ? THOMAS : id < PARACR_GLOBAL ? SERICR : PARACR;
    return {.name = name, .what = what, .id = id, .bound = family};
}
static constexpr struct variant twin(const char *name, const char *what, int id)
{
    struct variant v = method(name, what, id);
    v.interleaved = true;
    return v;
}
static constexpr struct variant on_cores(const char *name, const char *what, enum family family)
{
    return {.name = name, .what = what, .runs_on = HOST_CORES, .bound = family};
}

const struct variant variants[] = {
    method("thomas_global", "Thomas, one thread a system, global memory (PL19)", THOMAS_GLOBAL),
    method("thomas_global_early", "as thomas_global, loads before the division",
           THOMAS_GLOBAL_EARLY),
    method("thomas_shared", "Thomas, the current row in shared memory (PL19)", THOMAS_SHARED),
    method("thomas_tile", "Thomas, tiles of 32 systems, loaded one ahead", THOMAS_TILE),
    method("sericr_global", "SERICR, one thread a system, global memory (PL19)", SERICR_GLOBAL),
    method("sericr_shared", "SERICR, a reduction's rows in shared memory (PL19)", SERICR_SHARED),
    method("paracr_global", "PARACR, one launch a level (PL19)", PARACR_GLOBAL),
    method("paracr_shared", "PARACR, rows and factors in shared memory (PL19)", PARACR_SHARED),
    method("paracr_partial", "PARACR, only the rows in shared memory (PL19)", PARACR_PARTIAL),
    method("paracr_block", "PARACR, a whole system in a block's shared memory", PARACR_BLOCK),
    twin("thomas_global_interleaved", "as thomas_global, interleaved layout", THOMAS_GLOBAL),
    twin("thomas_global_early_interleaved", "as thomas_global_early, interleaved layout",
         THOMAS_GLOBAL_EARLY),
    twin("thomas_shared_interleaved", "as thomas_shared, interleaved layout", THOMAS_SHARED),
    twin("thomas_tile_interleaved", "as thomas_tile, interleaved layout", THOMAS_TILE),
    twin("sericr_global_interleaved", "as sericr_global, interleaved layout", SERICR_GLOBAL),
    twin("sericr_shared_interleaved", "as sericr_shared, interleaved layout", SERICR_SHARED),
    twin("paracr_global_interleaved", "as paracr_global, interleaved layout", PARACR_GLOBAL),
    twin("paracr_shared_interleaved", "as paracr_shared, interleaved layout", PARACR_SHARED),
    twin("paracr_partial_interleaved", "as paracr_partial, interleaved layout", PARACR_PARTIAL),
    twin("paracr_block_interleaved", "as paracr_block, interleaved layout", PARACR_BLOCK),
    {.name = "interleave", .what = "the copy to the interleaved layout: 4 arrays, x back"},
    {.name = "transfers", .what = "to the GPU and back, pinned and pageable memory"},
    method("paracr_global_48k", "as paracr_global, 48 KB of shared memory an SM", PARACR_GLOBAL),
    method("paracr_shared_48k", "as paracr_shared, 48 KB of shared memory an SM", PARACR_SHARED),
    method("paracr_partial_48k", "as paracr_partial, 48 KB of shared memory an SM", PARACR_PARTIAL),
    on_cores("thomas_cpu", "Thomas on the CPU, one thread and all cores", THOMAS),
    on_cores("thomas_cpu_lanes", "tridiagonal_batch_cpu.h: a system in each SIMD lane", THOMAS),
    on_cores("sericr_cpu", "SERICR on the CPU, all levels stored", SERICR),
    {.name = "lapack_gtsv",
     .what = "LAPACK's xGTSV (with pivoting) on all cores",
     .library = "LAPACK",
     .runs_on = HOST_CORES,
     .bound = LAPACK},
    {.name = "cusparse_strided",
     .what = "gtsv2StridedBatch, contiguous",
     .library = "cuSPARSE",
     .runs_on = GPU_BUILD,
     .bound = PARACR,
     .peer = &peer_cusparse_strided},
    {.name = "tridiagonal_batch", .what = "beyond the paper: each element once (solvers/)"},
    {}};

/* An experiment: sizes that run one after the other in the same memory. */
struct run {
    struct results *results;
    const struct options *o;
    struct problem b;
    int cores;     /* all of them */
    bool defaults; /* a default run at the paper's sizes, which leaves out what is not needed */
    /* of each variant with threads: the T that was the fastest so far for this type and n, or 0 */
    int64_t fastest[THOMAS_CPU];
    struct row shared; /* of THOMAS_SHARED at this size: its fastest row, or all zero */
};

/* ---- what a default run leaves out ---- */

/* The numbers of systems in PL19's tables. */
enum { PAPERS_FIRST = 5000, PAPERS_LAST = 25000 };

/* Whether a default run needs this variant for this many systems, because a figure or a claim shows
 * it. Variants that the paper does not have run at its largest batch. */
static bool is_needed(int variant, int64_t batch)
{
    if (small_shared(variant))
        return batch == PAPERS_LAST;
    switch (variant) {
    case THOMAS_SHARED:
    case PARACR_PARTIAL:
    case TRANSFERS:
    case THOMAS_CPU:
        return true;
    case THOMAS_GLOBAL:
        return batch > 1;
    case THOMAS_TILE:
    case PARACR_BLOCK:
        return batch == 1 || batch >= PAPERS_FIRST;
    case LAPACK_GTSV:
    case CUSPARSE:
        return batch == 1 || batch == PAPERS_LAST;
    case THOMAS_CPU_LANES:
    case INTERLEAVE:
    case TRIDIAGONAL_BATCH:
        return batch == PAPERS_LAST;
    default:
        return batch >= PAPERS_FIRST;
    }
}

/* Figures show the fastest T, which was the same for all of the paper's numbers of systems. So all
 * T run with the first and last number, and the fastest one between. */
static bool needs_threads(int64_t batch, int64_t threads, int64_t fastest)
{
    return batch <= PAPERS_FIRST || batch >= PAPERS_LAST || fastest == 0 || threads == fastest;
}

/* Claims show transfers only in single precision. */
static bool needs_transfers(int variant, char type)
{
    return type == 's' || variant == THOMAS_SHARED || variant == THOMAS_TILE ||
           variant == PARACR_PARTIAL || variant == PARACR_BLOCK;
}

static bool wants(const struct run *r, int variant)
{
    return r->o->has_variant[variant] && variant_has_type(&variants[variant], r->b.s.type) &&
           (!r->defaults || is_needed(variant, r->b.s.batch));
}

/* ---- rows of results ---- */

/* The least number of elements for each row. PARACR_BLOCK splits each system into `parts`. */
static double elements_of(int variant, int64_t n, int64_t parts)
{
    double elements = 5; /* every method reads a, b, c, k and writes x */
    int levels = 0;
    while ((int64_t)1 << levels < n)
        levels++;
    switch (variant) {
    case THOMAS_GLOBAL:
    case THOMAS_GLOBAL_EARLY:
    case THOMAS_SHARED:
    case THOMAS_TILE:
        return elements + 4; /* alpha and beta are written and read */
    /* Substitution reads 4 elements and 2 neighbours' x, and writes x: 7. Before it, every level is
     * computed again from the given rows. */
    case SERICR_GLOBAL:
    case SERICR_SHARED:
        elements = 7;
        for (int l = 0; n >> l > 0; l++)
            for (int i = 0; i < l; i++)
                elements += 4 * (double)((n >> i) + (n >> (i + 1))) / (double)n;
        return elements;
    /* each level reads 4 and writes 4 elements, but the last one writes only x */
    case PARACR_GLOBAL:
    case PARACR_SHARED:
    case PARACR_PARTIAL:
        return levels > 1 ? 8 * levels - 3 : 5;
    case PARACR_BLOCK: /* 8 for each level over all blocks, then 5 within a block */
        for (; parts > 1; parts /= 2)
            elements += 8;
        return elements;
    default:
        return elements;
    }
}

/* Its error -1 leaves the error column of the CSV empty. */
static const struct verdict NOTHING_TO_VERIFY = {true, -1, 0, -1};

static struct row row_of(const struct problem *b, int variant, double elements,
                         struct verdict verdict)
{
    return device_row(variants[variant].name, b->s.type, b->s.n, b->s.batch, elements, verdict);
}

/* The text for the status column, from host_status. */
static const char *status_of(const struct problem *b, struct verdict verdict)
{
    return first_failed(b) >= 0 ? "zero pivot" : verdict_status(verdict);
}

/* ---- transfers and layouts ---- */

/* Copies four arrays of host memory to sub, diag, super and rhs of s. */
static cudaError_t copy_in(const struct thomas_batch *s, void *const *host, size_t bytes,
                           cudaStream_t stream)
{
    const void *const to[] = {s->sub, s->diag, s->super, s->rhs};
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        TRY(cudaMemcpyAsync((void *)to[i], host[i], bytes, cudaMemcpyHostToDevice, stream));
    return cudaSuccess;
}

/* Copies the systems to pageable memory. On the CPU device they are there. */
static void fill_pageable(struct problem *b)
{
    size_t bytes = systems_bytes(&b->s);
    for (int i = 0; i < SYSTEM_ARRAYS && !device_is_cpu(); i++)
        host_copy(b->pageable[i], b->s.host[i], bytes);
    host_poison(b->pageable_x, bytes); /* a first write makes the operating system provide pages */
}

/* The time to copy four arrays to the GPU and one back, from pinned and from pageable memory. */
static void transfer_rows(struct run *r)
{
    struct problem *b = &r->b;
    struct thomas_batch s = plan(b, false, 32);
    size_t bytes = systems_bytes(&b->s);
    for (bool pinned : {true, false}) {
        struct row row = row_of(b, TRANSFERS, 5, NOTHING_TO_VERIFY);
        row.phase = pinned ? "pinned" : "pageable";
        record(r->results, row, r->o->reps, [&](cudaStream_t stream) {
            TRY(copy_in(&s, pinned ? b->s.host : b->pageable, bytes, stream));
            return cudaMemcpyAsync(pinned ? b->s.host_x : b->pageable_x, s.x, bytes,
                                   cudaMemcpyDeviceToHost, stream);
        });
    }
}

static void interleave_row(struct run *r)
{
    struct problem *b = &r->b;
    struct row row = row_of(b, INTERLEAVE, 10, NOTHING_TO_VERIFY);
    record(r->results, row, r->o->reps, [&](cudaStream_t stream) {
        for (int i = 0; i < SYSTEM_ARRAYS; i++)
            TRY(interleave(&b->s, b->s.in[i], b->interleaved[i], stream));
        return to_contiguous(&b->s, b->s.x, b->natural, stream);
    });
}

/* ---- one variant ---- */

/* gtsv2 needs at least three rows. */
static void cusparse_row(struct run *r)
{
    struct systems *s = &r->b.s;
    if (s->n < 3)
        return;
    struct peer_call call = {s->type,  false,    s->n,     s->batch, s->in[0],
                             s->in[1], s->in[2], s->in[3], s->x,     r->b.work};
    peer_row(r->results, &variants[CUSPARSE], call, r->o->reps, [&] {
        download_x(&r->b, false);
        return row_of(&r->b, CUSPARSE, 5, verdict_of(&r->b, CUSPARSE, false));
    });
}

/* A CPU solver on one core and on all cores. LAPACK runs only on all cores, a single system only on
 * one, because a core solves whole systems. */
static void cpu_rows(struct run *r, int variant)
{
    struct problem *b = &r->b;
    struct timing one = timing_none();
    for (int cores : {1, r->cores}) {
        if ((variant == LAPACK_GTSV && cores < r->cores && b->s.batch > 1) ||
            (cores > 1 && b->s.batch == 1) || (one.samples > 0 && r->cores == 1))
            continue;
        struct cpu_batch s = plan_cpu(b, cores);
        bool exists = true;
        poison_host(b);
        struct timing_sample solved = sample_cores([&] { exists = run_cpu(variant, &s); });
        if (!exists)
            return;
        struct verdict verdict = verdict_of(b, variant, true);
        struct row row = cpu_row(variants[variant].name, b->s.type, b->s.n, b->s.batch, cores,
                                 elements_of(variant, b->s.n, 1), verdict);
        row.status = status_of(b, verdict);
        one = record_cores_after(solved, r->results, row, &one, r->o->reps,
                                 [&] { run_cpu(variant, &s); });
    }
}

/* Whether one thread would compute more than the paper's largest system (16M rows), which takes
 * minutes. A level of SERICR costs about four rows of Thomas. With one system only one lane of
 * THOMAS_TILE eliminates, so a row counts as 16. */
static bool too_long(enum thomas_batch_variant method, int64_t n, int64_t batch)
{
    const int64_t most = INT64_C(1) << 24;
    int64_t levels = 0;
    while (n >> levels > 0)
        levels++;
    if (method == SERICR_GLOBAL || method == SERICR_SHARED)
        return 4 * n * levels > most;
    return method < SERICR_GLOBAL && (method == THOMAS_TILE && batch == 1 ? 16 * n : n) > most;
}

/* Verifies and times a variant. The row's time has no samples if nothing was timed: on the CPU
 * device, and if the variant was left out. */
static struct row gpu_row(struct run *r, int variant, int threads)
{
    struct problem *b = &r->b;
    enum thomas_batch_variant method = method_of(variant);
    struct thomas_batch s = plan_of(b, variant, threads);
    struct row none = {};
    if (too_long(method, s.n, s.batch)) {
        fprintf(stderr, "thomas_batch: left out: %s, n = %lld: one thread would take minutes\n",
                variants[variant].name, (long long)s.n);
        return none;
    }
    int most;
    CHECK(device_attribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (s.shared_limit > 0 && s.shared_limit < most)
        most = s.shared_limit;
    if (thomas_batch_shared(method, &s) > (size_t)most) {
        fprintf(stderr,
                "thomas_batch: left out: %s, type %c, T = %d: a block needs %zu bytes of shared "
                "memory, there are %d\n",
                variants[variant].name, s.type, threads, thomas_batch_shared(method, &s), most);
        return none;
    }
    double ms = solve_gpu(b, variant, threads);
    struct verdict verdict = verdict_of(b, variant, true);
    int64_t blocks = thomas_batch_blocks(method, &s);
    struct row row = row_of(b, variant, elements_of(method, s.n, blocks / s.batch), verdict);
    row.blocks = blocks;
    row.threads = thomas_batch_threads(method, &s);
    row.status = status_of(b, verdict);
    row.time = record_after(ms, r->results, row, r->o->reps, [&](cudaStream_t stream) {
        return thomas_batch_solve(method, &s, stream);
    });
    return row;
}

/* Adds a row with the time of the same solve and the transfers, from and to pinned memory. */
static void row_with_transfers(struct run *r, int variant, struct row row)
{
    struct problem *b = &r->b;
    enum thomas_batch_variant method = method_of(variant);
    struct thomas_batch s = plan_of(b, variant, (int)row.threads);
    size_t bytes = systems_bytes(&b->s);
    row.phase = "total+transfers";
    row.bytes = 5 * (double)bytes;
    record(r->results, row, r->o->reps, [&](cudaStream_t stream) {
        TRY(copy_in(&s, b->s.host, bytes, stream));
        TRY(thomas_batch_solve(method, &s, stream));
        return cudaMemcpyAsync(b->s.host_x, s.x, bytes, cudaMemcpyDeviceToHost, stream);
    });
}

/* Copies the systems from pageable memory, solves them by THOMAS_SHARED and copies x back. With
 * `allocate` it also allocates the arrays on the device and frees them, all but `status`. */
static cudaError_t solve_pageable(const struct problem *b, struct thomas_batch s, bool allocate)
{
    size_t bytes = systems_bytes(&b->s);
    void *array[] = {(void *)s.sub, (void *)s.diag, (void *)s.super, (void *)s.rhs, s.x, s.work};
    if (allocate)
        for (void *&a : array)
            TRY(cudaMalloc(&a, bytes)); /* the workspace has as many elements as x */
    s.sub = array[0], s.diag = array[1], s.super = array[2], s.rhs = array[3];
    s.x = array[4], s.work = array[5];
    TRY(copy_in(&s, b->pageable, bytes, 0));
    TRY(thomas_batch_solve(THOMAS_SHARED, &s, 0));
    TRY(cudaMemcpy(b->pageable_x, s.x, bytes, cudaMemcpyDeviceToHost));
    if (allocate)
        for (void *a : array)
            TRY(cudaFree(a));
    return cudaSuccess;
}

/* Adds the rows of what a program with pageable memory waits for (PL19-6): the solve by
 * thomas_shared with its transfers, and with its device memory allocated and freed, too. The host's
 * clock sees all of it. */
static void pageable_rows(struct run *r)
{
    struct problem *b = &r->b;
    struct thomas_batch s = plan(b, false, (int)r->shared.threads);
    size_t bytes = systems_bytes(&b->s);
    for (bool allocate : {false, true}) {
        auto work = [&] { CHECK(solve_pageable(b, s, allocate)); };
        struct row row = r->shared;
        if (allocate && !device_fits(6 * (double)bytes, 0)) {
            fprintf(stderr, "thomas_batch: left out: total+allocation, the device is full\n");
            continue;
        }
        host_poison(b->pageable_x, bytes);
        work();
        if (!device_is_cpu())
            host_copy(b->s.host_x, b->pageable_x, bytes);
        device_download(b->host_status, b->status, (size_t)b->s.batch * sizeof *b->status);
        struct verdict verdict = verdict_of(b, THOMAS_SHARED, true);
        row.phase = allocate ? "total+allocation" : "total+pageable";
        row.bytes = 5 * (double)bytes;
        row.error = verdict.error;
        row.status = status_of(b, verdict);
        row.time = timing_none();
        if (!device_is_cpu())
            row.time = time_clock(
                NULL, [](void *w) { (*(decltype(work) *)w)(); }, &work, r->o->reps);
        results_add(r->results, &row);
    }
}

/* Whether o->threads.value[t] repeats an earlier measurement: with one thread a system all T >=
 * batch give one block, and some variants choose T themselves. */
static bool repeats(const struct options *o, const struct problem *b, int variant, int t)
{
    enum thomas_batch_variant method = method_of(variant);
    struct thomas_batch s = plan_of(b, variant, (int)o->threads.value[t]);
    int threads = thomas_batch_threads(method, &s);
    bool thread_a_system = method < PARACR_GLOBAL;
    for (int i = 0; i < t; i++) {
        if (thread_a_system && s.batch <= o->threads.value[i] && s.batch <= o->threads.value[t])
            return true;
        s.threads = (int)o->threads.value[i];
        if (thomas_batch_threads(method, &s) == threads)
            return true;
    }
    return false;
}

/* Adds a row for each T. Contiguous systems also get a row with transfers, at the fastest T. */
static void gpu_rows(struct run *r, int variant)
{
    const struct systems *s = &r->b.s;
    struct row best = {};
    int64_t fastest = r->fastest[variant];
    for (int t = 0; t < r->o->threads.count; t++) {
        int64_t threads = r->o->threads.value[t];
        if (repeats(r->o, &r->b, variant, t) ||
            (r->defaults && !needs_threads(s->batch, threads, fastest)))
            continue;
        struct row row = gpu_row(r, variant, (int)threads);
        if (row.time.samples > 0 &&
            (best.time.samples == 0 || row.time.median_ms < best.time.median_ms)) {
            best = row;
            r->fastest[variant] = threads;
        } else if (!best.variant)
            best = row; /* on the CPU device, where nothing is timed */
    }
    if (variant == THOMAS_SHARED)
        r->shared = best;
    /* The transfers, at 20 GB/s, are not visible if they take less than a hundredth of the solve.
     */
    double transfers_ms = 5 * (double)systems_bytes(s) / 20e6;
    if (variant < INTERLEAVED && best.time.samples > 0 &&
        (!r->defaults || needs_transfers(variant, s->type)) &&
        transfers_ms >= 0.01 * best.time.median_ms)
        row_with_transfers(r, variant, best);
}

static void all_rows(struct run *r)
{
    struct problem *b = &r->b;
    for (int v = THOMAS_CPU; v <= LAPACK_GTSV; v++)
        if (wants(r, v))
            cpu_rows(r, v);
    for (int v = 0; v < THOMAS_CPU; v++)
        if (wants(r, v) && v != INTERLEAVE && v != TRANSFERS &&
            !(variants[v].interleaved && b->s.batch == 1))
            gpu_rows(r, v);
    struct tridiagonal_batch_bench bench = {.systems = &b->s,
                                            .work = b->work,
                                            .work_bytes = WORK_ELEMENTS * systems_bytes(&b->s),
                                            .status = (int *)(void *)b->status};
    if (wants(r, TRIDIAGONAL_BATCH))
        tridiagonal_batch_row(r->results, &bench, &variants[TRIDIAGONAL_BATCH], r->o->reps,
                              r->o->seed);
    if (wants(r, INTERLEAVE) && b->s.batch > 1)
        interleave_row(r);
    if (wants(r, TRANSFERS)) {
        fill_pageable(b);
        if (!device_is_cpu())
            transfer_rows(r);
        if (r->shared.variant && b->s.batch > 1 &&
            (!r->defaults || (b->s.type == 's' && b->s.batch <= PAPERS_FIRST)))
            pageable_rows(r);
    }
    if (wants(r, CUSPARSE))
        cusparse_row(r);
}

/* ---- the sweep ---- */

/* Calls visit(type, n, batch) for each size. --rows, the rows of all systems, replaces --batch. */
template <class Visit> static void each_size(const struct options *o, Visit visit)
{
    bool by_rows = o->rows.count > 0;
    const struct list *sizes = by_rows ? &o->rows : &o->batch;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++)
            for (int k = 0; k < sizes->count; k++) {
                int64_t n = o->n.value[i], batch = sizes->value[k] / (by_rows ? n : 1);
                visit(*type, n, batch > 0 ? batch : 1);
            }
}

static int all_cores(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Runs all sizes in memory that is allocated once, because allocating pinned memory takes longer
 * than most solves. Leaves out sizes that do not fit. */
static void experiment(struct results *results, const char *program, const struct options *o,
                       bool defaults)
{
    struct run r = {.results = results, .o = o, .cores = all_cores(), .defaults = defaults};
    char widest = 's', last_type = 0;
    struct need most = {};
    int64_t rows = 0, n_most = 0, batch_most = 0, done = 0, all = 0, last_n = 0;
    for (const char *type = o->types; *type; type++)
        widest = size_of(*type) > size_of(widest) ? *type : widest;
    each_size(o, [&](char type, int64_t n, int64_t batch) {
        struct need need = need_of(type, (double)n, (double)batch, r.cores);
        if (!device_fits(need.device, need.host)) {
            fprintf(stderr,
                    "%s: left out: %lld systems of n = %lld, type %c, need %.1f GiB on the device, "
                    "%.1f on the host\n",
                    program, (long long)batch, (long long)n, type, need.device / (1 << 30),
                    need.host / (1 << 30));
            return;
        }
        most = {fmax(most.device, need.device), fmax(most.host, need.host)};
        int64_t bytes = n * batch * size_of(type), wide = size_of(widest);
        rows = (bytes + wide - 1) / wide > rows ? (bytes + wide - 1) / wide : rows;
        n_most = n > n_most ? n : n_most;
        batch_most = batch > batch_most ? batch : batch_most;
        all++;
    });
    if (all == 0)
        return;
    allocate(&r.b, widest, rows, n_most, batch_most, r.cores);
    each_size(o, [&](char type, int64_t n, int64_t batch) {
        struct need need = need_of(type, (double)n, (double)batch, r.cores);
        if (need.device > most.device || need.host > most.host)
            return;
        if (type != last_type || n != last_n)
            memset(r.fastest, 0, sizeof r.fastest);
        last_type = type;
        last_n = n;
        make_systems(&r.b, SYSTEM_DOMINANT, type, o->seed, n, batch);
        all_rows(&r);
        progress(program, ++done, all, "sizes");
    });
    memory_free(&r.b.memory);
}

/* Sizes of the command line that do not fit end the program. Default sizes are left out. */
static int sweep(const struct program *program, const struct options *options)
{
    struct options o = *options;
    for (int i = 0; i < o.threads.count; i++)
        if (o.threads.value[i] % 32 != 0) {
            fprintf(stderr, "%s: --threads: '%lld' is not a multiple of 32\n", program->name,
                    (long long)o.threads.value[i]);
            return EXIT_USAGE;
        }
    bool defaults = options->next != NULL;
    for (const char *type = o.types; *type && !defaults; type++) {
        double n = (double)list_largest(&o.n, 1), rows = (double)list_largest(&o.rows, 1);
        double batch = o.rows.count == 0 ? (double)list_largest(&o.batch, 1) : fmax(rows / n, 1);
        struct need need = need_of(*type, n, batch, all_cores());
        device_require(program->name, need.device, need.host);
    }
    device_require(program->name, ceiling_bytes(), 0);
    struct results *results = results_open(program->name, program->device, options->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, options->reps);
    do
        experiment(results, program->name, &o, defaults && !options->quick);
    while (options_next(program, &o));
    return results_close(results);
}

int main(int argc, char **argv)
{
    struct program program = {
        .name = "thomas_batch",
        .summary = "Batched tridiagonal systems: Thomas against cyclic reduction (PL19).",
        .variants = variants,
        .takes = "n batch rows threads type=sd",
        .paper =
            "--n 4095 --batch 5000,10000,15000,20000,25000 --threads 32,256 --type s,d --reps 3; "
            "--n 4095 --batch 50,100,200,500,1000,2000,3000; "
            "--n 256,512,1K,4K,16K,64K,256K,1M,4M,16M --batch 1 --reps 9",
        .quick = "--n 127,1000 --batch 1,33 --threads 32 --type s,d --reps 3; --n 1K,4K --batch 1"};
    return device_main(&program, argc, argv, check, sweep);
}
