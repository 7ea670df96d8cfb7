/* Lab 13: what is given. README.md explains the task. */
#include "device.h"

enum { SYSTEMS = 32 }; /* of a block, which is one warp */

static __global__ void thomas_on_chip(int n, int pitch, int batch, const float *a, const float *b,
                                      const float *c, const float *k, float *x);

cudaError_t run_thomas(int n, int batch, const float *a, const float *b, const float *c,
                       const float *k, float *x)
{
    int blocks = (batch + SYSTEMS - 1) / SYSTEMS, pitch = n | 1;
    size_t shared_bytes = 4 * SYSTEMS * (size_t)pitch * sizeof(float);
    return LAUNCH(thomas_on_chip, blocks, SYSTEMS, shared_bytes, 0, n, pitch, batch, a, b, c, k, x);
}
