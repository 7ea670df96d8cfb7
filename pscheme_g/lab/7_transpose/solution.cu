/* Lab 7, the solution; kernel.cu says what the kernel must do. Why it passes the gates:
 *
 *     load, store    x runs along w where the tile is filled, and along `moved` where it is
 *                    emptied: 4, 4
 *     given          without a tile x can run along one of the two only: 32
 *     barriers       a thread takes out what another warp has put in, so it waits until the tile is
 *                    full; as the tile is filled only once, this is enough: 1
 *     once           each element is loaded by one thread, and stored by one: 1
 *     lanes, stored  a warp has 32 elements of a row, then of a column: 32. 16 tiles have 32
 *                    columns: 512
 *
 * busiest: no warp does more than the others: each makes one load and one store (beyond the edges
 * none).
 * Next: lab 8, because the 32 elements of a column are in one bank. */
#include "given.cuh"

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
