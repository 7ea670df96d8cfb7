/* W12 section II on CPU cores. pscheme_cpu.h says what each function does, README.md is the lesson.
 * This file has the parts without floating-point numbers. It includes two bodies, once for float
 * and once for double:
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

/* No bad pivot was found. Larger than any row, so that the smallest bad row is a minimum. */
static const int64_t NO_ROW = INT64_MAX;

/* Part k has the rows part_start(k) + 1 .. part_start(k + 1) out of rows 1..rows. These are the
 * paper's rows kM + 1 .. kM + M for any number of rows: the first rows % parts parts have one
 * more. */
static int64_t part_start(int64_t rows, int64_t parts, int64_t k)
{
    int64_t longer = rows % parts;
    return rows / parts * k + (k < longer ? k : longer);
}

/* No array has room for more rows or parts than this. */
static const int64_t MOST = INT64_MAX / 64;

static int refused(int64_t n, int64_t parts, int cores)
{
    return n < 1 || n > MOST || parts < 1 || parts > MOST || cores < 1;
}

/* True if none of these is NULL and all are aligned to their elements. */
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

/* Rows per lane, and vectors of lanes that are worked on at a time (pscheme_lanes_body.h). */
enum { LANE_ROWS = 32, LANE_VECTORS = 2 };
/* A thread that has waited for some microseconds yields its core: the thread that it waits for may
 * need it. */
enum { TRIES_BEFORE_YIELD = 1000 };
/* Three arrays of more bytes than this are prefetched. For smaller ones prefetching costs more time
 * than it saves. */
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
