/* Lab 11, N-shape: reduce down (RD) and reduce up (RU). README.md explains the task.
 *
 * Row i of the system is b_i x_{i-1} + a_i x_i + c_i x_{i+1} = d_i, 0 <= i < n. Joint line w is row
 * min(w m, n - 1). Thread w has block w, the rows between the joint lines w and w + 1; the last
 * blocks may have fewer rows or none. */
#include "given.cuh" /* joint_line() and the launchers */

/* RD: afterwards row i of a block joins the joint line above the block, row i itself and row
 * i + 1. */
static __global__ void reduce_down(int64_t n, int64_t m, float *b, float *a, float *c, float *d)
{
    int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = joint_line(n, m, w) + 1, last = joint_line(n, m, w + 1) - 1;
    (void)first, (void)last, (void)b, (void)a, (void)c, (void)d; /* your code, in place of this */
}

/* RU, after RD: afterwards row i of a block joins the joint line above the block, row i itself and
 * the joint line below the block. */
static __global__ void reduce_up(int64_t n, int64_t m, float *b, float *a, float *c, float *d)
{
    int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = joint_line(n, m, w) + 1, last = joint_line(n, m, w + 1) - 1;
    (void)first, (void)last, (void)b, (void)a, (void)c, (void)d; /* your code, in place of this */
}
