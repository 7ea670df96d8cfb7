/* Solves the recurrence w_i = s_i w_{i-1} + t_i in one pass over memory, with P-scheme's three
 * phases in one kernel. Read pscheme_g/pscheme_g.cu first. In that file each phase is a separate
 * kernel, so s, t and intermediate results travel to memory and back between the phases.
 *
 * The idea is that a tile of some thousands of elements stays in shared memory from its
 * pre-computation to its determination. Each tile goes through these steps:
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
 *     producer     one thread. It takes the numbers of the next tiles and starts their bulk copies,
 *                  enough to keep the memory busy, but few enough that messages between blocks do
 *                  not queue behind them.
 *     groups       up to three groups of 256 threads, each with a staging buffer. While one reduces
 *                  and another waits for its carry, the third one's tile is being loaded.
 *     carry warp   one warp of the block that has tile 0. With at most 256 tiles look-back replaces
 *                  it (recurrence_carry.cuh).
 *
 * The kernel cannot deadlock. Blocks take tiles in increasing order from an atomic counter. A tile
 * waits only for the maps of tiles with smaller numbers, either directly or through the carry warp,
 * which runs in the block of tile 0. Every tile that was taken belongs to a running block, and each
 * block works on its tiles in order. So the unfinished tile with the smallest number can always
 * proceed, even if few blocks run at the same time. */
#include "recurrence.h"

#include "recurrence_carry.cuh"
#include "recurrence_elements.cuh"

/* ---- roles ---- */

/* The maximum number of pieces (eighths of a tile, up to 9 KiB each) that a block loads at the same
 * time. With fewer pieces, memory would idle. With more, the messages between blocks would queue
 * after the loads. one_tile is true if each block has only one tile. Then few loads are in flight,
 * so all eight pieces may be loaded at once. */
static __device__ inline int pieces_in_flight(bool one_tile)
{
    return one_tile ? WARPS : 4;
}

/* The producer loads one tile after another into the buffers of the groups, in turn. */
template <class T, int kind>
static __device__ inline void produce(const pass<T> &p, shared_storage<T> *shared, T *tiles,
                                      int groups, bool one_tile)
{
    constexpr int arrays = arrays_of(kind), tile = tile_of<T, kind>();
    unsigned long long *next = &p.head->next;
    uint64_t ticket = shared->first_ticket;
    bool taken = true; /* `ticket` is the number of a tile that is not loaded yet */
    for (int round = 0, ended = 0; ended < groups; round++) {
        int slot = round % groups;
        if (round >= groups)
            mbarrier_wait(&shared->empty[slot], (round / groups & 1) ^ 1);
        if (!taken && ended == 0)
            ticket = atomicAdd(next, 1ull);
        taken = false;
        shared->ticket[slot] = ticket;
        int64_t number = (unsigned)ticket;
        if (number >= p.tiles) { /* no tile is left; the group reads this ticket and ends */
            for (int warp = 0; warp < WARPS; warp++)
                mbarrier_arrive(&shared->full[slot][warp]);
            ended++;
            continue;
        }
        T *t = tiles + slot * arrays * tile, *s = t + tile, *w = s + tile;
        for (int warp = 0; warp < WARPS; warp++) {
            int before = round * WARPS + warp - pieces_in_flight(one_tile);
            if (before >= 0)
                mbarrier_wait(&shared->full[before / WARPS % groups][before % WARPS],
                              before / WARPS / groups & 1);
            piece<T> at = piece_of<T, kind>(p, number, warp);
            uint64_t *barrier = &shared->full[slot][warp];
            unsigned bytes = bulk_bytes(p.t, at);
            if (arrays != CONSTANT)
                bytes += bulk_bytes(p.s, at);
            if (arrays == GRADIENT)
                bytes += bulk_bytes(p.w_in, at);
            mbarrier_arrive(barrier, bytes);
            start_load(p.t, at, t, barrier);
            if (arrays != CONSTANT)
                start_load(p.s, at, s, barrier);
            if (arrays == GRADIENT)
                start_load(p.w_in, at, w, barrier);
            /* Take the next ticket early, to hide the latency of the atomic, but only if a buffer
             * is free for its tile. Otherwise the tile would have to wait, and all later tiles
             * would wait for it. */
            if (!one_tile && !taken && warp >= WARPS / 2 &&
                (round + 1 < groups || mbarrier_passed(&shared->empty[(round + 1) % groups],
                                                       ((round + 1) / groups & 1) ^ 1))) {
                ticket = atomicAdd(next, 1ull);
                taken = true;
            }
        }
        if (one_tile)
            break;
    }
    /* The last block that ends prepares the workspace for the next call. It increments the number
     * of calls and resets the number of tiles handed out to 0. */
    __threadfence();
    if (atomicAdd(&p.head->done, 1u) == gridDim.x - 1) {
        __threadfence();
        atomicExch(&p.head->done, 0u);
        atomicExch(next, (unsigned long long)(((ticket >> 32) + 1) << 32));
    }
}

