/* Tiles of filter.cu: which elements of which sequences they have, and how the producer loads them.
 *
 * A team of threads, a power of two up to a whole group, has consecutive elements of one sequence,
 * thread_elements() each. A group's tile holds as many teams as it has threads for, and a sequence
 * that is longer than a tile has several. Tiles are numbered so that all tiles k of all sequences
 * come before the tiles k + 1. */
#pragma once

#include "filter_state.cuh"
#include "message.cuh"

/* The arguments of the kernel */
template <class T, class C, int N, int K> struct filter_pass {
    filter_tables<T, C, N, K> tables;
    int64_t length, batch;
    int sections, order;    /* of the filter: at most N and K */
    int warps, team_bits;   /* warps of a group; a team has 2^team_bits threads */
    unsigned along, beside; /* tiles of a sequence; tiles beside each other */
    const T *x, *zi;
    T *y, *zf;
    struct workspace_head *head;
    /* tables of messages (message.cuh): of each tile, of each span of tiles (filter.cu) */
    uint64_t *tile_states, *span_states;
};
/* How many lanes of a warp lie along a sequence */
template <class T, class C, int N, int K>
static __device__ inline int lanes_along(const filter_pass<T, C, N, K> &p)
{
    return p.team_bits < LANE_POWERS ? 1 << p.team_bits : WARP;
}
template <class C, int N, int K> struct filter_shared {
    /* As in struct shared_storage of recurrence_tile.cuh */
    uint64_t full[GROUPS_MOST][WARPS], empty[GROUPS_MOST], ticket[GROUPS_MOST], first_ticket;
    /* the states after each warp's elements if that before its team is 0, and before the tile */
    state<C, N, K> total[GROUPS_MOST][WARPS], carry[GROUPS_MOST];
};

/* A tile: the first of its sequences, and its number in each of them */
struct filter_tile {
    int64_t sequence, along;
};
template <class T, class C, int N, int K>
static __device__ inline filter_tile tile_of_number(const filter_pass<T, C, N, K> &p,
                                                    unsigned number)
{
    const unsigned along = number / p.beside, beside = number % p.beside;
    return {(int64_t)beside * (p.warps * WARP >> p.team_bits), along};
}
/* The elements in a tile of some threads of one team, from thread number `thread` on */
struct filter_place {
    int64_t sequence, from; /* from: the first element */
    int count;              /* the elements that exist */
};
template <class T, class C, int N, int K>
static __device__ inline filter_place place_of(const filter_pass<T, C, N, K> &p, filter_tile tile,
                                               int thread, int threads)
{
    const int64_t rank = (tile.along << p.team_bits) + (thread & ((1 << p.team_bits) - 1)),
                  sequence = tile.sequence + (thread >> p.team_bits),
                  from = rank * thread_elements<T>(),
                  left = sequence < p.batch ? p.length - from : 0;
    const int elements = threads * thread_elements<T>();
    return {sequence, from, (int)(left < 0 ? 0 : left < elements ? left : elements)};
}

/* Calls f(piece, elements) for the parts of a warp's piece of a tile: one of each sequence. */
template <class T, class C, int N, int K, class F>
static __device__ inline void for_parts(const filter_pass<T, C, N, K> &p, filter_tile tile,
                                        int warp, F f)
{
    const int threads = lanes_along(p);
    UNROLL(1)
    for (int thread = warp * WARP; thread < (warp + 1) * WARP; thread += threads) {
        const filter_place at = place_of(p, tile, thread, threads);
        f(piece<T>{at.sequence * p.length + at.from, 0, at.count, thread * thread_elements<T>()},
          threads * thread_elements<T>());
    }
}

template <class T, class C, int N, int K>
static __device__ inline void start_piece(const filter_pass<T, C, N, K> &p, filter_tile tile,
                                          int warp, T *buffer, uint64_t *barrier)
{
    unsigned bytes = 0;
    for_parts(p, tile, warp, [&](piece<T> at, int) { bytes += bulk_bytes(p.x, at); });
    mbarrier_arrive(barrier, bytes);
    for_parts(p, tile, warp, [&](piece<T> at, int) { start_load(p.x, at, buffer, barrier); });
}
