/* Solves the recurrence w_i = s_i w_{i-1} + t_i in one pass over memory, with P-scheme's three
 * phases in one kernel. Read pscheme_g/pscheme_g.cu first: there each phase is a kernel, so s, t
 * and intermediate results travel to memory and back between the phases.
 *
 * Here a tile of some thousands of elements stays in shared memory. It goes through these steps:
 *
 *     load      bulk copies bring s and t into a staging buffer                 recurrence_tile.cuh
 *     reduce    pre-computation (W13 eq. 3): the tile becomes a map w -> a w + b
 *                                                                           recurrence_elements.cuh
 *     carry     propagation (W13 eq. 4): the value before the tile arrives     recurrence_carry.cuh
 *     solve     determination (W13 eq. 5): the values w, from that value    recurrence_elements.cuh
 *     store     bulk copies bring w back to memory
 *
 * A block has these roles:
 *
 *     producer     one thread. It takes the numbers of the next tiles and starts their bulk copies.
 *     groups       up to three groups of 256 threads, each with a staging buffer. While one reduces
 *                  and another waits for its carry, the third one's tile is being loaded.
 *     carry warp   one warp of the block that has tile 0. With at most 256 tiles look-back replaces
 *                  it (recurrence_carry.cuh).
 *
 * A block with only one tile has one group, and each warp starts the copies of its own piece: then
 * latency matters, and a single producer takes about a microsecond to start all of them.
 *
 * The kernel cannot deadlock. Blocks take tiles in increasing order from an atomic counter and work
 * on them in order, and a tile waits only for tiles with smaller numbers or for the carry warp,
 * which runs in the block of tile 0. So the unfinished tile with the smallest number can always
 * proceed, even if few blocks run at the same time. */
#include "recurrence.h"

#include "recurrence_elements.cuh"
#include "recurrence_strided.cuh"

/* ---- producer ---- */

template <class S, int kind>
static __device__ inline void start_loads(const pass<S> &p, piece<S> at, S *buffer,
                                          uint64_t *barrier)
{
    constexpr int arrays = arrays_of(kind), tile = tile_of<S, kind>();
    unsigned bytes = bulk_bytes(p.t, at);
    if (arrays != CONSTANT)
        bytes += bulk_bytes(p.s, at);
    if (arrays == GRADIENT)
        bytes += bulk_bytes(p.w_in, at);
    mbarrier_arrive(barrier, bytes);
    start_load(p.t, at, buffer, barrier);
    if (arrays != CONSTANT)
        start_load(p.s, at, buffer + tile, barrier);
    if (arrays == GRADIENT)
        start_load(p.w_in, at, buffer + 2 * tile, barrier);
}
/* ---- groups ---- */

/* A single tile needs neither a ticket nor messages. */
template <class S> static __device__ inline bool alone(const pass<S> &p)
{
    return p.lookback && p.tiles == 1;
}
/* The warp completes the loads of its piece. */
template <class S, int kind>
static __device__ inline void finish_loads(const pass<S> &p, const thread_context<S> &my,
                                           piece<S> at)
{
    constexpr int arrays = arrays_of(kind);
    finish_load(p.t, at, my.t, my.lane);
    if (arrays != CONSTANT)
        finish_load(p.s, at, my.s, my.lane);
    if (arrays == GRADIENT)
        finish_load(p.w_in, at, my.w, my.lane);
    __syncwarp();
}
/* Reduces the tile and publishes its map. Returns the map of the elements of the warp's lanes up to
 * this one; *heads are the head flags of these lanes. */
