/* Lab 2b, prefix sums of a block, and then maps. README.md explains the task.
 *
 * In both kernels block b has the elements b T to (b + 1) T - 1, one for each of its T threads. The
 * last block may have fewer: all arrays end in front of n. */
#include "given.cuh" /* MOST, the most threads of a block; map, compose and the launchers */

/* y_i is the sum of x up to x_i, from the block's first element on. */
static __global__ void scan_sums(int64_t n, const float *x, float *y)
{
    (void)n, (void)x, (void)y; /* your code, in place of this line */
}

/* The map x -> a_i x + b_i is x -> s x + t of the block's first row, then that of the next row and
 * so on, to that of row i. */
static __global__ void scan_maps(int64_t n, const float *s, const float *t, float *a, float *b)
{
    /* your code, in place of the next line */
    (void)n, (void)s, (void)t, (void)a, (void)b;
}
