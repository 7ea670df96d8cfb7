/* Lab 8, padding away bank conflicts. README.md explains the task.
 *
 * Both kernels transpose w, a matrix of `parts` rows (the parts) and m columns: element i of part j
 * is w[j m + i] and moved[i parts + j]. A block of 32 x 32 threads moves a tile of 32 parts and 32
 * elements of each, as in lab 7. */
#include "device.h"

enum { TILE = 32 };

/* Given: lab 7's kernel. */
static __global__ void transpose_tile(int64_t parts, int64_t m, const float *w, float *moved)
{
    __shared__ float tile[TILE][TILE];
    int x = (int)threadIdx.x, y = (int)threadIdx.y;
    int64_t first_part = (int64_t)TILE * blockIdx.y, first = (int64_t)TILE * blockIdx.x;
    if (first_part + y < parts && first + x < m)
        tile[y][x] = w[(first_part + y) * m + first + x];
    __syncthreads();
    if (first_part + x < parts && first + y < m)
        moved[(first + y) * parts + first_part + x] = tile[x][y];
}

/* The same without bank conflicts: a row of the tile has one more element, which is never used. */
static __global__ void transpose_padded(int64_t parts, int64_t m, const float *w, float *moved)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = (int)threadIdx.x, y = (int)threadIdx.y;
    int64_t first_part = (int64_t)TILE * blockIdx.y, first = (int64_t)TILE * blockIdx.x;
    if (first_part + y < parts && first + x < m)
        tile[y][x] = w[(first_part + y) * m + first + x];
    __syncthreads();
    if (first_part + x < parts && first + y < m)
        moved[(first + y) * parts + first_part + x] = tile[x][y];
}

/* The launchers: given, need not be changed. */
static dim3 tiles(int64_t parts, int64_t m)
{
    return dim3((unsigned)((m + TILE - 1) / TILE), (unsigned)((parts + TILE - 1) / TILE));
}
cudaError_t run_tile(int64_t parts, int64_t m, const float *w, float *moved)
{
    return LAUNCH(transpose_tile, tiles(parts, m), dim3(TILE, TILE), 0, 0, parts, m, w, moved);
}
cudaError_t run_padded(int64_t parts, int64_t m, const float *w, float *moved)
{
    return LAUNCH(transpose_padded, tiles(parts, m), dim3(TILE, TILE), 0, 0, parts, m, w, moved);
}
