/* The program filter: filter.h in GB/s for each n, beside copies; and filter_cpu.h on CPU cores
 * (filter_cpu.cu). Run: build/gpu/filter --help. */
#include "bench/filter_bench.h"
#include "bench/filter_case.h"
#include "ceiling.h"
#include "expect.h"
#include "problems.h"

#include <omp.h>

static const struct variant variants[] = {
    {"filter_sos", "filter.h: a low-pass of four sections of order 2"},
    {"filter_sos_double", "the same, computed in double precision", NULL, "s"},
    {"filter_order", "one section of order 1, 2, 4 and 8"},
    {"filter_serial", "the same as filter_cpu by a loop on one core", NULL, NULL, HOST_CORES},
    {"filter_cpu", "filter_cpu.h: the four sections, and one of order 1 to 8", NULL, NULL,
     HOST_CORES},
    {}};

static void solve_row(struct results *results, struct filter_case *c, const struct options *o,
                      int variant, const char *phase)
{
    const int64_t n = c->p.length * c->p.batch;
    struct row row =
        device_row(variants[variant].name, c->p.type, n, 0, FILTER_ELEMENTS, filter_case_solve(c));
    row.batch = c->p.batch;
    row.phase = phase;
    record(results, row, o->reps,
           [&](cudaStream_t stream) { return filter_solve(&c->p, c->work, c->bytes, stream); });
}
static void sos_rows(struct results *results, const struct options *o, struct filter p, int variant)
{
    struct filter_case c;
    p.sections = FILTER_SECTIONS, p.order = 2;
    p.carry_in_double = variant == FILTER_SOS_IN_DOUBLE;
    filter_case_begin(&c, p, 0.5, o->seed);
    filter_case_low_pass(&c, 0.1);
    solve_row(results, &c, o, variant, "total");
    memory_free(&c.memory);
}
static void order_rows(struct results *results, const struct options *o, struct filter p)
{
    for (const auto &one : filter_orders) {
        struct filter_case c;
        p.sections = 1, p.order = one.order;
        filter_case_begin(&c, p, 0.95, o->seed);
        solve_row(results, &c, o, FILTER_ORDERS, one.phase);
        memory_free(&c.memory);
    }
}

/* Measures the variants for one n and type, of the largest n also as 16 to 2^20 sequences. */
static void size_rows(struct results *results, const struct options *o, char type, int64_t n,
                      bool last)
{
    for (int v = 0; v <= FILTER_ORDERS; v++) {
        struct filter p = {.type = type, .length = n, .batch = 1};
        if (!o->has_variant[v] || !variant_has_type(&variants[v], type))
            continue;
        if (v == FILTER_ORDERS)
            order_rows(results, o, p);
        else
            sos_rows(results, o, p, v);
        for (p.batch = 16; last && v == FILTER_SOS && p.batch <= 1 << 20; p.batch *= 16) {
            p.length = n / p.batch;
            if (p.length >= 16)
                sos_rows(results, o, p, v);
        }
    }
}

static bool on_device(const struct options *o)
{
    return o->has_variant[FILTER_SOS] || o->has_variant[FILTER_SOS_IN_DOUBLE] ||
           o->has_variant[FILTER_ORDERS];
}
static void device_rows(struct results *results, const struct program *program,
                        const struct options *o)
{
    ceiling_rows(results, o->reps);
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            /* No array has more bytes than that of the largest n in single precision, or 16. */
            const int64_t most = list_largest(&o->n, 4) * 4 / size_of(*type), n = o->n.value[i];
            const bool last = i == o->n.count - 1;
            if (n < most || last)
                size_rows(results, o, *type, n > most ? most : n, last);
            if (*type == 's')
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            progress(program->name, (type - o->types) * o->n.count + i + 1,
                     (int64_t)strlen(o->types) * o->n.count, "sizes");
        }
}

static int sweep(const struct program *program, const struct options *o)
{
    const double largest = 4.0 * (double)list_largest(&o->n, 4);
    if (on_device(o))
        device_require(program->name, 2.1 * largest + ceiling_bytes(), 2.1 * largest);
    struct results *results = results_open(program->name, program->device, o->csv);
    if (!results)
        return EXIT_USAGE;
    if (on_device(o))
        device_rows(results, program, o);
    filter_cpu_rows(results, program, o);
    return results_close(results);
}

/* The tests of filter_cpu.c also run alone in several builds, because its machine code differs from
 * processor to processor. */
static int check(const struct options *o)
{
    if (on_device(o))
        filter_check(o->seed, !device_is_cpu() && !o->quick);
    if (o->has_variant[FILTER_CPU])
        filter_cpu_check(o->seed);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    static char paper[80], quick[80];
    const int cores = omp_get_num_procs();
    snprintf(paper, sizeof paper, "--n 1K,16K,64K,256K,1M,4M,16M,64M --type s,d --cores 1%s%.0d",
             cores > 1 ? "," : "", cores > 1 ? cores : 0);
    snprintf(quick, sizeof quick, "--n 1K,64K --type s,d --reps 3 --cores 1%s%.0d",
             cores > 1 ? "," : "", cores > 1 ? cores : 0);
    struct program program = {
        .name = "filter",
        .summary = "Digital filters in one pass over memory, as lfilter and sosfilt of SciPy.",
        .variants = variants,
        .takes = "n type=sd cores",
        .paper = paper,
        .quick = quick};
    return device_main(&program, argc, argv, check, sweep);
}
