/* Solves recurrences of 2 x 2 matrices in one pass over memory. Read recurrence.cu first, and what
 * filter.cu says about spans: blocks, groups of threads, staging buffers, the producer and the
 * messages between tiles are the same. But here a tile's map is a matrix (recurrence2_map.cuh).
 *
 *     load      bulk copies bring 3 or 4 inputs into a staging buffer
 *     reduce    pre-computation (W13 eq. 3): the map of each thread's elements
 *                                                                     recurrence2_elements.cuh
 *     carry     propagation (W13 eq. 4): scans over lanes and warps, then from tile to tile
 *     solve     determination (W13 eq. 5): x, from the state before the thread's elements
 *     store     bulk copies bring x (and u) back to memory
 *
 * From tile to tile: each tile publishes its map, and one warp composes those of the earlier tiles
 * of the span. The last tile of a span publishes the state after it, so only once a span a message
 * waits for another one.
 *
 * The kernel cannot deadlock. Blocks take tiles in increasing order and work on them in order, and
 * a tile waits only for tiles with smaller numbers. */
#include "recurrence2.h"

#include "recurrence2_elements.cuh"

/* The tiles of a sequence that read each other's messages (filter.cu): four by each lane of a warp.
 * With half as many, long sequences wait for the states between spans. */
enum { EACH_LANE = 4, SPAN = WARP * EACH_LANE };

/* The arguments of the kernel */
template <class T> struct pass2 : team_layout {
    const T *in[4], *before;
    T *out[2], *mantissa;
    int64_t *exponent;
    unsigned long long *status;
    struct workspace_head *head;
    uint64_t *tile_maps, *span_states; /* tables of messages (message.cuh) */
};
template <class T, int kind> struct shared2 : team_shared {
    /* the maps of each warp's elements, and the state before the tile */
    typename of_kind<T, kind>::map total[GROUPS_MOST][TEAM_WARPS];
    typename of_kind<T, kind>::state carry[GROUPS_MOST];
};

/* ---- the state before a sequence ---- */

template <class T>
static __device__ inline void first_state(const pass2<T> &p, int64_t sequence, linear_state<T> *s)
{
    const bool given = p.before && sequence < p.batch;
    s->at[0] = given ? p.before[2 * sequence] : 0;
    s->at[1] = given ? p.before[2 * sequence + 1] : 0;
}
template <class T>
static __device__ inline void first_state(const pass2<T> &p, int64_t sequence,
                                          projective_state<T> *s)
{
    const T x = p.before && sequence < p.batch ? p.before[sequence] : 0;
    s->at[0] = isinf(x) ? 1 : x;
    s->at[1] = isinf(x) ? 0 : 1;
    s->exponent = 0;
    rescale(s);
}

/* ---- from tile to tile ---- */

/* The state before a tile, from the messages of earlier tiles. A warp calls it. Each lane reads the
 * maps of four tiles of the span. */
template <class T, int kind>
static __device__ inline typename of_kind<T, kind>::state
state_before_tile(const pass2<T> &p, team_tile tile, unsigned call, int lane)
{
    typedef typename of_kind<T, kind>::map M;
    typedef typename of_kind<T, kind>::state S;
    const int64_t spans = p.along / SPAN, span = tile.along / SPAN;
    M m;
    S x;
    set_identity(&m);
    UNROLL(1)
    for (int place = EACH_LANE * lane; place < EACH_LANE * (lane + 1); place++)
        if (place < tile.along % SPAN) {
            const M next = wait_message<M>(p.tile_maps, p.batch * p.along,
                                           tile.sequence * p.along + span * SPAN + place, call);
            m = place == EACH_LANE * lane ? next : compose(m, next);
        }
    __syncwarp();
    const M all = from_lane(scan_warp(m, 1, lane), WARP - 1);
    if (span > 0)
        x = wait_message<S>(p.span_states, p.batch * spans, tile.sequence * spans + span - 1, call);
    else
        first_state(p, tile.sequence, &x);
    __syncwarp();
    return apply(all, x);
}

/* A warp publishes the map m of a tile, unless it is the last one of its span or sequence, and
 * returns the state before the tile. At the end of a span it publishes the state after the tile. */
