/* Lab 1, map: one thread an element. README.md explains the task. Why it passes the gates:
 *
 *     sectors, bytes  neighbouring lanes take neighbouring elements, 128 bytes: 4. These sectors
 *                     hold no other elements, so they are used in full: 1
 *     once            an element belongs to one thread, which loads or stores it once: 1
 *     lanes           a warp has 32 elements; a lane rests only behind the end of the arrays: 32
 *     stored          a request stores 32 elements: 16384 / 32 = 512
 *
 * busiest: no warp does more than the others: there is no loop, only two loads and one store.
 * alone, apart: an element needs no other one.
 * Next: lab 2, where a thread has many rows, but neighbouring lanes still take neighbours. */
#include "device.h"

/* w[i] = hat[i] + a[i] * carry for 0 <= i < n. */
static __global__ void map(int64_t n, float carry, const float *hat, const float *a, float *w)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] = hat[i] + a[i] * carry;
}

/* The launcher: given, need not be changed. */
cudaError_t run_map(int64_t n, float carry, const float *hat, const float *a, float *w)
{
    int threads = 256;
    int64_t blocks = (n + threads - 1) / threads;
    return LAUNCH(map, (unsigned)blocks, threads, 0, 0, n, carry, hat, a, w);
}
