/* The program tridiagonal: the solvers of one tridiagonal system on a GPU (tridiagonal.h) and on
 * CPU cores (tridiagonal_cpu.h), beside the libraries that solve one. Every configuration is
 * verified before it is timed. Run: build/gpu/tridiagonal --help. */
#include "bench/accuracy.h"
#include "bench/tridiagonal_bench.h"
#include "bench/tridiagonal_cpu_bench.h"
#include "bench/tridiagonal_peers.h"
#include "ceiling.h"
#include "expect.h"
#include "test/tridiagonal_cpu_test.h"
#include "tridiagonal_cpu.h"

#include "../../nshape/nshape.h" /* Thomas on one core */

#include <initializer_list>
#include <unistd.h>

/* Indices of variants[]. The first three are those of tridiagonal_variants[]. */
enum { CUSPARSE = TRIDIAGONAL_PIVOTS, CUSPARSE_NOPIVOT, LANES, THOMAS, LAPACK_GTSV, ACCURACY };
static const struct variant variants[] = {
    {"tridiagonal", "tridiagonal.h beside floor_5, floor_9 (only move words)"},
    {"tridiagonal_pivoted", "tridiagonal.h with scaled partial pivoting"},
    {"tridiagonal_auto", "tridiagonal.h with pivoting only if the matrix needs it"},
    {"cusparse_gtsv2", "peer: cuSPARSE gtsv2 (with pivoting; GPU builds)"},
    {"cusparse_gtsv2_nopivot", "peer: cuSPARSE gtsv2_nopivot (GPU builds)"},
    {"nshape_lanes", "tridiagonal_cpu.h on one CPU core and on all, and a copy"},
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

/* ---- on the device ---- */

/* A periodic system is measured at the n of L22 and at the largest n. */
enum { PERIODIC_N = 300000 };

static void device_rows(struct results *results, const struct program *program,
                        const struct options *o)
{
    const int64_t largest = list_largest(&o->n, 1);
    int64_t done = 0, all = (int64_t)strlen(o->types) * o->n.count;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            int64_t n = o->n.value[i];
            progress(program->name, ++done, all, "sizes of tridiagonal.h");
            if (*type == 's' && n >= 4)
                ceiling_rows_at(results, n / 4 * 4, o->reps);
            struct tridiagonal_case c =
                case_make({.type = *type, .n = n, .sides = 1, .periodic = true},
                          TRIDIAGONAL_PIVOT_AUTO, DOMINANT, o->seed);
            c.s.periodic = false;
            c.t.periodic = c.t.pivot = 0;
            tridiagonal_rows(results, &c, o->has_variant, n == PERIODIC_N || n == largest, o->reps);
#ifdef __CUDACC__
            for (int v = CUSPARSE; v <= CUSPARSE_NOPIVOT; v++)
                if (o->has_variant[v])
                    tridiagonal_cusparse_row(results, &c, v == CUSPARSE, o->reps);
#endif
            case_close(&c);
        }
}

/* ---- on CPU cores ---- */

/* Thomas reads all four arrays and writes diag and rhs on the way down; on the way up it reads
 * three arrays and writes x. */
static const double THOMAS_ELEMENTS = (4 + 2) + 3 + 1, LEAST_ELEMENTS = 5;

static void thomas_row(struct results *results, const struct systems *s,
                       void *const scratch[SYSTEM_ARRAYS], int reps)
{
    long long status = 0;
    struct nshape plan = nshape_plan(s->type, s->n, 0, NULL);
    plan.sub = scratch[0], plan.diag = scratch[1], plan.super = scratch[2], plan.rhs = scratch[3];
    plan.x = s->host_x, plan.status = &status;
    auto restore = [&] {
        for (int i = 0; i < SYSTEM_ARRAYS; i++)
            host_copy(scratch[i], s->host[i], systems_bytes(s));
    };
    restore();
    host_poison(s->host_x, systems_bytes(s));
    struct timing_sample solved = sample_cores([&] { CHECK(nshape_solve_cpu(&plan, 1)); });
    struct row row =
        cpu_row("thomas_cpu", s->type, s->n, 0, 1, THOMAS_ELEMENTS, systems_verdict(s, UNITS));
    if (status)
        row.status = "zero pivot";
    record_cores_after(solved, results, row, NULL, reps, restore,
                       [&] { nshape_solve_cpu(&plan, 1); });
}

static void cores_rows(struct results *results, const struct program *program,
                       const struct options *o)
{
    int64_t done = 0, all = (int64_t)strlen(o->types) * o->n.count, most = list_largest(&o->n, 1);
    for (const char *type = o->types; *type; type++) {
        struct memory memory = {};
        struct systems s = {};
        void *scratch[SYSTEM_ARRAYS];
        systems_allocate(&s, &memory, *type, most);
        for (void *&array : scratch)
            array = memory_host(&memory, (size_t)(most * size_of(*type)));
        for (int i = 0; i < o->n.count; i++) {
            progress(program->name, ++done, all, "sizes on CPU cores");
            systems_make(&s, SYSTEM_DOMINANT, o->seed, o->n.value[i], 1);
            if (o->has_variant[THOMAS])
                thomas_row(results, &s, scratch, o->reps);
            if (o->has_variant[LAPACK_GTSV])
                lapack_row(results, &s, scratch, LEAST_ELEMENTS, UNITS, o->reps);
            if (o->has_variant[LANES])
                tridiagonal_cpu_bench(results, &s, (int)sysconf(_SC_NPROCESSORS_ONLN), UNITS,
                                      o->reps);
        }
        memory_free(&memory);
    }
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

/* ---- the program ---- */

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
    if (has_any(has, 0, CUSPARSE_NOPIVOT)) {
        struct options o = *options;
        ceiling_rows(results, options->reps);
        do {
            require_memory(program, &o);
            device_rows(results, program, &o);
        } while (options_next(program, &o));
    }
    if (has_any(has, LANES, LAPACK_GTSV)) {
        struct options o = *options;
        for (const char *types : {"ds", "zc"}) {
            if (options->next)
                cores_sizes(&o, types);
            require_memory(program, &o);
            cores_rows(results, program, &o);
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
    if (has_any(options->has_variant, 0, LAPACK_GTSV))
        status = measure(program, options);
    if (status == EXIT_USAGE || !options->has_variant[ACCURACY])
        return status;
    int accurate = accuracy_run(program->name, options);
    return accurate > status ? accurate : status;
}

/* The tests of tridiagonal_cpu.c also run alone in several builds, because its machine code differs
 * from processor to processor. */
static int check(const struct options *o)
{
    if (has_any(o->has_variant, 0, TRIDIAGONAL_PIVOTS - 1))
        tridiagonal_check(o);
    if (o->has_variant[LANES])
        tridiagonal_cpu_check(o->seed, UNITS);
    if (o->has_variant[ACCURACY])
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
        .variants = variants,
        .takes = "n type",
        .paper =
            "--type s " SMALL LARGE ",256M; --type d,c " SMALL LARGE ",128M; --type z " SMALL LARGE,
        .quick = "--type s --n 64,1000,30000; --type d,c,z --n 64,1000,30000"};
    return device_main(&program, argc, argv, check, sweep);
}
