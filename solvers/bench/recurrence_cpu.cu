/* The experiment with recurrences on CPU cores: recurrence_cpu.h on one core and on several, beside
 * a serial loop on one core and a triad, whose speed limits every solver that reads its arrays from
 * memory. Run: build/cpu/recurrence --variant recurrence_cpu. */
#include "recurrence_cpu.h"
#include "bench/recurrence_bench.h"
#include "bench/sequences.h"
#include "problems.h"

#include <string.h>

/* The least numbers of elements that are read or written per element of a sequence. */
static const double SOLVER_ELEMENTS = 3, CONSTANT_ELEMENTS = 2, GRADIENT_ELEMENTS = 5;
/* Interleaved sequences. */
static const int64_t CHANNELS[] = {8, 64, 1024};
enum { CHANNELS_MOST = 1024 };

/* A call, and the work whose time is taken. */
struct run {
    struct recurrence p;
    const void *dw; /* NULL: solve */
    void *ds, *dt;
    int cores;
};
static void solve(struct run *r)
{
    if (r->dw)
        recurrence_cpu_gradient(&r->p, r->dw, r->ds, r->dt, NULL, r->cores);
    else
        recurrence_cpu_solve(&r->p, r->cores);
}

/* What a user would write. Complex numbers are pairs. */
template <class T> static void serial_loop(const struct recurrence *p)
{
    const T *s = (const T *)p->s, *t = (const T *)p->t;
    T *w = (T *)p->w, x = *(const T *)p->w0;
    for (int64_t i = 0; i < p->length; i++)
        w[i] = x = s[i] * x + t[i];
}
template <class T> static void serial_complex_loop(const struct recurrence *p)
{
    const T *s = (const T *)p->s, *t = (const T *)p->t;
    T *w = (T *)p->w, re = ((const T *)p->w0)[0], im = ((const T *)p->w0)[1];
    for (int64_t i = 0; i < p->length; i++) {
        T next = s[2 * i] * re - s[2 * i + 1] * im + t[2 * i];
        w[2 * i + 1] = im = s[2 * i] * im + s[2 * i + 1] * re + t[2 * i + 1];
        w[2 * i] = re = next;
    }
}
static void serial(const struct recurrence *p)
{
    p->type == 's'   ? serial_loop<float>(p)
    : p->type == 'd' ? serial_loop<double>(p)
    : p->type == 'c' ? serial_complex_loop<float>(p)
                     : serial_complex_loop<double>(p);
}
template <class T> static void triad(const struct run *r, int64_t n)
{
    const T *s = (const T *)r->p.s, *t = (const T *)r->p.t;
    T *w = (T *)r->p.w;
#pragma omp parallel for simd num_threads(r->cores) if (parallel : r->cores > 1)
    for (int64_t i = 0; i < n; i++)
        w[i] = (T)1.5 * s[i] + t[i];
}

/* Times work() on each number of cores of the options and adds rows to the results. verify(cores)
 * has the work done and returns the verdict. */
template <class Verify, class Work>
static void cores_rows(struct results *results, const char *variant, const char *phase,
                       const struct sequences *a, const struct options *o, double elements,
                       Verify verify, Work work)
{
    struct timing one = {};
    for (int i = 0; i < o->cores.count; i++) {
        int cores = (int)o->cores.value[i];
        struct row row = cpu_row(variant, a->type, a->n, 0, cores, elements, verify(cores));
        row.batch = a->batch;
        row.phase = phase;
        struct timing time =
            record_cores(results, row, one.samples && cores > 1 ? &one : NULL, o->reps, work);
        if (cores == 1)
            one = time;
    }
}

/* One sequence: recurrence_cpu_solve() and, unless the type has 16 bits, which C++ cannot compute
 * with, the serial loop and the triad. */
