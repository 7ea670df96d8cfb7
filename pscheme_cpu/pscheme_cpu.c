/* W12, section II on CPU cores: see pscheme_cpu.h for what each function does and README.md for the
 * lesson. The bodies are in pscheme_cpu_body.h, written once and compiled for both precisions. */
#include "pscheme_cpu.h"

#include "lanes.h"

#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* No bad pivot so far: larger than any row, so that the smallest row is a minimum. */
static const int64_t NO_ROW = INT64_MAX;

/* Part k of `parts` holds the rows part_start(k) + 1 .. part_start(k + 1) of rows 1..rows: the
 * paper's kM + 1 .. kM + M, but for any number of rows: the first rows % parts parts have one row
 * more. */
static int64_t part_start(int64_t rows, int64_t parts, int64_t k)
{
    int64_t longer = rows % parts;
    return rows / parts * k + (k < longer ? k : longer);
}

/* More rows or parts than any array of words has room for are refused, too. */
static const int64_t MOST = INT64_MAX / 64;

static int refused(int64_t n, int64_t parts, int cores)
{
    return n < 1 || n > MOST || parts < 1 || parts > MOST || cores < 1;
}

/* None of these is NULL, and all are aligned to their words. */
static int has_arrays(size_t word, size_t count, const void *const *arrays)
{
    for (size_t k = 0; k < count; k++)
        if (!arrays[k] || (uintptr_t)arrays[k] % word != 0)
            return 0;
    return 1;
}
#define HAS_ARRAYS(...)                                                                            \
    has_arrays(sizeof(REAL), sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *),          \
               (const void *const[]){__VA_ARGS__})

/* Rows of a lane and vectors of lanes side by side (pscheme_lanes_body.h). */
enum { LANE_ROWS = 32, LANE_VECTORS = 2 };
/* Some microseconds: a core that waits longer may have none of its own. */
enum { TRIES_BEFORE_YIELD = 1000 };
/* More than that in three arrays is fetched ahead; where it is not needed fetching costs time, too. */
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
