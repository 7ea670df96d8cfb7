/* The reduction over the grid. Its input is the partition of each thread, its results are the
 * boundary values of this partition.
 *
 * Partitions are merged within a warp, within a block, within bundles of 32 blocks, and over all
 * bundles. Each block sends one message, its partition. Then every block computes the last merges
 * itself, so that no second exchange is needed, and substitutes back along the path to its own
 * threads. */
#ifndef TRIDIAGONAL_GRID_CUH
#define TRIDIAGONAL_GRID_CUH

#include "tridiagonal_status.cuh"

enum { MOST_BLOCKS = 256 };

/* Shared memory of solve_warps() for blocks of at most `most` threads. */
template <class P, int most> struct grid_storage {
    typename P::partition warps[most / WARP], bundles[MOST_BLOCKS / WARP];
    boundary<typename P::number> around[most / WARP];
    bool certified; /* whether the first attempt has solved the system */
};

/* Returns the number of this call, which messages carry. A kernel reads it at its begin and passes
 * it to solve_grid() or solve_warps(). The first attempt counts as two calls: the second attempt
 * takes the number after that of the first one. */
template <class P> static __device__ inline unsigned this_call(const problem<P> &p)
{
    return *(volatile unsigned *)&p.head->calls + (P::ATTEMPT == 2 ? 0 : 1);
}
/* In lane 0, s is the partition of the whole system. The function computes its boundary values and
 * gives them to all lanes in *around. In lane 0 it returns true if the last two equations have a
 * finite solution; the result of other lanes has no meaning. */
template <class P>
static __device__ inline bool solve_last_equations(const typename P::partition &s,
                                                   boundary<typename P::number> *around)
{
    bool solved = P::solve(s, &around->first, &around->last);
    around->left = around->last;
    around->right = around->first;
    *around = struct_from_lane<typename P::number>(*around, 0);
    return solved;
}
/* The same for the rows of a part, whose boundary values are given. */
template <class P>
static __device__ inline bool end_values(const problem<P> &p, const typename P::partition &s,
                                         boundary<typename P::number> *around)
{
    if (p.steps == WHOLE)
        return solve_last_equations<P>(s, around);
    *around = p.around;
    return true;
}
/* Called by all threads of a block before the second attempt uses the shared memory of the first
 * one. */
static __device__ inline void begin_second_attempt(void)
{
    bulk_fence();
    __syncthreads();
}
/* Takes the partition of each warp from its lane 0, and returns its boundary values in all lanes
 * (nothing with REDUCE). Only the first `warps` warps of this block have partitions. A block has
 * `rows` rows of the system. All blocks must run at the same time. In all threads of the grid
 * *failed becomes true if this is a first attempt that fails, and false otherwise.
 *
 * Warp w waits for the messages of bundle w, blocks 32 w to 32 w + 31. The leader is the warp whose
 * bundle contains its own block. It merges the partitions of the block's warps and publishes the
 * result. After the warps have merged the bundles, the leader merges the results, solves the last
 * two equations, and substitutes back to its bundle, its block and the warps of the block. */
template <class P, int most>
static __device__ inline boundary<typename P::number>
solve_warps(const problem<P> &p, grid_storage<P, most> *shared, typename P::partition s, int warps,
            int64_t rows, unsigned call, bool *failed)
{
    typedef typename P::number T;
    int rank = (int)threadIdx.x, warp = rank / WARP, lane = rank % WARP, blocks = (int)gridDim.x,
        block = (int)blockIdx.x, leader = block / WARP, warp_places = round_up_power_of_two(warps),
        bundles = (blocks + WARP - 1) / WARP, bundle_places = round_up_power_of_two(bundles),
        blocks_left = blocks - warp * WARP;
    typename P::interface in_block, in_bundle, in_grid;
    if (lane == 0)
        shared->warps[warp] = s;
    __syncthreads();
    /* After this barrier all threads of the block have read `calls`. The last block that gets here
     * increments it. The first attempt does so also for the second one, whose kernel may have more
     * blocks. */
    if (P::ATTEMPT != 2 && (blocks > 1 || P::ATTEMPT == 1) && rank == (int)blockDim.x - 1 &&
        atomicAdd(&p.head->blocks_begun, 1u) == (unsigned)blocks - 1) {
        p.head->blocks_begun = 0;
        p.head->calls = P::ATTEMPT == 1 ? call + 1 : call;
    }
    if (warp == leader) {
        int place = lane & (warp_places - 1);
        s = reduce<P>(shared->warps[place < warps ? place : 0], warp_places, warps, lane,
                      &in_block);
        if (lane == 0) {
            record_breakdown<P>(s, &p.head->broken_block, block * rows);
            if (blocks > 1)
                publish(p.messages, blocks, block, block_message<P>{s}, call);
        }
    }
    if (blocks > 1) {
        if (warp < bundles) {
            int other = warp * WARP + lane;
            if (other < blocks)
                s = wait_message<block_message<P>>(p.messages, blocks, other, call).partition;
            __syncwarp();
            s = reduce<P>(s, WARP, blocks_left, lane, &in_bundle);
            if (lane == 0)
                shared->bundles[warp] = s;
        }
        __syncthreads();
    }
    boundary<T> around;
    *failed = false;
    if (warp == leader) {
        int place = lane & (bundle_places - 1);
        if (blocks > 1)
            s = reduce<P>(shared->bundles[place < bundles ? place : 0], bundle_places, bundles,
                          lane, &in_grid);
        if (p.steps == REDUCE) {
            if (block == 0 && lane == 0)
                *p.equations = s;
            return {};
        }
        bool solved = end_values<P>(p, s, &around);
        if (blocks > 1) {
            back_substitute<P>(in_grid, bundle_places, bundles, lane, &around);
            around = struct_from_lane<T>(around, leader);
            back_substitute<P>(in_bundle, WARP, blocks_left, lane, &around);
            around = struct_from_lane<T>(around, block % WARP);
        }
        back_substitute<P>(in_block, warp_places, warps, lane, &around);
        if (lane < warps)
            shared->around[lane] = around;
        if (P::ATTEMPT == 1 && lane == 0)
            shared->certified = solved;
        if (block == 0 && lane == 0)
            write_status(p, solved, blocks, rows, call, shared->bundles);
    }
    if (p.steps == REDUCE)
        return {};
    __syncthreads();
    if (P::ATTEMPT == 1)
        *failed = !shared->certified;
    return shared->around[warp < warps ? warp : 0];
}
/* The same for the partition of each thread. Only the first `threads` threads of this warp have a
 * partition; `threads` may be larger than a warp, and then all of them have one. */
template <class P, int most>
static __device__ inline boundary<typename P::number>
solve_grid(const problem<P> &p, grid_storage<P, most> *shared, typename P::partition s, int threads,
           int warps, int64_t rows, unsigned call, bool *failed)
{
    int lane = (int)threadIdx.x % WARP, lanes = round_up_power_of_two(threads);
    typename P::interface in_warp;
    s = reduce<P>(s, lanes, threads, lane, &in_warp);
    boundary<typename P::number> around = solve_warps(p, shared, s, warps, rows, call, failed);
    back_substitute<P>(in_warp, lanes, threads, lane, &around);
    return around;
}

#endif
