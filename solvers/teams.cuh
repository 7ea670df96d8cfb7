/* How filter.cu and recurrence2.cu cut sequences into tiles.
 *
 * A team of threads, a power of two up to a whole group, has consecutive elements of one sequence,
 * `each` a thread. A group's tile holds as many teams as it has threads for, and a sequence that is
 * longer than a tile has several. So the bits of a sequence do not depend on the others. Tiles are
 * numbered so that all tiles k of all sequences come before the tiles k + 1. */
#pragma once

#include "recurrence_tile.cuh"

/* The warps of a group. A tile is about as large as in recurrence_tile.cuh, but half as many
 * threads do half as many scans, and have twice as many registers. */
enum { TEAM_WARPS = 4, TEAM_THREADS_MOST = GROUPS_MOST * TEAM_WARPS * WARP + WARP };

struct team_layout {
    int64_t length, batch;
    int warps, team_bits;   /* warps of a group; a team has 2^team_bits threads */
    unsigned along, beside; /* tiles of a sequence; tiles beside each other */
};
/* How many lanes of a warp lie along a sequence */
static __device__ inline int lanes_along(const team_layout &p)
{
    return p.team_bits < WARP_LOG ? 1 << p.team_bits : WARP;
}

/* A tile: the first of its sequences, and its number in each of them */
struct team_tile {
    int64_t sequence, along;
};
static __device__ inline team_tile tile_of_number(const team_layout &p, unsigned number)
{
    const unsigned along = number / p.beside, beside = number % p.beside;
    return {(int64_t)beside * (p.warps * WARP >> p.team_bits), along};
}
/* The elements in a tile of some threads of one team, from thread number `thread` on */
struct team_place {
    int64_t sequence, from; /* from: the first element */
    int count;              /* the elements that exist */
};
template <int each>
static __device__ inline team_place place_of(const team_layout &p, team_tile tile, int thread,
                                             int threads)
{
    const int64_t rank = (tile.along << p.team_bits) + (thread & ((1 << p.team_bits) - 1)),
                  sequence = tile.sequence + (thread >> p.team_bits), from = rank * each,
                  left = sequence < p.batch ? p.length - from : 0;
    const int elements = threads * each;
    return {sequence, from, (int)(left < 0 ? 0 : left < elements ? left : elements)};
}

/* Calls f(piece) for the parts of a warp's piece of a tile: one of each sequence. */
template <class T, int each, class F>
static __device__ inline void for_parts(const team_layout &p, team_tile tile, int warp, F f)
{
    const int threads = lanes_along(p);
    UNROLL(1)
    for (int thread = warp * WARP; thread < (warp + 1) * WARP; thread += threads) {
        const team_place at = place_of<each>(p, tile, thread, threads);
        f(piece<T>{at.sequence * p.length + at.from, 0, at.count, thread * each});
    }
}

/* As in struct shared_storage of recurrence_tile.cuh */
struct team_shared {
    uint64_t full[GROUPS_MOST][TEAM_WARPS], empty[GROUPS_MOST], ticket[GROUPS_MOST], first_ticket;
};
/* Takes the block's first ticket. All threads call it. */
static __device__ inline void begin_block(const team_layout &p, struct workspace_head *head,
                                          team_shared *shared, int groups)
{
    if (threadIdx.x == 0) {
        shared->first_ticket = atomicAdd(&head->next, 1ull);
        for (int g = 0; g < groups; g++) {
            for (int warp = 0; warp < p.warps; warp++)
                mbarrier_init(&shared->full[g][warp], 1);
            mbarrier_init(&shared->empty[g], p.warps);
        }
    }
    __syncthreads();
}

/* A warp of a group calls f(tile, call) for the tiles that arrive in its buffer, then waits for its
 * bulk stores and gives the buffer back. */
template <class F>
static __device__ inline void for_tiles(const team_layout &p, team_shared *shared, int group,
                                        int warp, int lane, F f)
{
    for (int round = 0;; round++) {
        mbarrier_wait(&shared->full[group][warp], round & 1);
        const uint64_t ticket = shared->ticket[group];
        if ((unsigned)ticket >= p.along * p.beside)
            return;
        f(tile_of_number(p, (unsigned)ticket), (unsigned)(ticket >> 32) + 1);
        if (lane == 0)
            bulk_store_wait();
        __syncwarp();
        if (lane == 0)
            mbarrier_arrive(&shared->empty[group]);
    }
}

/* ---- on the host ---- */

/* Tiles of a sequence if groups have this number of warps */
static int64_t tiles_along(int64_t length, int each, int warps)
{
    return ceil_div(length, (int64_t)warps * WARP * each);
}
struct team_launch {
    unsigned blocks, threads;
    size_t shared_bytes;
};
/* Cuts the sequences of *p, whose length and batch are given, into tiles. A thread has `bytes`
 * bytes of the staging buffers, a block `own` bytes of shared memory besides. */
static cudaError_t cut_into_tiles(team_layout *p, int each, size_t bytes, size_t own,
                                  team_launch *launch)
{
    struct device_properties device;
    TRY(query_device(&device));
    p->warps =
        2 * TEAM_WARPS * WARP * bytes + own <= device.shared_bytes ? TEAM_WARPS : TEAM_WARPS / 2;
    const int threads = p->warps * WARP;
    p->team_bits = 0;
    while (1 << p->team_bits < threads && (int64_t)each << p->team_bits < p->length)
        p->team_bits++;
    const int64_t along = tiles_along(p->length, each, p->warps),
                  beside = ceil_div(p->batch, threads >> p->team_bits);
    if (along > UINT32_MAX / 2 / beside)
        return cudaErrorInvalidValue;
    p->along = (unsigned)along, p->beside = (unsigned)beside;
    int groups = GROUPS_MOST;
    while (groups > 1 && groups * threads * bytes + own > device.shared_bytes)
        groups--;
    const int64_t blocks = device.multiprocessors;
    launch->blocks = (unsigned)(blocks < along * beside ? blocks : along * beside);
    launch->threads = (unsigned)(groups * threads + WARP);
    launch->shared_bytes = groups * threads * bytes + own;
    return cudaSuccess;
}
