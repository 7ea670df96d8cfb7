/* Lab 11: what is given. README.md explains the task. */
#include "device.h"

static __device__ int64_t joint_line(int64_t n, int64_t m, int64_t w)
{
    return w * m < n - 1 ? w * m : n - 1;
}

static __global__ void reduce_down(int64_t n, int64_t m, float *b, float *a, float *c, float *d);
static __global__ void reduce_up(int64_t n, int64_t m, float *b, float *a, float *c, float *d);

cudaError_t run_reduce_down(int blocks, int threads, int64_t n, int64_t m, float *b, float *a,
                            float *c, float *d)
{
    return LAUNCH(reduce_down, blocks, threads, 0, 0, n, m, b, a, c, d);
}
cudaError_t run_reduce_up(int blocks, int threads, int64_t n, int64_t m, float *b, float *a,
                          float *c, float *d)
{
    return LAUNCH(reduce_up, blocks, threads, 0, 0, n, m, b, a, c, d);
}