template <class S, int kind>
static __device__ inline map<computed<S>>
reduce_tile(const pass<S> &p, shared_storage<computed<S>> *shared, const thread_context<S> &my,
            const range<S> &r, int64_t tile, unsigned call, unsigned *heads)
{
    map<computed<S>> m = precompute<S, kind>(p, my, r);
    *heads = __ballot_sync(ALL_LANES, r.start < tile_of<S, kind>() / GROUP);
    m = scan_warp(m, *heads, my.lane);
    if (my.lane == WARP - 1) {
        shared->total[my.group][my.warp] = m;
        shared->total_head[my.group][my.warp] = *heads != 0;
    }
    group_sync(1 + my.group, GROUP);
    if (my.rank == 0) {
        const map<computed<S>> *total = shared->total[my.group];
        const int *total_head = shared->total_head[my.group];
        map<computed<S>> all = identity<computed<S>>();
        bool head = false;
        for (int w = 0; w < WARPS; w++) {
            all = total_head[w] ? total[w] : compose(all, total[w]);
            head = head || total_head[w];
        }
        if (!alone(p))
            publish(p.maps, p.tiles, tile, all, call, head);
    }
    return m;
}
/* Waits for the carry of the tile. */
template <class S, int kind>
static __device__ inline computed<S>
value_before_tile(const pass<S> &p, shared_storage<computed<S>> *shared,
                  const thread_context<S> &my, int64_t tile, unsigned call)
{
    computed<S> x = zero_of(computed<S>());
    if (!p.lookback) {
        if (my.rank == 0)
            shared->carry[my.group] = wait_message<computed<S>>(p.carries, p.tiles, tile, call);
        group_sync(1 + my.group, GROUP);
        return shared->carry[my.group];
    }
    look_back(p, shared, my.group, tile, call, my.warp, my.lane);
    group_sync(1 + my.group, GROUP);
    for (int w = 0; w * WARP < tile; w++)
        x = apply(shared->lookback[my.group][w], shared->lookback_head[my.group][w] != 0, x);
    return x;
}
/* x is the value before the tile; m and heads come from reduce_tile(). */
template <class S>
static __device__ inline computed<S>
value_before_thread(const shared_storage<computed<S>> *shared, const thread_context<S> &my,
                    map<computed<S>> m, unsigned heads, computed<S> x)
{
    for (int w = 0; w < my.warp; w++)
        x = apply(shared->total[my.group][w], shared->total_head[my.group][w] != 0, x);
    map<computed<S>> before = from_lane(m, my.lane > 0 ? my.lane - 1 : 0);
    return my.lane > 0 ? apply(before, (heads & ((1u << my.lane) - 1)) != 0, x) : x;
}
template <class S, int kind>
static __device__ inline void store_piece(const pass<S> &p, const thread_context<S> &my,
                                          piece<S> at)
{
    bulk_fence();
    __syncwarp();
    store(p.w, at, my.t, my.lane);
    if (arrays_of(kind) == GRADIENT)
        store(p.ds, at, my.s, my.lane);
    if (my.lane == 0)
        bulk_store_wait();
    __syncwarp();
}
/* A group reduces, solves and stores the tiles that arrive in its buffer. */
template <class S, int kind>
static __device__ inline void consume(const pass<S> &p, shared_storage<computed<S>> *shared,
                                      S *tiles, int group, bool one_tile)
{
    constexpr int arrays = arrays_of(kind), tile = tile_of<S, kind>(), elements = tile / GROUP;
    thread_context<S> my = {};
    my.group = group;
    my.rank = (int)threadIdx.x % GROUP;
    my.warp = my.rank / WARP;
    my.lane = my.rank % WARP;
    my.t = tiles + group * arrays * tile;
    my.s = my.t + tile;
    my.w = my.s + tile;
    my.thread = p.reverse ? GROUP - 1 - my.rank : my.rank;
    my.reverse = p.reverse;
    const computed<S> constant_s = arrays == CONSTANT && !(is_varied(kind) && p.s_each)
                                       ? value_of(*p.s)
                                       : zero_of(computed<S>());
    if (one_tile && my.lane == 0)
        start_loads<S, kind>(p, piece_of<S, kind>(p, (unsigned)shared->first_ticket, my.warp), my.t,
                             &shared->full[group][my.warp]);
    for (int round = 0; round == 0 || !one_tile; round++) {
        mbarrier_wait(&shared->full[group][my.warp], round & 1);
        uint64_t ticket = one_tile ? shared->first_ticket : shared->ticket[group];
        int64_t number = (unsigned)ticket;
        unsigned call = (unsigned)(ticket >> 32) + 1, heads;
        if (number >= p.tiles)
            return;
        piece<S> at = piece_of<S, kind>(p, number, my.warp);
        finish_loads<S, kind>(p, my, at);
        int64_t first = first_position<S, kind>(p, number) + my.rank * elements;
        range<S> r = range_of<S, kind>(p, first, constant_s, my.lane);
        /* All lanes take the same branch. Otherwise the warp would execute both. */
        r.plain = __all_sync(ALL_LANES, r.plain);
        map<computed<S>> m = reduce_tile<S, kind>(p, shared, my, r, number, call, &heads);
        computed<S> x = value_before_tile<S, kind>(p, shared, my, number, call);
        x = value_before_thread(shared, my, m, heads, x);
        if (arrays == GRADIENT)
            determine_gradient<S, kind>(p, my, r, x);
        else
            determine<S, kind>(p, my, r, x);
        store_piece<S, kind>(p, my, at);
        if (my.lane == 0 && !one_tile)
            mbarrier_arrive(&shared->empty[group]);
    }
}

