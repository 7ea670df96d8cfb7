/* Lab 2a, the solution; kernel.cu says what the kernel must do.
 *
 * once, loads, share: a thread loads its own element, once. walk, warps: step h is one addition
 * for each of the first h threads, so log2 T steps, and whole warps are idle, not lanes.
 * conflicts: neighbouring threads touch neighbouring elements. barriers: one a step; a step writes
 * below h and reads the rest above h. atomics, global: none. Next: lab 2b keeps all partial sums;
 * lab 10 has steps without barriers, by shuffles, as in scan_warp of solvers/recurrence_map.cuh. */
#include "given.cuh"

static __global__ void block_sum(int64_t n, const float *x, float *sums)
{
    __shared__ float s[MOST];
    int thread = (int)threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + thread;
    float sum = i < n ? x[i] : 0; /* what s[thread] is, too */
    s[thread] = sum;
    for (int h = (int)blockDim.x / 2; h > 0; h /= 2) {
        __syncthreads();
        if (thread < h) {
            sum += s[thread + h];
            s[thread] = sum;
        }
    }
    if (thread == 0)
        sums[blockIdx.x] = sum;
}
