/* Lab 3, the three phases of P-scheme. README.md explains the task.
 *
 * The kernels solve w_i = scale w_{i-1} + t_i in P parts, one for each thread. All arrays are in the
 * rearranged layout of lab 2: row i of part j is at index i P + j. */
#include "device.h"

/* Rows of a part: m, or fewer in the last parts. */
static __device__ int64_t rows_of(int64_t n, int64_t m, int64_t part)
{
    int64_t left = n - part * m;
    return left < 0 ? 0 : left < m ? left : m;
}

/* Given: pre-computation. Each thread solves its part as if 0 came in. Row i also gets a_i, the
 * product of the coefficients of rows 0 to i. */
static __global__ void precompute(int64_t n, int64_t m, float scale, const float *t, float *w,
                                  float *a)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float current = 0, product = 1;
    for (int64_t i = 0; i < rows; i++) {
        current = scale * current + t[i * parts + part];
        product *= scale;
        w[i * parts + part] = current;
        a[i * parts + part] = product;
    }
}

/* Propagation, by one thread: corrects the last row of one part after the other. */
static __global__ void propagate(int64_t n, int64_t m, int64_t parts, float w0, float *w,
                                 const float *a)
{
    /* your code, in place of the next line */
    (void)n, (void)m, (void)parts, (void)w0, (void)w, (void)a;
}

/* Determination, by all threads: corrects all rows of a part but the last one. */
static __global__ void determine(int64_t n, int64_t m, float w0, float *w, const float *a)
{
    /* your code, in place of the next line */
    (void)n, (void)m, (void)w0, (void)w, (void)a;
}

/* The launcher: given, need not be changed. The end of a kernel is the barrier for all blocks. */
cudaError_t run_three_phases(int blocks, int threads, int64_t n, int64_t m, float w0, float scale,
                             const float *t, float *w, float *a)
{
    int64_t parts = (int64_t)blocks * threads;
    TRY(LAUNCH(precompute, blocks, threads, 0, 0, n, m, scale, t, w, a));
    TRY(LAUNCH(propagate, 1, 1, 0, 0, n, m, parts, w0, w, a));
    return LAUNCH(determine, blocks, threads, 0, 0, n, m, w0, w, a);
}
