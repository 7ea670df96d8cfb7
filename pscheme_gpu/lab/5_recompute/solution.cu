/* Lab 5, the solution; kernel.cu says what the kernels must do. Why it passes the gates:
 *
 *     given-1        the paper's pre-computation loads w of the row before and stores w and a: 2.97
 *     register       here w of the row before is in `current`, so nothing is loaded: 0
 *     product        a row stores w alone, only the last one of a part also a: 1 + 1/32 = 1.03
 *     given-3        the paper's determination loads w and a and stores w: 2.94
 *     recompute      here a is a product in a register. A row loads and stores w, and a part loads
 *                    what comes in instead of its last row: 2 - 1/32 = 1.97
 *     stored         16 warps correct 31 rows of their parts: 496
 *     sectors-1, -3  lanes have neighbouring parts: 4. What comes in is one element off: 4.94
 *     lanes-1, -3    each thread has a part, so a warp works with all lanes; the first part of all
 *                    has nothing to load that comes in: 32, 31.94
 *
 * busiest-1, -3: no warp of these kernels does more than the others: each has 32 parts of M rows.
 * Next: `determine_ahead` in pscheme_gpu/pscheme_gpu_recurrence.cuh loads eight rows before it
 * stores the first one, so it waits for memory once in eight rows. */
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
