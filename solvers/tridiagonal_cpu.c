/* Solves one tridiagonal system on the lanes and cores of a CPU. This file includes the method,
 * tridiagonal_cpu_body.h, for each type of numbers, and checks the arguments. */
#include "tridiagonal_cpu.h"
#include "lanes.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Rows of a partition, which one lane processes: 31 rows and a joint line. With more rows the
 * arrays of the second pass would not fit into the L1 cache. */
enum { ROWS = 32 };
/* The maximum number of levels of joint lines. A level has about 1/32 or 1/8 of the rows of the
 * level before. */
enum { LEVELS_MOST = 24 };
/* Arrays of more bytes are no longer in the L2 cache of a core when the second pass reads them. */
static const double CACHE_BYTES = 1.5e6;
/* Waking a core pays only if it gets some ten microseconds of work, this many rows. */
static const int64_t ROWS_A_CORE = 16384;

/* The certificate of automatic pivoting (tridiagonal_cpu_tiles.h) has these bounds: the sum of a
 * partition, which is 803 for the Poisson equation and allows errors of some 25 u; the same for one
 * that is hardly coupled to the joint line before, and the last term of such a sum. */
enum { FLOW_MOST = 1024, FLOW_MOST_DECOUPLED = 4096, FLOW_LAST_MOST = 256 };

/* No row has a bad pivot. Larger than every row number. */
static const int64_t NO_ROW = INT64_MAX;

#ifdef _OPENMP
#define OPENMP(directive) _Pragma(#directive)
#else
#define OPENMP(directive)
#endif

/* The exponent of 0, infinity and NaN. It is smaller than all others, even after a sum of exponents
 * is added to it, and its negative does not overflow. */
enum { NO_EXPONENT = -(1 << 24) };
/* The smallest exponent with |a| < 2^exponent. */
static int exponent_of(double a)
{
    int exponent = NO_EXPONENT;
    if (a != 0 && isfinite(a))
        (void)frexp(a, &exponent);
    return exponent;
}
/* 2^exponent as the product of two numbers. The power may be out of the range of double although
 * its product with another number is in range. */
struct power {
    double half[2];
};
static struct power power_of_two(int exponent)
{
    /* larger exponents are clamped, because every product with such a power is 0 or infinite */
    enum { MOST = 2044 };
    int e = exponent < -MOST ? -MOST : exponent > MOST ? MOST : exponent;
    struct power power;
    for (int k = 0; k < 2; k++) {
        uint64_t bits = (uint64_t)((k == 0 ? e / 2 : e - e / 2) + 1023) << 52;
        memcpy(&power.half[k], &bits, sizeof bits);
    }
    return power;
}

/* The power of two that brings m > 0 into [1, 2), or the nearest normal power of two; to multiply
 * by it is exact. If m has the biased exponent e, the result has 2 bias - e. */
static inline float normalizing_scale_s(float m)
{
    int32_t bits;
    memcpy(&bits, &m, sizeof bits);
    bits = 0x7f000000 - (bits & 0x7f800000);
    bits = bits < 0x00800000 ? 0x00800000 : bits;
    memcpy(&m, &bits, sizeof bits);
    return m;
}
static inline double normalizing_scale_d(double m)
{
    int64_t bits;
    memcpy(&bits, &m, sizeof bits);
    bits = 0x7fe0000000000000 - (bits & 0x7ff0000000000000);
    bits = bits < 0x0010000000000000 ? 0x0010000000000000 : bits;
    memcpy(&m, &bits, sizeof bits);
    return m;
}

static int cores_for(const struct tridiagonal_cpu *s)
{
    int64_t most = s->n / ROWS_A_CORE;
    return most < 1 ? 1 : most < s->cores ? (int)most : s->cores;
}
/* With one core the solver creates no OpenMP team, and a barrier would wait for one of the
 * caller. */
static void barrier(int cores)
{
    if (cores > 1) {
        OPENMP(omp barrier)
    }
}