/* A group reduces, solves and stores the tiles that arrive in its buffer. */
template <class T, int kind>
static __device__ inline void consume(const pass<T> &p, shared_storage<T> *shared, T *tiles,
                                      int group, bool one_tile)
{
    constexpr int arrays = arrays_of(kind), tile = tile_of<T, kind>(), elements = tile / GROUP;
    int rank = (int)threadIdx.x % GROUP, warp = rank / WARP, lane = rank % WARP;
    thread_context<T> my = {};
    my.t = tiles + group * arrays * tile;
    my.s = my.t + tile;
    my.thread = p.reverse ? GROUP - 1 - rank : rank;
    my.reverse = p.reverse;
    if (arrays == CONSTANT)
        my.constant_s = *p.s;
    T *w_tile = my.s + tile;
    for (int round = 0; round == 0 || !one_tile; round++) {
        mbarrier_wait(&shared->full[group][warp], round & 1);
        uint64_t ticket = shared->ticket[group];
        int64_t number = (unsigned)ticket;
        unsigned call = (unsigned)(ticket >> 32) + 1;
        if (number >= p.tiles)
            return;
        piece<T> at = piece_of<T, kind>(p, number, warp);
        finish_load(p.t, at, tile / WARPS, my.t, lane);
        if (arrays != CONSTANT)
            finish_load(p.s, at, tile / WARPS, my.s, lane);
        if (arrays == GRADIENT)
            finish_load(p.w_in, at, tile / WARPS, w_tile, lane);
        __syncwarp();

        int64_t first = first_position<T, kind>(p, number) + rank * elements;
        range<T> r = range_of(p, first, elements, arrays == GRADIENT);
        /* All lanes take the same branch. Otherwise the warp would execute both, one after the
         * other. */
        r.plain = __all_sync(ALL_LANES, r.plain);
        map<T> m = precompute<T, kind>(my, r);
        unsigned heads = __ballot_sync(ALL_LANES, r.start < elements);
        m = scan_warp(m, heads, lane);
        if (lane == WARP - 1) {
            shared->total[group][warp] = m;
            shared->total_head[group][warp] = heads != 0;
        }
        group_sync(1 + group, GROUP);

        map<T> *total = shared->total[group];
        const int *total_head = shared->total_head[group];
        if (rank == 0) {
            map<T> all = identity<T>();
            for (int w = 0; w < WARPS; w++)
                all = total_head[w] ? total[w] : compose(all, total[w]);
            publish(p.maps, p.tiles, number, all, call);
        }
        /* x becomes the value before the tile, then before the warp, then before the thread. */
        T x = zero_of(T());
        if (p.lookback) {
            look_back<T, kind>(p, shared, group, number, call, warp, lane);
            group_sync(1 + group, GROUP);
            for (int w = 0; w * WARP < number; w++)
                x = apply(shared->lookback[group][w], shared->lookback_head[group][w] != 0, x);
        } else {
            if (rank == 0)
                shared->carry[group] = wait_message<T>(p.carries, p.tiles, number, call);
            group_sync(1 + group, GROUP);
            x = shared->carry[group];
        }
        for (int w = 0; w < warp; w++)
            x = apply(total[w], total_head[w] != 0, x);
        map<T> before = from_lane(m, lane > 0 ? lane - 1 : 0);
        if (lane > 0)
            x = apply(before, (heads & ((1u << lane) - 1)) != 0, x);

        if (arrays == GRADIENT)
            determine_gradient(p, my, r, first, w_tile, rank, x);
        else
            determine<T, kind>(my, r, x);
        bulk_fence();
        __syncwarp();
        store(p.w, at, my.t, lane);
        if (arrays == GRADIENT)
            store(p.ds, at, my.s, lane);
        if (lane == 0)
            bulk_store_wait();
        __syncwarp();
        if (lane == 0 && !one_tile)
            mbarrier_arrive(&shared->empty[group]);
    }
}

/* The kernel. A block consists of the groups, then the producer's warp (only one of its threads
 * works), then the carry warp. */