template <class T, int kind>
static __device__ inline typename of_kind<T, kind>::state
exchange(const pass2<T> &p, team_tile tile, const typename of_kind<T, kind>::map &m, unsigned call,
         int lane)
{
    typedef typename of_kind<T, kind>::state S;
    const int64_t spans = p.along / SPAN;
    const bool ends = (tile.along + 1) % SPAN == 0;
    if (lane == 0 && !ends && tile.along + 1 < p.along)
        publish(p.tile_maps, p.batch * p.along, tile.sequence * p.along + tile.along, m, call);
    const S x = state_before_tile<T, kind>(p, tile, call, lane);
    if (lane == 0 && ends)
        publish(p.span_states, p.batch * spans, tile.sequence * spans + tile.along / SPAN,
                apply(m, x), call);
    return x;
}

/* The state before the warp's elements of a team that has several warps; m is the map of the lanes
 * up to this one. */
template <class T, int kind>
static __device__ inline typename of_kind<T, kind>::state
state_before_warp(const pass2<T> &p, shared2<T, kind> *shared, int group, team_tile tile,
                  int64_t sequence, const typename of_kind<T, kind>::map &m, unsigned call)
{
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP % p.warps,
              along = 1 << (p.team_bits - WARP_LOG), /* warps of the team */
        rank = warp % along;
    typename of_kind<T, kind>::map *total = shared->total[group];
    typename of_kind<T, kind>::state x;
    if (lane == WARP - 1)
        total[warp] = m;
    group_sync(1 + group, p.warps * WARP);
    if (p.along > 1) {
        if (warp == 0) {
            x = exchange<T, kind>(p, tile,
                                  from_lane(scan_warp(total[lane % p.warps], 1, lane), p.warps - 1),
                                  call, lane);
            if (lane == 0)
                shared->carry[group] = x;
        }
        group_sync(1 + group, p.warps * WARP);
        x = shared->carry[group];
    } else
        first_state(p, sequence, &x);
    for (int w = warp - rank; w < warp; w++)
        x = apply(total[w], x);
    return x;
}

/* ---- loads and stores ---- */

/* The part of an array; none if the array is NULL. */
template <class T> static __device__ inline piece<T> part_of(const T *array, piece<T> at)
{
    if (!array)
        at.from = 0, at.end = 0;
    return at;
}
template <class T, int kind>
static __device__ inline void start_tile(const pass2<T> &p, team_tile tile, int warp, T *buffer,
                                         uint64_t *barrier)
{
    constexpr int each = elements_for<T>(kind), inputs = inputs_of(kind);
    unsigned bytes = 0;
    for_parts<T, each>(p, tile, warp, [&](piece<T> at) {
        for (int k = 0; k < inputs; k++)
            bytes += bulk_bytes(p.in[k], part_of(p.in[k], at));
    });
    mbarrier_arrive(barrier, bytes);
    for_parts<T, each>(p, tile, warp, [&](piece<T> at) {
        for (int k = 0; k < inputs; k++)
            start_load(p.in[k], part_of(p.in[k], at), buffer + k * p.warps * WARP * each, barrier);
    });
}
/* The warp completes the loads of its piece. An array that is not given is 0, and what LU does not
 * use, a of the first row and c of the last one. */
template <class T, int kind>
static __device__ inline void finish_tile(const pass2<T> &p, team_tile tile, team_place my,
                                          T *buffer, T *mine, int warp, int lane)
{
    constexpr int each = elements_for<T>(kind), in_chunk = CHUNK / sizeof(T);
    const int size = p.warps * WARP * each;
    for_parts<T, each>(p, tile, warp, [&](piece<T> at) {
        for (int k = 0; k < inputs_of(kind); k++)
            if (p.in[k])
                finish_load(p.in[k], at, buffer + k * size, lane);
            else
                for (int i = lane; i < (at.end + in_chunk - 1) / in_chunk * in_chunk; i += WARP)
                    buffer[k * size + at.at + i] = 0;
    });
    __syncwarp();
    if (kind == RECURRENCE2_LU && my.count > 0) {
        if (my.from == 0)
            mine[0] = 0;
        if (my.from + my.count == p.length)
            mine[2 * size + my.count - 1] = 0;
    }
}
template <class T, int kind>
static __device__ inline void store_tile(const pass2<T> &p, team_tile tile, const T *buffer,
                                         int warp, int lane)
{
    constexpr int each = elements_for<T>(kind);
    bulk_fence();
    __syncwarp();
    for_parts<T, each>(p, tile, warp, [&](piece<T> at) {
        for (int k = 0; k < 2; k++)
            store(p.out[k], part_of(p.out[k], at), buffer + k * p.warps * WARP * each, lane);
    });
}

