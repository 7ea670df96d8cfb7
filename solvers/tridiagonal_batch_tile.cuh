/* tridiagonal_batch: how a batch of contiguous systems is cut into tiles, and how a breakdown finds
 * its system's status.
 *
 * A tile is the work that one block solves at a time. It is one contiguous piece of memory, and one
 * tridiagonal system: systems follow one another in memory, and the couplings across their ends
 * count as zero (tridiagonal_batch_staging.cuh masks them). So no case depends on n, on where in a
 * tile a system begins, or on how many there are. A tile holds, depending on the batch,
 *
 *     systems of one length    as many whole systems as fit. If that leaves blocks idle, a tile is
 *                              split into parts; each block loads one part, and masks the others.
 *     of different lengths     the systems that begin in a fixed range of elements, or one system
 *     too long for one tile    `tile_rows` rows of one system
 *
 * A system's place in its tile depends on n and on its number, never on the size of the batch. So
 * its bits do not either.
 *
 *     memory:   |<----- line ---->|<----- line ---->|<----- line ---->| ...
 *               ^ base   ^ base + lead: row 0 of the tile
 *
 * `base` is a multiple of a line of 128 bytes, wherever the first system begins. So lines of memory
 * are lines of shared memory, and the 16-byte chunks that bulk copies need are chunks in both. */
#ifndef TRIDIAGONAL_BATCH_TILE_CUH
#define TRIDIAGONAL_BATCH_TILE_CUH

#include "tridiagonal_batch.h"

#include "partition.cuh"

enum { LINE = 128 /* bytes */ };

/* A call of tridiagonal_batch_solve, as kernels get it. A part is a tile, or a part of one: the
 * unit of work of a block. */
template <class T> struct batch {
    int64_t n, systems, elements; /* elements: of each array, of all systems */
    /* Systems that a tile and a part have, at most. With `offset`: rows of a tile, and elements of
     * the range in which its systems begin (0: each tile has one system). */
    int tile_size, part_size;
    int parts_per_tile;
    int64_t parts;
    int tiles_per_system, tile_rows; /* of systems that are too long for one tile; else 0 */
    int used_elements; /* of a tile's staging buffer: no tile uses elements behind these */
    int pcr_levels;
    enum tridiagonal_matrix matrix;
    /* A matrix that all systems share: all tiles of a block need the same rows of it in the same
     * places, so it is staged once. */
    bool same_matrix_rows;
    const T *in[4]; /* sub, diag, super, rhs */
    T *x;
    int *status;
    const int64_t *offset;
    bool bulk; /* the arrays are aligned for bulk copies */
};

/* Row i of a tile is element base + lead + i of the arrays. This block solves the rows [begin,
 * end); others are masked. In all files `at` is the tile at hand. */
struct tile {
    int64_t base;
    int64_t first_row; /* the number of row 0 in its system: not 0 where a system is split */
    int64_t first_system;
    int lead, begin, end;
    int systems_begin, systems_end; /* systems of [begin, end), counted from first_system */
};

template <class T> static __device__ inline bool all_finite(T x, T y, T z)
{
    return (abs1(x) + abs1(y) + abs1(z)) * 0 == 0;
}
template <class T> static __device__ inline bool all_finite(T x, T y, T z, T u)
{
    return (abs1(x) + abs1(y) + abs1(z) + abs1(u)) * 0 == 0;
}

/* ---- the tile of a part ---- */

/* Of `count` offsets in increasing order, the index of the first that is not below `row`; `count`
 * if there is none. All lanes of a warp search together: each step tests 32 offsets. */
static __device__ inline int64_t warp_lower_bound(const int64_t *offset, int64_t count, int64_t row,
                                                  int lane)
{
    int64_t low = 0, end = count;
    while (low < end) {
        int64_t stride = ceil_div(end - low, WARP), i = low + (lane + 1) * stride - 1;
        unsigned below = __ballot_sync(ALL_LANES, i < end && offset[i < end ? i : 0] < row);
        low += stride * __popc(below);
        end = end - low < stride ? end : low + stride - 1;
    }
    return low;
}

/* The tile that a part belongs to, with the rows and systems that the part has of it. With `offset`
 * all lanes of a warp must call it. */
