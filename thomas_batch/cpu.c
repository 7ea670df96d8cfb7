/* See cpu.h. The bodies are included for float and for double. */
#include "cpu.h"
#include "bench/peers.h"
#include "lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* With at most this many systems for the lanes, code without SIMD is as fast. */
static int64_t few_systems(int64_t lanes)
{
    return lanes > 2 ? 2 : 1;
}

#define REAL       float
#define EPSILON    FLT_EPSILON
#define NAME(name) name##_s
#include "cpu_body.h"
#include "cpu_lanes_body.h"
#undef REAL
#undef EPSILON
#undef NAME
#define REAL       double
#define EPSILON    DBL_EPSILON
#define NAME(name) name##_d
#include "cpu_body.h"
#include "cpu_lanes_body.h"

int64_t cpu_work(char type, int64_t n, int64_t batch)
{
    int64_t element = type == 's' ? sizeof(float) : sizeof(double), lanes = LANES_BYTES / element;
    int64_t scalar = 4 * n * element, vectors = (2 * n + 1) * LANES_BYTES;
    return n >= lanes && batch > few_systems(lanes) && vectors > scalar ? vectors : scalar;
}

typedef void solver(const struct cpu_batch *s, int64_t k, void *work);

/* Solves all systems. Each core gets an equal share of them. */
static void over_systems(const struct cpu_batch *s, solver *solve)
{
#pragma omp parallel for num_threads(s->cores) schedule(static)
    for (int core = 0; core < s->cores; core++)
        for (int64_t k = s->batch * core / s->cores; k < s->batch * (core + 1) / s->cores; k++)
            solve(s, k, (char *)s->work + core * cpu_work(s->type, s->n, s->batch));
}

void cpu_thomas(const struct cpu_batch *s)
{
    over_systems(s, s->type == 's' ? thomas_s : thomas_d);
}

void cpu_lanes(const struct cpu_batch *s)
{
    void (*solve)(const struct cpu_batch *, int64_t, int64_t, void *) =
        s->type == 's' ? lanes_s : lanes_d;
    int64_t bytes = cpu_work(s->type, s->n, s->batch);
#pragma omp parallel for num_threads(s->cores) schedule(static)
    for (int core = 0; core < s->cores; core++)
        solve(s, s->batch * core / s->cores, s->batch * (core + 1) / s->cores,
              (char *)s->work + core * bytes);
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
