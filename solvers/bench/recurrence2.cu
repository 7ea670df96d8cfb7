/* The program recurrence2: recurrence2.h in GB/s for each n, beside copies and triads. Run:
 * build/gpu/recurrence2 --help. */
#include "bench/recurrence2_case.h"
#include "ceiling.h"
#include "expect.h"
#include "problems.h"

/* In the order of enum recurrence2_kind */
static const struct variant variants[] = {
    {"recurrence2_linear", "recurrence2.h: order 2 with varying coefficients"},
    {"recurrence2_mobius", "x = (a x + b) / (c x + d)"},
    {"recurrence2_lu", "the LU factors and determinant of a tridiagonal matrix"},
    {}};
/* The least numbers of elements that are read and written per element */
static const double elements[] = {4, 5, 5};

static void solve_rows(struct results *results, const struct options *o, struct recurrence2 p)
{
    struct recurrence2_case c;
    recurrence2_case_begin(&c, p, RECURRENCE2_TAME, o->seed);
    struct row row = device_row(variants[p.kind].name, p.type, p.length * p.batch, 0,
                                elements[p.kind], recurrence2_case_solve(&c));
    row.batch = p.batch;
    record(results, row, o->reps,
           [&](cudaStream_t stream) { return recurrence2_solve(&c.p, c.work, c.bytes, stream); });
    memory_free(&c.memory);
}

static int sweep(const struct program *program, const struct options *o)
{
    const double largest = 4.0 * (double)list_largest(&o->n, 4);
    device_require(program->name, 5.1 * largest + ceiling_bytes(), 5.1 * largest);
    struct results *results = results_open(program->name, program->device, o->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, o->reps);
    int64_t done = 0, all = (int64_t)strlen(o->types) * o->n.count;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            /* No array has more bytes than that of the largest n in single precision, or 16. */
            const int64_t most = list_largest(&o->n, 4) * 4 / size_of(*type), n = o->n.value[i];
            const bool last = i == o->n.count - 1;
            for (int v = 0; variants[v].name && (n < most || last); v++) {
                struct recurrence2 p = {.type = *type, .kind = (enum recurrence2_kind)v};
                p.length = n > most ? most : n, p.batch = 1;
                if (o->has_variant[v])
                    solve_rows(results, o, p);
                /* The largest n also as many sequences */
                for (p.batch = 256; last && o->has_variant[v] && p.batch <= 65536; p.batch *= 256) {
                    p.length = (n > most ? most : n) / p.batch;
                    if (p.length >= 16)
                        solve_rows(results, o, p);
                }
            }
            if (*type == 's')
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            progress(program->name, ++done, all, "sizes");
        }
    return results_close(results);
}

static int check(const struct options *o)
{
    recurrence2_check(o->seed, !device_is_cpu() && !o->quick);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {
        .name = "recurrence2",
        .summary = "Recurrences of 2 x 2 matrices: order 2, Moebius, LU of a tridiagonal matrix.",
        .variants = variants,
        .takes = "n type=sd",
        .paper = "--n 1K,16K,64K,256K,1M,4M,16M,64M --type s,d",
        .quick = "--n 1K,64K --type s,d --reps 3"};
    return device_main(&program, argc, argv, check, sweep);
}
