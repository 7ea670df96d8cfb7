/* Lab 2a: what is given. README.md explains the task. */
#include "device.h"

enum { MOST = 1024 }; /* the most threads of a block */

static __global__ void block_sum(int64_t n, const float *x, float *sums);

/* The number of threads is a power of 2. */
cudaError_t run_block_sum(int blocks, int threads, int64_t n, const float *x, float *sums)
{
    return LAUNCH(block_sum, blocks, threads, 0, 0, n, x, sums);
}
