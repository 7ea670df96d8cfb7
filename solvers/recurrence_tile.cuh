/* Tiles: the shape of a tile, where it lies in the arrays, and its staging, which brings it into
 * shared memory and stores it. Part of recurrence.cu.
 *
 * Positions count along the recurrence. Position p is element p, or element n - 1 - p if the
 * recurrence runs in reverse. Tiles, pieces and threads are numbered along the recurrence as well;
 * in reverse they lie in memory in the opposite order. */
#ifndef RECURRENCE_TILE_CUH
#define RECURRENCE_TILE_CUH

#include "recurrence_map.cuh"

enum {
    GROUP = 256,                       /* threads that work on a tile together */
    WARPS = GROUP / WARP,              /* of a group; each stages a piece of the tile */
    GROUPS_MOST = 3,                   /* groups of a block, each with a tile */
    LOOKBACK_TILES_MOST = WARP * WARPS /* one thread of the group reads the map of one tile */
};

/* The kinds of pass, numbered by the arrays that a tile stages: t (constant s); t and s; dw, s and
 * w (gradient). SMALL is added for a GPU whose blocks cannot have two such tiles in shared
 * memory. */
enum { CONSTANT = 1, GENERAL = 2, GRADIENT = 3, SMALL = 4 };
static __host__ __device__ constexpr int arrays_of(int kind)
{
    return kind % SMALL;
}

/* The 16-byte chunks of an array that a thread owns. The number is odd, so that there are no bank
 * conflicts: eight neighbouring threads read chunks that lie an odd multiple of 16 bytes apart, and
 * these fall into all 32 banks. It is also as large as three tiles in the shared memory of a
 * multiprocessor allow, or nearly. With SMALL, two or three tiles fill most of 64 KiB (T4). */
template <int kind> static __host__ __device__ constexpr int chunks_of(void)
{
    return kind == CONSTANT          ? 17
           : kind == GENERAL         ? 9
           : kind == GENERAL + SMALL ? 3
                                     : 5; /* GRADIENT, CONSTANT + SMALL */
}

/* Elements of a tile. */
template <class T, int kind> static __host__ __device__ constexpr int tile_of(void)
{
    return GROUP * chunks_of<kind>() * CHUNK / (int)sizeof(T);
}

/* The head of the workspace. */
struct workspace_head {
    unsigned long long
        next;      /* calls so far (upper 32 bits), tiles handed out in this call (lower) */
    unsigned done; /* blocks that need no more tiles */
};
enum { HEAD_BYTES = 128 };

/* The kernel's arguments. A gradient pass is a recurrence in dt against the direction of the
 * solution: t is dw, w is dt, and w0 holds the values before the sequences of the solution. */
template <class T> struct pass {
    int64_t n, length, tiles;
    int64_t shift; /* elements between the first tile's begin, which is aligned, and element 0 */
    const T *s, *t, *w0;
    const T *w_in; /* gradient: the solution w */
    T *w;
    T *ds, *dw0; /* gradient: further outputs; dw0 may be NULL */
    struct workspace_head *head;
    uint64_t *carries, *maps; /* tables of messages: the value before each tile; its map */
    bool reverse, lookback;
};

/* Shared memory of a block behind its staging buffers. */
template <class T> struct shared_storage {
    /* Barriers: a piece of the buffer has arrived; all of the buffer has been stored. */
    uint64_t full[GROUPS_MOST][WARPS], empty[GROUPS_MOST];
    uint64_t ticket[GROUPS_MOST], first_ticket; /* workspace_head.next when the tile was taken */
    /* For each warp: the map of its elements in this tile, and of the earlier tiles that it looked
     * back on; then their head flags. carry: the value before the tile, from the carry warp. */
    map<T> total[GROUPS_MOST][WARPS], lookback[GROUPS_MOST][WARPS];
    int total_head[GROUPS_MOST][WARPS], lookback_head[GROUPS_MOST][WARPS];
    T carry[GROUPS_MOST];
};

/* ---- where a tile lies ---- */

