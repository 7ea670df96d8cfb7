/* The experiment with one system on CPU cores: tridiagonal_cpu.h on one core and on all, and a copy
 * of one array, whose speed limits every solver that reads its system from memory; beside Thomas
 * and LAPACK on one core. Run: build/cpu/tridiagonal --variant nshape_lanes. */
#include "tridiagonal_cpu.h"
#include "bench/copy_cpu.h"
#include "bench/tridiagonal_bench.h"
#include "bench/tridiagonal_peers.h"

#include "../../nshape/nshape.h" /* Thomas on one core */

#include <string.h>
#include <unistd.h>

/* The minimum number of elements that are read or written per row of the system. The solver reads
 * sub, diag, super and rhs in both passes and writes x in the second. */
static const double SOLVER_ELEMENTS = 4 + 4 + 1;
/* Thomas reads all four arrays and writes diag and rhs on the way down; on the way up it reads
 * three arrays and writes x. */
static const double THOMAS_ELEMENTS = (4 + 2) + 3 + 1, LEAST_ELEMENTS = 5;

/* Solves the system, verifies x, times a variant of the solver on `cores` cores, and adds a row to
 * the results. `one` is the time on one core, or NULL if this call measures that time. Returns the
 * time. */
static struct timing solver_row(struct results *results, const struct systems *s, int variant,
                                void *work, double units, int cores, const struct timing *one,
                                int reps)
{
    struct tridiagonal_cpu t = {.type = s->type,
                                .n = s->n,
                                .sub = s->host[0],
                                .diag = s->host[1],
                                .super = s->host[2],
                                .rhs = s->host[3],
                                .x = s->host_x,
                                .work = work,
                                .cores = cores,
                                .pivot = variant - TRIDIAGONAL_LANES};
    host_poison(t.x, systems_bytes(s));
    host_poison(work, tridiagonal_cpu_work(s->type, s->n));
    long long status = 0;
    struct timing_sample solved = sample_cores([&] { status = tridiagonal_cpu_solve(&t); });
    struct row row = cpu_row(tridiagonal_variants[variant].name, s->type, s->n, 0, cores,
                             SOLVER_ELEMENTS, systems_verdict(s, units));
    if (status)
        row.status = "zero pivot";
    return record_cores_after(solved, results, row, one, reps, [&] { tridiagonal_cpu_solve(&t); });
}

static void lanes_rows(struct results *results, const struct systems *s, const bool *has_variant,
                       double units, int reps)
{
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct memory memory = {};
    void *work = memory_host(&memory, tridiagonal_cpu_work(s->type, s->n));
    for (int v = TRIDIAGONAL_LANES; v <= TRIDIAGONAL_LANES_AUTO; v++)
        if (has_variant[v]) {
            struct timing one = solver_row(results, s, v, work, units, 1, NULL, reps);
            if (cores > 1)
                solver_row(results, s, v, work, units, cores, &one, reps);
        }
    if (has_variant[TRIDIAGONAL_LANES]) {
        struct timing one = copy_row(results, s, 1, NULL, reps);
        if (cores > 1)
            copy_row(results, s, cores, &one, reps);
    }
    memory_free(&memory);
}

static void thomas_row(struct results *results, const struct systems *s,
                       void *const scratch[SYSTEM_ARRAYS], double units, int reps)
{
    long long status = 0;
    struct nshape plan = nshape_plan(s->type, s->n, 0, NULL);
    plan.sub = scratch[0], plan.diag = scratch[1], plan.super = scratch[2], plan.rhs = scratch[3];
    plan.x = s->host_x, plan.status = &status;
    host_poison(s->host_x, systems_bytes(s));
    one_core_row(results, "thomas_cpu", s, scratch, s->host_x, THOMAS_ELEMENTS, units, reps, [&] {
        CHECK(nshape_solve_cpu(&plan, 1));
        return (long)status;
    });
}

void tridiagonal_cpu_rows(struct results *results, const struct program *program,
                          const struct options *o, double units)
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
            if (o->has_variant[TRIDIAGONAL_THOMAS])
                thomas_row(results, &s, scratch, units, o->reps);
            if (o->has_variant[TRIDIAGONAL_LAPACK])
                each_system_row(results, "lapack_gtsv", &s, scratch, LEAST_ELEMENTS, units, o->reps,
                                peer_lapack);
            lanes_rows(results, &s, o->has_variant, units, o->reps);
        }
        memory_free(&memory);
    }
}
