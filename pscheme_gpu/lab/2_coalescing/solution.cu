/* Lab 2, the solution; kernel.cu says what the kernel must do. Why it passes the gates:
 *
 *     sectors      neighbouring lanes have neighbouring parts, whose rows i are side by side: 4
 *     given        in the block layout they are M elements apart, each in a sector of its own: 32
 *     once, bytes  w of the row before is in `current`, so a row loads t and stores w, and no more:
 *                  1. Sectors are used in full: 1
 *     lanes        the parts have equal length, so the lanes leave the loop together: 32
 *     stored       16 warps store the 32 rows of their parts: 512
 *
 * busiest: no warp does more than the others: each has 32 parts of M rows (only the last parts have
 * fewer).
 * Next: lab 3 joins the parts. `move` in pscheme_gpu/pscheme_gpu_layout.cuh makes this layout. */
#include "given.cuh"

static __global__ void rearranged(int64_t n, int64_t m, float scale, const float *t, float *w)
{
    int64_t parts = (int64_t)gridDim.x * blockDim.x;
    int64_t part = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rows = rows_of(n, m, part);
    float current = 0;
    for (int64_t i = 0; i < rows; i++) {
        current = scale * current + t[i * parts + part];
        w[i * parts + part] = current;
    }
}