/* The eighth of a tile that one warp stages. */
template <class T> struct piece {
    int64_t from;   /* array index of its first element; negative at the begin of the arrays */
    int begin, end; /* [begin, end): the elements that exist, relative to `from` */
    int at;         /* index of its first element in the staging buffer */
};
template <class T, int kind>
static __device__ inline piece<T> piece_of(const pass<T> &p, int64_t tile, int warp)
{
    constexpr int elements = tile_of<T, kind>() / WARPS;
    int at = (p.reverse ? WARPS - 1 - warp : warp) * elements;
    int64_t from = (p.reverse ? p.tiles - 1 - tile : tile) * tile_of<T, kind>() + at - p.shift;
    int64_t end = p.n - from < elements ? p.n - from : elements, begin = from < 0 ? -from : 0;
    return {from, (int)begin, (int)(end < begin ? begin : end), at};
}

/* The position at which a tile begins; negative if its first elements do not exist. */
template <class T, int kind>
static __device__ inline int64_t first_position(const pass<T> &p, int64_t tile)
{
    return p.reverse ? p.n + p.shift - (p.tiles - tile) * tile_of<T, kind>()
                     : tile * tile_of<T, kind>() - p.shift;
}

/* The first position >= `position` >= 0 at which a sequence begins. */
template <class T> static __device__ inline int64_t next_start(const pass<T> &p, int64_t position)
{
    if (p.length >= p.n)
        return position == 0 ? 0 : p.n;
    return (position + p.length - 1) / p.length * p.length;
}

/* The head flag of a tile. */
template <class T, int kind> static __device__ inline bool has_head(const pass<T> &p, int64_t tile)
{
    int64_t first = first_position<T, kind>(p, tile), start = next_start(p, first < 0 ? 0 : first);
    return start < first + tile_of<T, kind>() && start < p.n;
}

/* The number of the sequence that begins at position `start`. */
template <class T> static __device__ inline int64_t sequence_at(const pass<T> &p, int64_t start)
{
    return (p.reverse ? p.n - start : start + p.length) / p.length - 1;
}

/* ---- staging ---- */

/* The bytes of a piece if a bulk copy can move it, else 0: the whole piece must lie on 16-byte
 * boundaries. */
template <class T> static __device__ inline unsigned bulk_bytes(const T *array, piece<T> at)
{
    unsigned bytes = (unsigned)((at.end - at.begin) * sizeof(T));
    bool fits = at.begin == 0 && bytes % CHUNK == 0 && (uintptr_t)(array + at.from) % CHUNK == 0;
    return has_bulk_copies() && fits ? bytes : 0;
}

/* The producer starts the bulk copy of a piece, if there is one. */
template <class T>
static __device__ inline void start_load(const T *array, piece<T> at, T *tile, uint64_t *barrier)
{
    unsigned bytes = bulk_bytes(array, at);
    if (bytes > 0)
        bulk_load(tile + at.at, array + at.from, bytes, barrier);
}

/* The warp that owns the piece loads it where no bulk copy could; neighbouring lanes load
 * neighbours. It sets the elements that do not exist to zero, because threads read whole chunks. */
template <class T>
static __device__ inline void finish_load(const T *array, piece<T> at, int elements, T *tile,
                                          int lane)
{
    if (at.end - at.begin < elements)
        for (int i = lane; i < elements; i += WARP)
            if (i < at.begin || i >= at.end)
                tile[at.at + i] = zero_of(T());
    if (bulk_bytes(array, at) == 0) {
        UNROLL(4)
        for (int i = at.begin + lane; i < at.end; i += WARP)
            tile[at.at + i] = array[at.from + i];
    }
}

/* The warp stores its piece, by bulk copy where it can. */
template <class T>
static __device__ inline void store(T *array, piece<T> at, const T *tile, int lane)
{
    unsigned bytes = bulk_bytes(array, at);
    if (bytes == 0)
        for (int i = at.begin + lane; i < at.end; i += WARP)
            array[at.from + i] = tile[at.at + i];
    else if (lane == 0)
        bulk_store(array + at.from, tile + at.at, bytes);
}

#endif
