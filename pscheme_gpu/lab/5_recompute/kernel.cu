/* Lab 5, recompute instead of store. README.md explains the task.
 *
 * The kernels solve w_i = scale w_{i-1} + offset in P parts, one for each thread. w and a are in
 * the rearranged layout: row i of part j is at index i P + j. */
#include "given.cuh" /* rows_of, the paper's kernels, propagation and the launchers */

/* Pre-computation that loads nothing, and stores the w of each row and the a of the last row. */
static __global__ void precompute(int64_t n, int64_t m, float scale, float offset, float *w,
                                  float *a)
{
    /* your code, in place of the next line */
    (void)n, (void)m, (void)scale, (void)offset, (void)w, (void)a;
}

/* Determination that computes the products again. It loads and stores w. */
static __global__ void determine(int64_t n, int64_t m, float w0, float scale, float *w)
{
    /* your code, in place of the next line */
    (void)n, (void)m, (void)w0, (void)scale, (void)w;
}
