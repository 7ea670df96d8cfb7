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
    method("thomas_shared", "Thomas, the current row in shared memory (PL19)", THOMAS_SHARED),
    method("thomas_tile", "Thomas, tiles of 32 systems, loaded one ahead", THOMAS_TILE),
    method("sericr_global", "SERICR, one thread a system, global memory (PL19)", SERICR_GLOBAL),
    method("sericr_shared", "SERICR, a reduction's rows in shared memory (PL19)", SERICR_SHARED),
    method("paracr_global", "PARACR, one launch a level (PL19)", PARACR_GLOBAL),
    method("paracr_shared", "PARACR, rows and factors in shared memory (PL19)", PARACR_SHARED),
    method("paracr_partial", "PARACR, only the rows in shared memory (PL19)", PARACR_PARTIAL),
    method("paracr_block", "PARACR, a whole system in a block's shared memory", PARACR_BLOCK),
    twin("thomas_global_interleaved", "as thomas_global, interleaved layout", THOMAS_GLOBAL),
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
    on_cores("thomas_cpu_lanes", "Thomas on the CPU, a system in each SIMD lane", THOMAS),
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

/* ---- rows of results ---- */

/* The least number of elements for each row. PARACR_BLOCK splits each system into `parts`. */
static double elements_of(int variant, int64_t n, int64_t parts)
{
    double elements = 5; /* every method reads a, b, c, k and writes x */
    int levels = 0;
    while ((int64_t)1 << levels < n)
        levels++;
    switch (variant) {
    case THOMAS_GLOBAL: /* the 5; alpha and beta are written and read: 4 */
    case THOMAS_SHARED:
    case THOMAS_TILE:
        return 9;
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

/* ---- transfers ---- */

/* Copies four arrays of host memory to sub, diag, super and rhs of s. */
static cudaError_t copy_in(const struct thomas_batch *s, void *const *host, size_t bytes,
                           cudaStream_t stream)
{
    const void *const to[] = {s->sub, s->diag, s->super, s->rhs};
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        TRY(cudaMemcpyAsync((void *)to[i], host[i], bytes, cudaMemcpyHostToDevice, stream));
    return cudaSuccess;
}

/* The time to copy four arrays to the GPU and one back, from pinned and from pageable memory. */
static void transfer_rows(struct results *results, struct problem *b, const struct options *o)
{
    struct thomas_batch s = plan(b, false, 32);
    size_t bytes = systems_bytes(&b->s), system = bytes / (size_t)b->s.batch;
    /* The operating system provides the pages of pageable_x when they are first written. */
#pragma omp parallel for
    for (int64_t k = 0; k < b->s.batch; k++) {
        for (int i = 0; i < SYSTEM_ARRAYS; i++)
            memcpy((char *)b->pageable[i] + (size_t)k * system,
                   (char *)b->s.host[i] + (size_t)k * system, system);
        memset((char *)b->pageable_x + (size_t)k * system, 0, system);
    }
    for (bool pinned : {true, false}) {
        struct row row = row_of(b, TRANSFERS, 5, NOTHING_TO_VERIFY);
        row.phase = pinned ? "pinned" : "pageable";
        record(results, row, o->reps, [&](cudaStream_t stream) {
            TRY(copy_in(&s, pinned ? b->s.host : b->pageable, bytes, stream));
            return cudaMemcpyAsync(pinned ? b->s.host_x : b->pageable_x, s.x, bytes,
                                   cudaMemcpyDeviceToHost, stream);
        });
    }
}

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

/* Figures and claims show the fastest T, which was the same for all of the paper's numbers of
 * systems within a hundredth. So all T run with the first and last number, and the fastest one
 * between. */
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

/* ---- one variant ---- */

/* gtsv2 needs at least three rows. */
static void cusparse_row(struct results *results, struct problem *b, const struct options *o)
{
    struct systems *s = &b->s;
    if (s->n < 3)
        return;
    struct peer_call call = {s->type,  false,    s->n,     s->batch, s->in[0],
                             s->in[1], s->in[2], s->in[3], s->x,     b->work};
    peer_row(results, &variants[CUSPARSE], call, o->reps, [&] {
        download_x(b, false);
        return row_of(b, CUSPARSE, 5, verdict_of(b, CUSPARSE, false));
    });
}

static int all_cores(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* A number that depends on every bit of host_x: equal for equal solutions only, but for a chance of
 * 2^-64. */
static uint64_t bits_of_x(const struct problem *b)
{
    const uint32_t *word = (const uint32_t *)b->s.host_x;
    uint64_t sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < (int64_t)(systems_bytes(&b->s) / sizeof *word); i++) {
        /* As random_bits() (problems.h), but inline, so that memory is the limit. */
        uint64_t mixed = ((uint64_t)i << 32 | word[i]) * UINT64_C(0x9e3779b97f4a7c15);
        mixed = (mixed ^ mixed >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
        sum += mixed ^ mixed >> 32;
    }
    return sum;
}

/* The times on one core for several numbers of systems, ascending. No samples: unknown. */
struct one_core {
    struct list batch;
    struct timing time[LAPACK_GTSV - THOMAS_CPU][LIST_MAX];
};

/* What the numbers of systems of one type and n share. */
struct shared {
    bool defaults; /* a default run at the paper's sizes, which leaves out what is not needed */
    /* the systems that the host arrays hold: the first of them are those of a smaller batch */
    int64_t made;
    struct one_core one;
    /* of each variant with threads: the value of --threads that was the fastest so far, or 0 */
    int64_t fastest[THOMAS_CPU];
};

/* One core solves one system after the other, so the clock after the first `batch` systems is a
 * sample of the time of that batch. */
static void one_pass(const struct problem *b, int variant, const struct list *batch,
                     struct timing_sample sample[])
{
    struct timing_sample before = timing_usage();
    double start = clock_ms();
    int64_t from = 0;
    for (int i = 0; i < batch->count; i++) {
        struct cpu_batch s = plan_cpu(b, 1);
        size_t offset = (size_t)(from * s.n * size_of(s.type));
        s.sub = (const char *)s.sub + offset;
        s.diag = (const char *)s.diag + offset;
        s.super = (const char *)s.super + offset;
        s.rhs = (const char *)s.rhs + offset;
        s.x = (char *)s.x + offset;
        s.status += from;
        s.batch = batch->value[i] - from;
        run_cpu(variant, &s);
        from = batch->value[i];
        struct timing_sample after = timing_usage();
        sample[i] = {clock_ms() - start, after.cpu_ms - before.cpu_ms,
                     after.switches - before.switches};
    }
}

/* Fills in a variant's times, if a pass is longer than LONG_MS (timing.h). Passes are repeated as
 * calls are in time_cores(). A disturbed time stays unknown. */
static void time_one_core(const struct problem *b, int variant, int reps, struct one_core *one)
{
    enum { PASSES = 20 };
    struct timing_sample sample[PASSES][LIST_MAX], of_batch[PASSES];
    double ms[PASSES], start = clock_ms();
    int count = 0, passes = reps < PASSES ? reps : PASSES, last = one->batch.count - 1;
    solve_cpu(b, variant, all_cores()); /* the warm-up, in less time than on one core */
    uint64_t solution = bits_of_x(b);
    poison_host(b);
    while (count < passes && (count < SAMPLES_LEAST || clock_ms() - start < 1e3 * TIMING_SECONDS)) {
        one_pass(b, variant, &one->batch, sample[count++]);
        if (sample[0][last].ms < LONG_MS)
            return;
        if (count > 1 && calls_agree(sample[count - 2][last].ms, sample[count - 1][last].ms)) {
            memmove(sample[0], sample[count - 2], 2 * sizeof sample[0]);
            count = 2;
            break;
        }
    }
    if (bits_of_x(b) != solution)
        return;
    for (int i = 0; i <= last; i++) {
        for (int k = 0; k < count; k++) {
            of_batch[k] = sample[k][i];
            ms[k] = sample[k][i].ms;
        }
        if (!samples_disturbed(of_batch, count, 1, 1))
            one->time[variant - THOMAS_CPU][i] = timing_summary("clock", ms, count);
    }
}

/* Adds the rows of a CPU solver on one core (time `known`, if it has samples) and on all cores.
 * LAPACK runs only on all cores, a single system only on one. The solution on all cores is
 * verified; the timed calls must give the same bits, else theirs is verified, too. */
static void cpu_rows(struct results *results, struct problem *b, const struct options *o,
                     int variant, int all_cores, const struct timing *known)
{
    if (!solve_cpu(b, variant, all_cores))
        return;
    struct timing one = timing_none();
    struct verdict verdict = verdict_of(b, variant, true);
    const char *status = status_of(b, verdict);
    uint64_t verified = bits_of_x(b);
    for (int cores : {1, all_cores}) {
        if (variant == LAPACK_GTSV && cores < all_cores && b->s.batch > 1)
            continue;
        if (cores > 1 && b->s.batch == 1)
            return;
        struct cpu_batch s = plan_cpu(b, cores);
        struct row row = cpu_row(variants[variant].name, b->s.type, b->s.n, b->s.batch, cores,
                                 elements_of(variant, b->s.n, 1), verdict);
        auto work = [&] { run_cpu(variant, &s); };
        bool is_known = cores == 1 && known->samples > 0;
        if (!is_known)
            poison_host(b);
        row.time = is_known ? *known
                            : time_cores(
                                  &one, cores, false, NULL,
                                  [](void *w) { (*(decltype(work) *)w)(); }, &work, o->reps);
        if (!is_known && bits_of_x(b) != verified) {
            verdict = verdict_of(b, variant, true);
            status = status_of(b, verdict);
        }
        row.error = verdict.error;
        row.status = status;
        results_add(results, &row);
        if (cores == 1)
            one = row.time;
        if (all_cores == 1)
            return;
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
static struct row gpu_row(struct results *results, struct problem *b, const struct options *o,
                          int variant, int threads)
{
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
    row.time = record_after(ms, results, row, o->reps, [&](cudaStream_t stream) {
        return thomas_batch_solve(method, &s, stream);
    });
    return row;
}

/* Adds a row with the time of the same solve and the transfers, from and to pinned memory. */
static void row_with_transfers(struct results *results, struct problem *b, const struct options *o,
                               int variant, struct row row)
{
    enum thomas_batch_variant method = method_of(variant);
    struct thomas_batch s = plan_of(b, variant, (int)row.threads);
    size_t bytes = systems_bytes(&b->s);
    row.phase = "total+transfers";
    row.bytes = 5 * (double)bytes;
    record(results, row, o->reps, [&](cudaStream_t stream) {
        TRY(copy_in(&s, b->s.host, bytes, stream));
        TRY(thomas_batch_solve(method, &s, stream));
        return cudaMemcpyAsync(b->s.host_x, s.x, bytes, cudaMemcpyDeviceToHost, stream);
    });
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
static void gpu_rows(struct results *results, struct problem *b, const struct options *o,
                     struct shared *shared, int variant)
{
    struct row best = {};
    int64_t fastest = shared->fastest[variant];
    for (int t = 0; t < o->threads.count; t++) {
        int64_t threads = o->threads.value[t];
        if (repeats(o, b, variant, t) ||
            (shared->defaults && !needs_threads(b->s.batch, threads, fastest)))
            continue;
        struct row row = gpu_row(results, b, o, variant, (int)threads);
        if (row.time.samples > 0 &&
            (best.time.samples == 0 || row.time.median_ms < best.time.median_ms)) {
            best = row;
            shared->fastest[variant] = threads;
        }
    }
    /* The transfers, at 20 GB/s, are not visible if they take less than a hundredth of the solve. */
    double transfers_ms = 5 * (double)systems_bytes(&b->s) / 20e6;
    if (variant < INTERLEAVED && best.time.samples > 0 &&
        (!shared->defaults || needs_transfers(variant, b->s.type)) &&
        transfers_ms >= 0.01 * best.time.median_ms)
        row_with_transfers(results, b, o, variant, best);
}

static void interleave_row(struct results *results, struct problem *b, const struct options *o)
{
    struct row row = row_of(b, INTERLEAVE, 10, NOTHING_TO_VERIFY);
    record(results, row, o->reps, [&](cudaStream_t stream) {
        for (int i = 0; i < SYSTEM_ARRAYS; i++)
            TRY(interleave(&b->s, b->s.in[i], b->interleaved[i], stream));
        return to_contiguous(&b->s, b->s.x, b->natural, stream);
    });
}

/* Adds the rows of all variants that o->has_variant names. */
static void all_rows(struct results *results, struct problem *b, const struct options *o, int cores,
                     struct shared *shared)
{
    const struct one_core *one = &shared->one;
    int at = 0;
    while (at < one->batch.count && one->batch.value[at] != b->s.batch)
        at++;
    for (int v = THOMAS_CPU; v <= LAPACK_GTSV; v++) {
        struct timing known = timing_none();
        if (v < LAPACK_GTSV && at < one->batch.count)
            known = one->time[v - THOMAS_CPU][at];
        if (o->has_variant[v])
            cpu_rows(results, b, o, v, cores, &known);
    }
    for (int v = 0; v < THOMAS_CPU; v++)
        if (o->has_variant[v] && v != INTERLEAVE && v != TRANSFERS &&
            !(variants[v].interleaved && b->s.batch == 1))
            gpu_rows(results, b, o, shared, v);
    struct tridiagonal_batch_bench bench = {.systems = &b->s,
                                            .work = b->work,
                                            .work_bytes = WORK_ELEMENTS * systems_bytes(&b->s),
                                            .status = (int *)(void *)b->status};
    if (o->has_variant[TRIDIAGONAL_BATCH])
        tridiagonal_batch_row(results, &bench, &variants[TRIDIAGONAL_BATCH], o->reps, o->seed);
    if (o->has_variant[INTERLEAVE] && b->s.batch > 1)
        interleave_row(results, b, o);
    if (o->has_variant[TRANSFERS] && !device_is_cpu())
        transfer_rows(results, b, o);
    if (o->has_variant[CUSPARSE])
        cusparse_row(results, b, o);
}

/* ---- the sweep ---- */

/* Calls visit(type, n, batch) for each size. --rows, the rows of all systems together, replaces
 * --batch. */
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

static bool fits_into(struct need need, struct need most)
{
    return need.device <= most.device && need.host <= most.host;
}

/* If several numbers of systems fit into `most`, makes the largest and times one core for all of
 * them. */
static struct shared share(struct problem *b, const struct options *o, bool defaults,
                           struct need most, char type, int64_t n)
{
    struct shared shared = {.defaults = defaults};
    struct list *batch = &shared.one.batch;
    for (int k = 0; k < o->batch.count && o->rows.count == 0; k++) {
        int64_t systems = o->batch.value[k];
        int at = batch->count;
        if (systems == 1 ||
            !fits_into(need_of(type, (double)n, (double)systems, all_cores()), most))
            continue;
        for (; at > 0 && batch->value[at - 1] >= systems; at--)
            batch->value[at] = batch->value[at - 1];
        batch->value[at] = systems;
        batch->count++;
    }
    if (batch->count < 2) {
        batch->count = 0;
        return shared;
    }
    shared.made = batch->value[batch->count - 1];
    make_systems(b, SYSTEM_DOMINANT, type, o->seed, n, shared.made);
    for (int v = THOMAS_CPU; v < LAPACK_GTSV; v++)
        if (o->has_variant[v] && variant_has_type(&variants[v], type) &&
            (!defaults || is_needed(v, shared.made)))
            time_one_core(b, v, o->reps, &shared.one);
    return shared;
}

/* Runs all sizes in memory that is allocated once, because pinned memory takes longer than most
 * solves. Sizes that do not fit are left out. */
static void experiment(struct results *results, const char *program, const struct options *o,
                       bool defaults)
{
    int cores = all_cores();
    char widest = 's';
    struct need most = {};
    int64_t rows = 0, n_most = 0, batch_most = 0, done = 0, all = 0;
    for (const char *type = o->types; *type; type++)
        widest = size_of(*type) > size_of(widest) ? *type : widest;
    each_size(o, [&](char type, int64_t n, int64_t batch) {
        struct need need = need_of(type, (double)n, (double)batch, cores);
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
    struct problem b = {};
    allocate(&b, widest, rows, n_most, batch_most, cores);
    struct shared shared = {};
    char last_type = 0;
    int64_t last_n = 0;
    each_size(o, [&](char type, int64_t n, int64_t batch) {
        if (!fits_into(need_of(type, (double)n, (double)batch, cores), most))
            return;
        if (type != last_type || n != last_n)
            shared = share(&b, o, defaults, most, type, n);
        last_type = type;
        last_n = n;
        struct options chosen = *o;
        for (int v = 0; variants[v].name; v++)
            chosen.has_variant[v] = o->has_variant[v] && variant_has_type(&variants[v], type) &&
                                    (!defaults || is_needed(v, batch));
        if (batch <= shared.made)
            take_systems(&b, batch);
        else
            make_systems(&b, SYSTEM_DOMINANT, type, o->seed, n, batch);
        all_rows(results, &b, &chosen, cores, &shared);
        progress(program, ++done, all, "sizes");
    });
    memory_free(&b.memory);
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
            "--n 256,512,1K,4K,16K,64K,256K,1M,4M,16M --batch 1",
        .quick = "--n 127,1000 --batch 1,33 --threads 32 --type s,d --reps 3; --n 1K,4K --batch 1"};
    return device_main(&program, argc, argv, check, sweep);
}
