/* Solves filters in one pass over memory, as recurrence.cu does recurrences of first order: read
 * that first. Blocks, groups of threads, staging buffers and the producer are the same. Instead of
 * a map w -> a w + b a tile has a map z -> A^m z + v of the filter's state (filter_state.cuh). The
 * powers of A are arguments of the kernel, which each block copies to its shared memory, and only
 * the vectors v travel: between the lanes of a warp, between warps, and by messages between tiles.
 *
 *     load      bulk copies bring x into a staging buffer                       filter_tile.cuh
 *     reduce    pre-computation (W13 eq. 3): v of each thread's elements       filter_state.cuh
 *     carry     propagation (W13 eq. 4): scans over lanes and warps, then from tile to tile
 *     solve     determination (W13 eq. 5): y, from the state before the thread's elements
 *     store     bulk copies bring y back to memory
 *
 * From tile to tile: 64 tiles of a sequence are a span. Each tile publishes its v, and one warp
 * composes those of the earlier tiles of the span, two of each lane, with the state before the
 * span. The last tile of a span publishes the state after it. So a message waits for another one
 * only once a span, while memory delivers 64 tiles. A chained scan of all tiles would wait for
 * about a microsecond a tile, in which memory delivers some twenty.
 *
 * The kernel cannot deadlock. Blocks take tiles in increasing order and work on them in order, and
 * a tile waits only for tiles with smaller numbers. */
#include "filter.h"

#include "filter_tables.cuh"
#include "filter_tile.cuh"

/* The state before a tile, as far as it comes from before the sequence: 0 unless it is the first
 * tile. All that depends on it is sent or written later, so zf may replace zi. */
template <class T, class C, int N, int K>
static __device__ inline state<C, N, K> first_state(const filter_pass<T, C, N, K> &p,
                                                    team_tile tile, int64_t sequence)
{
    state<C, N, K> x = {};
    if (p.zi && tile.along == 0 && sequence < p.batch) {
        UNROLL()
        for (int i = 0; i < N * K; i++)
            if (i / K < p.sections && i % K < p.order)
                x.z[i] = p.zi[(i / K * p.batch + sequence) * p.order + i % K];
    }
    return x;
}
template <class T, class C, int N, int K>
static __device__ inline void store_last_state(const filter_pass<T, C, N, K> &p, int64_t sequence,
                                               state<C, N, K> x)
{
    UNROLL()
    for (int i = 0; i < N * K; i++)
        if (i / K < p.sections && i % K < p.order)
            p.zf[(i / K * p.batch + sequence) * p.order + i % K] = (T)x.z[i];
}

/* The state before a tile if that before its span is 0, from the messages of the earlier tiles. A
 * warp calls it. Their vectors take the last of 64 places, two of each lane; the others are 0. */
template <class T, class C, int N, int K>
static __device__ inline state<C, N, K> state_in_span(const filter_pass<T, C, N, K> &p,
                                                      const power<C, N, K> *over_tiles,
                                                      team_tile tile, unsigned call, int lane)
{
    const int before = (int)(tile.along % SPAN);
    const int64_t message = tile.sequence * p.along + tile.along - SPAN;
    state<C, N, K> v[2] = {};
    UNROLL()
    for (int k = 1; k >= 0; k--) {
        const int place = 2 * lane + k;
        if (place >= SPAN - before)
            v[k] = wait_message<state<C, N, K>>(p.tile_states, p.batch * p.along, message + place,
                                                call);
    }
    __syncwarp();
    v[1] = carry_over(over_tiles[0], v[0], v[1]);
    v[1] = scan_states<LANE_POWERS>(over_tiles + 1, v[1], lane, (before + 1) / 2, lane);
    return from_lane(v[1], WARP - 1);
}

/* A warp publishes the vector v of a tile, unless it is the last one of its span or sequence, and
 * returns the state before the tile. The first tile adds the state before the sequence to v. At the
 * end of a span the warp publishes the state after the span: one product with a matrix after that
 * before the span arrives, since all spans wait for this chain. */