/* The kernel. A block consists of the groups, then the producer's warp (only one of its threads
 * works), then the carry warp. */
template <class S, int kind>
static __global__ void __launch_bounds__(GROUPS_MOST *GROUP + 2 * WARP, 1) one_pass(pass<S> p)
{
    DYN_SHARED(chunk<S>, memory);
    S *tiles = (S *)memory;
    int groups = ((int)blockDim.x - 2 * WARP) / GROUP, group = (int)threadIdx.x / GROUP,
        lane = (int)threadIdx.x % WARP;
    shared_storage<computed<S>> *shared =
        (shared_storage<computed<S>> *)(tiles + groups * arrays_of(kind) * tile_of<S, kind>());
    bool one_tile = p.lookback && gridDim.x >= p.tiles,
         producer = (int)threadIdx.x == groups * GROUP;
    if (producer)
        shared->first_ticket = alone(p) ? 0 : atomicAdd(&p.head->next, 1ull);
    if (threadIdx.x == 0)
        for (int g = 0; g < groups; g++) {
            for (int warp = 0; warp < WARPS; warp++)
                mbarrier_init(&shared->full[g][warp], 1);
            mbarrier_init(&shared->empty[g], WARPS);
        }
    __syncthreads();
    bool has_carry_warp = !p.lookback && (unsigned)shared->first_ticket == 0;
    if (producer && one_tile) {
        if (!alone(p))
            end_call(p.head, shared->first_ticket);
    } else if (producer)
        produce(p.head, shared, groups, WARPS, p.tiles, [&](unsigned number, int slot, int warp) {
            start_loads<S, kind>(p, piece_of<S, kind>(p, number, warp),
                                 tiles + slot * arrays_of(kind) * tile_of<S, kind>(),
                                 &shared->full[slot][warp]);
        });
    else if ((int)threadIdx.x >= groups * GROUP + WARP) {
        if (has_carry_warp)
            carry_warp(p, (unsigned)(shared->first_ticket >> 32) + 1, lane);
    } else if (group < (one_tile ? 1 : groups))
        consume<S, kind>(p, shared, tiles, group, one_tile);
}

/* The array arguments of recurrence_gradient(). */
struct gradient_arrays {
    const void *dw;
    void *ds, *dt, *dw0;
};

/* ---- sequences that are not one after the other ---- */

