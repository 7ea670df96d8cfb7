/* L22 Fig. 2: one tridiagonal system by the N-shaped partition method, on a GPU and on CPU cores,
 * over blocks and nested applications: where is the optimum of L22 eq. 7-8, and how fast are other
 * solvers? Run: make run, or build/gpu/nshape --help. */
#include "main.h"
#include "bench/tridiagonal_peers.h"
#include "ceiling.h"
#include "nshape_model.h"
#include "tridiagonal.h"

#include <initializer_list>
#include <math.h>
#include <unistd.h>

const struct variant variants[] = {
    {"nshape", "N-shaped partition, joint lines by extra elements"},
    {"nshape_atomic", "the same, joint lines by atomic additions (L22)"},
    {"nshape_cpu", "nshape on one CPU thread and on all cores"},
    {"nshape_complex_type", "nshape with the library's complex type (c and z)"},
    {"nshape_model", "nshape with n_it and blocks by the fitted model (GPU)"},
    {"thomas_gpu", "Thomas by one thread of the GPU"},
    {"thomas_cpu", "Thomas on one CPU thread"},
    {"lapack_gtsv", "peer: LAPACK's xGTSV (with pivoting), one thread"},
    {"cusparse_gtsv2", "peer: cuSPARSE gtsv2 (with pivoting; GPU builds)"},
    {"cusparse_gtsv2_nopivot", "peer: cuSPARSE gtsv2_nopivot (GPU builds)"},
    {"tridiagonal", "beyond the paper: solvers/tridiagonal.h"},
    {}};

/* The sweep leaves out partitions that give a thread more rows in sequence. */
static const int64_t SERIAL_MOST = 1 << 20;

/* The least number of elements that memory moves for each row. N-shaped: RD reads b, a, c, d,
 * writes b, a, d; RU reads all, writes b, c, d; SS reads all, writes psi. Thomas: down it reads
 * all, writes a, d; up it reads a, c, d, writes psi. The peers at least read all and write psi. */
static const double NSHAPE_ELEMENTS = (4 + 3) + (4 + 3) + (4 + 1),
                    THOMAS_ELEMENTS = (4 + 2) + 3 + 1, LEAST_ELEMENTS = 5;

/* An upper bound on nshape_work() for `nest` applications of at most `parts` blocks each. */
static double work_most(char type, double parts, int nest)
{
    return nest * (parts + 8) * (7 * size_of(type) + 8.0);
}

void allocate(struct problem *p, char type, int64_t n, int64_t parts, int nest)
{
    size_t bytes = (size_t)(n * size_of(type)), work = (size_t)work_most(type, (double)parts, nest);
    systems_allocate(&p->system, &p->memory, type, n);
    for (int i = 0; i < SYSTEM_ARRAYS; i++) {
        p->matrix[i] = memory_device(&p->memory, bytes);
        p->cpu_matrix[i] = memory_host(&p->memory, bytes);
    }
    p->work = memory_device(&p->memory, work);
    p->cpu_work = memory_host(&p->memory, work);
    p->status = (long long *)memory_device(&p->memory, sizeof *p->status);
    p->joints = (int64_t *)memory_device(&p->memory, (size_t)(parts + 1) * sizeof *p->joints);
}

bool on_cores(int variant)
{
    return variant == CORES || variant == THOMAS_CPU;
}

struct nshape plan(struct problem *p, int variant, int64_t parts, int nest, int threads)
{
    int64_t counts[NSHAPE_NEST_MOST] = {parts > 1 ? parts : 1};
    for (int l = 1; l < nest; l++)
        counts[l] = (int64_t)fmax(pow((double)parts, (double)(nest - l) / nest) + 0.5, 1);
    struct nshape s = nshape_plan(p->system.type, p->system.n, nest, counts);
    bool cpu = on_cores(variant);
    void *const *matrix = cpu ? p->cpu_matrix : p->matrix;
    s.sub = matrix[0], s.diag = matrix[1], s.super = matrix[2], s.rhs = matrix[3];
    s.x = cpu ? p->system.host_x : p->system.x;
    s.work = cpu ? p->cpu_work : p->work;
    s.status = cpu ? &p->cpu_status : p->status;
    s.joining = variant == ATOMIC ? NSHAPE_ATOMIC : NSHAPE_EXTRA_ELEMENTS;
    s.threads = threads;
    return s;
}

