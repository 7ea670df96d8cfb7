/* The experiments of L22: one tridiagonal system by the N-shaped partition method, the number of blocks and of nested
 * applications varied (Fig. 2), on a GPU and on CPU cores. Every configuration is verified before it is timed. Run:
 * make run, or build/gpu/nshape --help. */
#include "ceiling.h"
#include "device_program.h"
#include "bench/accuracy.h"
#include "divisions.h"
#include "expect.h"
#include "test/tridiagonal_cpu_test.h"
#include "tridiagonal_cpu.h"
#include "nshape_model.h"
#include "bench/peers.h"
#include "complex_type.h"
#include "problems.h"
#include "results.h"
#include "tdse/experiment.h"
#include "bench/tridiagonal_bench.h"
#include "verify.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

/* Indices of variants[]. */
enum {
    EXTRA_WORDS,
    ATOMIC,
    CORES,
    COMPLEX_TYPE,
    BY_MODEL,
    THOMAS_GPU,
    THOMAS_CPU,
    LANES,
    LAPACK_GTSV,
    CUSPARSE,
    CUSPARSE_NOPIVOT,
    TRIDIAGONAL,
    TRIDIAGONAL_PIVOTED,
    ACCURACY
};
static const struct variant variants[] = {
    {"nshape", "N-shaped partition on the GPU, joint lines by extra words"},
    {"nshape_atomic", "joint lines by atomic additions (L22)"},
    {"nshape_cpu", "the same stages on one CPU thread and on all cores"},
    {"nshape_complex_type", "nshape with the library's complex type (types c and z)"},
    {"nshape_model",
     "nshape with the n_it and blocks that the model fitted in this run says (GPU builds)"},
    {"thomas_gpu", "Thomas by one thread of the GPU"},
    {"thomas_cpu", "Thomas on one CPU thread"},
    {"nshape_lanes", "N-shaped partition on the lanes of one CPU core and of all, and a copy"},
    {"lapack_gtsv", "peer: LAPACK's xGTSV (with pivoting), one thread"},
    {"cusparse_gtsv2", "peer: cuSPARSE gtsv2 (with pivoting; GPU builds)"},
    {"cusparse_gtsv2_nopivot", "peer: cuSPARSE gtsv2_nopivot (GPU builds)"},
    {"tridiagonal", "at the speed of memory (tridiagonal.h)"},
    {"tridiagonal_pivoted", "the same with scaled partial pivoting"},
    {"accuracy", "both and LAPACK over twenty matrices"},
    {NULL, NULL}};

/* Bound on the backward error of a row in units of roundoff. The method is Gaussian elimination of a permuted matrix
 * (interior rows from both ends, then joint lines), which keeps dominance: 12 (4u |L||U|, |L||U| <= 3|A|: Higham,
 * Accuracy and Stability of Numerical Algorithms, 9.5-9.6) and 4 to spare. */
static const double UNITS = 16;

/* ---- buffers ---- */

enum { ARRAYS = 4 }; /* sub, diag, super, rhs */

struct buffers {
    char type;
    int64_t n;
    void *host[ARRAYS], *host_x, *in[ARRAYS], *matrix[ARRAYS], *x, *work, *cpu_matrix[ARRAYS],
        *cpu_work, *lanes_work;
    long long *status, cpu_status;
    int64_t *joints;
};

static size_t bytes_of(const struct buffers *b)
{
    return (size_t)b->n * (size_t)size_of(b->type);
}

/* Work of `nest` applications of at most `parts` blocks is less than this many bytes. */
static double work_most(char type, double parts, int nest)
{
    return nest * (parts + 8) * (7 * size_of(type) + 8.0);
}

static void allocate(struct buffers *b, char type, int64_t n, int64_t parts, int nest)
{
    size_t bytes = (size_t)n * (size_t)size_of(type);
    size_t work = (size_t)work_most(type, (double)parts, nest);
    for (int i = 0; i < ARRAYS; i++) {
        b->host[i] = host_alloc("nshape", (int64_t)bytes);
        b->cpu_matrix[i] = host_alloc("nshape", (int64_t)bytes);
        CHECK(cudaMalloc(&b->in[i], bytes));
        CHECK(cudaMalloc(&b->matrix[i], bytes));
    }
    b->host_x = host_alloc("nshape", (int64_t)bytes);
    b->cpu_work = host_alloc("nshape", (int64_t)work);
    b->lanes_work = host_alloc("nshape", (int64_t)tridiagonal_cpu_work(type, n));
    CHECK(cudaMalloc(&b->x, bytes));
    CHECK(cudaMalloc(&b->work, work));
    CHECK(cudaMalloc(&b->status, sizeof *b->status));
    CHECK(cudaMalloc(&b->joints, (size_t)(parts + 1) * sizeof *b->joints));
}

static void release(struct buffers *b)
{
    for (int i = 0; i < ARRAYS; i++) {
        free(b->host[i]);
        free(b->cpu_matrix[i]);
        CHECK(cudaFree(b->in[i]));
        CHECK(cudaFree(b->matrix[i]));
    }
    free(b->host_x);
    free(b->cpu_work);
    free(b->lanes_work);
    CHECK(cudaFree(b->x));
    CHECK(cudaFree(b->work));
    CHECK(cudaFree(b->status));
    CHECK(cudaFree(b->joints));
}

static void upload(struct buffers *b)
{
    for (int i = 0; i < ARRAYS; i++)
        CHECK(cudaMemcpy(b->in[i], b->host[i], bytes_of(b), cudaMemcpyHostToDevice));
}

static void make_system(struct buffers *b, enum system kind, char type, uint64_t seed, int64_t n)
{
    b->type = type;
    b->n = n;
    fill_systems(type, kind, seed, n, 1, b->host[0], b->host[1], b->host[2], b->host[3]);
    upload(b);
}

/* ---- one solve ---- */