static axis axis_of(const struct recurrence *p, bool reverse)
{
    if (p->offset)
        return {p->length, p->batch / recurrence_layout_of(p).inner, 0, p->offset, reverse};
    return {recurrence_elements(p), p->batch, p->length, NULL, reverse};
}
static bool varied(const struct recurrence *p)
{
    return p->offset || p->constant > RECURRENCE_S_ONE;
}
static bool one_after_the_other(const struct recurrence *p)
{
    const struct recurrence_layout l = recurrence_layout_of(p);
    return l.inner == 1 && l.row == 1 && (l.plane == p->length || l.outer <= 1);
}
/* Base-2 logarithm of the next power of two from n */
static int log2_of(int64_t n)
{
    int log = 0;
    while ((int64_t)1 << log < n)
        log++;
    return log;
}
/* Cuts the sequences into tiles. The numbers are valid, and multiples of the elements of S. */
template <class S, int kind> static strided<S> cut(const struct recurrence *call, bool reverse)
{
    constexpr int elements = elements_of<S>::COUNT;
    const struct recurrence_layout l = recurrence_layout_merged(call);
    strided<S> p = {};
    p.length = call->length;
    p.batch = l.outer * l.inner / elements;
    p.inner = l.inner / elements;
    p.plane = l.outer > 1 ? l.plane / elements : 0;
    p.row = l.row / elements;
    int lanes = WARP, warps = STRIDED_WARPS;
    while (lanes > 1 && (WARP / lanes < p.inner || lanes / 2 * rows_of<S, kind>() >= p.length))
        lanes /= 2;
    const int64_t rows = lanes * rows_of<S, kind>();
    while (warps > 1 && warps / 2 * rows >= p.length)
        warps /= 2;
    p.lanes_log = log2_of(lanes);
    p.warps_log = log2_of(warps);
    p.tiles = ceil_div(p.length, warps * rows);
    int64_t beside = WARP / lanes; /* sequences of a warp, or planes */
    if (p.row == p.inner && p.inner < WARP) {
        p.narrow_log = log2_of(p.inner);
        p.narrow = 1 << p.narrow_log == beside || l.outer <= 1 || p.plane == p.length * p.inner;
        if (p.narrow)
            beside >>= p.narrow_log;
    }
    p.groups = ceil_div(p.narrow ? l.outer : p.batch, beside * (STRIDED_WARPS / warps));
    if (reverse) {
        p.first = (p.length - 1) * p.row;
        p.row = -p.row;
    }
    return p;
}
/* Is each row, and each place where one begins, a multiple of so many elements? */
static bool has_packs(const struct recurrence *call, int elements)
{
    const struct recurrence_layout l = recurrence_layout_merged(call);
    return l.inner % elements == 0 && l.row % elements == 0 &&
           (l.outer <= 1 || l.plane % elements == 0);
}
/* Places the tables of messages at `begin`, unless it is NULL. Returns their bytes. */
template <class S> static size_t place_messages(strided<S> *p, char *begin)
{
    const int64_t spans = p->tiles / span_of(p->lanes_log),
                  maps = p->batch * message_words<map<computed<S>>>();
    if (begin) {
        p->maps = (uint64_t *)begin;
        p->span_maps = p->maps + p->tiles * maps;
        p->values = p->span_maps + spans * maps;
    }
    const int64_t words = (p->tiles + spans) * maps +
                          spans / span_of(p->lanes_log) * p->batch * message_words<computed<S>>();
    return p->tiles == 1 ? 0 : (size_t)words * sizeof(uint64_t);
}
template <class S> static size_t strided_bytes(const struct recurrence *call)
{
    strided<S> solve = cut<S, GENERAL>(call, false), gradient = cut<S, GRADIENT>(call, false);
    const size_t a = place_messages(&solve, NULL), b = place_messages(&gradient, NULL);
    return a > b ? a : b;
}
/* With packs, without them, or the larger of both, since the arrays need not be aligned. */
template <class S> static size_t strided_workspace(const struct recurrence *call)
{
    typedef typename pack_of<S>::type P;
    const size_t one = strided_bytes<S>(call),
                 some = has_packs(call, elements_of<P>::COUNT) ? strided_bytes<P>(call) : 0;
    return one > some ? one : some;
}
template <class S, int kind>
static cudaError_t launch_strided(const struct recurrence *call, const struct gradient_arrays *g,
                                  const struct device_properties *device, void *workspace,
                                  cudaStream_t stream)
{
    strided<S> p = cut<S, kind>(call, (call->reverse != 0) != (g != NULL));
    if (p.tiles * p.groups > UINT32_MAX / 2)
        return cudaErrorInvalidValue;
    if (call->offset)
        p.packed = axis_of(call, (call->reverse != 0) != (g != NULL));
    p.constant = (enum recurrence_s)call->constant;
    p.s = (const S *)call->s;
    p.t = (const S *)(g ? g->dw : call->t);
    p.w0 = (const S *)call->w0;
    p.w = (S *)(g ? g->dt : call->w);
    if (g) {
        p.w_in = (const S *)call->w;
        p.ds = (S *)g->ds;
        p.dw0 = (S *)g->dw0;
    }
    p.head = (struct workspace_head *)workspace;
    place_messages(&p, (char *)workspace + HEAD_BYTES);
    int64_t blocks = STRIDED_BLOCKS * device->multiprocessors;
    blocks = call->blocks > 0 && blocks > call->blocks ? call->blocks : blocks;
    blocks = blocks > p.tiles * p.groups ? p.tiles * p.groups : blocks;
    return LAUNCH((strided_pass<S, kind>), (unsigned)blocks, STRIDED_THREADS, strided_bytes_of<S>(),
                  stream, p);
}
/* With packs if everything is aligned to them. */
template <class S, int kind>
static cudaError_t run_strided(const struct recurrence *call, const struct gradient_arrays *g,
                               const struct device_properties *device, void *workspace,
                               cudaStream_t stream)
{
    typedef typename pack_of<S>::type P;
    uintptr_t any = (uintptr_t)call->w | (uintptr_t)call->w0;
    if (call->constant != RECURRENCE_S_ONE)
        any |= (uintptr_t)call->s;
    if (g)
        any |= (uintptr_t)g->dw | (uintptr_t)g->ds | (uintptr_t)g->dt | (uintptr_t)g->dw0;
    else
        any |= (uintptr_t)call->t;
    return any % CHUNK == 0 && has_packs(call, elements_of<P>::COUNT)
               ? launch_strided<P, kind>(call, g, device, workspace, stream)
               : launch_strided<S, kind>(call, g, device, workspace, stream);
}

