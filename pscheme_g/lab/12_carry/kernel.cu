/* Lab 12, a carry between blocks: two races to find and to mend. README.md explains the task.
 *
 * One kernel solves w_i = s_i w_{i-1} + t_i, 1 <= i <= n, in one pass over memory. A tile is TILE
 * rows, one for each thread of a block. Index i - 1 of s, t and w is row i. */
#include "given.cuh" /* TILE = 128, WARP = 32, maps, scan_tile and the launcher */

/* Called by one thread of a block, whose tile has the map `all`. Returns the carry into this tile,
 * which is w0 or the carry out of the tile before it, and hands on the carry out of this tile.
 * Tile k hands on carries[k]; flags[k] is 0 until it is there. */
static __device__ float hand_on(int tile, map all, float w0, int *flags, float *carries)
{
    float carry = w0;
    if (tile > 0) {
        carry = carries[tile - 1];
        while (load_acquire(&flags[tile - 1]) == 0)
            device_pause();
    }
    store_release(&flags[tile], 1);
    carries[tile] = apply(all, carry);
    return carry;
}

/* A block takes the next tile that no block has taken. So a block that waits for the tile before
 * its own knows that a running block has it, in whatever order the GPU starts blocks. */
static __global__ void one_pass(int64_t n, float w0, const float *s, const float *t, float *w,
                                int *next, int *flags, float *carries)
{
    __shared__ int tile;
    __shared__ float carry;
    if (threadIdx.x == 0)
        tile = atomicAdd(next, 1);
    __syncthreads();
    int64_t i = (int64_t)tile * TILE + threadIdx.x;
    map mine = {1, 0};
    if (i < n)
        mine = {s[i], t[i]};
    mine = scan_tile(mine);
    if (threadIdx.x == TILE - 1)
        carry = hand_on(tile, mine, w0, flags, carries);
    __syncthreads();
    if (i < n)
        w[i] = apply(mine, carry);
}
