/* The experiment with filters on CPU cores: filter_cpu.h on one core and on several, beside a
 * serial loop on one core and copies, whose speed limits all. Run:
 * build/cpu/filter --variant filter_cpu. */
#include "filter_cpu.h"
#include "bench/copy_cpu.h"
#include "bench/filter_bench.h"
#include "bench/filter_case.h"
#include "problems.h"

/* The largest n on a CPU */
static const int64_t CPU_MOST = 1 << 24;

static void serial_row(struct results *results, struct filter_case *c, const struct options *o,
                       const char *phase)
{
    const struct filter p = c->p;
    auto loop = [&] { filter_case_serial(c); };
    c->p.zi = c->p.zf = NULL;
    loop();
    struct row row = cpu_row("filter_serial", p.type, p.length, 0, 1, FILTER_ELEMENTS,
                             filter_case_verdict(c, 0, 1));
    row.phase = phase;
    record_cores(results, row, NULL, o->reps, loop);
    c->p = p;
}

/* Times work(cores) on each number of cores, for one sequence, which one core filters, on the first
 * alone, and adds rows to the results. The verdict is that on host_y. */
template <class Work, class Verdict>
static void cores_rows(struct results *results, const char *variant, const struct filter_case *c,
                       const struct options *o, const char *phase, Work work, Verdict verdict)
{
    const int64_t n = c->p.length * c->p.batch;
    struct timing one = {};
    for (int i = 0; i < (c->p.batch > 1 ? o->cores.count : 1); i++) {
        const int cores = (int)o->cores.value[i];
        host_poison(c->host_y, (size_t)(n * size_of(c->p.type)));
        work(cores);
        struct row row = cpu_row(variant, c->p.type, n, 0, cores, FILTER_ELEMENTS, verdict());
        row.batch = c->p.batch;
        row.phase = phase;
        struct timing time = record_cores(results, row, one.samples && cores > 1 ? &one : NULL,
                                          o->reps, [&] { work(cores); });
        if (cores == 1)
            one = time;
    }
}
static void solver_rows(struct results *results, const struct filter_case *c,
                        const struct options *o, const char *phase)
{
    struct filter p = c->p;
    p.x = c->host_x, p.y = c->host_y, p.zi = c->host_zi, p.zf = c->host_zf;
    cores_rows(
        results, "filter_cpu", c, o, phase, [&](int cores) { filter_cpu_solve(&p, cores); },
        [&] { return filter_case_verdict(c, 0, p.batch); });
}
static void copy_rows(struct results *results, const struct filter_case *c, const struct options *o)
{
    const size_t bytes = (size_t)(c->p.length * c->p.batch * size_of(c->p.type));
    cores_rows(
        results, "copy_cpu", c, o, "total",
        [&](int cores) { copy_by_cores(c->host_y, c->host_x, bytes, cores); },
        [&] { return verdict{.ok = memcmp(c->host_y, c->host_x, bytes) == 0}; });
}

/* Four sections: one sequence, and, of enough elements, 256. One section of each order. Beside one
 * sequence the serial loop */
static void size_rows(struct results *results, const struct options *o, char type, int64_t n)
{
    struct filter_case c;
    for (int64_t batch = 1; batch <= 256 && n >= 16 * batch; batch *= 256) {
        filter_case_begin(&c,
                          {.type = type,
                           .length = n / batch,
                           .batch = batch,
                           .sections = FILTER_SECTIONS,
                           .order = 2},
                          0.5, o->seed);
        filter_case_low_pass(&c, 0.1);
        if (o->has_variant[FILTER_SERIAL] && batch == 1)
            serial_row(results, &c, o, "total");
        if (o->has_variant[FILTER_CPU]) {
            solver_rows(results, &c, o, "total");
            copy_rows(results, &c, o);
        }
        memory_free(&c.memory);
    }
    for (const auto &one : filter_orders) {
        filter_case_begin(
            &c, {.type = type, .length = n, .batch = 1, .sections = 1, .order = one.order}, 0.95,
            o->seed);
        if (o->has_variant[FILTER_SERIAL])
            serial_row(results, &c, o, one.phase);
        if (o->has_variant[FILTER_CPU])
            solver_rows(results, &c, o, one.phase);
        memory_free(&c.memory);
    }
}

void filter_cpu_rows(struct results *results, const struct program *program,
                     const struct options *o)
{
    const int64_t all = (int64_t)strlen(o->types) * o->n.count;
    int64_t done = 0;
    if (!o->has_variant[FILTER_SERIAL] && !o->has_variant[FILTER_CPU])
        return;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            progress(program->name, ++done, all, "sizes on CPU cores");
            if (o->n.value[i] <= CPU_MOST)
                size_rows(results, o, *type, o->n.value[i]);
        }
}