/* Blocks of each application from those of the first: each has the same share of the next (L22 eq. 8). */
static struct nshape plan(const struct buffers *b, int variant, int64_t parts, int nest,
                          int threads)
{
    int64_t blocks[NSHAPE_NEST_MOST];
    for (int l = 0; l < nest; l++) {
        double wanted = pow((double)parts, (double)(nest - l) / nest);
        blocks[l] = l == 0 ? parts : (int64_t)(wanted + 0.5);
        blocks[l] = blocks[l] < 1 ? 1 : blocks[l];
    }
    struct nshape s = nshape_plan(b->type, b->n, nest, blocks);
    bool cpu = variant == CORES || variant == THOMAS_CPU;
    void *const *matrix = cpu ? b->cpu_matrix : b->matrix;
    s.sub = matrix[0];
    s.diag = matrix[1];
    s.super = matrix[2];
    s.rhs = matrix[3];
    s.x = cpu ? b->host_x : b->x;
    s.work = cpu ? b->cpu_work : b->work;
    s.status = cpu ? &((struct buffers *)b)->cpu_status : b->status;
    s.joining = variant == ATOMIC ? NSHAPE_ATOMIC : NSHAPE_EXTRA_WORDS;
    s.threads = threads;
    return s;
}

/* The matrix anew: the method destroys it. */
static cudaError_t restore(void *ctx, cudaStream_t stream)
{
    struct buffers *b = (struct buffers *)ctx;
    for (int i = 0; i < ARRAYS; i++)
        TRY(cudaMemcpyAsync(b->matrix[i], b->in[i], bytes_of(b), cudaMemcpyDeviceToDevice, stream));
    return cudaSuccess;
}
static void restore_cpu(void *ctx)
{
    struct buffers *b = (struct buffers *)ctx;
    for (int i = 0; i < ARRAYS; i++)
        memcpy(b->cpu_matrix[i], b->host[i], bytes_of(b));
}

static struct verdict judge(const struct buffers *b)
{
    return verify_systems(b->type, b->n, 1, b->host[0], b->host[1], b->host[2], b->host[3],
                          b->host_x, UNITS);
}

static cudaError_t solve_on_device(const struct nshape *s, int variant, cudaStream_t stream)
{
    return variant == COMPLEX_TYPE ? nshape_complex_type(s, stream) : nshape_solve(s, stream);
}

/* Solve on poisoned memory; x comes to the host. Gives the status. */
static long long solve_here(struct buffers *b, const struct nshape *s, int variant, int cores)
{
    if (variant == CORES || variant == THOMAS_CPU) {
        restore_cpu(b);
        memset(b->host_x, 0xff, bytes_of(b));
        memset(b->cpu_work, 0xff, nshape_work(s));
        b->cpu_status = 0x55;
        CHECK(nshape_solve_cpu(s, cores));
        return b->cpu_status;
    }
    long long status;
    CHECK(restore(b, 0));
    CHECK(cudaMemset(b->x, 0xff, bytes_of(b)));
    CHECK(cudaMemset(s->work, 0xff, nshape_work(s)));
    CHECK(cudaMemset(b->status, 0x55, sizeof *b->status));
    CHECK(solve_on_device(s, variant, 0));
    CHECK(cudaMemcpy(&status, b->status, sizeof status, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b->host_x, b->x, bytes_of(b), cudaMemcpyDeviceToHost));
    return status;
}

/* ---- the sweep ---- */

struct run {
    struct buffers *b; /* first, so that restore() takes a run, too */
    struct nshape s;
    int variant, cores;
};

static cudaError_t run_restore(void *ctx, cudaStream_t stream)
{
    return restore(((struct run *)ctx)->b, stream);
}
static cudaError_t run_solve(void *ctx, cudaStream_t stream)
{
    const struct run *run = (struct run *)ctx;
    return solve_on_device(&run->s, run->variant, stream);
}
static void run_restore_cpu(void *ctx)
{
    restore_cpu(((struct run *)ctx)->b);
}
static void run_cpu(void *ctx)
{
    struct run *run = (struct run *)ctx;
    nshape_solve_cpu(&run->s, run->cores);
}

/* Rows one after the other that one thread is given at most. */
static const int64_t SERIAL_MOST = 1 << 20;

