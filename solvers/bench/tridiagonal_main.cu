/* The program tridiagonal: the solvers of one tridiagonal system on a GPU (tridiagonal.h) and on
 * CPU cores (tridiagonal_cpu.h), beside the libraries that solve one. Every configuration is
 * verified before it is timed. Run: build/gpu/tridiagonal --help. */
#include "bench/accuracy.h"
#include "bench/tridiagonal_bench.h"
#include "ceiling.h"
#include "device_program.h"
#include "expect.h"
#include "problems.h"
#include "test/tridiagonal_cpu_test.h"

#include <initializer_list>

extern const struct variant tridiagonal_variants[] = {
    {"tridiagonal", "tridiagonal.h beside floor_5, floor_9 (only move words)"},
    {"tridiagonal_pivoted", "tridiagonal.h with scaled partial pivoting"},
    {"tridiagonal_auto", "tridiagonal.h with pivoting only if the matrix needs it"},
    {"tridiagonal_gradient", "the gradient: an adjoint solve and one pass"},
    {"cusparse_gtsv2", "peer: cuSPARSE gtsv2 (with pivoting; GPU builds)"},
    {"cusparse_gtsv2_nopivot", "peer: cuSPARSE gtsv2_nopivot (GPU builds)"},
    {"nshape_lanes", "tridiagonal_cpu.h on one CPU core and on all, and a copy"},
    {"nshape_lanes_pivoted", "tridiagonal_cpu.h with scaled partial pivoting"},
    {"nshape_lanes_auto", "tridiagonal_cpu.h, pivoting where needed"},
    {"thomas_cpu", "peer: Thomas on one CPU thread"},
    {"lapack_gtsv", "peer: LAPACK's xGTSV (with pivoting), one thread"},
    {"accuracy", "errors of tridiagonal.h and LAPACK over twenty matrices"},
    {NULL, NULL}};

/* Bound on the backward error of a row on CPU cores, in units of roundoff: elimination without
 * pivoting of dominant rows needs 12 (Higham, Accuracy and Stability of Numerical Algorithms,
 * 9.5-9.6). */
static const double UNITS = 16;

static bool has_any(const bool *has, int first, int last)
{
    for (int v = first; v <= last; v++)
        if (has[v])
            return true;
    return false;
}

/* The sizes on CPU cores, if the command line gives none. Only the real types are drawn. */
static void cores_sizes(struct options *o, const char *types)
{
    int64_t most = !o->quick && !is_complex(types[0]) ? 1 << 24 : 1 << 20;
    strcpy(o->types, types);
    o->n.count = 0;
    for (int64_t n = 256; n <= most; n *= 4)
        o->n.value[o->n.count++] = n;
}

/* Ends the program if the memory for these sizes is missing. The device also needs room for the
 * arrays of the copy or for the workspace of cuSPARSE. */
static void require_memory(const struct program *program, const struct options *o)
{
    for (const char *type = o->types; *type; type++) {
        double bytes = (double)list_largest(&o->n, 1) * size_of(*type);
        device_require(program->name, 10 * bytes + ceiling_bytes(), 10 * bytes);
    }
}

static int measure(const struct program *program, const struct options *options)
{
    const bool *has = options->has_variant;
    struct results *results = results_open(program->name, program->device, options->csv);
    if (!results)
        return EXIT_USAGE;
    if (has_any(has, 0, TRIDIAGONAL_CUSPARSE_NOPIVOT)) {
        struct options o = *options;
        ceiling_rows(results, options->reps);
        do {
            require_memory(program, &o);
            tridiagonal_rows(results, program, &o);
        } while (options_next(program, &o));
    }
    if (has_any(has, TRIDIAGONAL_LANES, TRIDIAGONAL_LAPACK)) {
        struct options o = *options;
        for (const char *types : {"ds", "zc"}) {
            if (options->next)
                cores_sizes(&o, types);
            require_memory(program, &o);
            tridiagonal_cpu_rows(results, program, &o, UNITS);
            if (!options->next)
                break;
        }
    }
    return results_close(results);
}

static int sweep(const struct program *program, const struct options *options)
{
    int status = EXIT_VERIFIED;
    if (!options->next)
        require_memory(program, options);
    if (has_any(options->has_variant, 0, TRIDIAGONAL_LAPACK))
        status = measure(program, options);
    if (status == EXIT_USAGE || !options->has_variant[TRIDIAGONAL_ACCURACY])
        return status;
    int accurate = accuracy_run(program->name, options);
    return accurate > status ? accurate : status;
}

/* The tests of tridiagonal_cpu.c also run alone in several builds, because its machine code differs
 * from processor to processor. */
static int check(const struct options *o)
{
    if (has_any(o->has_variant, 0, TRIDIAGONAL_CUSPARSE - 1))
        tridiagonal_check(o);
    if (o->has_variant[TRIDIAGONAL_LANES])
        tridiagonal_cpu_check(o->seed, UNITS);
    if (o->has_variant[TRIDIAGONAL_ACCURACY])
        accuracy_check(o);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
/* By default the arrays of all types have the bytes of those of the largest n in type s. */
#define SMALL "--n 64,1000,1K,4K,16K,30000,64K,128K,256K,300000; "
#define LARGE "--n 512K,1000000,1M,2M,3000000,4M,8M,16M,32M,64M"
    struct program program = {
        .name = "tridiagonal",
        .summary = "One tridiagonal system on a GPU and on CPU cores. On CPU cores the sizes are "
                   "256, 1K, ... 16M (--quick, and types z, c: 1M).",
        .variants = tridiagonal_variants,
        .takes = "n type",
        .paper =
            "--type s " SMALL LARGE ",256M; --type d,c " SMALL LARGE ",128M; --type z " SMALL LARGE,
        .quick = "--type s --n 64,1000,30000; --type d,c,z --n 64,1000,30000"};
    return device_main(&program, argc, argv, check, sweep);
}
