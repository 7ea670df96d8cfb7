/* Lab 2a, the sum of a block. README.md explains the task. */
#include "given.cuh" /* MOST, the most threads of a block; and the launcher */

/* sums[b] is the sum of the elements b T to (b + 1) T - 1 of x, those of block b. T is the number
 * of its threads, a power of 2. The last block may have fewer elements: x ends in front of n. */
static __global__ void block_sum(int64_t n, const float *x, float *sums)
{
    (void)n, (void)x, (void)sums; /* your code, in place of this line */
}