template <class T, int kind>
static __global__ void __launch_bounds__(GROUPS_MOST *GROUP + 2 * WARP, 1) one_pass(pass<T> p)
{
    DYN_SHARED(chunk<T>, memory);
    T *tiles = (T *)memory;
    int groups = ((int)blockDim.x - 2 * WARP) / GROUP, group = (int)threadIdx.x / GROUP,
        lane = (int)threadIdx.x % WARP;
    shared_storage<T> *shared =
        (shared_storage<T> *)(tiles + groups * arrays_of(kind) * tile_of<T, kind>());
    bool one_tile = p.lookback && gridDim.x >= p.tiles,
         producer = (int)threadIdx.x == groups * GROUP;
    if (producer)
        shared->first_ticket = atomicAdd(&p.head->next, 1ull);
    if (threadIdx.x == 0)
        for (int g = 0; g < groups; g++) {
            for (int warp = 0; warp < WARPS; warp++)
                mbarrier_init(&shared->full[g][warp], 1);
            mbarrier_init(&shared->empty[g], WARPS);
        }
    __syncthreads();
    bool has_carry_warp = !p.lookback && (unsigned)shared->first_ticket == 0;
    int used = one_tile ? 1 : groups;
    if (producer)
        produce<T, kind>(p, shared, tiles, used, one_tile);
    else if ((int)threadIdx.x >= groups * GROUP + WARP) {
        if (has_carry_warp)
            carry_warp<T, kind>(p, (unsigned)(shared->first_ticket >> 32) + 1, lane);
    } else if (group < used)
        consume<T, kind>(p, shared, tiles, group, one_tile);
}

/* ---- workspace ---- */

/* Returns the maximum number of tiles that n elements can have, which is their number with the
 * smallest tile size. */
static int64_t tiles_for(char type, int64_t n)
{
    constexpr int bytes = GROUP * chunks_of<GENERAL + SMALL>() * CHUNK;
    return ceil_div(n, bytes / (int64_t)element_bytes(type));
}

/* Each tile has a message for its map (two elements) and a message for its carry (one element). A
 * message is twice as long as its payload (message.cuh), so a tile needs 6 elements. */
size_t recurrence_workspace(char type, int64_t n)
{
    if (element_bytes(type) == 0 || n < 0)
        return 0;
    return HEAD_BYTES + (size_t)(tiles_for(type, n) + 1) * 6 * element_bytes(type);
}

cudaError_t recurrence_prepare(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!device_aligned(workspace, CHUNK))
        return cudaErrorInvalidValue;
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}

/* ---- launchers ---- */

/* Returns the bytes of shared memory that a block with `groups` groups needs. */
template <class T, int kind> static size_t shared_bytes_of(int groups)
{
    return (size_t)(groups * arrays_of(kind) * tile_of<T, kind>()) * sizeof(T) +
           sizeof(shared_storage<T>);
}

/* Sets the fields of p that depend on the sizes of the call, and launches the kernel. */
template <class T, int kind>
static cudaError_t launch(pass<T> p, const struct recurrence *call,
                          const struct device_properties *device, void *workspace,
                          cudaStream_t stream)
{
    constexpr int tile = tile_of<T, kind>();
    p.n = call->length * call->batch;
    p.length = call->length;
    p.shift = (int64_t)((uintptr_t)p.t % CHUNK / sizeof(T));
    p.tiles = (p.n + p.shift - 1) / tile + 1;
    p.head = (struct workspace_head *)workspace;
    p.maps = (uint64_t *)((char *)workspace + HEAD_BYTES);
    p.carries = p.maps + p.tiles * message_words<map<T>>();
    p.lookback = call->carry == RECURRENCE_LOOKBACK ||
                 (call->carry == RECURRENCE_AUTO && p.tiles <= LOOKBACK_TILES_MOST);
    if (p.lookback && p.tiles > LOOKBACK_TILES_MOST)
        return cudaErrorInvalidValue;
    /* With look-back there is one block for each tile, and a multiprocessor runs as many blocks as
     * fit. Otherwise there is one block per multiprocessor, with as many groups as fit. */
    int groups = p.lookback ? 1 : GROUPS_MOST;
    while (groups > 1 && shared_bytes_of<T, kind>(groups) > device->shared_bytes)
        groups--;
    int64_t blocks = p.lookback ? p.tiles : device->multiprocessors;
    if (call->blocks > 0 && blocks > call->blocks)
        blocks = call->blocks;
    if (blocks > p.tiles)
        blocks = p.tiles;
    return LAUNCH((one_pass<T, kind>), (unsigned)blocks, (unsigned)(groups * GROUP + 2 * WARP),
                  shared_bytes_of<T, kind>(groups), stream, p);
}

