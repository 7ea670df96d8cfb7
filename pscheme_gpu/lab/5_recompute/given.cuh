/* Lab 5: what is given. README.md explains the task. */
#include "../parts.cuh"

static __global__ void precompute(int64_t n, int64_t m, float scale, float offset, float *w,
                                  float *a);
static __global__ void determine(int64_t n, int64_t m, float w0, float scale, float *w);

/* The paper's pre-computation. It loads the w of the row before, and stores w and the product a of
 * each row. */
static __global__ void precompute_paper(int64_t n, int64_t m, float scale, float offset, float *w,
                                        float *a)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float product = 1;
    for (int64_t i = 0; i < rows; i++) {
        float previous = 0;
        if (i > 0)
            previous = w[(i - 1) * parts + part];
        product *= scale;
        w[i * parts + part] = scale * previous + offset;
        a[i * parts + part] = product;
    }
}

/* The paper's determination. It loads w and a, and stores w. */
static __global__ void determine_paper(int64_t n, int64_t m, float w0, float *w, const float *a)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float carry = w0;
    if (part > 0 && rows > 0)
        carry = w[(m - 1) * parts + part - 1];
    for (int64_t i = 0; i < rows - 1; i++)
        w[i * parts + part] += a[i * parts + part] * carry;
}

/* Propagation needs w and a of the last row of each part, no others. */
static __global__ void propagate(int64_t n, int64_t m, int64_t parts, float w0, float *w,
                                 const float *a)
{
    float carry = w0;
    for (int64_t part = 0; part < parts; part++) {
        int64_t rows = rows_of(n, m, part);
        if (rows > 0) {
            int64_t last = (rows - 1) * parts + part;
            carry = w[last] + a[last] * carry;
            w[last] = carry;
        }
    }
}

cudaError_t run_paper(int blocks, int threads, int64_t n, int64_t m, float w0, float scale,
                      float offset, float *w, float *a)
{
    int64_t parts = (int64_t)blocks * threads;
    TRY(LAUNCH(precompute_paper, blocks, threads, 0, 0, n, m, scale, offset, w, a));
    TRY(LAUNCH(propagate, 1, 1, 0, 0, n, m, parts, w0, w, a));
    return LAUNCH(determine_paper, blocks, threads, 0, 0, n, m, w0, w, a);
}
cudaError_t run_recompute(int blocks, int threads, int64_t n, int64_t m, float w0, float scale,
                          float offset, float *w, float *a)
{
    int64_t parts = (int64_t)blocks * threads;
    TRY(LAUNCH(precompute, blocks, threads, 0, 0, n, m, scale, offset, w, a));
    TRY(LAUNCH(propagate, 1, 1, 0, 0, n, m, parts, w0, w, a));
    return LAUNCH(determine, blocks, threads, 0, 0, n, m, w0, scale, w);
}
