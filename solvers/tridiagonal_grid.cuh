/* The reduction over the grid, from the partition of each thread to its boundary values.
 *
 * Partitions are merged within a warp, within a block, within bundles of 32 blocks, and over all
 * bundles. Each block sends one message, its partition. Then every block computes the last merges
 * itself, so that no second exchange is needed, and substitutes back to its own threads. */
#pragma once

#include "tridiagonal_status.cuh"

enum { MOST_BLOCKS = 256 };

/* Shared memory of solve_warps() for blocks of at most `most` threads. */
template <class P, int most> struct grid_storage {
    typename P::partition warps[most / WARP], bundles[MOST_BLOCKS / WARP];
    boundary<typename P::number> around[most / WARP];
    bool solved;
};

/* The boundary values of a warp or of a thread, and the verdict: whether the last two equations
 * have a finite solution. */
template <class T> struct grid_result {
    boundary<T> around;
    bool solved;
};

/* The number of this call. Messages carry it, so that no block takes one of an earlier call. A
 * kernel reads it when it starts. An attempt uses two numbers: its own, and the next one for its
 * retry. */
template <class P> static __device__ inline unsigned this_call(const problem<P> &p)
{
    return *(volatile unsigned *)&p.head->calls + (p.retry ? 0 : 1);
}
/* Called after a barrier at which all threads of the block have read `calls`. The last block
 * increments `calls`; an attempt does so also for the retry, whose kernel may have more blocks. */
template <class P> static __device__ inline void count_call(const problem<P> &p, unsigned call)
{
    if ((gridDim.x > 1 || P::IS_ATTEMPT) && !p.retry && threadIdx.x == blockDim.x - 1 &&
        atomicAdd(&p.head->blocks_begun, 1u) == gridDim.x - 1) {
        p.head->blocks_begun = 0;
        p.head->calls = P::IS_ATTEMPT ? call + 1 : call;
    }
}
/* s of lane 0 is the partition of all n rows. All lanes get its boundary values, with the step
 * FINISH those that the caller gave. `solved` is valid in lane 0 only. */
template <class P>
static __device__ inline grid_result<typename P::number> end_values(const problem<P> &p,
                                                                    const typename P::partition &s)
{
    typedef typename P::number T;
    boundary<T> around = p.around;
    if (p.steps == FINISH)
        return {around, all_finite(around.left) && all_finite(around.last)};
    bool solved = P::solve(s, &around.first, &around.last);
    around.left = around.last;
    around.right = around.first;
    return {struct_from_lane<T>(around, 0), solved};
}
/* Called by all threads before a retry uses the shared memory of the attempt. */
static __device__ inline void begin_retry(void)
{
    bulk_fence();
    __syncthreads();
}
/* Merges the partitions of all blocks. Warp w waits for the messages of bundle w, which is
 * blocks 32 w to 32 w + 31, and merges them. Then the leader, the warp whose bundle contains
 * this block, merges the bundles. Its lane 0 returns the partition of the grid; what other warps
 * return has no meaning. */
template <class P, int most>
static __device__ inline typename P::partition
merge_blocks(const problem<P> &p, grid_storage<P, most> *shared, typename P::partition s,
             bool leads, int bundles, unsigned call, typename P::interface *in_bundle,
             typename P::interface *in_grid)
{
    int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, blocks = (int)gridDim.x,
        other = warp * WARP + lane, lanes = round_up_power_of_two(bundles),
        bundle = lane & (lanes - 1);
    if (warp < bundles) {
        if (other < blocks)
            s = wait_message<block_message<P>>(p.messages, blocks, other, call).partition;
        __syncwarp();
        s = reduce<P>(s, WARP, blocks - warp * WARP, lane, in_bundle);
        if (lane == 0)
            shared->bundles[warp] = s;
    }
    __syncthreads();
    if (leads)
        s = reduce<P>(shared->bundles[bundle < bundles ? bundle : 0], lanes, bundles, lane,
                      in_grid);
    return s;
}
/* Takes the partition of each warp from its lane 0, and returns its boundary values in all lanes
 * (nothing with REDUCE). Only the first `warps` warps of this block have partitions. A block has
 * `rows` rows of the system. All blocks must run at the same time. All threads of the grid get the
 * same verdict.
 *
 * The leader merges the partitions of the block's warps and publishes the result. After the blocks
 * are merged, it solves the last two equations, and substitutes back to its bundle, its block and
 * the block's warps. */
template <class P, int most>
static __device__ inline grid_result<typename P::number>
solve_warps(const problem<P> &p, grid_storage<P, most> *shared, typename P::partition s, int warps,
            int64_t rows, unsigned call)
{
    typedef typename P::number T;
    int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, blocks = (int)gridDim.x,
        block = (int)blockIdx.x, leader = block / WARP, lanes = round_up_power_of_two(warps),
        other = lane & (lanes - 1), bundles = (blocks + WARP - 1) / WARP;
    typename P::interface in_block, in_bundle, in_grid;
    if (lane == 0)
        shared->warps[warp] = s;
    __syncthreads();
    count_call(p, call);
    if (warp == leader) {
        s = reduce<P>(shared->warps[other < warps ? other : 0], lanes, warps, lane, &in_block);
        if (lane == 0) {
            record_breakdown<P>(s, &p.head->broken_block, block * rows);
            if (blocks > 1)
                publish(p.messages, blocks, block, block_message<P>{s}, call);
        }
    }
    if (blocks > 1)
        s = merge_blocks(p, shared, s, warp == leader, bundles, call, &in_bundle, &in_grid);
    if (p.steps == REDUCE) {
        if (warp == leader && block == 0 && lane == 0)
            *p.equations = s;
        return {};
    }
    if (warp == leader) {
        grid_result<T> end = end_values<P>(p, s);
        if (blocks > 1) {
            back_substitute<P>(in_grid, round_up_power_of_two(bundles), bundles, lane, &end.around);
            end.around = struct_from_lane<T>(end.around, leader);
            back_substitute<P>(in_bundle, WARP, blocks - warp * WARP, lane, &end.around);
            end.around = struct_from_lane<T>(end.around, block % WARP);
        }
        back_substitute<P>(in_block, lanes, warps, lane, &end.around);
        if (lane < warps)
            shared->around[lane] = end.around;
        if (lane == 0) {
            shared->solved = end.solved;
            if (block == 0)
                write_verdict(p, end.solved, blocks, rows, call, shared->bundles);
        }
    }
    __syncthreads();
    return {shared->around[warp < warps ? warp : 0], shared->solved};
}
/* The same for the partition of each thread. Only the first `threads` threads of this warp have a
 * partition; `threads` may be larger than a warp. */
template <class P, int most>
static __device__ inline grid_result<typename P::number>
solve_grid(const problem<P> &p, grid_storage<P, most> *shared, typename P::partition s, int threads,
           int warps, int64_t rows, unsigned call)
{
    int lane = (int)threadIdx.x % WARP, lanes = round_up_power_of_two(threads);
    typename P::interface in_warp;
    s = reduce<P>(s, lanes, threads, lane, &in_warp);
    grid_result<typename P::number> r = solve_warps(p, shared, s, warps, rows, call);
    back_substitute<P>(in_warp, lanes, threads, lane, &r.around);
    return r;
}
