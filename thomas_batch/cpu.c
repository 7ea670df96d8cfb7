/* See cpu.h. The solvers are written once, for float and double, in cpu_body.h and cpu_lanes_body.h. */
#include "cpu.h"
#include "lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef HAVE_LAPACKE
#include <lapacke.h>
#endif

/* Of w lanes: up to so many systems are as fast one after the other. */
#define ALONE(w) ((w) > 2 ? 2 : 1)

#define REAL       float
#define EPSILON    FLT_EPSILON
#define GTSV       LAPACKE_sgtsv_work
#define NAME(name) name##_s
#include "cpu_body.h"
#include "cpu_lanes_body.h"
#undef REAL
#undef EPSILON
#undef GTSV
#undef NAME
#define REAL       double
#define EPSILON    DBL_EPSILON
#define GTSV       LAPACKE_dgtsv_work
#define NAME(name) name##_d
#include "cpu_body.h"
#include "cpu_lanes_body.h"

static int64_t word(char type)
{
    return type == 's' ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
}

int64_t cpu_work(char type, int64_t n, int64_t batch)
{
    int64_t one = 4 * n * word(type), lanes = (2 * n + 1) * LANES_BYTES,
            w = LANES_BYTES / word(type);
    return n >= w && batch > ALONE(w) && lanes > one ? lanes : one;
}

typedef void solver(const struct cpu_batch *s, int64_t k, void *work);

/* Systems dealt to cores in equal shares. */
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

bool cpu_lapack(const struct cpu_batch *s)
{
#ifdef HAVE_LAPACKE
    over_systems(s, s->type == 's' ? lapack_s : lapack_d);
    return true;
#else
    (void)s;
    return false;
#endif
}