cudaError_t restore(const struct problem *p, cudaStream_t stream)
{
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        TRY(cudaMemcpyAsync(p->matrix[i], p->system.in[i], systems_bytes(&p->system),
                            cudaMemcpyDeviceToDevice, stream));
    return cudaSuccess;
}

void restore_cpu(const struct problem *p)
{
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        host_copy(p->cpu_matrix[i], p->system.host[i], systems_bytes(&p->system));
}

static cudaError_t solve_on_device(const struct nshape *s, int variant, cudaStream_t stream)
{
    return variant == COMPLEX_TYPE ? nshape_complex_type(s, stream) : nshape_solve(s, stream);
}

long long solve_poisoned(struct problem *p, const struct nshape *s, int variant, int cores)
{
    size_t bytes = systems_bytes(&p->system);
    if (on_cores(variant)) {
        restore_cpu(p);
        host_poison(s->x, bytes);
        host_poison(s->work, nshape_work(s));
        p->cpu_status = 0x55;
        p->solved = sample_cores([&] { CHECK(nshape_solve_cpu(s, cores)); });
        return p->cpu_status;
    }
    long long status;
    CHECK(restore(p, 0));
    device_poison(s->x, bytes);
    device_poison(s->work, nshape_work(s));
    CHECK(cudaMemset(s->status, 0x55, sizeof status));
    CHECK(cudaStreamSynchronize(0));
    double start = clock_ms();
    CHECK(solve_on_device(s, variant, 0));
    CHECK(cudaStreamSynchronize(0));
    p->solved = {.ms = clock_ms() - start};
    device_download(&status, s->status, sizeof status);
    device_download(p->system.host_x, s->x, bytes);
    return status;
}

/* Solves by the plan s, verifies x, times and adds a row. one: the time on one core, or NULL.
 * Returns the time of a variant on CPU cores. */
static struct timing solver_row(struct results *results, struct problem *p, int variant,
                                struct nshape s, int cores, const struct timing *one, int reps)
{
    const char *name = variants[variant].name;
    double elements = s.nest > 0 ? NSHAPE_ELEMENTS : THOMAS_ELEMENTS;
    long long status = solve_poisoned(p, &s, variant, cores);
    struct verdict verdict = systems_verdict(&p->system, ERROR_UNITS);
    struct row row = on_cores(variant) ? cpu_row(name, s.type, s.n, 0, cores, elements, verdict)
                                       : device_row(name, s.type, s.n, 0, elements, verdict);
    row.parts = s.nest > 0 ? s.parts[0] : 0;
    row.nest = s.nest;
    if (status)
        row.status = "zero pivot";
    if (on_cores(variant))
        return record_cores_after(
            p->solved, results, row, one, reps, [&] { restore_cpu(p); },
            [&] { nshape_solve_cpu(&s, cores); });
    row.threads = s.nest > 0 ? s.threads : 1;
    record_after(
        p->solved.ms, results, row, reps, [&](cudaStream_t stream) { return restore(p, stream); },
        [&](cudaStream_t stream) { return solve_on_device(&s, variant, stream); });
    return timing_none();
}

/* Times one application with five numbers of blocks around sqrt(n), near the optimum (L22 eq. 7),
 * fits the model, and adds the row of the plan with the smallest predicted time. */
