/* Lab 6: what is given. README.md explains the task. */
#include "device.h"

enum { MOST = 1024 }; /* the most rows of a recurrence, and the most threads of a block */

static __global__ void pcr(int n, const float *s, const float *t, float *w);

cudaError_t run_pcr(int blocks, int threads, int n, const float *s, const float *t, float *w)
{
    return LAUNCH(pcr, blocks, threads, 0, 0, n, s, t, w);
}
