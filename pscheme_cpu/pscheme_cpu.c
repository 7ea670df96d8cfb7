/* The functions of pscheme_cpu.h. Two files have the code that depends on the floating-point type:
 *
 *     pscheme_cpu_body.h             substitution (W12 eq. 4-6) and P-scheme (W12 eq. 7-13)
 *     simd/pscheme_lanes_body.h      P-scheme on SIMD lanes */
#include "pscheme_cpu.h"

#include "lanes.h"

#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* No bad pivot. It is larger than every row, so the smallest bad row is the minimum over the
 * parts. */
static const int64_t NO_ROW = INT64_MAX;

/* Part k has the rows part_start(k) + 1 .. part_start(k + 1) of the rows 1..rows, in the paper kM +
 * 1 .. kM + M. The first `rows % parts` parts have one row more than the others. */
static int64_t part_start(int64_t rows, int64_t parts, int64_t k)
{
    int64_t longer = rows % parts;
    return rows / parts * k + (k < longer ? k : longer);
}

/* The largest n and number of parts: the byte count of every workspace fits into an int64_t. */
static const int64_t MOST = INT64_MAX / 64;

static int refused(int64_t n, int64_t parts, int cores)
{
    return n < 1 || n > MOST || parts < 1 || parts > MOST || cores < 1;
}

/* Is each array not NULL and aligned to its elements of `size` bytes? */
static int has_arrays(size_t size, size_t count, const void *const *arrays)
{
    for (size_t k = 0; k < count; k++)
        if (!arrays[k] || (uintptr_t)arrays[k] % size != 0)
            return 0;
    return 1;
}
#define HAS_ARRAYS(...)                                                                            \
    has_arrays(sizeof(REAL), sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *),          \
               (const void *const[]){__VA_ARGS__})

/* Each lane of a tile has LANE_ROWS consecutive rows, and a core works on LANE_VECTORS vectors of
 * lanes at once. */
enum { LANE_ROWS = 32, LANE_VECTORS = 2 };
/* A waiting thread yields its core after this many tries (some microseconds): the other thread may
 * need it. */
enum { TRIES_BEFORE_YIELD = 1000 };
/* The lanes prefetch if three arrays of n elements have more bytes. Smaller arrays stay in the
 * cache, and prefetching them costs more than it saves. */
enum { CACHED_BYTES = 3 << 19 };

#define REAL         float
#define REAL_EPSILON FLT_EPSILON
#define REAL_MAX     FLT_MAX
#define REAL_MIN     FLT_MIN
#define ABS          fabsf
#define NAME(name)   name##_s
#include "pscheme_cpu_body.h"
#define VEC         lanes_vec_s
#define WIDTH       LANES_s
#define LANES(name) lanes_##name##_s
#include "pscheme_lanes_body.h"
#undef VEC
#undef WIDTH
#undef LANES
#undef REAL
#undef REAL_EPSILON
#undef REAL_MAX
#undef REAL_MIN
#undef ABS
#undef NAME

#define REAL         double
#define REAL_EPSILON DBL_EPSILON
#define REAL_MAX     DBL_MAX
#define REAL_MIN     DBL_MIN
#define ABS          fabs
#define NAME(name)   name##_d
#include "pscheme_cpu_body.h"
#define VEC         lanes_vec_d
#define WIDTH       LANES_d
#define LANES(name) lanes_##name##_d
#include "pscheme_lanes_body.h"
#undef VEC
#undef WIDTH
#undef LANES
