// fails: down: loaded again
#include "given.cuh"

static __global__ void reduce_down(int64_t n, int64_t m, float *b, float *a, float *c, float *d)
{
    int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = joint_line(n, m, w) + 1, last = joint_line(n, m, w + 1) - 1;
    for (int64_t i = first + 1; i <= last; i++) {
        float r = -b[i] / a[i - 1];
        b[i] = r * b[i - 1];
        a[i] += r * c[i - 1];
        d[i] += r * d[i - 1];
    }
}

static __global__ void reduce_up(int64_t n, int64_t m, float *b, float *a, float *c, float *d)
{
    int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = joint_line(n, m, w) + 1, last = joint_line(n, m, w + 1) - 1;
    for (int64_t i = last - 1; i >= first; i--) {
        float r = -c[i] / a[i + 1];
        b[i] += r * b[i + 1];
        c[i] = r * c[i + 1];
        d[i] += r * d[i + 1];
    }
}