template <class T, class C, int N, int K>
static __device__ inline state<C, N, K> exchange(const filter_pass<T, C, N, K> &p,
                                                 const power<C, N, K> *powers, team_tile tile,
                                                 state<C, N, K> v, unsigned call, int lane)
{
    /* The team of a sequence that has several tiles is the group. */
    const power<C, N, K> *over_tiles =
        powers + LANE_POWERS + (p.warps == TEAM_WARPS ? WARP_POWERS : WARP_POWERS - 1);
    const int64_t spans = p.along / SPAN, span = tile.along / SPAN,
                  message = tile.sequence * spans + span;
    const int before = (int)(tile.along % SPAN);
    const bool ends = before == SPAN - 1;
    state<C, N, K> x = first_state(p, tile, tile.sequence);
    if (lane == 0 && !ends && tile.along + 1 < p.along)
        publish(p.tile_states, p.batch * p.along, tile.sequence * p.along + tile.along,
                carry_over(over_tiles[0], x, v), call);
    if (before > 0)
        x = state_in_span(p, over_tiles, tile, call, lane);
    if (ends)
        v = carry_over(over_tiles[0], x, v);
    state<C, N, K> from = {};
    if (span > 0)
        from = wait_message<state<C, N, K>>(p.span_states, p.batch * spans, message - 1, call);
    __syncwarp();
    if (lane == 0 && ends)
        publish(p.span_states, p.batch * spans, message,
                carry_over(over_tiles[TILE_POWERS], from, v), call);
    return add(x, carry_over_many<TILE_POWERS>(over_tiles, from, before));
}

/* The state before the warp's elements of a team that has several warps. v is the state after the
 * lane's elements if that before the warp is 0. */
template <class T, class C, int N, int K>
static __device__ inline state<C, N, K>
state_before_warp(const filter_pass<T, C, N, K> &p, filter_shared<T, C, N, K> *shared, int group,
                  team_tile tile, int64_t sequence, state<C, N, K> v, unsigned call)
{
    const power<C, N, K> *powers = shared->tables.powers, *over_warps = powers + LANE_POWERS;
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP % p.warps,
              along = 1 << (p.team_bits - LANE_POWERS), /* warps of the team */
        rank = warp % along;
    if (lane == WARP - 1)
        shared->total[group][warp] = v;
    group_sync(1 + group, p.warps * WARP);
    /* Lane w has the vector of warp w. */
    v = shared->total[group][lane % p.warps];
    v = scan_states<WARP_POWERS>(over_warps, v, lane % along, along, lane);
    state<C, N, K> x = {};
    if (p.along == 1)
        x = first_state(p, tile, sequence);
    else if (warp == 0) {
        x = exchange(p, powers, tile, from_lane(v, p.warps - 1), call, lane);
        if (lane == 0)
            shared->carry[group] = x;
    }
    group_sync(1 + group, p.warps * WARP); /* also before `total` is written again */
    if (p.along > 1)
        x = shared->carry[group];
    x = carry_over_many<WARP_POWERS>(over_warps, x, rank);
    v = from_lane(v, warp > 0 ? warp - 1 : 0);
    return rank > 0 ? add(x, v) : x;
}

/* A group filters the tiles that arrive in its buffer. */
template <class T, class C, int N, int K>
static __device__ inline void consume_filter(const filter_pass<T, C, N, K> &p,
                                             filter_shared<T, C, N, K> *shared, T *buffer,
                                             int group)
{
    const int thread = (int)threadIdx.x % (p.warps * WARP), warp = thread / WARP,
              lane = thread % WARP, along = lanes_along(p), rank = lane % along;
    constexpr int each = thread_elements<T>();
    T *mine = buffer + thread * each;
    for_tiles(p, shared, group, warp, lane, [&](team_tile tile, unsigned call) {
        for_parts<T, each>(p, tile, warp, [&](piece<T> at) { finish_load(p.x, at, buffer, lane); });
        __syncwarp();
        const team_place my = place_of<each>(p, tile, thread, 1);
        /* What follows an incomplete range is not there, so its vector does not matter. */
        state<C, N, K> v = {}, x;
        if (my.count == each)
            v = precompute(shared->tables, mine);
        v = scan_states<LANE_POWERS>(shared->tables.powers, v, rank, along, lane);
        if (p.team_bits > LANE_POWERS)
            x = state_before_warp(p, shared, group, tile, my.sequence, v, call);
        else
            x = first_state(p, tile, my.sequence);
        if (p.team_bits > LANE_POWERS || p.zi)
            x = carry_over_many<LANE_POWERS>(shared->tables.powers, x, rank);
        v = from_lane(v, lane > 0 ? lane - 1 : 0);
        if (rank > 0)
            x = add(x, v);
        const state<C, N, K> after = determine(p.coefficients, mine, my.count, x);
        if (p.zf && my.count > 0 && my.from + my.count == p.length)
            store_last_state(p, my.sequence, after);
        bulk_fence();
        __syncwarp();
        for_parts<T, each>(p, tile, warp, [&](piece<T> at) { store(p.y, at, buffer, lane); });
    });
}

