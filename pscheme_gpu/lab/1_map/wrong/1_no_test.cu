// fails: result: reads behind the end of hat
/* Lab 1, map: one thread an element. README.md explains the task. */
#include "device.h"

/* w[i] = hat[i] + a[i] * carry for 0 <= i < n. */
static __global__ void map(int64_t n, float carry, const float *hat, const float *a, float *w)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    (void)n;
    w[i] = hat[i] + a[i] * carry;
}

/* The launcher: given, need not be changed. */
cudaError_t run_map(int64_t n, float carry, const float *hat, const float *a, float *w)
{
    int threads = 256;
    int64_t blocks = (n + threads - 1) / threads;
    return LAUNCH(map, (unsigned)blocks, threads, 0, 0, n, carry, hat, a, w);
}