#define NAME(name)  name##_s
#define REAL        float
#define EPSILON     FLT_EPSILON
#define MIN         FLT_MIN
#define MAX         FLT_MAX
#define COMPLEX     0
#define LANES(name) name##_s
#include "tridiagonal_cpu_body.h"
#undef NAME
#undef COMPLEX
#define NAME(name) name##_c
#define COMPLEX    1
#include "tridiagonal_cpu_body.h"
#undef NAME
#undef REAL
#undef EPSILON
#undef MIN
#undef MAX
#undef COMPLEX
#undef LANES

#define NAME(name)  name##_d
#define REAL        double
#define EPSILON     DBL_EPSILON
#define MIN         DBL_MIN
#define MAX         DBL_MAX
#define COMPLEX     0
#define LANES(name) name##_d
#include "tridiagonal_cpu_body.h"
#undef NAME
#undef COMPLEX
#define NAME(name) name##_z
#define COMPLEX    1
#include "tridiagonal_cpu_body.h"

#define BY_TYPE(type, function, ...)                                                               \
    ((type) == 's'   ? function##_s(__VA_ARGS__)                                                   \
     : (type) == 'd' ? function##_d(__VA_ARGS__)                                                   \
     : (type) == 'c' ? function##_c(__VA_ARGS__)                                                   \
                     : function##_z(__VA_ARGS__))

static bool is_type(char type)
{
    return type == 's' || type == 'd' || type == 'c' || type == 'z';
}

size_t tridiagonal_cpu_work(char type, int64_t n)
{
    return !is_type(type) || n < 0 ? 0 : BY_TYPE(type, work_bytes, n);
}

/* True if these arrays are not NULL and aligned to a real number. */
static bool are_arrays(char type, int count, const void *const arrays[])
{
    size_t real = type == 's' || type == 'c' ? sizeof(float) : sizeof(double);
    for (int i = 0; i < count; i++)
        if (!arrays[i] || (uintptr_t)arrays[i] % real != 0)
            return false;
    return true;
}
static bool arguments_valid(const struct tridiagonal_cpu *s, const void *rhs)
{
    if (!is_type(s->type) || s->n < 0 || s->cores < 1 || s->pivot < TRIDIAGONAL_PIVOT_NEVER ||
        s->pivot > TRIDIAGONAL_PIVOT_AUTO)
        return false;
    const void *const arrays[] = {s->sub, s->diag, s->super, rhs, s->x};
    return s->n == 0 || (are_arrays(s->type, 5, arrays) && s->work && (uintptr_t)s->work % 64 == 0);
}

long long tridiagonal_cpu_solve(const struct tridiagonal_cpu *s)
{
    if (!s || !arguments_valid(s, s->rhs))
        return -1;
    return s->n == 0 ? 0 : BY_TYPE(s->type, solve, s, false);
}

long long tridiagonal_cpu_gradient(const struct tridiagonal_cpu *s,
                                   const struct tridiagonal_derivatives *d)
{
    if (!s || !d || !arguments_valid(s, s->n == 0 ? NULL : d->dx))
        return -1;
    if (s->n == 0)
        return 0;
    /* drhs in the place of a derivative that is not wanted is aligned */
    const void *const arrays[] = {d->drhs, d->dsub ? d->dsub : d->drhs,
                                  d->ddiag ? d->ddiag : d->drhs, d->dsuper ? d->dsuper : d->drhs};
    return are_arrays(s->type, 4, arrays) ? BY_TYPE(s->type, gradient, s, d) : -1;
}

long long tridiagonal_cpu_reduce(const struct tridiagonal_cpu *s,
                                 struct tridiagonal_cpu_lines lines)
{
    const void *const arrays[] = {lines.sub, lines.diag, lines.super, lines.rhs};
    if (!s || !arguments_valid(s, s->rhs) || s->n < 2 || s->pivot ||
        !are_arrays(s->type, 4, arrays))
        return -1;
    return BY_TYPE(s->type, reduce_part, s, lines);
}

long long tridiagonal_cpu_finish(const struct tridiagonal_cpu *s,
                                 struct tridiagonal_cpu_lines lines)
{
    const void *const x = lines.x;
    if (!s || !arguments_valid(s, s->rhs) || s->n < 2 || s->pivot || !are_arrays(s->type, 1, &x))
        return -1;
    return BY_TYPE(s->type, finish_part, s, lines);
}