template <class T>
static cudaError_t solve(const struct recurrence *call, void *workspace, cudaStream_t stream)
{
    pass<T> p = {};
    p.s = (const T *)call->s;
    p.t = (const T *)call->t;
    p.w0 = (const T *)call->w0;
    p.w = (T *)call->w;
    p.reverse = call->reverse != 0;
    struct device_properties device;
    TRY(query_device(&device));
    /* Use small tiles if two large ones do not fit into shared memory. With only one tile, a block
     * could not load while it computes. */
    if (call->constant)
        return shared_bytes_of<T, CONSTANT>(2) <= device.shared_bytes
                   ? launch<T, CONSTANT>(p, call, &device, workspace, stream)
                   : launch<T, CONSTANT + SMALL>(p, call, &device, workspace, stream);
    return shared_bytes_of<T, GENERAL>(2) <= device.shared_bytes
               ? launch<T, GENERAL>(p, call, &device, workspace, stream)
               : launch<T, GENERAL + SMALL>(p, call, &device, workspace, stream);
}

/* The array arguments of recurrence_gradient(). */
struct gradient_arrays {
    const void *dw;
    void *ds, *dt, *dw0;
};

template <class T>
static cudaError_t gradient(const struct recurrence *call, const struct gradient_arrays *arrays,
                            void *workspace, cudaStream_t stream)
{
    pass<T> p = {};
    p.s = (const T *)call->s;
    p.t = (const T *)arrays->dw;
    p.w0 = (const T *)call->w0;
    p.w_in = (const T *)call->w;
    p.w = (T *)arrays->dt;
    p.ds = (T *)arrays->ds;
    p.dw0 = (T *)arrays->dw0;
    /* the gradient runs in the opposite direction of the recurrence */
    p.reverse = call->reverse == 0;
    struct device_properties device;
    TRY(query_device(&device));
    return launch<T, GRADIENT>(p, call, &device, workspace, stream);
}

/* Calls gradient(), or solve() if `arrays` is NULL. */
template <class T>
static cudaError_t run(const struct recurrence *call, const struct gradient_arrays *arrays,
                       void *workspace, cudaStream_t stream)
{
    return arrays ? gradient<T>(call, arrays, workspace, stream)
                  : solve<T>(call, workspace, stream);
}
static cudaError_t run_by_type(const struct recurrence *call, const struct gradient_arrays *arrays,
                               void *workspace, cudaStream_t stream)
{
    switch (call->type) {
    case 's':
        return run<float>(call, arrays, workspace, stream);
    case 'd':
        return run<double>(call, arrays, workspace, stream);
    case 'c':
        return run<complex_of<float>>(call, arrays, workspace, stream);
    default:
        return run<complex_of<double>>(call, arrays, workspace, stream);
    }
}

/* ---- public functions ---- */

/* True if all numbers in *p are in the ranges that recurrence.h gives. n = 0 is in range. */
static bool numbers_valid(const struct recurrence *p)
{
    return p && element_bytes(p->type) > 0 && p->length >= 0 && p->batch >= 0 && p->blocks >= 0 &&
           p->carry >= RECURRENCE_AUTO && p->carry <= RECURRENCE_CARRY_WARP;
}

/* True if the arrays and the workspace of a call with n > 0 are valid. */
static bool arrays_valid(const struct recurrence *p, bool uses_t, const void *workspace,
                         size_t bytes)
{
    size_t element = element_bytes(p->type);
    if (p->length > INT64_MAX / 32 / p->batch)
        return false;
    int64_t n = p->length * p->batch;
    return tiles_for(p->type, n) <= UINT32_MAX / 2 && device_aligned(p->s, element) &&
           device_aligned(p->w, element) && (!uses_t || device_aligned(p->t, element)) &&
           (!p->w0 || device_aligned(p->w0, element)) && device_aligned(workspace, CHUNK) &&
           bytes >= recurrence_workspace(p->type, n);
}

cudaError_t recurrence_solve(const struct recurrence *p, void *workspace, size_t bytes,
                             cudaStream_t stream)
{
    if (!numbers_valid(p))
        return cudaErrorInvalidValue;
    if (p->length == 0 || p->batch == 0)
        return cudaSuccess;
    if (!arrays_valid(p, true, workspace, bytes))
        return cudaErrorInvalidValue;
    return run_by_type(p, NULL, workspace, stream);
}

cudaError_t recurrence_gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                                void *dw0, void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!numbers_valid(p) || p->constant)
        return cudaErrorInvalidValue;
    if (p->length == 0 || p->batch == 0)
        return cudaSuccess;
    size_t element = element_bytes(p->type);
    if (!arrays_valid(p, false, workspace, bytes) || !device_aligned(dw, element) ||
        !device_aligned(ds, element) || !device_aligned(dt, element) ||
        (dw0 && !device_aligned(dw0, element)))
        return cudaErrorInvalidValue;
    struct gradient_arrays arrays = {dw, ds, dt, dw0};
    return run_by_type(p, &arrays, workspace, stream);
}
