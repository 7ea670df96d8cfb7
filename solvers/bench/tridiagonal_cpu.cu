/* Times tridiagonal_cpu.h and, for comparison, a copy of one array. The copy shows how fast the
 * memory is, which limits every solver that reads its system from memory. Run:
 * build/cpu/tridiagonal --variant nshape_lanes. */
#include "bench/tridiagonal_cpu_bench.h"
#include "tridiagonal_cpu.h"

#include <omp.h>
#include <string.h>

/* The minimum number of elements that are read or written per row of the system. The solver reads
 * sub, diag, super and rhs in both passes and writes x in the second. */
static const double SOLVER_ELEMENTS = 4 + 4 + 1, COPY_ELEMENTS = 2;

/* Copies an array; each core copies a part of it. */
static void copy(void *to, const void *from, size_t bytes, int cores)
{
#pragma omp parallel num_threads(cores) if (cores > 1)
    {
        size_t all = (size_t)omp_get_num_threads(), core = (size_t)omp_get_thread_num();
        size_t begin = bytes * core / all, end = bytes * (core + 1) / all;
        memcpy((char *)to + begin, (const char *)from + begin, end - begin);
    }
}

/* Solves the system, verifies x, times the solver on `cores` cores, and adds a row to the results.
 * `one` is the time on one core, or NULL if this call measures that time. Returns the time. */
static struct timing solver_row(struct results *results, const struct systems *s, void *work,
                                double units, int cores, const struct timing *one, int reps)
{
    struct tridiagonal_cpu t = {.type = s->type,
                                .n = s->n,
                                .sub = s->host[0],
                                .diag = s->host[1],
                                .super = s->host[2],
                                .rhs = s->host[3],
                                .x = s->host_x,
                                .work = work,
                                .cores = cores};
    host_poison(t.x, systems_bytes(s));
    host_poison(work, tridiagonal_cpu_work(s->type, s->n));
    long long status = 0;
    struct timing_sample solved = sample_cores([&] { status = tridiagonal_cpu_solve(&t); });
    struct row row = cpu_row("nshape_lanes", s->type, s->n, 0, cores, SOLVER_ELEMENTS,
                             systems_verdict(s, units));
    if (status)
        row.status = "zero pivot";
    return record_cores_after(solved, results, row, one, reps, [&] { tridiagonal_cpu_solve(&t); });
}

/* Times a copy of sub (s->host[0]) to x on `cores` cores and adds a row to the results. The
 * solution in x is no longer needed. */
static struct timing copy_row(struct results *results, const struct systems *s, int cores,
                              const struct timing *one, int reps)
{
    size_t bytes = systems_bytes(s);
    memset(s->host_x, 0, bytes);
    copy(s->host_x, s->host[0], bytes, cores);
    struct verdict verdict = {.ok = memcmp(s->host_x, s->host[0], bytes) == 0};
    struct row row = cpu_row("copy_cpu", s->type, s->n, 0, cores, COPY_ELEMENTS, verdict);
    return record_cores(results, row, one, reps,
                        [&] { copy(s->host_x, s->host[0], bytes, cores); });
}

void tridiagonal_cpu_bench(struct results *results, const struct systems *s, int cores,
                           double units, int reps)
{
    struct memory memory = {};
    void *work = memory_host(&memory, tridiagonal_cpu_work(s->type, s->n));
    struct timing solver = solver_row(results, s, work, units, 1, NULL, reps),
                  copies = copy_row(results, s, 1, NULL, reps);
    if (cores > 1) {
        solver_row(results, s, work, units, cores, &solver, reps);
        copy_row(results, s, cores, &copies, reps);
    }
    memory_free(&memory);
}
