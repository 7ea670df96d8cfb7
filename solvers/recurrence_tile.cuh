/* Tiles: their size, where they lie in the arrays, and how they are loaded into shared memory and
 * stored.
 *
 * Positions, tiles, pieces and threads are numbered in the direction of the recurrence. Position p
 * is element p, or element n - 1 - p if the recurrence runs in reverse; then tile 0 is at the end
 * of the arrays. */
#pragma once

#include "recurrence_map.cuh"

enum {
    GROUP = 256,                       /* threads that work on a tile together */
    WARPS = GROUP / WARP,              /* each of them stages one piece of the tile */
    GROUPS_MOST = 3,                   /* of a block; each works on its own tile */
    LOOKBACK_TILES_MOST = WARP * WARPS /* each thread of a group reads the map of one tile */
};

/* The kinds of pass; the values are the numbers of arrays that a tile stages: t if s is constant, t
 * and s in general, dw, s and w for the gradient. SMALL is added to a kind to select smaller tiles,
 * where shared memory cannot hold two normal ones, and VARIED for sequences of different lengths,
 * or with a constant s that differs: what they need would make the others slower. */
enum { CONSTANT = 1, GENERAL = 2, GRADIENT = 3, SMALL = 4, VARIED = 8 };
static __host__ __device__ constexpr int arrays_of(int kind)
{
    return kind % SMALL;
}
static __host__ __device__ constexpr bool is_varied(int kind)
{
    return kind >= VARIED;
}

/* The number of 16-byte chunks of each array that a thread owns. It is odd, so that the chunks that
 * eight neighbouring threads read lie in all 32 banks. It is (nearly) the largest with which three
 * tiles fit into 227 KiB of shared memory. With SMALL, two or three tiles fill most of 64 KiB
 * (T4). */
template <int kind> static __host__ __device__ constexpr int chunks_of(void)
{
    return kind % VARIED == CONSTANT          ? 17
           : kind % VARIED == GENERAL         ? 9
           : kind % VARIED == GENERAL + SMALL ? 3
                                              : 5; /* GRADIENT, CONSTANT + SMALL */
}

/* The number of elements of a tile. */
template <class S, int kind> static __host__ __device__ constexpr int tile_of(void)
{
    return GROUP * chunks_of<kind>() * CHUNK / (int)sizeof(S);
}

/* The sequences along an axis of n elements. Positions and sequences are numbered in the direction
 * of the recurrence. */