static int all_cores(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Least words a row: sub, diag, super, rhs read; b, a, d written by RD; b, c, d read with a and written by RU; b, a, c,
 * d read and x written by SS. Thomas: 4 read, a and d written and read with c, x. Lanes: 4 read, and 4 read and x written. */
static const double WORDS = 4 + 3 + 4 + 3 + 5, THOMAS_WORDS = 4 + 2 + 3 + 1, LANES_WORDS = 4 + 5,
                    COPY_WORDS = 2, LEAST_WORDS = 5;

static struct row row_for(const struct buffers *b, int variant, double words)
{
    struct row row = {};
    row.variant = variants[variant].name;
    row.type = b->type;
    row.n = b->n;
    row.phase = "total";
    row.device = device_name();
    row.bytes = words * (double)bytes_of(b);
    return row;
}

static void judge_into(struct row *row, const struct buffers *b, long long status)
{
    struct verdict verdict = judge(b);
    row->error = verdict.error;
    row->status = status ? "zero pivot" : verdict.ok ? "ok" : "wrong";
}

/* one: what one core took, NULL where there is nothing to compare with. Gives what was measured. */
static struct timing plan_row(struct results *results, struct buffers *b, int variant,
                              const struct nshape *s, int cores, const struct timing *one, int reps)
{
    struct run run = {b, *s, variant, cores};
    struct row row = row_for(b, variant, s->nest > 0 ? WORDS : THOMAS_WORDS);
    row.parts = s->nest > 0 ? s->parts[0] : 0;
    row.nest = s->nest;
    judge_into(&row, b, solve_here(b, s, variant, cores));
    if (variant == CORES || variant == THOMAS_CPU) {
        row.cores = cores;
        row.device = cpu_name();
        row.time = time_cores(one, cores, true, run_restore_cpu, run_cpu, &run, reps);
    } else {
        row.threads = s->nest > 0 ? s->threads : 1;
        CHECK(time_device(run_restore, run_solve, &run, reps, &row.time));
    }
    results_add(results, &row);
    return row.time;
}

/* parts and nest: 0 for Thomas. */
static struct timing solver_row(struct results *results, struct buffers *b, int variant,
                                int64_t parts, int nest, int threads, int cores,
                                const struct timing *one, int reps)
{
    struct nshape s = plan(b, variant, parts, nest, threads);
    return plan_row(results, b, variant, &s, cores, one, reps);
}

/* Milliseconds of a few solutions with one application of nbl blocks round sqrt(n), which is near the best (L22 eq. 7), tell the
 * model; the row is of what it chooses. */
static void model_row(struct results *results, struct buffers *b, int threads, int reps)
{
    enum { POINTS = 5 };
    int64_t nbl[POINTS];
    double ms[POINTS];
    struct nshape_model model;
    for (int k = 0; k < POINTS; k++) {
        double blocks = sqrt((double)b->n) * pow(4, k - POINTS / 2);
        nbl[k] = (int64_t)fmax(fmin(blocks, (double)b->n / 2), 1);
        struct run run = {b, plan(b, BY_MODEL, nbl[k], 1, threads), BY_MODEL, 0};
        struct timing time;
        CHECK(cudaMalloc(&run.s.work, nshape_work(&run.s)));
        CHECK(time_device(run_restore, run_solve, &run, SAMPLES_LEAST, &time));
        CHECK(cudaFree(run.s.work));
        ms[k] = time.median_ms;
    }
    if (nshape_fit(b->n, POINTS, nbl, ms, &model) != cudaSuccess)
        return; /* too few rows for blocks to matter */
    struct nshape chosen = nshape_plan_by(&model, b->type, b->n),
                  s = plan(b, BY_MODEL, 1, chosen.nest, threads);
    memcpy(s.parts, chosen.parts, sizeof s.parts);
    CHECK(cudaMalloc(&s.work, nshape_work(&s) + 1)); /* 0 for Thomas */
    plan_row(results, b, BY_MODEL, &s, 0, NULL, reps);
    CHECK(cudaFree(s.work));
}

static void run_lapack(void *ctx)
{
    struct buffers *b = ((struct run *)ctx)->b;
    b->cpu_status = peer_lapack(b->type, b->n, b->cpu_matrix[0], b->cpu_matrix[1], b->cpu_matrix[2],
                                b->cpu_matrix[3]);
}

static void lapack_row(struct results *results, struct buffers *b, int reps)
{
    struct run run = {};
    struct row row = row_for(b, LAPACK_GTSV, LEAST_WORDS);
    run.b = b;
    restore_cpu(b);
    run_lapack(&run);
    if (b->cpu_status < 0)
        return; /* not in this build */
    memcpy(b->host_x, b->cpu_matrix[3], bytes_of(b));
    judge_into(&row, b, b->cpu_status);
    row.cores = 1;
    row.device = cpu_name();
    row.time = time_once(run_restore_cpu, run_lapack, &run, reps);
    results_add(results, &row);
}

static void run_lanes(void *ctx)
{
    struct run *run = (struct run *)ctx;
    struct buffers *b = run->b;
    struct tridiagonal_cpu s = {b->type,    b->n,      b->host[0],    b->host[1], b->host[2],
                                b->host[3], b->host_x, b->lanes_work, run->cores};
    b->cpu_status = tridiagonal_cpu_solve(&s);
}
/* What the copies of one array reach, which bounds all that moves words. */
static void run_copy(void *ctx)
{
    struct run *run = (struct run *)ctx;
    size_t bytes = bytes_of(run->b);
#pragma omp parallel num_threads(run->cores) if (run->cores > 1)
    {
        size_t all = (size_t)omp_get_num_threads(), core = (size_t)omp_get_thread_num();
        size_t from = bytes * core / all, to = bytes * (core + 1) / all;
        memcpy((char *)run->b->cpu_matrix[0] + from, (char *)run->b->host[0] + from, to - from);
    }
}

/* one: of the lanes and of the copy on one core, set here when cores is 1. */
static void lanes_rows(struct results *results, struct buffers *b, int cores, struct timing one[2],
                       int reps)
{
    struct run run = {};
    struct row row = row_for(b, LANES, LANES_WORDS);
    run.b = b;
    run.cores = row.cores = cores;
    row.device = cpu_name();
    memset(b->host_x, 0xff, bytes_of(b));
    memset(b->lanes_work, 0xff, tridiagonal_cpu_work(b->type, b->n));
    run_lanes(&run);
    judge_into(&row, b, b->cpu_status);
    row.time = time_cores(&one[0], cores, false, NULL, run_lanes, &run, reps);
    results_add(results, &row);
    if (cores == 1)
        one[0] = row.time;

    row.variant = "copy_cpu";
    row.bytes = COPY_WORDS * (double)bytes_of(b);
    memset(b->cpu_matrix[0], 0, bytes_of(b));
    run_copy(&run);
    row.error = 0;
    row.status = memcmp(b->cpu_matrix[0], b->host[0], bytes_of(b)) == 0 ? "ok" : "wrong";
    row.time = time_cores(&one[1], cores, false, NULL, run_copy, &run, reps);
    results_add(results, &row);
    if (cores == 1)
        one[1] = row.time;
}

#ifdef __CUDACC__
/* Bytes of an array. With 1.6e9 (z, n = 1e8, CUDA 13.0) gtsv2 accesses memory that is not its own. */
static const size_t CUSPARSE_MOST = (size_t)1 << 29;

static void cusparse_row(struct results *results, struct buffers *b, int variant, int reps)
{
    struct row row = row_for(b, variant, LEAST_WORDS);
    size_t word = (size_t)size_of(b->type);
    if (b->n < 3 || bytes_of(b) > CUSPARSE_MOST)
        return;
    /* Its first sub and last super must be 0. */
    CHECK(restore(b, 0));
    CHECK(cudaMemset(b->matrix[0], 0, word));
    CHECK(cudaMemset((char *)b->matrix[2] + bytes_of(b) - word, 0, word));
    cudaError_t error =
        peer_cusparse(b->type, variant == CUSPARSE, b->n, b->matrix[0], b->matrix[1], b->matrix[2],
                      b->matrix[3], b->x, reps, &row.time);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        fprintf(stderr, "nshape: %s: no memory for its workspace: left out\n", row.variant);
        return;
    }
    CHECK(error);
    CHECK(cudaMemcpy(b->host_x, b->x, bytes_of(b), cudaMemcpyDeviceToHost));
    judge_into(&row, b, 0);
    results_add(results, &row);
}
#endif

