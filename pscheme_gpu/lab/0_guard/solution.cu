/* Lab 0, the solution; kernel.cu says what the kernels must do.
 *
 * lanes, sectors: thread i takes element i, so the lanes of a warp touch 32 neighbours. steps:
 * every warp of the grid has a share, n over the threads, and none has more. once: an element has
 * one thread, which loads x[i] and stores y[i] once. stored: 32 warps have elements. alone, apart:
 * no element needs another one. The same reasons make rounds, stride, share, again and tail hold
 * in each round of `strided`. `i < n` lets the tail of threads or elements be shorter. Next: lab
 * 1, a map that solves something; pscheme_gpu_layout.cuh numbers its threads as here,
 * solvers/bench/memory_floor.cu strides. */
#include "given.cuh"

static __global__ void guarded(int n, float scale, float offset, const float *x, float *y)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        y[i] = scale * x[i] + offset;
}

static __global__ void strided(int n, float scale, float offset, const float *x, float *y)
{
    int threads = (int)(gridDim.x * blockDim.x);
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += threads)
        y[i] = scale * x[i] + offset;
}