static void model_row(struct results *results, struct problem *p, int threads, int reps)
{
    enum { POINTS = 5 };
    int64_t nbl[POINTS], n = p->system.n;
    double ms[POINTS];
    struct nshape_model model;
    for (int k = 0; k < POINTS; k++) {
        double wanted = sqrt((double)n) * pow(4, k - POINTS / 2);
        nbl[k] = (int64_t)fmax(fmin(wanted, (double)n / 2), 1);
        struct nshape s = plan(p, BY_MODEL, nbl[k], 1, threads);
        CHECK(cudaMalloc(&s.work, nshape_work(&s)));
        struct timing time = device_time_after(
            0, SAMPLES_LEAST, [&](cudaStream_t stream) { return restore(p, stream); },
            [&](cudaStream_t stream) { return nshape_solve(&s, stream); });
        CHECK(cudaFree(s.work));
        ms[k] = time.median_ms;
    }
    /* With few rows the time does not depend on the number of blocks, and the fit fails. */
    if (nshape_fit(n, POINTS, nbl, ms, &model) != cudaSuccess)
        return;
    struct nshape chosen = nshape_plan_by(&model, p->system.type, n);
    struct nshape s = plan(p, BY_MODEL, 1, chosen.nest, threads);
    memcpy(s.parts, chosen.parts, sizeof s.parts);
    /* + 1, because Thomas needs 0 bytes and an allocation needs at least 1 */
    CHECK(cudaMalloc(&s.work, nshape_work(&s) + 1));
    solver_row(results, p, BY_MODEL, s, 0, NULL, reps);
    CHECK(cudaFree(s.work));
}

#ifdef __CUDACC__
static void cusparse(struct results *results, struct problem *p, int variant, int reps)
{
    const struct systems *s = &p->system;
    struct peer_cusparse peer = {s->type,      variant == CUSPARSE, s->n,         p->matrix[0],
                                 p->matrix[1], p->matrix[2],        p->matrix[3], s->x};
    CHECK(restore(p, 0));
    cusparse_row(results, variants[variant].name, peer, reps, [&] {
        device_download(s->host_x, s->x, systems_bytes(s));
        return device_row(variants[variant].name, s->type, s->n, 0, LEAST_ELEMENTS,
                          systems_verdict(s, ERROR_UNITS));
    });
}
#endif

/* Beyond the paper: each row is read once if all fit on the chip, else twice. Its bound: see
 * bench/tridiagonal_case.h. */
static void tridiagonal_row(struct results *results, struct problem *p, int reps)
{
    const struct systems *s = &p->system;
    struct tridiagonal t = {.type = s->type, .n = s->n, .sub = s->in[0], .diag = s->in[1]};
    t.super = s->in[2], t.rhs = s->in[3], t.x = s->x, t.status = p->status;
    t.way = TRIDIAGONAL_RESIDENT;
    size_t bytes = tridiagonal_workspace(&t);
    void *work;
    long long status;
    CHECK(cudaMalloc(&work, bytes));
    CHECK(tridiagonal_prepare(work, bytes, 0));
    bool resident = tridiagonal_solve(&t, work, bytes, 0) == cudaSuccess;
    t.way = TRIDIAGONAL_AUTO;
    device_poison(t.x, systems_bytes(s));
    CHECK(tridiagonal_solve(&t, work, bytes, 0));
    device_download(&status, t.status, sizeof status);
    device_download(s->host_x, t.x, systems_bytes(s));
    struct row row = device_row(variants[TRIDIAGONAL].name, s->type, s->n, 0, resident ? 5 : 9,
                                systems_verdict(s, 60));
    if (status)
        row.status = "zero pivot";
    record(results, row, reps,
           [&](cudaStream_t stream) { return tridiagonal_solve(&t, work, bytes, stream); });
    CHECK(cudaFree(work));
}

/* ---- the sweep ---- */

