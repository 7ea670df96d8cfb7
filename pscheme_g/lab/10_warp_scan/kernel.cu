/* Lab 10, shuffles: a warp composes 32 maps. README.md explains the task.
 *
 * The three phases of P-scheme for w_i = s_i w_{i-1} + t_i with P = 32 parts of m rows; the last
 * parts may be shorter or empty. s, t and w hold the rows 1 to n. Part j is the map x -> a[j] x +
 * b[j]: x is the unknown before the part, a[j] x + b[j] its last unknown. */
#include "given.cuh" /* ALL_LANES, PARTS = 32, the other phases and the launcher */

/* Phase 2: last[j] is the true last unknown of part j. One warp; lane j has the map of part j. */
static __global__ void propagate(float w0, const float *a, const float *b, float *last)
{
    (void)w0, (void)a, (void)b, (void)last; /* your code, in place of this line */
}
