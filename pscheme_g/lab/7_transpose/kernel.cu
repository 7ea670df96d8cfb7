/* Lab 7, transposition through shared memory. README.md explains the task.
 *
 * Both kernels transpose w, a matrix of `parts` rows (the parts) and m columns: element i of part j
 * is w[j m + i] and moved[i parts + j]. A block of 32 x 32 threads moves a tile of 32 parts and 32
 * elements of each. blockIdx.y is the number of the tile along the parts, blockIdx.x along m. */
#include "given.cuh" /* TILE = 32, transpose_direct and the launchers */

/* The same through a tile in shared memory. */
static __global__ void transpose_tile(int64_t parts, int64_t m, const float *w, float *moved)
{
    (void)parts, (void)m, (void)w, (void)moved; /* your code, in place of this line */
}