template <class T> static __device__ inline tile tile_of(const batch<T> &b, int64_t part, int lane)
{
    constexpr int elements = LINE / sizeof(T);
    tile at = {};
    int64_t from;
    if (b.tiles_per_system > 0) { /* all tiles of a system but its first begin with a line */
        int64_t j = part % b.tiles_per_system;
        at.first_system = part / b.tiles_per_system;
        from = at.first_system * b.n;
        int lead = (int)(from % elements);
        int64_t left = b.n + lead - j * b.tile_rows, most = left < b.tile_rows ? left : b.tile_rows;
        at.end = (int)(most > 0 ? most : 0);
        if (j == 0) {
            at.lead = lead;
            at.end -= lead;
        } else {
            at.first_row = j * b.tile_rows - lead;
            from += at.first_row;
        }
    } else if (b.offset) {
        int64_t last = part + 1;
        at.first_system = part;
        if (b.part_size > 0) {
            at.first_system = warp_lower_bound(b.offset, b.systems, part * b.part_size, lane);
            last = warp_lower_bound(b.offset, b.systems, (part + 1) * b.part_size, lane);
        }
        from = b.offset[at.first_system];
        at.lead = (int)(from % elements);
        int64_t end = b.offset[last] - from;
        at.end = (int)(end < b.tile_size ? end : b.tile_size);
        at.systems_end = (int)(last - at.first_system);
    } else {
        int64_t t = part, first = 0, last = b.tile_size;
        if (b.parts_per_tile > 1) {
            t = part / b.parts_per_tile;
            first = (part - t * b.parts_per_tile) * b.part_size;
            last = first + b.part_size;
        }
        at.first_system = t * b.tile_size;
        int64_t left = b.systems - at.first_system, most = left < b.tile_size ? left : b.tile_size;
        at.systems_begin = (int)(first < most ? first : most);
        at.systems_end = (int)(last < most ? last : most);
        at.begin = at.systems_begin * (int)b.n;
        at.end = at.systems_end * (int)b.n;
        from = at.first_system * b.n;
        at.lead = (int)(from % elements);
    }
    at.base = from - at.lead;
    return at;
}

/* ---- status ---- */

/* Sets the status of a tile's systems to 0, or to 1 for a system that is longer than the call's n
 * or reaches beyond the tile: such a system is not solved. */
template <class T>
static __device__ inline void clear_status(const batch<T> &b, const tile &at, int rank, int threads)
{
    if (!b.status)
        return;
    int *status = b.status + at.first_system;
    for (int i = at.systems_begin + rank; i < at.systems_end; i += threads)
        status[i] =
            b.offset && (b.offset[at.first_system + i + 1] - b.offset[at.first_system + i] > b.n ||
                         b.offset[at.first_system + i + 1] - b.offset[at.first_system] > at.end);
}

/* Of `count` offsets in increasing order, the index of the last that is at most `row`. */
static __device__ inline int last_not_above(const int64_t *offset, int count, int64_t row)
{
    int low = 0;
    while (count > 1) {
        int half = count / 2;
        low = offset[low + half] <= row ? low + half : low;
        count -= half;
    }
    return low;
}

/* To whom a breakdown in a row of a tile is reported. Not active: to nobody, as on the fast path,
 * and as for lanes whose values are not used. */
template <class T> struct reporter {
    const batch<T> *b;
    const tile *at;
    bool active;
};

/* The system of a tile's row, counted from the tile's first system; -1 for rows before the tile. */
template <class T> static __device__ inline int system_of(const reporter<T> &to, int row)
{
    const int64_t *offset = to.b->offset;
    return row < 0  ? -1
           : offset ? last_not_above(offset + to.at->first_system, to.at->systems_end,
                                     offset[to.at->first_system] + row)
                    : (int)((row + to.at->first_row) / to.b->n);
}

/* Of several reports for a system its status keeps the lowest row. (Not inlined: its registers
 * would count for the fast path too.) */
template <class T>
static __device__ __attribute__((noinline)) void report_at(const batch<T> &b, const tile &at,
                                                           int row)
{
    if (!b.status || row < at.begin || row >= at.end)
        return;
    int64_t system = at.first_system + system_of(reporter<T>{&b, &at, true}, row);
    int64_t row_of_system = b.offset ? row - (b.offset[system] - b.offset[at.first_system])
                                     : (row + at.first_row) % b.n;
    int value = 1 + (int)row_of_system;
    if (atomicCAS(b.status + system, 0, value) != 0)
        atomicMin(b.status + system, value);
}
template <class T> static __device__ inline void report(const reporter<T> &to, int row)
{
    if (to.active)
        report_at(*to.b, *to.at, row);
}

#endif
