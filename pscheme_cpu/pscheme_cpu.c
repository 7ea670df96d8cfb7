/* W12 section II on CPU cores. pscheme_cpu.h says what each function does. README.md explains the
 * method. This file has the code that does not depend on the floating-point type. It includes two
 * files with the rest of the code, once for float and once for double:
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

/* Functions that look for a bad pivot return NO_ROW if they find none. NO_ROW is larger than every
 * row, so the smallest bad row is the minimum of the values that are returned for the parts. */
static const int64_t NO_ROW = INT64_MAX;

/* Part k has the rows part_start(k) + 1 .. part_start(k + 1) of the rows 1..rows. The paper calls
 * them kM + 1 .. kM + M. Here the number of rows need not be a multiple of the number of parts: the
 * first `rows % parts` parts have one row more than the others. */
static int64_t part_start(int64_t rows, int64_t parts, int64_t k)
{
    int64_t longer = rows % parts;
    return rows / parts * k + (k < longer ? k : longer);
}

/* The largest n and the largest number of parts that are accepted. With these numbers the byte
 * count of every workspace fits into an int64_t. */
static const int64_t MOST = INT64_MAX / 64;

static int refused(int64_t n, int64_t parts, int cores)
{
    return n < 1 || n > MOST || parts < 1 || parts > MOST || cores < 1;
}

/* True if no array in the list is NULL and all are aligned to their elements, which have `size`
 * bytes. */
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

/* In a tile each lane has LANE_ROWS consecutive rows. A core works on LANE_VECTORS vectors of lanes
 * at the same time (pscheme_lanes_body.h). */
enum { LANE_ROWS = 32, LANE_VECTORS = 2 };
/* A thread that waits for another thread yields its core after this number of tries, which takes
 * some microseconds. The other thread may need that core. */
enum { TRIES_BEFORE_YIELD = 1000 };
/* The solvers on lanes prefetch if three arrays of n elements have more bytes than this together.
 * Smaller arrays stay in the cache, and prefetching them costs more time than it saves. */
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
