/* The program filter: filter.h in GB/s for each n, beside copies and a serial loop on one core.
 * Run: build/gpu/filter --help. */
#include "bench/filter_case.h"
#include "ceiling.h"
#include "expect.h"
#include "problems.h"

enum { SOS, SOS_IN_DOUBLE, ORDERS, SERIAL };
enum { SECTIONS = 4 };
static const struct variant variants[] = {
    {"filter_sos", "filter.h: a low-pass of four sections of order 2"},
    {"filter_sos_double", "the same, the state carried in double", NULL, "s"},
    {"filter_order", "one section of order 1, 2, 4 and 8"},
    {"filter_serial", "the four sections by a loop on one core", NULL, NULL, HOST_CORES},
    {}};

/* The least numbers of elements that are read and written per element */
static const double ELEMENTS = 2;
/* The loop's largest n */
static const int64_t SERIAL_MOST = 1 << 24;

static void solve_row(struct results *results, struct filter_case *c, const struct options *o,
                      int variant, const char *phase)
{
    const int64_t n = c->p.length * c->p.batch;
    struct row row =
        device_row(variants[variant].name, c->p.type, n, 0, ELEMENTS, filter_case_solve(c));
    row.batch = c->p.batch;
    row.phase = phase;
    record(results, row, o->reps,
           [&](cudaStream_t stream) { return filter_solve(&c->p, c->work, c->bytes, stream); });
}
static void sos_rows(struct results *results, const struct options *o, struct filter p, int variant)
{
    struct filter_case c;
    p.sections = SECTIONS, p.order = 2;
    p.carry_in_double = variant == SOS_IN_DOUBLE;
    filter_case_begin(&c, p, 0.5, o->seed);
    filter_case_low_pass(&c, 0.1);
    if (variant == SERIAL) {
        auto loop = [&] { filter_case_serial(&c); };
        c.p.zi = c.p.zf = NULL;
        loop();
        struct row row = cpu_row(variants[variant].name, p.type, p.length, 0, 1, ELEMENTS,
                                 filter_case_verdict(&c, 0, 1));
        record_cores(results, row, NULL, o->reps, loop);
    } else
        solve_row(results, &c, o, variant, "total");
    memory_free(&c.memory);
}
static void order_rows(struct results *results, const struct options *o, struct filter p)
{
    static const struct {
        int order;
        const char *phase;
    } cases[] = {{1, "order_1"}, {2, "order_2"}, {4, "order_4"}, {8, "order_8"}};
    for (const auto &one : cases) {
        struct filter_case c;
        p.sections = 1, p.order = one.order;
        filter_case_begin(&c, p, 0.95, o->seed);
        solve_row(results, &c, o, ORDERS, one.phase);
        memory_free(&c.memory);
    }
}

/* Measures the variants for one n and type, of the largest n also as 16 to 2^20 sequences. */
static void size_rows(struct results *results, const struct options *o, char type, int64_t n,
                      bool last)
{
    for (int v = 0; v <= SERIAL; v++) {
        struct filter p = {.type = type, .length = n, .batch = 1};
        if (!o->has_variant[v] || !variant_has_type(&variants[v], type) ||
            (v == SERIAL && n > SERIAL_MOST))
            continue;
        if (v == ORDERS)
            order_rows(results, o, p);
        else
            sos_rows(results, o, p, v);
        for (p.batch = 16; last && v == SOS && p.batch <= 1 << 20; p.batch *= 16) {
            p.length = n / p.batch;
            if (p.length >= 16)
                sos_rows(results, o, p, v);
        }
    }
}

static int sweep(const struct program *program, const struct options *o)
{
    const double largest = 4.0 * (double)list_largest(&o->n, 1);
    device_require(program->name, 2.1 * largest + ceiling_bytes(), 2.1 * largest);
    struct results *results = results_open(program->name, program->device, o->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, o->reps);
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            /* No array has more bytes than the one of the largest n in single precision. */
            const int64_t most = list_largest(&o->n, 1) * 4 / size_of(*type), n = o->n.value[i];
            const bool last = i == o->n.count - 1;
            if (n < most || last)
                size_rows(results, o, *type, n > most ? most : n, last);
            if (*type == 's')
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            progress(program->name, (type - o->types) * o->n.count + i + 1,
                     (int64_t)strlen(o->types) * o->n.count, "sizes");
        }
    return results_close(results);
}

static int check(const struct options *o)
{
    filter_check(o->seed, !device_is_cpu() && !o->quick);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {
        .name = "filter",
        .summary = "Digital filters in one pass over memory, as lfilter and sosfilt of SciPy.",
        .variants = variants,
        .takes = "n type=sd",
        .paper = "--n 1K,16K,64K,256K,1M,4M,16M,64M,256M --type s,d",
        .quick = "--n 1K,64K --type s,d --reps 3"};
    return device_main(&program, argc, argv, check, sweep);
}
