/* Solves one tridiagonal system on the lanes and cores of a CPU; see tridiagonal_cpu.h.
 * tridiagonal_cpu_body.h has the method, written once for all types. This file includes it for each
 * type, and checks the arguments. */
#include "tridiagonal_cpu.h"
#include "lanes.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Rows of a block, which one lane processes: 31 rows and a joint line. With more rows there would
 * be fewer joint lines, but the arrays of the second pass would not fit into the L1 cache. */
enum { ROWS = 32 };
/* The maximum number of levels of joint lines. A level has about 1/32 or 1/8 of the rows of the
 * level before, plus the rows that do not fill a tile. */
enum { LEVELS_MOST = 24 };
/* If the arrays of a level take more bytes than this, they are no longer in the L2 cache of a core
 * when the second pass reads them. */
static const double CACHE_BYTES = 1.5e6;
/* The solver uses at most one core per 4096 rows, because waking a core pays only if it gets some
 * ten microseconds of work. */
static const int64_t ROWS_A_CORE = 4096;

/* Stands for a row number if no row has a bad pivot. It is larger than every row number. */
static const int64_t NO_ROW = INT64_MAX;

#ifdef _OPENMP
#define OPENMP(directive) _Pragma(#directive)
#else
#define OPENMP(directive)
#endif

/* exponent_of() returns this for 0, infinity and NaN. It is smaller than all other exponents, even
 * after a sum of exponents is added to it, and its negative does not overflow. */
enum { NO_EXPONENT = -(1 << 24) };
/* Returns the smallest exponent with |a| < 2^exponent, or NO_EXPONENT if a is 0, infinite or
 * NaN. */
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

/* Barrier of the OpenMP team that the solver created. With one core the solver creates no team, and
 * a barrier would wait for a team of the caller. */
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

static bool is_array(const void *p, char type)
{
    size_t real = type == 's' || type == 'c' ? sizeof(float) : sizeof(double);
    return p && (uintptr_t)p % real == 0;
}
static bool arguments_valid(const struct tridiagonal_cpu *s)
{
    if (!s || !is_type(s->type) || s->n < 0 || s->cores < 1)
        return false;
    return s->n == 0 || (is_array(s->sub, s->type) && is_array(s->diag, s->type) &&
                         is_array(s->super, s->type) && is_array(s->rhs, s->type) &&
                         is_array(s->x, s->type) && s->work && (uintptr_t)s->work % 64 == 0);
}

long long tridiagonal_cpu_solve(const struct tridiagonal_cpu *s)
{
    if (!arguments_valid(s))
        return -1;
    return s->n == 0 ? 0 : BY_TYPE(s->type, solve, s);
}

long long tridiagonal_cpu_reduce(const struct tridiagonal_cpu *s,
                                 struct tridiagonal_cpu_lines lines)
{
    if (!arguments_valid(s) || s->n < 2 || !is_array(lines.sub, s->type) ||
        !is_array(lines.diag, s->type) || !is_array(lines.super, s->type) ||
        !is_array(lines.rhs, s->type))
        return -1;
    return BY_TYPE(s->type, reduce_part, s, lines);
}

void tridiagonal_cpu_finish(const struct tridiagonal_cpu *s, struct tridiagonal_cpu_lines lines)
{
    if (arguments_valid(s) && s->n >= 2 && is_array(lines.x, s->type))
        BY_TYPE(s->type, finish_part, s, lines);
}
