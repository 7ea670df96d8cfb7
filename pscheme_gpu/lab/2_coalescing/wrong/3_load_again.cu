// fails: once: loads w again
/* Lab 2, coalescing: the block layout against the rearranged one. README.md explains the task.
 *
 * Both kernels solve w_i = scale w_{i-1} + t_i in `parts` parts at once, each as if 0 came in. Part j
 * has the elements j m to j m + m - 1 in natural order; the last parts may be shorter or empty. */
#include "device.h"

/* Rows of a part. */
static __device__ int64_t rows_of(int64_t n, int64_t m, int64_t part)
{
    int64_t left = n - part * m;
    return left < 0 ? 0 : left < m ? left : m;
}

/* Given: row i of part j is at index j m + i. */
static __global__ void block_layout(int64_t n, int64_t m, float scale, const float *t, float *w)
{
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float current = 0;
    for (int64_t i = 0; i < rows; i++) {
        current = scale * current + t[part * m + i];
        w[part * m + i] = current;
    }
}

/* The same where row i of part j is at index i P + j, P = number of all threads. */
static __global__ void rearranged(int64_t n, int64_t m, float scale, const float *t, float *w)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    for (int64_t i = 0; i < rows; i++) {
        float previous = 0;
        if (i > 0)
            previous = w[(i - 1) * parts + part];
        w[i * parts + part] = scale * previous + t[i * parts + part];
    }
}

/* The launchers: given, need not be changed. */
cudaError_t run_block(int blocks, int threads, int64_t n, int64_t m, float scale, const float *t,
                      float *w)
{
    return LAUNCH(block_layout, blocks, threads, 0, 0, n, m, scale, t, w);
}
cudaError_t run_rearranged(int blocks, int threads, int64_t n, int64_t m, float scale,
                           const float *t, float *w)
{
    return LAUNCH(rearranged, blocks, threads, 0, 0, n, m, scale, t, w);
}
