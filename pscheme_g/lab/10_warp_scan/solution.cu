/* Lab 10, the solution; kernel.cu says what the kernel must do. Why it passes the gates:
 *
 *     shuffles          maps may be grouped in any way, so each step of two shuffles doubles the
 *                       number of maps that a lane has composed, from 1 to 32 in 5 steps: 10
 *     memory, barriers  a shuffle reads a register of another lane, and waits for the lanes of its
 *                       warp: 0, 0
 *     loaded, stored    lane j has part j: one request for all a, one for all b, one for the
 *                       results: 2, 1
 *     once, lanes       other lanes' maps come by shuffles: 1. Each lane has a part: 32
 *
 * busiest: no lane walks over the parts: each has one map. There is one warp only.
 * Next: `propagate_warp` in pscheme_g/pscheme_g.cu: more than 32 parts, 32 at a time. */
#include "given.cuh"

static __global__ void propagate(float w0, const float *a, const float *b, float *last)
{
    int lane = (int)threadIdx.x;
    float my_a = a[lane], my_b = b[lane];
    for (int h = 1; h < PARTS; h *= 2) {
        float first_a = __shfl_up_sync(ALL_LANES, my_a, h);
        float first_b = __shfl_up_sync(ALL_LANES, my_b, h);
        if (lane >= h) {
            my_b = my_a * first_b + my_b;
            my_a = my_a * first_a;
        }
    }
    last[lane] = my_a * w0 + my_b;
}