/* What does not depend on the partitions asked for. */
static void thomas_and_peers(struct results *results, struct buffers *b, const struct options *o)
{
    if (o->has_variant[THOMAS_CPU])
        solver_row(results, b, THOMAS_CPU, 0, 0, 1, 1, NULL, o->reps);
    if (o->has_variant[THOMAS_GPU] && b->n <= SERIAL_MOST)
        solver_row(results, b, THOMAS_GPU, 0, 0, 1, 1, NULL, o->reps);
    if (o->has_variant[BY_MODEL] && !device_is_cpu())
        for (int t = 0; t < o->threads.count; t++)
            model_row(results, b, (int)o->threads.value[t], o->reps);
    if (o->has_variant[LAPACK_GTSV])
        lapack_row(results, b, o->reps);
    if (o->has_variant[LANES]) {
        struct timing one[2] = {timing_none(), timing_none()};
        lanes_rows(results, b, 1, one, o->reps);
        if (all_cores() > 1)
            lanes_rows(results, b, all_cores(), one, o->reps);
    }
#ifdef __CUDACC__
    for (int v = CUSPARSE; v <= CUSPARSE_NOPIVOT; v++)
        if (o->has_variant[v])
            cusparse_row(results, b, v, o->reps);
#endif
}

/* Fewer blocks than rows, and no thread with more than SERIAL_MOST rows or lines. */
static bool is_sensible(const struct buffers *b, int64_t parts, int nest)
{
    return parts < b->n && nest <= NSHAPE_NEST_MOST && b->n / parts <= SERIAL_MOST &&
           (nest > 1 || parts <= SERIAL_MOST);
}

static void partition_rows(struct results *results, struct buffers *b, const struct options *o,
                           int64_t parts, int nest)
{
    for (int v = EXTRA_WORDS; v <= ATOMIC; v++)
        for (int t = 0; o->has_variant[v] && t < o->threads.count; t++)
            solver_row(results, b, v, parts, nest, (int)o->threads.value[t], 0, NULL, o->reps);
    if (o->has_variant[COMPLEX_TYPE] && is_complex(b->type))
        solver_row(results, b, COMPLEX_TYPE, parts, nest, (int)o->threads.value[0], 0, NULL,
                   o->reps);
    /* Nesting is for thousands of processors, and blocks beyond the cores cost what they cost. */
    if (!o->has_variant[CORES] || nest > 1 || (b->n > 300000 && parts > 100))
        return;
    struct timing one = solver_row(results, b, CORES, parts, nest, 1, 1, NULL, o->reps);
    if (all_cores() > 1)
        solver_row(results, b, CORES, parts, nest, 1, all_cores(), &one, o->reps);
}

static void experiment(struct results *results, const char *program, const struct options *o)
{
    int64_t n_most = list_largest(&o->n, 1), parts_most = list_largest(&o->parts, 1);
    int nest_most = (int)list_largest(&o->nest, 1);
    int64_t done = 0, all = (int64_t)strlen(o->types) * o->n.count * o->parts.count * o->nest.count;
    for (const char *type = o->types; *type; type++) {
        struct buffers b = {};
        allocate(&b, *type, n_most, parts_most, nest_most);
        for (int i = 0; i < o->n.count; i++) {
            make_system(&b, SYSTEM_DOMINANT, *type, o->seed, o->n.value[i]);
            thomas_and_peers(results, &b, o);
            for (int k = 0; k < o->parts.count; k++)
                for (int l = 0; l < o->nest.count; l++) {
                    int64_t parts = o->parts.value[k];
                    int nest = (int)o->nest.value[l];
                    if (is_sensible(&b, parts, nest))
                        partition_rows(results, &b, o, parts, nest);
                    progress(program, ++done, all, "partitions");
                }
        }
        release(&b);
    }
}

static int worse(int status, int other)
{
    return other > status ? other : status;
}

/* The lanes against Thomas and LAPACK over n, in all types. */
static int lanes_sweep(const struct program *program, const struct options *options,
                       const char *csv_prefix)
{
    char path[PREFIX_MOST];
    struct options o = *options;
    if (!options->has_variant[LANES])
        return EXIT_VERIFIED;
    memset(o.has_variant, 0, sizeof o.has_variant);
    for (int v = THOMAS_CPU; v <= LAPACK_GTSV; v++)
        o.has_variant[v] = options->has_variant[v];
    o.n.count = 0;
    for (int64_t n = 256; n <= (options->quick ? 1 << 20 : 1 << 24); n *= 4)
        o.n.value[o.n.count++] = n;
    strcpy(o.types, "dszc");
    if (csv_prefix)
        snprintf(path, sizeof path, "%s_lanes.csv", csv_prefix);
    struct results *results = results_open(program->name, cpu_name(), csv_prefix ? path : NULL);
    if (!results)
        return EXIT_USAGE;
    experiment(results, program->name, &o);
    return results_close(results);
}

/* tridiagonal.h in files of its own beside CSV: PREFIX_tridiagonal.csv, PREFIX_accuracy.csv. */
static int beyond(const struct program *program, const struct options *options)
{
    char prefix[PREFIX_MOST], path[PREFIX_MOST + 24];
    bool named = options_csv_prefix(options, NULL, prefix) != NULL;
    const bool *has = options->has_variant;
    struct tridiagonal_asked asked = {has[TRIDIAGONAL], has[TRIDIAGONAL_PIVOTED], has[CUSPARSE],
                                      has[CUSPARSE_NOPIVOT]};
    int status = EXIT_VERIFIED;
    if (asked.plain || asked.pivoted) {
        snprintf(path, sizeof path, "%s_tridiagonal.csv", prefix);
        status = tridiagonal_bench(program->name, program->device, options, !options->next, asked,
                                   named ? path : NULL);
    }
    if (has[ACCURACY]) {
        snprintf(path, sizeof path, "%s_accuracy.csv", prefix);
        status = worse(status, accuracy_run(options, named ? path : NULL));
    }
    return status;
}