/* The kernel. A block consists of the groups, then the producer's warp. */
template <class T, class C, int N, int K>
static __global__ void __launch_bounds__(TEAM_THREADS_MOST, 1)
    filter_kernel(const __grid_constant__ filter_pass<T, C, N, K> p)
{
    DYN_SHARED(chunk<T>, memory);
    T *tiles = (T *)memory;
    const int threads = p.warps * WARP, groups = ((int)blockDim.x - WARP) / threads,
              group = (int)threadIdx.x / threads, tile = threads * thread_elements<T>();
    filter_shared<T, C, N, K> *shared = (filter_shared<T, C, N, K> *)(tiles + groups * tile);
    const unsigned *from = (const unsigned *)&p.tables;
    for (unsigned i = threadIdx.x; i < sizeof(p.tables) / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)&shared->tables)[i] = from[i];
    begin_block(p, p.head, shared, groups);
    if (group < groups)
        consume_filter(p, shared, tiles + group * tile, group);
    else if ((int)threadIdx.x == groups * threads)
        produce(p.head, shared, groups, p.warps, (int64_t)p.along * p.beside,
                [&](unsigned number, int slot, int warp) {
                    start_piece(p, tile_of_number(p, number), warp, tiles + slot * tile,
                                &shared->full[slot][warp]);
                });
}

/* ---- workspace ---- */

/* Messages of FILTER_STATES_MOST states for each tile and each span, with the smallest tiles: those
 * of groups with half of the warps */
size_t filter_workspace(const struct filter *p)
{
    if (!filter_numbers_valid(p))
        return 0;
    const int64_t along = tiles_along(p->length, elements_of(p), TEAM_WARPS / 2),
                  words = carries_double(p) ? 2 : 1;
    return HEAD_BYTES + (along > 1 ? (size_t)(p->batch * (along + along / SPAN) * words) *
                                         FILTER_STATES_MOST * sizeof(uint64_t)
                                   : 0);
}
cudaError_t filter_prepare(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!device_aligned(workspace, CHUNK))
        return cudaErrorInvalidValue;
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}

/* ---- launchers ---- */

template <class T, class C, int N, int K>
static cudaError_t launch_filter(const struct filter *call, void *workspace, cudaStream_t stream)
{
    struct team_launch at;
    filter_pass<T, C, N, K> p;
    if (!make_tables(call, &p.coefficients, &p.tables))
        return cudaErrorInvalidValue;
    p.length = call->length, p.batch = call->batch;
    p.sections = call->sections, p.order = call->order;
    p.x = (const T *)call->x, p.zi = (const T *)call->zi;
    p.y = (T *)call->y, p.zf = (T *)call->zf;
    TRY(cut_into_tiles(&p, thread_elements<T>(), FILTER_CHUNKS * CHUNK,
                       sizeof(filter_shared<T, C, N, K>), &at));
    p.head = (struct workspace_head *)workspace;
    p.tile_states = (uint64_t *)((char *)workspace + HEAD_BYTES);
    p.span_states = p.tile_states + p.batch * p.along * message_words<state<C, N, K>>();
    return LAUNCH((filter_kernel<T, C, N, K>), at.blocks, at.threads, at.shared_bytes, stream, p);
}
/* The smallest of the kernels whose sections and order suffice */
template <class T, class C>
static cudaError_t launch_shape(const struct filter *p, void *workspace, cudaStream_t stream)
{
    if (p->sections == 1 && p->order > 4)
        return launch_filter<T, C, 1, 8>(p, workspace, stream);
    if (p->sections == 1 && p->order > 2)
        return launch_filter<T, C, 1, 4>(p, workspace, stream);
    if (p->sections == 1)
        return launch_filter<T, C, 1, 2>(p, workspace, stream);
    if (p->order > 2)
        return launch_filter<T, C, 2, 4>(p, workspace, stream);
    if (p->sections > 4)
        return launch_filter<T, C, 8, 1>(p, workspace, stream);
    return launch_filter<T, C, 4, 2>(p, workspace, stream);
}

/* ---- public functions ---- */

double filter_growth(const struct filter *p)
{
    struct host_filter f;
    struct host_matrix powers[POWERS];
    if (!filter_numbers_valid(p) || !read_coefficients(p, &f))
        return NAN;
    return powers_of(&f, elements_of(p), p->length, powers);
}

cudaError_t filter_solve(const struct filter *p, void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!filter_numbers_valid(p))
        return cudaErrorInvalidValue;
    if (p->length == 0 || p->batch == 0)
        return cudaSuccess;
    const size_t element = element_bytes(p->type);
    if (!all_aligned({p->x, p->y}, element) || (p->zi && !device_aligned(p->zi, element)) ||
        (p->zf && !device_aligned(p->zf, element)) || !device_aligned(workspace, CHUNK) ||
        bytes < filter_workspace(p))
        return cudaErrorInvalidValue;
    if (p->type == 'd')
        return launch_shape<double, double>(p, workspace, stream);
    return p->carry_in_double ? launch_shape<float, double>(p, workspace, stream)
                              : launch_shape<float, float>(p, workspace, stream);
}
