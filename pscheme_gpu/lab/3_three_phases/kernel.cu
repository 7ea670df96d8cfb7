/* Lab 3, the three phases of P-scheme. README.md explains the task.
 *
 * The kernels solve w_i = scale w_{i-1} + t_i in P parts, one for each thread. All arrays are in
 * the rearranged layout of lab 2: row i of part j is at index i P + j. */
#include "given.cuh" /* rows_of, pre-computation and the launcher */

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
