/* Lab 11, the solution; kernel.cu says what the kernels must do. Why it passes the gates:
 *
 *     down, up           the row before is in four variables, so each row is loaded once and stored
 *                        once. Threads with an empty block return before they load: 1, 1
 *     lanes              blocks have equal length, so lanes leave the loop together; here the empty
 *                        ones are a warp of their own: 32
 *     stored, stored_up  RD leaves row J + 1 and RU row J' - 1 as they are, so 15 warps store three
 *                        arrays in 6 of 7 rows: 270, 270
 *
 * busiest, busiest_up: no warp does more than the others: each has 32 blocks of rows (only the last
 * ones are short).
 * Next: `reduce_and_join` in nshape/nshape_stages.h joins the blocks, too. `first_pass` in
 * solvers/tridiagonal_two_pass.cuh loads rows together, and stores what joins them, but no rows. */
#include "given.cuh"

static __global__ void reduce_down(int64_t n, int64_t m, float *b, float *a, float *c, float *d)
{
    int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = joint_line(n, m, w) + 1, last = joint_line(n, m, w + 1) - 1;
    if (first > last)
        return;
    float b_up = b[first], a_up = a[first], c_up = c[first], d_up = d[first]; /* row i - 1 */
    for (int64_t i = first + 1; i <= last; i++) {
        float r = -b[i] / a_up;
        b_up = r * b_up;
        a_up = a[i] + r * c_up;
        d_up = d[i] + r * d_up;
        c_up = c[i];
        b[i] = b_up;
        a[i] = a_up;
        d[i] = d_up;
    }
}

static __global__ void reduce_up(int64_t n, int64_t m, float *b, float *a, float *c, float *d)
{
    int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = joint_line(n, m, w) + 1, last = joint_line(n, m, w + 1) - 1;
    if (first > last)
        return;
    float b_low = b[last], a_low = a[last], c_low = c[last], d_low = d[last]; /* row i + 1 */
    for (int64_t i = last - 1; i >= first; i--) {
        float r = -c[i] / a_low;
        b_low = b[i] + r * b_low;
        c_low = r * c_low;
        d_low = d[i] + r * d_low;
        a_low = a[i];
        b[i] = b_low;
        c[i] = c_low;
        d[i] = d_low;
    }
}
