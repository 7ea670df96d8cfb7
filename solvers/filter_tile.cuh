/* What filter.cu's kernel works on: its arguments, its shared memory, and how the producer loads a
 * tile. */
#pragma once

#include "filter_state.cuh"
#include "message.cuh"

/* The arguments of the kernel */
template <class T, class C, int N, int K> struct filter_pass : team_layout {
    filter_coefficients<C, N, K> coefficients;
    filter_tables<T, C, N, K> tables;
    int sections, order; /* of the filter: at most N and K */
    const T *x, *zi;
    T *y, *zf;
    struct workspace_head *head;
    /* tables of messages (message.cuh): of each tile, of each span of tiles (filter.cu) */
    uint64_t *tile_states, *span_states;
};
template <class T, class C, int N, int K> struct filter_shared : team_shared {
    /* The tables of struct filter_pass. The cache of constants would hold a third of them. */
    filter_tables<T, C, N, K> tables;
    /* the states after each warp's elements if that before its team is 0, and before the tile */
    state<C, N, K> total[GROUPS_MOST][TEAM_WARPS], carry[GROUPS_MOST];
};

template <class T, class C, int N, int K>
static __device__ inline void start_piece(const filter_pass<T, C, N, K> &p, team_tile tile,
                                          int warp, T *buffer, uint64_t *barrier)
{
    constexpr int each = thread_elements<T>();
    unsigned bytes = 0;
    for_parts<T, each>(p, tile, warp, [&](piece<T> at) { bytes += bulk_bytes(p.x, at); });
    mbarrier_arrive(barrier, bytes);
    for_parts<T, each>(p, tile, warp, [&](piece<T> at) { start_load(p.x, at, buffer, barrier); });
}