static int sweep(const struct program *program, const struct options *options)
{
    char prefix[PREFIX_MOST];
    if (options->tdse)
        return tdse_run(options_csv_prefix(options, NULL, prefix), options->quick);
    bool before = false; /* is anything but tridiagonal.h and cuSPARSE asked for? */
    for (int v = 0; v < CUSPARSE; v++)
        before = before || options->has_variant[v];
    if (!before && (options->has_variant[TRIDIAGONAL] ||
                    options->has_variant[TRIDIAGONAL_PIVOTED] || options->has_variant[ACCURACY]))
        return beyond(program, options);
    struct options o = *options;
    do
        for (const char *type = o.types; *type; type++) {
            double bytes = (double)list_largest(&o.n, 1) * size_of(*type),
                   parts = (double)list_largest(&o.parts, 1);
            double work = work_most(*type, parts, (int)list_largest(&o.nest, 1)) +
                          (double)tridiagonal_cpu_work(*type, list_largest(&o.n, 1));
            /* matrix twice and x; as much again for cuSPARSE's workspace */
            device_require(program->name,
                           2 * (2 * ARRAYS + 1) * bytes + work + 8 * parts + ceiling_bytes(),
                           (2 * ARRAYS + 1) * bytes + work);
        }
    while (options_next(program, &o));
    struct results *results = results_open(program->name, program->device, options->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, options->reps);
    o = *options;
    do {
        experiment(results, program->name, &o);
        /* What follows compares sizes, in the first type; ways to join and to write numbers were compared at the paper's. */
        o.has_variant[ATOMIC] = o.has_variant[COMPLEX_TYPE] = false;
        o.types[1] = 0;
    } while (options_next(program, &o));
    int status = worse(results_close(results), beyond(program, options));
    if (!options->next)
        return status;
    status =
        worse(status, lanes_sweep(program, options, options_csv_prefix(options, NULL, prefix)));
    status = worse(status, divisions_run(options_csv_prefix(options, NULL, prefix)));
    return worse(status, tdse_run(options_csv_prefix(options, "tdse", prefix), options->quick));
}

/* ---- --check ---- */

struct number {
    double re, im;
};

static struct number number_at(char type, const void *array, int64_t i)
{
    struct number z = {0, 0};
    if (is_complex(type)) {
        z.re = get(real_type(type), array, 2 * i);
        z.im = get(real_type(type), array, 2 * i + 1);
    } else
        z.re = get(type, array, i);
    return z;
}

/* A dense row operation in double precision, the reference of the stages: row i += r row k, r such that element
 * (i, column) vanishes. The last column, n, is the right-hand side. */
struct dense {
    int n;
    struct number *m;
};
static struct number *element(const struct dense *d, int64_t i, int64_t j)
{
    return &d->m[i * (d->n + 1) + j];
}
static void eliminate(const struct dense *d, int64_t i, int64_t k, int64_t column)
{
    struct number x = *element(d, i, column), y = *element(d, k, column);
    double norm = y.re * y.re + y.im * y.im;
    struct number r = {-(x.re * y.re + x.im * y.im) / norm, -(x.im * y.re - x.re * y.im) / norm};
    for (int64_t j = 0; j <= d->n; j++) {
        struct number z = *element(d, k, j), *to = element(d, i, j);
        to->re += r.re * z.re - r.im * z.im;
        to->im += r.re * z.im + r.im * z.re;
    }
}

static void expect_number(char type, const void *array, int64_t at, const struct dense *d,
                          int64_t i, int64_t j, const char *what)
{
    struct number got = number_at(type, array, at), want = *element(d, i, j);
    double error = hypot(got.re - want.re, got.im - want.im), size = hypot(want.re, want.im);
    EXPECT(error <= 64 * unit_roundoff(type) * (1 + size),
           "%s, type %c: row %lld: (%g, %g), not (%g, %g)", what, type, (long long)i, got.re,
           got.im, want.re, want.im);
}

