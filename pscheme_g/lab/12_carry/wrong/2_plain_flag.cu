// fails: result: wrong/2_plain_flag.cu:55 writes, wrong/2_plain_flag.cu:50 reads
/* Lab 12, a carry between blocks: two races to find and to mend. README.md explains the task.
 *
 * One kernel solves w_i = s_i w_{i-1} + t_i, 1 <= i <= n, in one pass over memory. A tile is TILE
 * rows, one for each thread of a block. Index i - 1 of s, t and w is row i. */
#include "device_async.h"

enum { TILE = 128, WARP = 32 };

/* The value x before some rows becomes a x + b behind them. */
struct map {
    float a, b;
};
static __device__ map compose(map first, map second)
{
    return {second.a * first.a, second.a * first.b + second.b};
}
static __device__ float apply(map m, float x)
{
    return m.a * x + m.b;
}

/* Given: returns the map of the tile's rows up to that of this thread. */
static __device__ map scan_tile(map mine)
{
    __shared__ float total_a[TILE / WARP], total_b[TILE / WARP];
    int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    for (int h = 1; h < WARP; h *= 2) {
        float a = __shfl_up_sync(0xffffffff, mine.a, h), b = __shfl_up_sync(0xffffffff, mine.b, h);
        if (lane >= h)
            mine = compose({a, b}, mine);
    }
    if (lane == WARP - 1) {
        total_a[warp] = mine.a;
        total_b[warp] = mine.b;
    }
    __syncthreads();
    while (--warp >= 0)
        mine = compose({total_a[warp], total_b[warp]}, mine);
    return mine;
}

/* Called by one thread of a block, whose tile has the map `all`. Returns the carry into this tile,
 * which is w0 or the carry out of the tile before it, and hands on the carry out of this tile.
 * Tile k hands on carries[k]; flags[k] is 0 until it is there. */
static __device__ float hand_on(int tile, map all, float w0, int *flags, float *carries)
{
    float carry = w0;
    if (tile > 0) {
        while (flags[tile - 1] == 0)
            device_pause();
        carry = carries[tile - 1];
    }
    carries[tile] = apply(all, carry);
    store_release(&flags[tile], 1);
    return carry;
}

/* A block takes the next tile that no block has taken. So a block that waits for the tile before its
 * own knows that a running block has it, in whatever order the GPU starts blocks. */
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

/* The launcher: given, need not be changed. *next and the flags are 0. */
cudaError_t run_one_pass(int64_t n, float w0, const float *s, const float *t, float *w, int *next,
                         int *flags, float *carries)
{
    int64_t tiles = (n + TILE - 1) / TILE;
    return LAUNCH(one_pass, (unsigned)tiles, TILE, 0, 0, n, w0, s, t, w, next, flags, carries);
}