struct axis {
    int64_t n, count;
    int64_t length;        /* of each sequence, unless they are packed: */
    const int64_t *offset; /* VARIED: as in recurrence_problem.h, or NULL */
    bool reverse;
};
/* The position at which a sequence begins; after the last one, the end of all */
template <int kind> static __device__ inline int64_t start_of(const axis &p, int64_t number)
{
    if (!is_varied(kind) || !p.offset)
        return number * p.length;
    return p.reverse ? p.n - p.offset[p.count - number] : p.offset[number];
}
/* The first sequence in [from, to) that begins at `position` or later; `to` if none does */
template <int kind>
static __device__ inline int64_t bisect(const axis &p, int64_t position, int64_t from, int64_t to)
{
    while (from < to) {
        const int64_t middle = (from + to) / 2;
        if (start_of<kind>(p, middle) < position)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}
/* The same by a warp: its lanes try 32 numbers at a time. */
template <int kind>
static __device__ inline int64_t search_by_warp(const axis &p, int64_t position, int64_t from,
                                                int64_t to, int lane)
{
    while (from < to) {
        const int64_t step = (to - from + WARP - 1) / WARP, tried = from + lane * step;
        const bool before = tried < to && start_of<kind>(p, tried) < position;
        const int count = __popc(__ballot_sync(ALL_LANES, before));
        to = from + count * step < to ? from + count * step : to;
        if (count > 0)
            from += (count - 1) * step + 1;
    }
    return from;
}
/* The first sequence that begins at `position` >= 0 or later; p.count or more if there is none */
template <int kind> static __device__ inline int64_t next_sequence(const axis &p, int64_t position)
{
    if (p.count == 1) /* it begins at 0 */
        return position > 0;
    if (!is_varied(kind) || !p.offset)
        return (position + p.length - 1) / p.length;
    return bisect<kind>(p, position, 0, p.count);
}
/* The same for positions that do not decrease from lane to lane. All lanes of the warp call it.
 * They find the numbers for lanes 0 and 31 together, then each its own between these. */
template <int kind>
static __device__ inline int64_t next_of_lanes(const axis &p, int64_t position, int lane)
{
    if (!is_varied(kind) || !p.offset)
        return next_sequence<kind>(p, position);
    const int64_t last = __shfl_sync(ALL_LANES, position, WARP - 1),
                  first = __shfl_sync(ALL_LANES, position, 0),
                  from = search_by_warp<kind>(p, first, 0, p.count, lane),
                  near = from + WARP < p.count ? from + WARP : p.count;
    int64_t to = search_by_warp<kind>(p, last, from, near, lane);
    if (to == near && near < p.count)
        to = search_by_warp<kind>(p, last, near, p.count, lane);
    return bisect<kind>(p, position, from, to);
}
/* The sequence, or if it is empty the next one that is not; p.count or more if there is none */
template <int kind> static __device__ inline int64_t not_empty(const axis &p, int64_t number)
{
    if (!is_varied(kind) || !p.offset || number >= p.count)
        return number;
    const int64_t start = start_of<kind>(p, number);
    return start < start_of<kind>(p, number + 1) ? number
           : start == p.n                        ? p.count
                                                 : next_sequence<kind>(p, start + 1) - 1;
}
/* Where the values of a sequence are in w0, dw0, and s if it has one for each sequence */
static __device__ inline int64_t index_of(const axis &p, int64_t number)
{
    return p.reverse ? p.count - 1 - number : number;
}

struct workspace_head {
    /* upper 32 bits: number of earlier calls; lower 32 bits: tiles handed out in this call */
    unsigned long long next;
    unsigned done; /* number of blocks that have found no more tiles */
};
enum { HEAD_BYTES = 128 };
/* The last block that ends prepares the workspace for the next call: it counts the call and sets
 * the number of tiles handed out to 0. */
static __device__ inline void end_call(struct workspace_head *head, uint64_t ticket)
{
    __threadfence();
    if (atomicAdd(&head->done, 1u) == gridDim.x - 1) {
        __threadfence();
        atomicExch(&head->done, 0u);
        atomicExch(&head->next, (unsigned long long)(((ticket >> 32) + 1) << 32));
    }
}

/* The arguments of the kernel for arrays with elements of type S. A gradient pass is a recurrence
 * for dt, in the opposite direction of the recurrence for w: t is dw, w is dt, and w0 still holds
 * the values before the sequences. */
template <class S> struct pass : axis {
    int64_t tiles;
    /* The first tile begins at the last 16-byte boundary at or before element 0 of t. shift is the
     * number of elements from this boundary to element 0. */
    int64_t shift;
    const S *s, *t, *w0;
    const S *w_in; /* input of a gradient pass: the solution w */
    S *w;
    S *ds, *dw0; /* further outputs of a gradient pass; dw0 may be NULL */
    struct workspace_head *head;
    /* tables of messages (message.cuh): the value before each tile, and each tile's map */
    uint64_t *carries, *maps;
    bool lookback;
    bool s_each; /* VARIED: a constant s differs from sequence to sequence */
};

/* The part of a block's shared memory that follows its staging buffers. */
template <class T> struct shared_storage {
    /* full: this piece of the group's buffer has been loaded. empty: the whole buffer has been
     * stored. */
    uint64_t full[GROUPS_MOST][WARPS], empty[GROUPS_MOST];
    /* The value of workspace_head.next when a tile was taken: the tile in each group's buffer, and
     * the block's first tile. */
    uint64_t ticket[GROUPS_MOST], first_ticket;
    /* total: the map of each warp's elements in this tile. lookback: that of the 32 earlier tiles
     * that each warp reads in look_back(). Both have head flags. carry: the value before the tile,
     * sent by the carry warp. */
    map<T> total[GROUPS_MOST][WARPS], lookback[GROUPS_MOST][WARPS];
    int total_head[GROUPS_MOST][WARPS], lookback_head[GROUPS_MOST][WARPS];
    T carry[GROUPS_MOST];
};

/* ---- where a tile lies ---- */

/* A piece is the eighth of a tile that one warp stages. */
template <class S> struct piece {
    int64_t from;   /* array index of its first element; may be negative in the first tile */
    int begin, end; /* [begin, end): the elements that exist, relative to `from` */
    int at;         /* index of its first element in the staging buffer */
};
template <class S, int kind>
static __device__ inline piece<S> piece_of(const pass<S> &p, int64_t tile, int warp)
{
    constexpr int elements = tile_of<S, kind>() / WARPS;
    int at = (p.reverse ? WARPS - 1 - warp : warp) * elements;
    int64_t from = (p.reverse ? p.tiles - 1 - tile : tile) * tile_of<S, kind>() + at - p.shift;
    int64_t end = p.n - from < elements ? p.n - from : elements, begin = from < 0 ? -from : 0;
    return {from, (int)begin, (int)(end < begin ? begin : end), at};
}

/* The position at which a tile begins; negative if its first elements do not exist. */
template <class S, int kind>
static __device__ inline int64_t first_position(const pass<S> &p, int64_t tile)
{
    return p.reverse ? p.n + p.shift - (p.tiles - tile) * tile_of<S, kind>()
                     : tile * tile_of<S, kind>() - p.shift;
}

/* ---- staging ---- */

/* The bytes of a piece if a bulk copy can move it, else 0. Its begin and end must be on 16-byte
 * boundaries. */
template <class S> static __device__ inline unsigned bulk_bytes(const S *array, piece<S> at)
{
    unsigned bytes = (unsigned)((at.end - at.begin) * sizeof(S));
    bool fits = at.begin == 0 && bytes % CHUNK == 0 && (uintptr_t)(array + at.from) % CHUNK == 0;
    return has_bulk_copies() && fits ? bytes : 0;
}

template <class S>
static __device__ inline void start_load(const S *array, piece<S> at, S *tile, uint64_t *barrier)
{
    unsigned bytes = bulk_bytes(array, at);
    if (bytes > 0)
        bulk_load(tile + at.at, array + at.from, bytes, barrier);
}

/* The warp loads its piece if no bulk copy could. Threads read whole chunks, so the other
 * elements of its first and last chunk become 0. */
template <class S>
static __device__ inline void finish_load(const S *array, piece<S> at, S *tile, int lane)
{
    if (bulk_bytes(array, at) > 0)
        return;
    constexpr int in_chunk = CHUNK / sizeof(S);
    if (lane < at.begin)
        tile[at.at + lane] = zero_of(S());
    if (lane < (in_chunk - at.end % in_chunk) % in_chunk)
        tile[at.at + at.end + lane] = zero_of(S());
    UNROLL(4)
    for (int i = at.begin + lane; i < at.end; i += WARP)
        tile[at.at + i] = array[at.from + i];
}

template <class S>
static __device__ inline void store(S *array, piece<S> at, const S *tile, int lane)
{
    unsigned bytes = bulk_bytes(array, at);
    if (bytes == 0)
        for (int i = at.begin + lane; i < at.end; i += WARP)
            array[at.from + i] = tile[at.at + i];
    else if (lane == 0)
        bulk_store(array + at.from, tile + at.at, bytes);
}

/* ---- producer ---- */

/* The producer, one thread, loads one tile after another into the buffers of the groups, in turn:
 * start(number, slot, warp) starts the copies of a warp's piece of tile `number`, which arrive at
 * shared->full[slot][warp]. A group has `warps` warps.
 *
 * At most half a tile is on its way, as suits an H100: with less, its memory would idle; with more,
 * the messages between blocks would queue after the loads. */
template <class Shared, class F>
static __device__ inline void produce(struct workspace_head *head, Shared *shared, int groups,
                                      int warps, int64_t tiles, F start)
{
    uint64_t ticket = shared->first_ticket;
    bool taken = true; /* `ticket` is the number of a tile that is not loaded yet */
    for (int round = 0, ended = 0; ended < groups; round++) {
        const int slot = round % groups, next = (round + 1) % groups;
        if (round >= groups)
            mbarrier_wait(&shared->empty[slot], (round / groups & 1) ^ 1);
        if (!taken && ended == 0)
            ticket = atomicAdd(&head->next, 1ull);
        taken = false;
        shared->ticket[slot] = ticket;
        const unsigned number = (unsigned)ticket;
        if (number >= tiles) { /* no tile is left; the group reads this ticket and ends */
            for (int warp = 0; warp < warps; warp++)
                mbarrier_arrive(&shared->full[slot][warp]);
            ended++;
            continue;
        }
        for (int warp = 0; warp < warps; warp++) {
            const int before = round * warps + warp - warps / 2;
            if (before >= 0)
                mbarrier_wait(&shared->full[before / warps % groups][before % warps],
                              before / warps / groups & 1);
            start(number, slot, warp);
            /* Take the next ticket early, to hide the latency of the atomic, but only if a buffer
             * is free for its tile. Otherwise that tile and all later ones would have to wait. */
            if (!taken && warp >= warps / 2 &&
                (round + 1 < groups ||
                 mbarrier_passed(&shared->empty[next], ((round + 1) / groups & 1) ^ 1))) {
                ticket = atomicAdd(&head->next, 1ull);
                taken = true;
            }
        }
    }
    end_call(head, ticket);
}