/* ---- what LU tells about a sequence ---- */

/* broken: the first element of the thread at which it breaks down; x: its last one. */
template <class T>
static __device__ inline void report_lu(const pass2<T> &p, team_place my, int broken, T x,
                                        const projective_state<T> &after)
{
    const int last = my.count - 1;
    if (broken > last && !agrees(x, after))
        broken = last;
    if (p.status && broken <= last) {
        unsigned long long *status = p.status + my.sequence,
                           row = (unsigned long long)(my.from + broken) + 1;
        if (atomicCAS(status, 0ull, row) != 0)
            atomicMin(status, row);
    }
    if (p.mantissa && my.from + my.count == p.length) {
        int exponent = 0;
        p.mantissa[my.sequence] = frexp(after.at[1], &exponent);
        p.exponent[my.sequence] = after.at[1] == 0 ? 0 : after.exponent + exponent;
    }
}
template <class T>
static __device__ inline void report_lu(const pass2<T> &, team_place, int, T,
                                        const linear_state<T> &)
{
}

/* ---- the kernel ---- */

/* A group solves the tiles that arrive in its buffer. */
template <class T, int kind>
static __device__ inline void consume(const pass2<T> &p, shared2<T, kind> *shared, T *buffer,
                                      int group)
{
    typedef typename of_kind<T, kind>::map M;
    typedef typename of_kind<T, kind>::state S;
    constexpr int each = elements_for<T>(kind);
    const int thread = (int)threadIdx.x % (p.warps * WARP), warp = thread / WARP,
              lane = thread % WARP, rank = lane % lanes_along(p), size = p.warps * WARP * each;
    T *mine = buffer + thread * each;
    for_tiles(p, shared, group, warp, lane, [&](team_tile tile, unsigned call) {
        const team_place my = place_of<each>(p, tile, thread, 1);
        finish_tile<T, kind>(p, tile, my, buffer, mine, warp, lane);
        M m;
        precompute<T, kind>(mine, size, my.count, &m);
        m = scan_warp(m, __ballot_sync(ALL_LANES, rank == 0), lane);
        S x;
        if (p.team_bits > WARP_LOG)
            x = state_before_warp<T, kind>(p, shared, group, tile, my.sequence, m, call);
        else
            first_state(p, my.sequence, &x);
        const S after = apply(m, x);
        m = from_lane(m, lane > 0 ? lane - 1 : 0);
        if (rank > 0)
            x = apply(m, x);
        const int broken = determine<T, kind>(mine, size, my.count, x);
        if (kind == RECURRENCE2_LU && my.count > 0)
            report_lu(p, my, broken, mine[my.count - 1], after);
        store_tile<T, kind>(p, tile, buffer, warp, lane);
    });
}

/* A block consists of the groups, then the producer's warp. */
template <class T, int kind>
static __global__ void __launch_bounds__(TEAM_THREADS_MOST, 1) matrix_pass(pass2<T> p)
{
    DYN_SHARED(chunk<T>, memory);
    T *tiles = (T *)memory;
    const int threads = p.warps * WARP, groups = ((int)blockDim.x - WARP) / threads,
              group = (int)threadIdx.x / threads,
              buffer = inputs_of(kind) * threads * elements_for<T>(kind);
    shared2<T, kind> *shared = (shared2<T, kind> *)(tiles + groups * buffer);
    begin_block(p, p.head, shared, groups);
    if (group < groups)
        consume<T, kind>(p, shared, tiles + group * buffer, group);
    else if ((int)threadIdx.x == groups * threads)
        produce(p.head, shared, groups, p.warps, (int64_t)p.along * p.beside,
                [&](unsigned number, int slot, int warp) {
                    start_tile<T, kind>(p, tile_of_number(p, number), warp, tiles + slot * buffer,
                                        &shared->full[slot][warp]);
                });
}

/* ---- workspace ---- */

