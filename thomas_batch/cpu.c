/* See cpu.h. The bodies are included for float and for double. */
#include "cpu.h"
#include "bench/peers.h"
#include "tridiagonal_batch_cpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define REAL       float
#define EPSILON    FLT_EPSILON
#define NAME(name) name##_s
#include "cpu_body.h"
#undef REAL
#undef EPSILON
#undef NAME
#define REAL       double
#define EPSILON    DBL_EPSILON
#define NAME(name) name##_d
#include "cpu_body.h"

enum { LANES_ALIGNED = 64 };
/* A call of tridiagonal_batch_cpu.h. The workspace also has a status of each system, behind a
 * multiple of LANES_ALIGNED bytes. */
static struct tridiagonal_batch lanes_call(const struct cpu_batch *s)
{
    return (struct tridiagonal_batch){.type = s->type,
                                      .n = s->n,
                                      .batch = s->batch,
                                      .sub = s->sub,
                                      .diag = s->diag,
                                      .super = s->super,
                                      .rhs = s->rhs,
                                      .x = s->x};
}
static size_t lanes_work(const struct tridiagonal_batch *b, int cores)
{
    return (tridiagonal_batch_cpu_work(b, cores) + LANES_ALIGNED - 1) / LANES_ALIGNED *
           LANES_ALIGNED;
}
static int64_t work_of_core(char type, int64_t n)
{
    return 4 * n * (type == 's' ? (int64_t)sizeof(float) : (int64_t)sizeof(double));
}
int64_t cpu_work(char type, int64_t n, int64_t batch, int cores)
{
    const struct cpu_batch s = {.type = type, .n = n, .batch = batch};
    const struct tridiagonal_batch b = lanes_call(&s);
    int64_t lanes = (int64_t)lanes_work(&b, cores) + LANES_ALIGNED + batch * (int64_t)sizeof(int),
            others = cores * work_of_core(type, n);
    return lanes > others ? lanes : others;
}

typedef void solver(const struct cpu_batch *s, int64_t k, void *work);

/* Solves all systems. Each core gets an equal share of them. */
static void over_systems(const struct cpu_batch *s, solver *solve)
{
#pragma omp parallel for num_threads(s->cores) schedule(static)
    for (int core = 0; core < s->cores; core++)
        for (int64_t k = s->batch * core / s->cores; k < s->batch * (core + 1) / s->cores; k++)
            solve(s, k, (char *)s->work + core * work_of_core(s->type, s->n));
}

void cpu_thomas(const struct cpu_batch *s)
{
    over_systems(s, s->type == 's' ? thomas_s : thomas_d);
}

void cpu_lanes(const struct cpu_batch *s)
{
    struct tridiagonal_batch b = lanes_call(s);
    b.work = (void *)(((uintptr_t)s->work + LANES_ALIGNED - 1) / LANES_ALIGNED * LANES_ALIGNED);
    b.status = (int *)((char *)b.work + lanes_work(&b, s->cores));
    tridiagonal_batch_cpu_solve(&b, s->cores);
    for (int64_t k = 0; k < s->batch; k++)
        s->status[k] = b.status[k];
}

void cpu_sericr(const struct cpu_batch *s)
{
    over_systems(s, s->type == 's' ? sericr_s : sericr_d);
}

/* On copies, because xGTSV overwrites its inputs. */
static void lapack(const struct cpu_batch *s, int64_t k, void *work)
{
    const void *const from[] = {s->sub, s->diag, s->super, s->rhs};
    size_t bytes = (size_t)s->n * (s->type == 's' ? sizeof(float) : sizeof(double));
    char *at[] = {work, (char *)work + bytes, (char *)work + 2 * bytes, (char *)s->x + k * bytes};
    for (int i = 0; i < 4; i++)
        memcpy(at[i], (const char *)from[i] + k * bytes, bytes);
    s->status[k] = peer_lapack(s->type, s->n, at[0], at[1], at[2], at[3]);
}

bool cpu_lapack(const struct cpu_batch *s)
{
    over_systems(s, lapack);
    return s->batch == 0 || s->status[0] >= 0;
}