/* ---- workspace ---- */

/* The maximum number of tiles of n elements: those of the smallest size. */
static int64_t tiles_for(char type, int64_t n)
{
    constexpr int bytes = GROUP * chunks_of<GENERAL + SMALL>() * CHUNK;
    return ceil_div(n, bytes / (int64_t)stored_bytes(type));
}

/* Each tile has a message for its map (two elements) and one for its carry (one element). A message
 * is twice as long as its payload (message.cuh), so a tile needs 6 elements. */
size_t recurrence_workspace(char type, int64_t n)
{
    if (stored_bytes(type) == 0 || n < 0)
        return 0;
    return HEAD_BYTES + (size_t)(tiles_for(type, n) + 1) * 6 * number_bytes(type);
}

/* True if all numbers in *p are in the ranges that recurrence.h gives. n = 0 is in range. */
static bool numbers_valid(const struct recurrence *p)
{
    return p && stored_bytes(p->type) > 0 && recurrence_layout_valid(p) && p->blocks >= 0 &&
           p->carry >= RECURRENCE_AUTO && p->carry <= RECURRENCE_CARRY_WARP;
}
size_t recurrence_workspace_of(const struct recurrence *p)
{
    if (!numbers_valid(p))
        return 0;
    if (p->length == 0 || p->batch == 0 || one_after_the_other(p))
        return recurrence_workspace(p->type, recurrence_elements(p));
    return HEAD_BYTES + BY_STORED_TYPE(p->type, strided_workspace, p);
}

cudaError_t recurrence_prepare(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!device_aligned(workspace, CHUNK))
        return cudaErrorInvalidValue;
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}

/* ---- launchers ---- */

template <class S, int kind> static size_t shared_bytes_of(int groups)
{
    return (size_t)(groups * arrays_of(kind) * tile_of<S, kind>()) * sizeof(S) +
           sizeof(shared_storage<computed<S>>);
}

template <class S, int kind>
static cudaError_t launch_kind(pass<S> p, const struct recurrence *call,
                               const struct device_properties *device, void *workspace,
                               cudaStream_t stream)
{
    constexpr int tile = tile_of<S, kind>();
    p.s_each = call->constant == RECURRENCE_S_SEQUENCE;
    p.shift = (int64_t)((uintptr_t)p.t % CHUNK / sizeof(S));
    p.tiles = (p.n + p.shift - 1) / tile + 1;
    p.head = (struct workspace_head *)workspace;
    p.maps = (uint64_t *)((char *)workspace + HEAD_BYTES);
    p.carries = p.maps + p.tiles * message_words<map<computed<S>>>();
    p.lookback = call->carry == RECURRENCE_LOOKBACK ||
                 (call->carry == RECURRENCE_AUTO && p.tiles <= LOOKBACK_TILES_MOST);
    if (p.lookback && p.tiles > LOOKBACK_TILES_MOST)
        return cudaErrorInvalidValue;
    /* With look-back there is one block for each tile; otherwise one block per multiprocessor, with
     * as many groups as fit. */
    int groups = p.lookback ? 1 : GROUPS_MOST;
    while (groups > 1 && shared_bytes_of<S, kind>(groups) > device->shared_bytes)
        groups--;
    int64_t blocks = p.lookback ? p.tiles : device->multiprocessors;
    blocks = call->blocks > 0 && blocks > call->blocks ? call->blocks : blocks;
    blocks = blocks > p.tiles ? p.tiles : blocks;
    return LAUNCH((one_pass<S, kind>), (unsigned)blocks, (unsigned)(groups * GROUP + 2 * WARP),
                  shared_bytes_of<S, kind>(groups), stream, p);
}

template <class S, int kind>
static cudaError_t launch(const pass<S> &p, const struct recurrence *call,
                          const struct device_properties *device, void *workspace,
                          cudaStream_t stream)
{
    return (varied(call) ? launch_kind<S, kind + VARIED> : launch_kind<S, kind>)(p, call, device,
                                                                                 workspace, stream);
}

