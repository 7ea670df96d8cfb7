/* Lab 0, a guard and a tail: y[i] = scale * x[i] + offset for 0 <= i < n. README.md explains the
 * task. */
#include "given.cuh" /* the launchers, which start the kernels */

/* There are at least n threads. Each takes one element, and threads without one do nothing. */
static __global__ void guarded(int n, float scale, float offset, const float *x, float *y)
{
    /* your code, in place of the next line */
    (void)n, (void)scale, (void)offset, (void)x, (void)y;
}

/* There are any number of threads. They take as many elements at a time as there are threads. */
static __global__ void strided(int n, float scale, float offset, const float *x, float *y)
{
    /* your code, in place of the next line */
    (void)n, (void)scale, (void)offset, (void)x, (void)y;
}
