// fails: result: after reduce_down: b[1]
#include "given.cuh"

static __global__ void reduce_down(int64_t n, int64_t m, float *b, float *a, float *c, float *d)
{
    int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = joint_line(n, m, w) + 1, last = joint_line(n, m, w + 1) - 1;
    if (first > last)
        return;
    float b_up = b[first - 1], a_up = a[first - 1], c_up = c[first - 1], d_up = d[first - 1];
    for (int64_t i = first; i <= last; i++) {
        float r = -b[i] / a_up;
        b_up = r * b_up;
        a_up = a[i] + r * c_up;
        d_up = d[i] + r * d_up;
        c_up = c[i];
        b[i] = b_up;
        a[i] = a_up;
        d[i] = d_up;
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
