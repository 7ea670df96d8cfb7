// fails: result: a race in shared memory
/* Lab 6, parallel cyclic reduction with two buffers. README.md explains the task. */
#include "device.h"

enum { MOST = 1024 }; /* the most rows of a recurrence, and the most threads of a block */

/* w_i = s_i w_{i-1} + t_i with w_{-1} = 0, one recurrence for each block. Row i of block b's
 * recurrence is element b n + i of s, t and w. A block has at least n threads. */
static __global__ void pcr(int n, const float *s, const float *t, float *w)
{
    __shared__ float s_of[MOST], t_of[MOST];
    int i = (int)threadIdx.x;
    int64_t at = (int64_t)blockIdx.x * n + i;
    s_of[i] = i < n ? s[at] : 0;
    t_of[i] = i < n ? t[at] : 0;
    __syncthreads();
    for (int h = 1; h < n; h *= 2) {
        if (i >= h) {
            t_of[i] = s_of[i] * t_of[i - h] + t_of[i];
            s_of[i] = s_of[i] * s_of[i - h];
        }
        __syncthreads();
    }
    if (i < n)
        w[at] = t_of[i];
}

/* The launcher: given, need not be changed. */
cudaError_t run_pcr(int blocks, int threads, int n, const float *s, const float *t, float *w)
{
    return LAUNCH(pcr, blocks, threads, 0, 0, n, s, t, w);
}