static void sequence_rows(struct results *results, struct sequences *a, const struct options *o)
{
    struct run r = {.p = sequences_plan(a), .cores = 1};
    const size_t bytes = (size_t)(a->n * size_of(a->type));
    const bool loops = bytes > (size_t)a->n * sizeof(uint16_t);
    r.p.s = a->host_s, r.p.t = a->host_t, r.p.w0 = a->host_w0, r.p.w = a->host_w;
    if (loops) {
        serial(&r.p);
        record_cores(results,
                     cpu_row("recurrence_serial", a->type, a->n, 0, 1, SOLVER_ELEMENTS,
                             sequences_verdict(a, &r.p, SOLUTION, false)),
                     NULL, o->reps, [&] { serial(&r.p); });
    }
    auto verified = [&](int cores) {
        host_poison(a->host_w, bytes);
        r.cores = cores;
        solve(&r);
        /* biased: with a constant s every power of it has the same rounding error again and again */
        return sequences_verdict(a, &r.p, SOLUTION, r.p.constant != 0);
    };
    auto work = [&] { solve(&r); };
    cores_rows(results, "recurrence_cpu", "total", a, o, SOLVER_ELEMENTS, verified, work);
    r.p.reverse = 1;
    cores_rows(results, "recurrence_cpu", "reverse", a, o, SOLVER_ELEMENTS, verified, work);
    r.p.reverse = 0;
    sequences_make_s(a, o->seed, true);
    r.p.constant = 1;
    cores_rows(results, "recurrence_cpu", "constant", a, o, CONSTANT_ELEMENTS, verified, work);
    sequences_make_s(a, o->seed, false);
    if (!loops)
        return;
    const int64_t reals = a->n * (is_complex(a->type) ? 2 : 1);
    auto run_triad = [&] {
        real_type(a->type) == 's' ? triad<float>(&r, reals) : triad<double>(&r, reals);
    };
    cores_rows(
        results, "triad_cpu", "total", a, o, SOLVER_ELEMENTS,
        [&](int cores) {
            r.cores = cores;
            run_triad();
            return verdict{.ok = true};
        },
        run_triad);
}

static void gradient_rows(struct results *results, struct sequences *a, const struct options *o)
{
    struct run r = {.p = sequences_plan(a), .dw = a->host_dw, .ds = a->host_ds, .dt = a->host_dt};
    r.p.s = a->host_s, r.p.t = a->host_t, r.p.w0 = a->host_w0, r.p.w = a->host_w;
    recurrence_cpu_solve(&r.p, 1);
    auto verified = [&](int cores) {
        const size_t bytes = (size_t)(a->n * size_of(a->type));
        host_poison(a->host_ds, bytes);
        host_poison(a->host_dt, bytes);
        r.cores = cores;
        recurrence_cpu_gradient(&r.p, r.dw, r.ds, r.dt, a->host_dw0, cores);
        return sequences_verdict(a, &r.p, GRADIENTS, false);
    };
    cores_rows(results, "recurrence_cpu_gradient", "gradient", a, o, GRADIENT_ELEMENTS, verified,
               [&] { solve(&r); });
}

/* The same elements as interleaved sequences. */
static void channels_rows(struct results *results, struct sequences *a, const struct options *o)
{
    struct memory memory = {};
    const size_t bytes = (size_t)(a->n * size_of(a->type));
    void *s = memory_host(&memory, bytes), *t = memory_host(&memory, bytes),
         *w = memory_host(&memory, bytes);
    for (int64_t channels : CHANNELS) {
        if (a->n % channels != 0 || a->n < 16 * channels)
            continue;
        a->batch = channels;
        struct run r = {.p = sequences_plan(a)};
        r.p.inner = r.p.row_stride = channels;
        r.p.plane_stride = a->n;
        r.p.s = s, r.p.t = t, r.p.w0 = a->host_w0, r.p.w = w;
        sequences_arrange(&r.p, s, a->host_s, false);
        sequences_arrange(&r.p, t, a->host_t, false);
        cores_rows(
            results, "recurrence_cpu_channels", "total", a, o, SOLVER_ELEMENTS,
            [&](int cores) {
                host_poison(w, bytes);
                r.cores = cores;
                solve(&r);
                sequences_arrange(&r.p, w, a->host_w, true);
                return sequences_verdict(a, &r.p, SOLUTION, false);
            },
            [&] { solve(&r); });
    }
    a->batch = 1;
    memory_free(&memory);
}

void recurrence_cpu_rows(struct results *results, const struct program *program,
                         const struct options *options)
{
    struct options o = *options;
    if (!o.sized) {
        o.n.count = 0;
        for (int64_t n = 1 << 12; n <= (o.quick ? 1 << 16 : 1 << 24); n *= 4)
            o.n.value[o.n.count++] = n;
    }
    int64_t done = 0, all = (int64_t)strlen(o.types) * o.n.count;
    for (const char *type = o.types; *type; type++)
        for (int i = 0; i < o.n.count; i++) {
            progress(program->name, ++done, all, "sizes on CPU cores");
            struct sequences a;
            sequences_allocate(&a, *type, o.n.value[i], CHANNELS_MOST);
            sequences_make(&a, o.seed, false);
            a.batch = 1;
            if (o.has_variant[RECURRENCE_CPU])
                sequence_rows(results, &a, &o);
            if (o.has_variant[RECURRENCE_CPU_CHANNELS])
                channels_rows(results, &a, &o);
            if (o.has_variant[RECURRENCE_CPU_GRADIENT])
                gradient_rows(results, &a, &o);
            memory_free(&a.memory);
        }
}
