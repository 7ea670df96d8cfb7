/* The program tridiagonal_batch: the solver of many tridiagonal systems (tridiagonal_batch.h) in
 * all its modes, beside the libraries that solve them. Every solution is verified before it is
 * timed. Run: build/gpu/tridiagonal_batch --help. */
#include "bench/tridiagonal_batch_bench.h"
#include "bench/peers.h"
#include "ceiling.h"
#include "expect.h"
#include "test/tridiagonal_batch_test.h"

#include "../../pscheme_g/pscheme_g.h" /* pscheme_g_transpose() converts between the layouts */

#include <math.h>

/* The peers. Each line names a struct peer of a file solvers/bench/peer_*: PEER(name, library,
 * what, layout is interleaved, where it runs). The variant of the peer `x` is called x, the struct
 * peer_x. */
#define PEERS(PEER)                                                                                \
    PEER(cusparse_strided, "cuSPARSE", "gtsv2StridedBatch, contiguous", false, GPU_BUILD)          \
    PEER(cusparse_interleaved_thomas, "cuSPARSE", "gtsvInterleavedBatch", true, GPU_BUILD)         \
    PEER(cusparse_interleaved_lu, "cuSPARSE", "the same with pivoting", true, GPU_BUILD)           \
    PEER(cusparse_interleaved_qr, "cuSPARSE", "the same with rotations", true, GPU_BUILD)

