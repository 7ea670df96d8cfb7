/* Lab 8, the solution; kernel.cu says what the kernel must do. */
#include "given.cuh"

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