static bool numbers_valid(const struct recurrence2 *p)
{
    return p && (p->type == 's' || p->type == 'd') && p->kind >= RECURRENCE2_LINEAR &&
           p->kind <= RECURRENCE2_LU && p->length >= 0 && p->batch >= 0 &&
           p->batch <= INT64_MAX / 256 / (p->length > 0 ? p->length : 1);
}
/* The words of messages, with tiles of groups with half of the warps */
template <class T, int kind> static int64_t words_of(const struct recurrence2 *p)
{
    const int64_t along = tiles_along(p->length, elements_for<T>(kind), TEAM_WARPS / 2);
    return along <= 1
               ? 0
               : p->batch * (along * message_words<typename of_kind<T, kind>::map>() +
                             along / SPAN * message_words<typename of_kind<T, kind>::state>());
}
/* Calls f<T, kind>(arguments) for the type and kind of *p. */
#define BY_TYPE_AND_KIND(p, f, ...)                                                                \
    ((p)->type == 's' ? BY_KIND(float, p, f, __VA_ARGS__) : BY_KIND(double, p, f, __VA_ARGS__))
#define BY_KIND(T, p, f, ...)                                                                      \
    ((p)->kind == RECURRENCE2_LINEAR   ? f<T, RECURRENCE2_LINEAR>(__VA_ARGS__)                     \
     : (p)->kind == RECURRENCE2_MOBIUS ? f<T, RECURRENCE2_MOBIUS>(__VA_ARGS__)                     \
                                       : f<T, RECURRENCE2_LU>(__VA_ARGS__))

size_t recurrence2_workspace(const struct recurrence2 *p)
{
    if (!numbers_valid(p))
        return 0;
    return HEAD_BYTES + (size_t)BY_TYPE_AND_KIND(p, words_of, p) * sizeof(uint64_t);
}
cudaError_t recurrence2_prepare(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!device_aligned(workspace, CHUNK))
        return cudaErrorInvalidValue;
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}

/* ---- launchers ---- */

template <class T, int kind>
static cudaError_t launch(const struct recurrence2 *call, void *workspace, cudaStream_t stream)
{
    constexpr int each = elements_for<T>(kind);
    struct team_launch at;
    pass2<T> p = {};
    p.length = call->length, p.batch = call->batch;
    TRY(cut_into_tiles(&p, each, inputs_of(kind) * each * sizeof(T), sizeof(shared2<T, kind>),
                       &at));
    p.in[0] = (const T *)call->a, p.in[1] = (const T *)call->b;
    p.in[2] = (const T *)call->c, p.in[3] = (const T *)call->d;
    p.before = (const T *)call->before;
    p.out[0] = (T *)call->x;
    if (kind == RECURRENCE2_LU) {
        p.before = NULL;
        p.out[1] = (T *)call->u;
        p.mantissa = (T *)call->mantissa, p.exponent = call->exponent;
        p.status = (unsigned long long *)call->status;
        if (p.status)
            TRY(cudaMemsetAsync(p.status, 0, (size_t)p.batch * sizeof *p.status, stream));
    }
    p.head = (struct workspace_head *)workspace;
    p.tile_maps = (uint64_t *)((char *)workspace + HEAD_BYTES);
    p.span_states =
        p.tile_maps + p.batch * p.along * message_words<typename of_kind<T, kind>::map>();
    return LAUNCH((matrix_pass<T, kind>), at.blocks, at.threads, at.shared_bytes, stream, p);
}

/* ---- public functions ---- */

cudaError_t recurrence2_solve(const struct recurrence2 *p, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    if (!numbers_valid(p))
        return cudaErrorInvalidValue;
    if (p->length == 0 || p->batch == 0)
        return cudaSuccess;
    const size_t element = element_bytes(p->type);
    auto valid = [&](const void *array, bool required, size_t alignment) {
        return array ? device_aligned(array, alignment) : !required;
    };
    const bool lu = p->kind == RECURRENCE2_LU;
    if (!all_aligned({p->a, p->b, p->x}, element) ||
        !valid(p->c, p->kind != RECURRENCE2_LINEAR, element) ||
        !valid(p->d, p->kind == RECURRENCE2_MOBIUS, element) || !valid(p->before, false, element) ||
        !valid(p->u, false, element) || !valid(p->mantissa, false, element) ||
        !valid(p->exponent, lu && p->mantissa, sizeof *p->exponent) ||
        !valid(p->status, false, sizeof *p->status) || !device_aligned(workspace, CHUNK) ||
        bytes < recurrence2_workspace(p))
        return cudaErrorInvalidValue;
    return BY_TYPE_AND_KIND(p, launch, p, workspace, stream);
}