/* Small tiles are used if two large ones do not fit into shared memory, since with only one a block
 * could not load while it computes; and for so few elements that a large GPU has a multiprocessor
 * for each small tile, unless the caller chooses how the carries are found. */
template <class S, int kind>
static bool small_tiles(const struct recurrence *call, const struct device_properties *device)
{
    return shared_bytes_of<S, kind>(2) > device->shared_bytes ||
           (call->carry == RECURRENCE_AUTO &&
            recurrence_elements(call) <=
                LOOKBACK_TILES_MOST / 2 * (int64_t)tile_of<S, kind + SMALL>());
}

/* g is NULL unless the pass is that of the gradient, which runs in the opposite direction. */
template <class S>
static cudaError_t run(const struct recurrence *call, const struct gradient_arrays *g,
                       void *workspace, cudaStream_t stream)
{
    struct device_properties device;
    TRY(query_device(&device));
    if (!one_after_the_other(call))
        return (g ? varied(call) ? run_strided<S, GRADIENT + VARIED> : run_strided<S, GRADIENT>
                : varied(call) ? run_strided<S, GENERAL + VARIED>
                               : run_strided<S, GENERAL>)(call, g, &device, workspace, stream);
    pass<S> p = {};
    p.s = (const S *)call->s;
    p.t = (const S *)(g ? g->dw : call->t);
    p.w0 = (const S *)call->w0;
    p.w = (S *)(g ? g->dt : call->w);
    static_cast<axis &>(p) = axis_of(call, (call->reverse != 0) != (g != NULL));
    if (g) {
        p.w_in = (const S *)call->w;
        p.ds = (S *)g->ds;
        p.dw0 = (S *)g->dw0;
        return launch<S, GRADIENT>(p, call, &device, workspace, stream);
    }
    if (call->constant)
        return small_tiles<S, CONSTANT>(call, &device)
                   ? launch<S, CONSTANT + SMALL>(p, call, &device, workspace, stream)
                   : launch<S, CONSTANT>(p, call, &device, workspace, stream);
    return small_tiles<S, GENERAL>(call, &device)
               ? launch<S, GENERAL + SMALL>(p, call, &device, workspace, stream)
               : launch<S, GENERAL>(p, call, &device, workspace, stream);
}

/* ---- public functions ---- */

/* True if the arrays and the workspace of a call with n > 0 are valid. */
static bool arrays_valid(const struct recurrence *p, const struct gradient_arrays *g,
                         const void *workspace, size_t bytes)
{
    size_t element = stored_bytes(p->type);
    const int64_t n = recurrence_elements(p);
    return tiles_for(p->type, n) <= UINT32_MAX / 2 && all_aligned({p->s, p->w}, element) &&
           (g ? all_aligned({g->dw, g->ds, g->dt}, element) : device_aligned(p->t, element)) &&
           (!p->w0 || device_aligned(p->w0, element)) &&
           (!g || !g->dw0 || device_aligned(g->dw0, element)) && device_aligned(workspace, CHUNK) &&
           (!p->offset || device_aligned(p->offset, sizeof(int64_t))) &&
           bytes >= recurrence_workspace_of(p);
}
static cudaError_t run_checked(const struct recurrence *p, const struct gradient_arrays *g,
                               void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!numbers_valid(p) || (g && p->constant))
        return cudaErrorInvalidValue;
    const bool none = p->length == 0 || p->batch == 0;
    if (!none && !arrays_valid(p, g, workspace, bytes))
        return cudaErrorInvalidValue;
    if (p->offset && g && g->dw0) /* empty sequences */
        TRY(cudaMemsetAsync(g->dw0, 0, (size_t)p->batch * stored_bytes(p->type), stream));
    if (none)
        return cudaSuccess;
    struct recurrence call = *p;
    if (p->constant == RECURRENCE_S_CHANNEL && p->inner <= 1)
        call.constant = RECURRENCE_S_ONE;
    return BY_STORED_TYPE(p->type, run, &call, g, workspace, stream);
}

cudaError_t recurrence_solve(const struct recurrence *p, void *workspace, size_t bytes,
                             cudaStream_t stream)
{
    return run_checked(p, NULL, workspace, bytes, stream);
}

cudaError_t recurrence_gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                                void *dw0, void *workspace, size_t bytes, cudaStream_t stream)
{
    struct gradient_arrays arrays = {dw, ds, dt, dw0};
    return run_checked(p, &arrays, workspace, bytes, stream);
}
