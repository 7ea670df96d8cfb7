/* Lab 2b: what is given. README.md explains the task. */
#include "device.h"

enum { MOST = 1024 }; /* the most threads of a block */

static __global__ void scan_sums(int64_t n, const float *x, float *y);
static __global__ void scan_maps(int64_t n, const float *s, const float *t, float *a, float *b);

/* The value x before some rows becomes a x + b behind them. */
struct map {
    FIELDS(map, float, a, b); /* float a, b; and copies are counted */
};
/* `first`, then `second`: x -> second.a (first.a x + first.b) + second.b */
[[maybe_unused]] static __device__ map compose(map first, map second)
{
    return {second.a * first.a, second.a * first.b + second.b};
}

cudaError_t run_scan_sums(int blocks, int threads, int64_t n, const float *x, float *y)
{
    return LAUNCH(scan_sums, blocks, threads, 0, 0, n, x, y);
}
cudaError_t run_scan_maps(int blocks, int threads, int64_t n, const float *s, const float *t,
                          float *a, float *b)
{
    return LAUNCH(scan_maps, blocks, threads, 0, 0, n, s, t, a, b);
}