/* Every stage alone against dense row operations, for blocks of 0, 1, 2, 3, 7 and again 0 rows. */
static void check_stages(struct buffers *b, char type, int variant)
{
    static const int64_t joints[] = {0, 1, 3, 6, 10, 18, 19};
    enum { NBL = 6, N = 20 };
    make_system(b, SYSTEM_DOMINANT, type, 3, N);
    struct nshape s = plan(b, variant, NBL, 1, 32);
    struct dense d = {N, (struct number *)calloc(N * (N + 1), sizeof(struct number))};
    void *got[ARRAYS], *lines[ARRAYS];
    size_t bytes = (size_t)(N * size_of(type));
    CHECK(cudaMemcpy(b->joints, joints, sizeof joints, cudaMemcpyHostToDevice));
    s.joints = b->joints;
    CHECK(restore(b, 0));
    CHECK(cudaMemset(b->work, 0xff, nshape_work(&s)));
    for (int i = 0; i < N; i++) {
        if (i > 0)
            *element(&d, i, i - 1) = number_at(type, b->host[0], i);
        *element(&d, i, i) = number_at(type, b->host[1], i);
        if (i < N - 1)
            *element(&d, i, i + 1) = number_at(type, b->host[2], i);
        *element(&d, i, N) = number_at(type, b->host[3], i);
    }
    for (int i = 0; i < ARRAYS; i++) {
        got[i] = malloc(bytes);
        lines[i] = malloc(bytes);
    }
    static const char *const names[] = {"RD", "JD", "RU", "JU", "RS", "SS"};
    for (int stage = NSHAPE_RD; stage <= NSHAPE_JU; stage++) {
        CHECK(nshape_stage(&s, (enum nshape_stage)stage, 0));
        for (int w = 0; w < NBL; w++) {
            int64_t j = joints[w], end = joints[w + 1];
            for (int64_t i = j + 2; stage == NSHAPE_RD && i < end; i++)
                eliminate(&d, i, i - 1, i - 1);
            if (stage == NSHAPE_JD && end > j + 1)
                eliminate(&d, end, end - 1, end - 1);
            for (int64_t i = end - 2; stage == NSHAPE_RU && i > j; i--)
                eliminate(&d, i, i + 1, i + 1);
            if (stage == NSHAPE_JU && end > j + 1)
                eliminate(&d, j, j + 1, j + 1);
        }
        for (int i = 0; i < ARRAYS; i++)
            CHECK(cudaMemcpy(got[i], b->matrix[i], bytes, cudaMemcpyDeviceToHost));
        for (int w = 0; w < NBL; w++)
            for (int64_t i = joints[w] + 1; i < joints[w + 1]; i++) {
                /* b is in the column of J_w after RD, c in that of J_{w+1} after RU. */
                expect_number(type, got[0], i, &d, i, joints[w], names[stage]);
                expect_number(type, got[1], i, &d, i, i, names[stage]);
                expect_number(type, got[2], i, &d, i, stage >= NSHAPE_RU ? joints[w + 1] : i + 1,
                              names[stage]);
                expect_number(type, got[3], i, &d, i, N, names[stage]);
            }
    }
    struct nshape_lines at = nshape_lines(&s, 0);
    const void *const from[] = {at.sub, at.diag, at.super, at.rhs};
    for (int i = 0; i < ARRAYS; i++)
        CHECK(cudaMemcpy(lines[i], from[i], (size_t)((NBL + 1) * size_of(type)),
                         cudaMemcpyDeviceToHost));
    for (int w = 0; w <= NBL; w++) {
        int64_t j = joints[w];
        if (w > 0)
            expect_number(type, lines[0], w, &d, j, joints[w - 1], "joint line, b");
        expect_number(type, lines[1], w, &d, j, j, "joint line, a");
        if (w < NBL)
            expect_number(type, lines[2], w, &d, j, joints[w + 1], "joint line, c");
        expect_number(type, lines[3], w, &d, j, N, "joint line, d");
    }
    /* RS and SS against the equations that they solve. */
    CHECK(nshape_stage(&s, NSHAPE_RS, 0));
    CHECK(nshape_stage(&s, NSHAPE_SS, 0));
    CHECK(cudaMemcpy(b->host_x, b->x, bytes, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < N; i++) {
        struct number sum = {0, 0}, want = *element(&d, i, N);
        double size = 0;
        for (int64_t j = 0; j < N; j++) {
            struct number m = *element(&d, i, j), x = number_at(type, b->host_x, j);
            sum.re += m.re * x.re - m.im * x.im;
            sum.im += m.re * x.im + m.im * x.re;
            size += hypot(m.re, m.im) * hypot(x.re, x.im);
        }
        EXPECT(hypot(sum.re - want.re, sum.im - want.im) <= 64 * unit_roundoff(type) * size,
               "RS, SS, type %c: row %lld: (%g, %g), not (%g, %g)", type, (long long)i, sum.re,
               sum.im, want.re, want.im);
    }
    for (int i = 0; i < ARRAYS; i++) {
        free(got[i]);
        free(lines[i]);
    }
    free(d.m);
}

static double worst_units[SYSTEM_KINDS];

/* One partition in all variants: verified; the same bits again, and on other numbers of cores. */
static void check_solve(struct buffers *b, enum system kind, const struct nshape *with,
                        int64_t parts, int nest)
{
    void *first = malloc(bytes_of(b));
    for (int v = EXTRA_WORDS; v <= (is_complex(b->type) ? COMPLEX_TYPE : CORES); v++)
        for (int again = 0; again < 2; again++) {
            struct nshape s = plan(b, v, parts, nest, again ? 32 : 128);
            s.joints = v == CORES ? NULL : with->joints;
            if (v == CORES && with->joints)
                continue;
            long long status = solve_here(b, &s, v, again + 1);
            struct verdict verdict = judge(b);
            worst_units[kind] = fmax(worst_units[kind], verdict.error / unit_roundoff(b->type));
            EXPECT(
                status == 0 && verdict.ok,
                "%s, %s, type %c, n = %lld, %lld blocks, nest %d: status %lld, %.2g of the bound",
                variants[v].name, system_name(kind), b->type, (long long)b->n, (long long)parts,
                nest, status, verdict.used);
            if (again)
                EXPECT(v == ATOMIC || memcmp(first, b->host_x, bytes_of(b)) == 0,
                       "%s, type %c, n = %lld, %lld blocks, nest %d: not the same bits",
                       variants[v].name, b->type, (long long)b->n, (long long)parts, nest);
            memcpy(first, b->host_x, bytes_of(b));
        }
    free(first);
}

/* Joint lines at random, blocks of no row among them. */
static void random_joints(struct buffers *b, struct random *r, int64_t parts)
{
    int64_t *joints = (int64_t *)malloc((size_t)(parts + 1) * sizeof *joints);
    joints[0] = 0;
    for (int64_t w = 1; w <= parts; w++) { /* at least one step, and room for those that follow */
        int64_t room = b->n - 1 - joints[w - 1] - (parts - w);
        int64_t step = 1 + (int64_t)(random_bits(r) % (uint64_t)room);
        step = random_bits(r) % 4 ? (step - 1) / 8 + 1 : 1;
        joints[w] = w == parts ? b->n - 1 : joints[w - 1] + step;
    }
    CHECK(cudaMemcpy(b->joints, joints, (size_t)(parts + 1) * sizeof *joints,
                     cudaMemcpyHostToDevice));
    free(joints);
}

/* A row of zeros is reported wherever it is, and so is NaN. */
static void check_pivots(struct buffers *b, char type)
{
    for (int64_t at = 0; at < 40; at += 3)
        for (int64_t parts = 1; parts <= 39; parts = parts * 3 + 1)
            for (int v = EXTRA_WORDS; v <= (is_complex(type) ? COMPLEX_TYPE : CORES); v++)
                for (int nan = 0; nan < 2; nan++) {
                    make_system(b, SYSTEM_DOMINANT, type, 5, 40);
                    for (int array = 0; array < 3; array++)
                        for (int part = 0; part <= is_complex(type); part++)
                            put(real_type(type), b->host[array],
                                is_complex(type) ? 2 * at + part : at, nan ? (double)NAN : 0);
                    upload(b);
                    struct nshape s = plan(b, v, parts, 2, 32);
                    long long status = solve_here(b, &s, v, 2);
                    EXPECT(nan ? status > 0 : status == at + 1,
                           "%s, type %c, %lld blocks: row %lld, reported %lld", variants[v].name,
                           type, (long long)parts, (long long)(at + 1), status);
                }
}

/* Of the system as it was made: the matrix by 2^matrix, the right-hand side by 2^rhs. */
static void scale_system(struct buffers *b, int matrix, int rhs)
{
    int64_t reals = b->n * (is_complex(b->type) ? 2 : 1);
    char real = real_type(b->type);
    for (int array = 0; array < ARRAYS; array++)
        for (int64_t i = 0; i < reals; i++)
            put(real, b->host[array], i,
                ldexp(get(real, b->host[array], i), array == ARRAYS - 1 ? rhs : matrix));
    upload(b);
}

/* A dominant matrix of any size is solved, or its pivots are reported, but x is never wrong in
 * silence. The larger part of a complex number overflows, when it is squared, from half of a type's
 * exponents on. */
static void check_range(struct buffers *b, char type)
{
    bool single = real_type(type) == 's';
    const int least = single ? -126 : -1022, most = single ? 125 : 1021, half = most / 2 + 2,
              beyond = single ? 26 : 55;
    for (int by = least - beyond; by <= most + 2; by++) {
        bool near_an_end = by < least + 3 || by > most - 3 || abs(abs(by) - half) < 3;
        if (!near_an_end && by % (single ? 5 : 50))
            continue;
        for (int v = EXTRA_WORDS; v <= CORES; v++)
            for (int nest = 0; nest < 3; nest++) {
                make_system(b, SYSTEM_DOMINANT, type, 5, 40);
                scale_system(b, by, by);
                struct nshape s = plan(b, v, 7, nest, 32);
                long long status = solve_here(b, &s, v, 2);
                struct verdict verdict = judge(b);
                bool solved = status == 0 && verdict.ok;
                EXPECT(by > least && by < most ? solved : solved || status > 0,
                       "%s, type %c, nest %d, matrix and right-hand side times 2^%d: status %lld, "
                       "%.2g of the bound",
                       variants[v].name, type, nest, by, status, verdict.used);
            }
    }
    /* x is as large as the matrix is small. */
    const int sizes[] = {-most / 2 - 10, most / 2 + 10, -most + 10, most - 10};
    for (int by : sizes) {
        make_system(b, SYSTEM_DOMINANT, type, 5, 40);
        scale_system(b, by, 0);
        struct nshape s = plan(b, EXTRA_WORDS, 7, 1, 32);
        long long status = solve_here(b, &s, EXTRA_WORDS, 0);
        struct verdict verdict = judge(b);
        EXPECT(status == 0 && verdict.ok, "type %c, matrix times 2^%d: status %lld, %.2g", type, by,
               status, verdict.used);
    }
    /* One row has nothing that would notice: 1/diag is infinite, but rhs/diag is 1. */
    for (int v = EXTRA_WORDS; v <= CORES; v += CORES) {
        make_system(b, SYSTEM_POISSON, type, 5, 1);
        scale_system(b, single ? -140 : -1060, single ? -140 : -1060);
        struct nshape s = plan(b, v, 1, 1, 32);
        long long status = solve_here(b, &s, v, 1);
        EXPECT(status == 1, "%s, type %c: a subnormal diagonal: status %lld", variants[v].name,
               type, status);
    }
}

static void check_misuse(struct buffers *b)
{
    make_system(b, SYSTEM_DOMINANT, 's', 1, 100);
    struct nshape s = plan(b, EXTRA_WORDS, 10, 1, 32), bad = s;
    bad.parts[0] = 100;
    EXPECT(nshape_solve(&bad, 0) == cudaErrorInvalidValue, "as many blocks as rows");
    bad.parts[0] = 0;
    EXPECT(nshape_solve(&bad, 0) == cudaErrorInvalidValue, "no blocks");
    bad = s;
    bad.nest = 9;
    EXPECT(nshape_solve(&bad, 0) == cudaErrorInvalidValue, "nest 9");
    bad = s;
    bad.type = 'x';
    EXPECT(nshape_solve(&bad, 0) == cudaErrorInvalidValue, "type x");
    bad = s;
    bad.n = 0;
    EXPECT(nshape_solve(&bad, 0) == cudaErrorInvalidValue, "n = 0");
    EXPECT(nshape_solve_cpu(&s, 0) == cudaErrorInvalidValue, "no cores");
}

/* `s` is refused by every function, and x is as it was. */
static void expect_refused(const struct buffers *b, const struct nshape *s, bool cpu,
                           const char *what)
{
    unsigned char *x = (unsigned char *)b->host_x;
    bool refused = true, kept = true;
    memset(x, 0xff, bytes_of(b));
    if (cpu)
        refused = nshape_solve_cpu(s, 1) == cudaErrorInvalidValue;
    else {
        CHECK(cudaMemset(b->x, 0xff, bytes_of(b)));
        refused = nshape_solve(s, 0) == cudaErrorInvalidValue;
        for (int stage = NSHAPE_RD; stage < NSHAPE_STAGES; stage++)
            refused =
                refused && nshape_stage(s, (enum nshape_stage)stage, 0) == cudaErrorInvalidValue;
        for (int stage = NSHAPE_PART_DOWN; stage <= NSHAPE_PART_KEEP; stage++)
            refused = refused &&
                      nshape_part(s, (enum nshape_part_stage)stage, 0) == cudaErrorInvalidValue;
        CHECK(cudaMemcpy(x, b->x, bytes_of(b), cudaMemcpyDeviceToHost));
    }
    for (size_t i = 0; i < bytes_of(b); i++)
        kept = kept && x[i] == 0xff;
    EXPECT(refused && kept, "type %c, %s%s: %s", s->type, what, cpu ? ", on cores" : "",
           refused ? "x was touched" : "not refused");
}

static void *past(const void *array, size_t bytes)
{
    return (char *)((const char *)array) + bytes;
}

static void check_pointers(struct buffers *b, char type)
{
    make_system(b, SYSTEM_DOMINANT, type, 1, 100);
    CHECK(restore(b, 0));
    restore_cpu(b);
    for (int cpu = 0; cpu < 2; cpu++) {
        const struct nshape good = plan(b, cpu ? CORES : EXTRA_WORDS, 1, 1, 32);
        const size_t word = (size_t)size_of(type), off = is_complex(type) ? word / 2 : 2;
        struct nshape s = good;
#define REFUSED(change)                                                                            \
    s = good;                                                                                      \
    change;                                                                                        \
    expect_refused(b, &s, cpu, #change)
        REFUSED(s.sub = NULL);
        REFUSED(s.diag = NULL);
        REFUSED(s.super = NULL);
        REFUSED(s.rhs = NULL);
        REFUSED(s.x = NULL);
        REFUSED(s.work = NULL);
        REFUSED(s.status = NULL);
        REFUSED(s.sub = past(s.sub, off));
        REFUSED(s.diag = past(s.diag, off));
        REFUSED(s.super = past(s.super, off));
        REFUSED(s.rhs = past(s.rhs, off));
        REFUSED(s.x = past(s.x, off));
        REFUSED(s.work = past(s.work, 8));
        REFUSED(s.status = (long long *)past(s.status, 4));
        REFUSED(s.joints = (int64_t *)past(b->joints, 4));
#undef REFUSED
        s = good; /* Thomas needs no work */
        s.nest = 0;
        s.work = NULL;
        EXPECT((cpu ? nshape_solve_cpu(&s, 1) : nshape_solve(&s, 0)) == cudaSuccess,
               "type %c, no work for Thomas", type);
    }
}

/* Times that a model gives lead back to it (to the rounding of normal equations whose columns differ by 1e5), and no plan of
 * a grid is better by it than its own, but for blocks being whole numbers (1.001). */
static void check_model(void)
{
    static const struct nshape_model models[] = {{4e-7, 1e-7, 0.002}, {1e-6, 3e-6, 0}};
    static const int64_t nbl[] = {100, 300, 1000, 3000};
    for (const struct nshape_model &model : models)
        for (int64_t n = 30000; n <= 30000000; n *= 10) {
            double ms[4];
            struct nshape_model fitted;
            for (int k = 0; k < 4; k++) {
                struct nshape s = nshape_plan('z', n, 1, &nbl[k]);
                ms[k] = nshape_predict(&model, &s);
            }
            cudaError_t error = nshape_fit(n, 4, nbl, ms, &fitted);
            EXPECT(error == cudaSuccess && fabs(fitted.alpha / model.alpha - 1) < 1e-6 &&
                       fabs(fitted.beta / model.beta - 1) < 1e-6 &&
                       fabs(fitted.fixed - model.fixed) < 1e-6,
                   "n = %lld: fitted %g, %g, %g", (long long)n, fitted.alpha, fitted.beta,
                   fitted.fixed);
            struct nshape chosen = nshape_plan_by(&model, 'z', n);
            double least = nshape_predict(&model, &chosen);
            for (int nest = 0; nest <= 4; nest++)
                for (double ratio = 2; ratio < (double)n; ratio *= 1.1) {
                    int64_t blocks[4];
                    for (int l = 0; l < nest; l++)
                        blocks[l] = (int64_t)fmax((double)n * pow(ratio, -l - 1), 1);
                    struct nshape s = nshape_plan('z', n, nest, blocks);
                    EXPECT(least <= 1.001 * nshape_predict(&model, &s),
                           "n = %lld: n_it %d, %g ms, not %d, %g ms", (long long)n, chosen.nest,
                           least, nest, nshape_predict(&model, &s));
                }
        }
    static const int64_t same[] = {100, 100, 100};
    static const double ms[] = {1, 1, 1};
    struct nshape_model none;
    EXPECT(nshape_fit(1000, 3, same, ms, &none) == cudaErrorInvalidValue,
           "one number of blocks tells nothing");
}

/* With --variant and not the first: the lanes alone, whose vectors differ from build to build. */
static int check(const struct options *o)
{
    if (!o->has_variant[EXTRA_WORDS] && o->has_variant[LANES]) {
        EXPECT(tridiagonal_cpu_check(o->seed, UNITS) == 0, "lanes");
        return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
    }
    bool beyond = o->has_variant[TRIDIAGONAL] || o->has_variant[TRIDIAGONAL_PIVOTED];
    if (beyond)
        EXPECT(tridiagonal_check(o) == 0, "tridiagonal.h");
    if (o->has_variant[ACCURACY])
        EXPECT(accuracy_check(o) == 0, "accuracy");
    if (!o->has_variant[EXTRA_WORDS] && (beyond || o->has_variant[ACCURACY]))
        return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 31, 1000, 4097, 300000};
    bool all = !device_is_cpu() && !o->quick;
    struct random r = {o->seed};
    for (const char *type = "zcds"; *type; type++) {
        struct buffers b = {};
        allocate(&b, *type, 300000, 300000, 3);
        check_stages(&b, *type, EXTRA_WORDS);
        check_stages(&b, *type, ATOMIC);
        for (int64_t n : sizes)
            for (int kind = 0; kind < SYSTEM_KINDS; kind++) {
                if (n > 4097 && (SANITIZED || (kind != SYSTEM_DOMINANT && !all)))
                    continue;
                make_system(&b, (enum system)kind, *type, o->seed, n);
                bool few =
                    n > 4097 && !all; /* of the largest each number of blocks with one nesting */
                for (int64_t parts = 1; parts < n || n == 1;
                     parts = n <= 5 ? parts + 1 : parts * (few ? 25 : 5)) {
                    if (parts > n / 2 && n > 5)
                        break;
                    /* Thousands of rows a thread are for the CPU: few of them on a GPU. */
                    bool serial = n > 4097 && parts < 100;
                    if (serial && kind != SYSTEM_DOMINANT)
                        continue;
                    for (int nest = few ? 1 + (int)(parts / 25 % 3) : 1; nest <= (serial ? 1 : 3);
                         nest += few ? 3 : 1) {
                        struct nshape equal = {};
                        check_solve(&b, (enum system)kind, &equal, parts, nest);
                    }
                    if (n == 1)
                        break;
                    struct nshape unequal = {};
                    random_joints(&b, &r, parts);
                    unequal.joints = b.joints;
                    check_solve(&b, (enum system)kind, &unequal, parts, 1 + (int)(parts % 3));
                }
            }
        check_pivots(&b, *type);
        check_range(&b, *type);
        if (*type == 's')
            check_misuse(&b);
        check_pointers(&b, *type);
        release(&b);
    }
    check_model();
    EXPECT(tridiagonal_cpu_check(o->seed, UNITS) == 0, "lanes");
    EXPECT(divisions_check() == 0, "divisions");
    EXPECT(tdse_check() == 0, "time-dependent Schroedinger equation");
    printf("largest backward error of a row, in units of roundoff:\n");
    for (int kind = 0; kind < SYSTEM_KINDS; kind++)
        printf("%-9s %9.3g\n", system_name((enum system)kind), worst_units[kind]);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {};
    program.name = "nshape";
    program.summary = "The N-shaped partition method for one tridiagonal system (L22)";
    program.variants = variants;
    program.takes = "n parts nest threads tdse type";
    program.paper =
        "--n 300000 --parts 10,30,100,300,1000,3000,10000,30000 --nest 1,2,3 --threads 32,128 "
        "--type z,c,d,s --reps 7; "
        "--n 1000,10000,30000,100000 --parts 10,30,100,300,1000,3000,10000,30000 --threads 32 "
        "--reps 5; "
        "--n 1000000,3000000,10000000 --parts 1000,3000,10000,30000,100000,300000,1000000; "
        "--n 100000000 --parts 30000,300000,3000000,10000000 --reps 3";
    program.quick =
        "--n 10000 --parts 10,30,100,300,1000 --nest 1,2,3 --threads 32 --type z,s --reps 3; "
        "--n 1000,10000,100000 --parts 10,30,100";
    return device_main(&program, argc, argv, check, sweep);
}
