/* Lab 8, the solution; kernel.cu says what the kernel must do. Why it passes the gates:
 *
 *     conflicts        a row of the tile has 33 words, so words 33 x + y of a column are in 32
 *                      banks, as neighbours in a row are: 0
 *     given            with 32 words a row, words 32 x + y are in one bank: 31
 *     tile, stored     16 tiles have 32 columns, as in lab 7: 512, 512
 *     sectors, once    only places within the tile have changed since lab 7: 4, 1
 *     lanes, barriers  all lanes take part at once: 32. The tile is filled once: 1
 *
 * busiest: no warp does more than the others: each fills a row of the tile and empties a column.
 * Next: `precompute_fused` in pscheme_g/pscheme_g.cu computes in such a tile and so saves the
 * transposition as a kernel of its own. Lab 9 does the same for tridiagonal systems. */
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