/* Adds the rows of results that do not depend on --parts and --nest. */
static void thomas_and_peers(struct results *results, struct problem *p, const struct options *o)
{
    if (o->has_variant[THOMAS_CPU])
        solver_row(results, p, THOMAS_CPU, plan(p, THOMAS_CPU, 0, 0, 1), 1, NULL, o->reps);
    if (o->has_variant[THOMAS_GPU] && p->system.n <= SERIAL_MOST)
        solver_row(results, p, THOMAS_GPU, plan(p, THOMAS_GPU, 0, 0, 1), 0, NULL, o->reps);
    if (o->has_variant[BY_MODEL] && !device_is_cpu())
        for (int t = 0; t < o->threads.count; t++)
            model_row(results, p, (int)o->threads.value[t], o->reps);
    if (o->has_variant[LAPACK_GTSV])
        each_system_row(results, "lapack_gtsv", &p->system, p->cpu_matrix, LEAST_ELEMENTS,
                        ERROR_UNITS, o->reps, peer_lapack);
    if (o->has_variant[TRIDIAGONAL])
        tridiagonal_row(results, p, o->reps);
#ifdef __CUDACC__
    for (int v = CUSPARSE; v <= CUSPARSE_NOPIVOT; v++)
        if (o->has_variant[v])
            cusparse(results, p, v, o->reps);
#endif
}

/* Fewer blocks than rows, and no thread has more than SERIAL_MOST rows or joint lines. */
static bool is_sensible(int64_t n, int64_t parts, int nest)
{
    return parts < n && nest <= NSHAPE_NEST_MOST && n / parts <= SERIAL_MOST &&
           (nest > 1 || parts <= SERIAL_MOST);
}

static void partition_rows(struct results *results, struct problem *p, const struct options *o,
                           int64_t parts, int nest, bool again)
{
    for (int v = EXTRA_ELEMENTS; v <= COMPLEX_TYPE; v++) {
        int threads = v == COMPLEX_TYPE ? 1 : o->threads.count;
        if (!o->has_variant[v] || v == CORES || (v == COMPLEX_TYPE && !is_complex(p->system.type)))
            continue;
        for (int t = 0; t < threads; t++)
            solver_row(results, p, v, plan(p, v, parts, nest, (int)o->threads.value[t]), 0, NULL,
                       o->reps);
    }
    /* On CPU cores, more blocks than cores only cost time. */
    if (!o->has_variant[CORES] || again || nest > 1 || (p->system.n > 300000 && parts > 100))
        return;
    struct nshape s = plan(p, CORES, parts, nest, 1);
    struct timing one = solver_row(results, p, CORES, s, 1, NULL, o->reps);
    int all_cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (all_cores > 1)
        solver_row(results, p, CORES, s, all_cores, &one, o->reps);
}

/* Did an experiment have this n of this type? Only the first one measures cores and peers. */
static bool is_seen(struct list *seen, char type, int64_t n)
{
    int64_t key = n * 256 + type;
    for (int i = 0; i < seen->count; i++)
        if (seen->value[i] == key)
            return true;
    if (seen->count < LIST_MAX)
        seen->value[seen->count++] = key;
    return false;
}

static void experiment(struct results *results, const char *program, const struct options *o,
                       struct list *seen)
{
    int64_t done = 0, all = (int64_t)strlen(o->types) * o->n.count * o->parts.count * o->nest.count;
    for (const char *type = o->types; *type; type++) {
        struct problem p = {};
        allocate(&p, *type, list_largest(&o->n, 1), list_largest(&o->parts, 1),
                 (int)list_largest(&o->nest, 1));
        for (int i = 0; i < o->n.count; i++) {
            systems_make(&p.system, SYSTEM_DOMINANT, o->seed, o->n.value[i], 1);
            const bool again = is_seen(seen, *type, p.system.n);
            if (!again)
                thomas_and_peers(results, &p, o);
            for (int k = 0; k < o->parts.count; k++)
                for (int l = 0; l < o->nest.count; l++) {
                    int64_t parts = o->parts.value[k];
                    int nest = (int)o->nest.value[l];
                    if (is_sensible(p.system.n, parts, nest))
                        partition_rows(results, &p, o, parts, nest, again);
                    progress(program, ++done, all, "partitions");
                }
        }
        memory_free(&p.memory);
    }
}

/* If an experiment does not fit into memory, says so. Sizes that were given end the program,
 * default sizes are left out. */