#define DECLARE(id, ...) extern const struct peer peer_##id;
PEERS(DECLARE)
#define VARIANT(id, library_, what_, interleaved_, runs_on_)                                       \
    {.name = #id,                                                                                  \
     .what = what_,                                                                                \
     .library = library_,                                                                          \
     .runs_on = runs_on_,                                                                          \
     .interleaved = interleaved_,                                                                  \
     .peer = &peer_##id},

enum { ALWAYS = TRIDIAGONAL_PIVOT_ALWAYS, AUTO = TRIDIAGONAL_PIVOT_AUTO };
enum { SHARED = TRIDIAGONAL_BATCH_SHARED, CONSTANT = TRIDIAGONAL_BATCH_CONSTANT };

/* clang-format off */
static const struct variant variants[] = {
    {.name = "tridiagonal_batch", .what = "each element once: whole systems on chip"},
    {.name = "tridiagonal_batch_pivoted", .what = "the same with scaled partial pivoting",
     .pivot = ALWAYS},
    {.name = "tridiagonal_batch_auto", .what = "pivoting only where it is needed", .pivot = AUTO},
    {.name = "tridiagonal_batch_interleaved", .what = "interleaved: each element twice, or once",
     .interleaved = true},
    {.name = "tridiagonal_batch_interleaved_pivoted", .what = "with scaled partial pivoting",
     .interleaved = true, .pivot = ALWAYS},
    {.name = "tridiagonal_batch_interleaved_auto", .what = "pivoting only where it is needed",
     .interleaved = true, .pivot = AUTO},
    {.name = "tridiagonal_batch_shared", .what = "one matrix for all right-hand sides",
     .matrix = SHARED},
    {.name = "tridiagonal_batch_shared_interleaved", .what = "one matrix, interleaved layout",
     .interleaved = true, .matrix = SHARED},
    {.name = "tridiagonal_batch_constant", .what = "one matrix with constant diagonals",
     .matrix = CONSTANT},
    {.name = "tridiagonal_batch_constant_interleaved", .what = "constant diagonals, interleaved",
     .interleaved = true, .matrix = CONSTANT},
    {.name = "tridiagonal_batch_periodic", .what = "the ends of each system are coupled",
     .types = "sd", .matrix = BATCH_PERIODIC},
    {.name = "tridiagonal_batch_sides", .what = "8 right-hand sides for each matrix",
     .matrix = BATCH_EACH_FEW},
    {.name = "tridiagonal_batch_gradient", .what = "the gradient: an adjoint solve and one pass",
     .matrix = BATCH_GRADIENT},
    {.name = "tridiagonal_batch_gradient_interleaved", .what = "the same, interleaved",
     .interleaved = true, .matrix = BATCH_GRADIENT},
    {.name = "tridiagonal_batch_cpu", .what = "tridiagonal_batch_cpu.h on one core and on all",
     .runs_on = HOST_CORES},
    {.name = "tridiagonal_batch_cpu_pivoted", .what = "the same with scaled partial pivoting",
     .runs_on = HOST_CORES, .pivot = ALWAYS},
    {.name = "tridiagonal_batch_cpu_auto", .what = "pivoting only where it is needed",
     .runs_on = HOST_CORES, .pivot = AUTO},
    {.name = "tridiagonal_batch_cpu_interleaved", .what = "interleaved",
     .runs_on = HOST_CORES, .interleaved = true},
    {.name = "lapack_gtsv", .what = "xGTSV, one system after the other", .library = "LAPACK",
     .runs_on = HOST_CORES, .id = BATCH_LAPACK},
    {.name = "mkl_dtsvb", .what = "xDTSVB, the same without pivoting", .library = "MKL",
     .runs_on = HOST_CORES, .id = BATCH_MKL},
    PEERS(VARIANT){}};
/* clang-format on */

/* The largest error that a peer may have, in units of roundoff. cuSPARSE's methods are not all
 * published, so it is that of cyclic reduction: 4 times the condition number of the scaled matrix,
 * which is at most 2 / 0.2 for SYSTEM_DOMINANT. */
static const double PEER_BOUND = 40;

/* That of the solvers on CPU cores, which eliminate without pivoting or with partial pivoting: see
 * BOUND in tridiagonal_batch.cu. */
static const double CORES_BOUND = 16;

/* A batch of systems, and the memory of the solver and its peers. */
struct problem {
    struct memory memory;
    struct systems s;
    void *interleaved[SYSTEM_ARRAYS];
    struct tridiagonal_batch_bench bench;
};

/* Copies of the matrix for a peer, or the results of a gradient. */
enum { WORK_ARRAYS = GRADIENT_ARRAYS };

static void allocate(struct problem *p, char type, int64_t rows, int64_t batch)
{
    size_t bytes = (size_t)(rows * size_of(type));
    systems_allocate(&p->s, &p->memory, type, rows);
    for (void *&array : p->interleaved)
        array = memory_device(&p->memory, bytes);
    p->bench = {.systems = &p->s,
                .interleaved = p->interleaved,
                .natural = memory_device(&p->memory, bytes),
                .work = memory_device(&p->memory, WORK_ARRAYS * bytes),
                .work_bytes = WORK_ARRAYS * bytes,
                .status = (int *)memory_device(&p->memory, (size_t)batch * sizeof(int)),
                .matrix = TRIDIAGONAL_BATCH_OWN};
    for (int a = 0; a < GRADIENT_ARRAYS; a++)
        p->bench.gradient[a] = (char *)p->bench.work + (size_t)a * bytes;
}

static void make(struct problem *p, uint64_t seed, int64_t n, int64_t batch)
{
    struct systems *s = &p->s;
    systems_make(s, SYSTEM_DOMINANT, seed, n, batch);
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        CHECK(pscheme_g_transpose(s->type, TRANSPOSE_PADDED, batch, n, s->in[i], p->interleaved[i],
                                  0));
    p->bench.matrix = TRIDIAGONAL_BATCH_OWN;
}

/* The interleaved solvers of cuSPARSE give each system to one thread, so one large system would
 * take minutes. gtsv2 needs at least three rows. */
static void row_of_peer(struct results *results, struct problem *p, const struct variant *v,
                        int reps)
{
    struct systems *s = &p->s;
    if (s->n < 3 || (v->interleaved && s->batch == 1))
        return;
    void *const *in = v->interleaved ? p->interleaved : s->in;
    struct peer_call call = {s->type, v->interleaved, s->n,  s->batch, in[0],
                             in[1],   in[2],          in[3], s->x,     p->bench.work};
    peer_row(results, v, call, reps, [&] {
        if (v->interleaved)
            CHECK(pscheme_g_transpose(s->type, TRANSPOSE_PADDED, s->n, s->batch, s->x,
                                      p->bench.natural, 0));
        device_download(s->host_x, v->interleaved ? p->bench.natural : s->x, systems_bytes(s));
        return device_row(v->name, s->type, s->n, s->batch, 5, systems_verdict(s, PEER_BOUND));
    });
}

/* ---- the sweep ---- */

/* The bytes of device and host that systems with this many rows need. */
static double device_bytes(char type, double rows)
{
    return (2 * SYSTEM_ARRAYS + 2 + WORK_ARRAYS) * rows * size_of(type);
}
static double host_bytes(char type, double rows)
{
    return (SYSTEM_ARRAYS + 1 + GRADIENT_ARRAYS) * rows * size_of(type);
}

static void rows_of_type(struct results *results, const struct program *program,
                         const struct options *o, char type)
{
    int64_t rows = 0, most = 0, done = 0, all = 0;
    auto fits = [&](int64_t n, int64_t batch) {
        double r = (double)n * (double)batch;
        return device_fits(device_bytes(type, r), host_bytes(type, r));
    };
    each_batch(o, [&](int64_t n, int64_t batch) {
        if (!fits(n, batch)) {
            fprintf(stderr, "%s: left out: %lld systems of n = %lld, type %c: too large\n",
                    program->name, (long long)batch, (long long)n, type);
            return;
        }
        rows = n * batch > rows ? n * batch : rows;
        most = batch > most ? batch : most;
        all++;
    });
    if (all == 0)
        return;
    struct problem p = {};
    allocate(&p, type, rows, most);
    each_batch(o, [&](int64_t n, int64_t batch) {
        if (n * batch > rows)
            return;
        make(&p, o->seed, n, batch);
        for (int v = 0; variants[v].name; v++)
            if (o->has_variant[v] && variant_has_type(&variants[v], type) &&
                variants[v].runs_on == ANY_DEVICE && !variants[v].peer)
                tridiagonal_batch_row(results, &p.bench, &variants[v], o->reps, o->seed);
        tridiagonal_batch_matrix(&p.bench, TRIDIAGONAL_BATCH_OWN, o->seed);
        for (int v = 0; variants[v].name; v++)
            if (o->has_variant[v] && variants[v].peer)
                row_of_peer(results, &p, &variants[v], o->reps);
        progress(program->name, ++done, all, "sizes");
    });
    memory_free(&p.memory);
}

static bool has_any(const struct options *o, bool on_cores)
{
    for (int v = 0; variants[v].name; v++)
        if (o->has_variant[v] && (variants[v].runs_on == HOST_CORES) == on_cores)
            return true;
    return false;
}

static int sweep(const struct program *program, const struct options *options)
{
    struct options o = *options;
    double rows = 0;
    if (o.sized)
        each_batch(&o, [&](int64_t n, int64_t batch) { rows = fmax(rows, (double)n * batch); });
    for (const char *type = o.types; *type; type++)
        device_require(program->name, device_bytes(*type, rows) + ceiling_bytes(),
                       host_bytes(*type, rows));
    struct results *results = results_open(program->name, program->device, options->csv);
    if (!results)
        return EXIT_USAGE;
    if (has_any(options, false)) {
        ceiling_rows(results, options->reps);
        do
            for (const char *type = o.types; *type; type++)
                rows_of_type(results, program, &o, *type);
        while (options_next(program, &o));
    }
    if (has_any(options, true))
        tridiagonal_batch_cpu_rows(results, program, options, CORES_BOUND);
    return results_close(results);
}

static int check(const struct options *o)
{
    EXPECT(tridiagonal_batch_check(!device_is_cpu() && !o->quick, o->seed) == 0,
           "tridiagonal_batch.h");
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {
        .name = "tridiagonal_batch",
        .summary = "Batches of tridiagonal systems on a GPU and on CPU cores, beside "
                   "libraries. On CPU cores the sizes are 32K and 16M rows of n = "
                   "64, 256, 1K, 4K.",
        .variants = variants,
        .takes = "n batch rows type",
        .paper = "--n 4095 --batch 25000 --type s,d --reps 9",
        .quick = "--n 127,1000 --batch 33 --type s,d --reps 3"};
    return device_main(&program, argc, argv, check, sweep);
}
