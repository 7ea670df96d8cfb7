/* Lab 3, the solution; kernel.cu says what the kernels must do. Why it passes the gates:
 *
 *     serial, ends  the walk loads a and w of the last row of each of 512 parts, and stores its w:
 *                   3 * 512 = 1536, of which 512 are stores
 *     stored        that leaves 31 rows of each part, which 16 warps correct: 496
 *     sectors       row i of 32 parts is 4 sectors. What comes in are the ends of the parts before,
 *                   one element off: 5, but 4 in the first warp. On average 4.94
 *     lanes         the parts have equal length; only part 0 does not load what comes in: 31.94
 *     once          what comes in is loaded before the loop, and a row loads w and a and stores w:
 *                   1.00
 *
 * busiest: no warp of determination does more than the others, because all parts have M rows (the
 * last ones fewer). Propagation is still the work of one thread.
 * Next: lab 4 balances walk and rows, and lab 10 gives the walk to a warp. `propagate_ahead` in
 * pscheme_gpu/pscheme_gpu_recurrence.cuh loads the ends of eight parts before it needs them. */
#include "given.cuh"

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

static __global__ void determine(int64_t n, int64_t m, float w0, float *w, const float *a)
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