static bool all_fit(const struct program *program, const struct options *o, bool given)
{
    for (const char *type = o->types; *type; type++) {
        double n = (double)list_largest(&o->n, 1), parts = (double)list_largest(&o->parts, 1);
        double arrays = (2 * SYSTEM_ARRAYS + 1) * n * size_of(*type);
        double work = work_most(*type, parts, (int)list_largest(&o->nest, 1)), host = arrays + work;
        /* The system twice and x once; cuSPARSE's workspace needs as much again. */
        double peer = n * size_of(*type) <= CUSPARSE_MOST ? arrays : 0;
        double device = arrays + peer + work + 8 * parts + ceiling_bytes();
        if (given)
            device_require(program->name, device, host);
        if (!device_fits(device, host)) {
            fprintf(stderr,
                    "%s: left out: n = %lld: it needs %.0f GB on the device, %.0f GB on the host\n",
                    program->name, (long long)n, device / 1e9, host / 1e9);
            return false;
        }
    }
    return true;
}

static int sweep(const struct program *program, const struct options *options)
{
    char prefix[PREFIX_MOST];
    if (options->tdse)
        return tdse_run(options_csv_prefix(options, NULL, prefix), options->quick);
    if (!options->next)
        all_fit(program, options, true);
    struct results *results = results_open(program->name, program->device, options->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, options->reps);
    struct options o = *options;
    struct list seen = {};
    do {
        if (!options->next || all_fit(program, &o, false))
            experiment(results, program->name, &o, &seen);
        /* The first sweep compares all variants at the paper's size, the next ones sizes, in the
         * first type and without variants that differ only in how they join lines or write complex
         * numbers. */
        o.has_variant[ATOMIC] = o.has_variant[COMPLEX_TYPE] = false;
        o.types[1] = 0;
    } while (options_next(program, &o));
    int status = results_close(results);
    if (!options->next)
        return status;
    const int more[] = {divisions_run(options_csv_prefix(options, NULL, prefix)),
                        tdse_run(options_csv_prefix(options, "tdse", prefix), options->quick)};
    for (int other : more)
        status = other > status ? other : status;
    return status;
}

int main(int argc, char **argv)
{
    struct program program = {
        .name = "nshape",
        .summary = "The N-shaped partition method for one tridiagonal system (L22).",
        .variants = variants,
        .takes = "n parts nest threads tdse type",
        .paper =
            "--n 300000 --parts 10,30,100,300,1000,3000,10000,30000 --nest 1,2,3 --threads 32,128 "
            "--type z,c,d,s --reps 7; "
            /* P1 from sqrt(n)/16 on, six a decade: the best P1 lies inside (L22-1, L22-4) */
            "--n 1000,10000,30000 --parts 6,10,15,22,30,47,68,100,150,220,300,470,680,1000,1500,"
            "2200,3000,4700 --threads 32 --reps 5; "
            "--n 100000,300000 --parts 22,30,47,68,100,150,220,300,470,680,1000,1500,2200; "
            "--n 100000,300000 --parts 3000,4700,6800,10000,15000,22000,30000; "
            "--n 1000000,3000000 --parts 68,100,150,220,300,470,680,1000,1500,2200,3000; "
            "--n 1000000,3000000 --parts 4700,6800,10000,15000,22000,30000,47000,68000,100000; "
            "--n 10000000 --parts 220,300,470,680,1000,1500,2200,3000,4700,6800 --reps 3; "
            "--n 10000000 --parts 10000,15000,22000,30000,47000,68000,100000; "
            "--n 100000000 --parts 10000,22000,30000,47000,100000; "
            /* up to the largest n_it (L22-2) */
            "--n 1000,10000,30000,100000,300000,1000000 --parts 30,68,150,300,680,1500,"
            "3000,6800,15000,30000,68000,150000 --nest 4,5,6,7,8 --reps 5",
        .quick =
            "--n 10000 --parts 10,30,100,300,1000 --nest 1,2,3 --threads 32 --type z,s --reps 3; "
            "--n 1000,10000,100000 --parts 10,30,100"};
    return device_main(&program, argc, argv, check, sweep);
}
