/* The experiment with many systems on CPU cores: tridiagonal_batch_cpu.h on one core and on all,
 * beside LAPACK and MKL in a loop on one core, and a copy of one array, whose speed limits every
 * solver that reads its systems from memory. Run: build/cpu/tridiagonal_batch --variant
 * tridiagonal_batch_cpu. */
#include "tridiagonal_batch_cpu.h"
#include "bench/copy_cpu.h"
#include "bench/tridiagonal_batch_bench.h"
#include "bench/tridiagonal_peers.h"

#include <string.h>
#include <unistd.h>

/* The least number of elements that are read or written per row of a system. */
static const double LEAST_ELEMENTS = 5;

/* The systems, and the memory of the solvers. */
struct cores_bench {
    struct memory memory;
    struct systems s;
    void *scratch[SYSTEM_ARRAYS], *scratch_x; /* copies for a peer, or in the interleaved layout */
    int *status;
    double units; /* bound on the backward error of a row, in units of roundoff */
};

/* Element (i, k) of an array of n x m elements becomes element (k, i) of another. */
static void transpose(char type, int64_t n, int64_t m, const void *from, void *to)
{
    const int64_t size = size_of(type);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < m; k++)
            memcpy((char *)to + (k * n + i) * size, (const char *)from + (i * m + k) * size,
                   (size_t)size);
}

/* Solves the systems, verifies x, times the solver on `cores` cores, and adds a row to the results.
 * `one` is the time on one core, or NULL if this call measures that time. Returns the time. */
static struct timing solver_row(struct results *results, struct cores_bench *b,
                                const struct variant *v, int cores, const struct timing *one,
                                int reps)
{
    struct systems *s = &b->s;
    void *const *in = v->interleaved ? b->scratch : s->host;
    struct tridiagonal_batch call = {.type = s->type,
                                     .n = s->n,
                                     .batch = s->batch,
                                     .sub = in[0],
                                     .diag = in[1],
                                     .super = in[2],
                                     .rhs = in[3],
                                     .x = v->interleaved ? b->scratch_x : s->host_x,
                                     .status = b->status,
                                     .pivot = v->pivot,
                                     .inner = v->interleaved ? s->batch : 1};
    const size_t bytes = tridiagonal_batch_cpu_work(&call, cores);
    struct memory memory = {};
    call.work = memory_host(&memory, bytes);
    host_poison(call.work, bytes);
    host_poison(call.x, systems_bytes(s));
    long long broken = tridiagonal_batch_cpu_solve(&call, cores);
    if (v->interleaved)
        transpose(s->type, s->n, s->batch, call.x, s->host_x);
    struct row row = cpu_row(v->name, s->type, s->n, s->batch, cores, LEAST_ELEMENTS,
                             systems_verdict(s, b->units));
    if (broken)
        row.status = "zero pivot";
    struct timing time =
        record_cores(results, row, one, reps, [&] { tridiagonal_batch_cpu_solve(&call, cores); });
    memory_free(&memory);
    return time;
}

static void size_rows(struct results *results, struct cores_bench *b,
                      const struct variant *variants, const struct options *o)
{
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct systems *s = &b->s;
    auto chosen = [&](int v) { return o->has_variant[v] && variants[v].runs_on == HOST_CORES; };
    for (int v = 0; variants[v].name; v++)
        if (chosen(v) && variants[v].id != BATCH_CORES)
            each_system_row(results, variants[v].name, s, b->scratch, LEAST_ELEMENTS, b->units,
                            o->reps, variants[v].id == BATCH_MKL ? peer_mkl : peer_lapack);
    for (int i = 0; i < SYSTEM_ARRAYS; i++)
        transpose(s->type, s->batch, s->n, s->host[i], b->scratch[i]);
    for (int v = 0; variants[v].name; v++)
        if (chosen(v) && variants[v].id == BATCH_CORES) {
            struct timing one = solver_row(results, b, &variants[v], 1, NULL, o->reps);
            if (cores > 1)
                solver_row(results, b, &variants[v], cores, &one, o->reps);
        }
    struct timing one = copy_row(results, s, 1, NULL, o->reps);
    if (cores > 1)
        copy_row(results, s, cores, &one, o->reps);
}

void tridiagonal_batch_cpu_rows(struct results *results, const struct program *program,
                                const struct options *options, double units)
{
    struct options o = *options;
    if (!o.sized) {
        o.n = {.count = 4, .value = {64, 256, 1024, 4096}};
        o.rows = {.count = o.quick ? 1 : 2, .value = {1 << 15, 1 << 24}};
    }
    int64_t rows = 0, batches = 0, all = 0, done = 0;
    each_batch(&o, [&](int64_t n, int64_t batch) {
        rows = n * batch > rows ? n * batch : rows;
        batches = batch > batches ? batch : batches;
        all += (int64_t)strlen(o.types);
    });
    for (const char *type = o.types; *type; type++) {
        struct cores_bench b = {.units = units};
        const size_t bytes = (size_t)(rows * size_of(*type));
        systems_allocate(&b.s, &b.memory, *type, rows);
        for (void *&array : b.scratch)
            array = memory_host(&b.memory, bytes);
        b.scratch_x = memory_host(&b.memory, bytes);
        b.status = (int *)memory_host(&b.memory, (size_t)batches * sizeof(int));
        each_batch(&o, [&](int64_t n, int64_t batch) {
            progress(program->name, ++done, all, "sizes on CPU cores");
            systems_make(&b.s, SYSTEM_DOMINANT, o.seed, n, batch);
            size_rows(results, &b, program->variants, &o);
        });
        memory_free(&b.memory);
    }
}
