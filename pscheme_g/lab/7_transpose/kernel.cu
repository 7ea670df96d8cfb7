/* Lab 7, transposition through shared memory. README.md explains the task.
 *
 * Both kernels transpose w, a matrix of `parts` rows (the parts) and m columns: element i of part j
 * is w[j m + i] and moved[i parts + j]. A block of 32 x 32 threads moves a tile of 32 parts and 32
 * elements of each. blockIdx.y is the number of the tile along the parts, blockIdx.x along m. */
#include "device.h"

enum { TILE = 32 };

/* Given: each thread moves one element directly. */
static __global__ void transpose_direct(int64_t parts, int64_t m, const float *w, float *moved)
{
    int64_t j = (int64_t)TILE * blockIdx.y + threadIdx.y;
    int64_t i = (int64_t)TILE * blockIdx.x + threadIdx.x;
    if (j < parts && i < m)
        moved[i * parts + j] = w[j * m + i];
}

/* The same through a tile in shared memory. */
static __global__ void transpose_tile(int64_t parts, int64_t m, const float *w, float *moved)
{
    (void)parts, (void)m, (void)w, (void)moved; /* your code, in place of this line */
}

/* The launchers: given, need not be changed. */
static dim3 tiles(int64_t parts, int64_t m)
{
    return dim3((unsigned)((m + TILE - 1) / TILE), (unsigned)((parts + TILE - 1) / TILE));
}
cudaError_t run_direct(int64_t parts, int64_t m, const float *w, float *moved)
{
    return LAUNCH(transpose_direct, tiles(parts, m), dim3(TILE, TILE), 0, 0, parts, m, w, moved);
}
cudaError_t run_tile(int64_t parts, int64_t m, const float *w, float *moved)
{
    return LAUNCH(transpose_tile, tiles(parts, m), dim3(TILE, TILE), 0, 0, parts, m, w, moved);
}
