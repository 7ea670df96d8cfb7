/* Lab 5, the solution; kernel.cu says what the kernels must do. */
#include "given.cuh"

static __global__ void precompute(int64_t n, int64_t m, float scale, float offset, float *w,
                                  float *a)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float current = 0, product = 1;
    for (int64_t i = 0; i < rows; i++) {
        current = scale * current + offset;
        product *= scale;
        w[i * parts + part] = current;
    }
    if (rows > 0)
        a[(rows - 1) * parts + part] = product;
}

static __global__ void determine(int64_t n, int64_t m, float w0, float scale, float *w)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float carry = w0, product = 1;
    if (part > 0 && rows > 0)
        carry = w[(m - 1) * parts + part - 1];
    for (int64_t i = 0; i < rows - 1; i++) {
        product *= scale;
        w[i * parts + part] += product * carry;
    }
}
