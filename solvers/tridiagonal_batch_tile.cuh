/* tridiagonal_batch: how a batch of contiguous systems is cut into tiles, and how a breakdown is
 * recorded in the status of its system.
 *
 * A tile is the set of rows that one block solves at a time. It is contiguous in memory. The
 * couplings between its systems are replaced by zero (tridiagonal_batch_staging.cuh), so the block
 * solves the tile like one tridiagonal system, whatever n is and wherever a system begins. The rows
 * of a tile are
 *
 *     for systems of one length          as many whole systems as fit. If then some blocks would be
 *                                        idle, a tile is split into parts; each block loads one
 *                                        part and masks the others.
 *     for systems of different lengths   the systems that begin in a fixed range of elements, or
 *                                        one system
 *     for systems that are too long      `tile_rows` rows of one system
 *
 * The place of a system in its tile depends on n and on the number of the system, but not on the
 * size of the batch. So the bits of its solution do not depend on the size of the batch either.
 *
 *     memory:   |<----- line ---->|<----- line ---->|<----- line ---->| ...
 *               ^ base   ^ base + lead: row 0 of the tile
 *
 * `base` is on a boundary of 128 bytes (a line), even if the first system of the tile begins later.
 * So the elements of a line or of a 16-byte chunk in memory are also a line or chunk in shared
 * memory, as bulk copies require. */
#pragma once

#include "tridiagonal_batch.h"

#include "partition.cuh"

enum { LINE = 128 /* bytes */ };

/* The arguments of the kernels for a call of tridiagonal_batch_solve(). A part is a tile or a
 * fraction of a tile; blocks take one part after another. */
template <class T> struct batch {
    /* n: rows of a system; systems: their number; elements: elements of rhs, for all systems */
    int64_t n, systems, elements;
    /* tile_size, part_size: the maximum number of systems in a tile and in a part. With `offset`:
     * tile_size is the maximum number of rows of a tile, and part_size the number of elements of
     * the range in which its systems begin (0: each tile has one system). */
    int tile_size, part_size;
    int parts_per_tile;
    int64_t parts;
    int tiles_per_system, tile_rows; /* not 0 only for systems that are too long for one tile */
    /* number of elements of each array in the staging buffer that a tile can use */
    int used_elements;
    int pcr_levels;
    int run;      /* the number of neighbouring partitions that one thread merges first */
    int lane_run; /* the same for solve_one_matrix */
    /* If systems share a matrix, this is not TRIDIAGONAL_BATCH_OWN, and system k has the matrix k /
     * sides; INT64_MAX if there is only one. */
    enum tridiagonal_matrix matrix;
    int64_t sides;
    /* For a matrix that all systems share: true if all tiles of a block need the same rows of the
     * matrix in the same places, so that a block stages the matrix only once. */
    bool same_matrix_rows;
    /* Solve an adjoint system: rhs is conjugated when it is loaded. */
    bool adjoint;
    /* Contiguous systems: sub and super are those of A, but solve with A^T. Its rows are formed
     * when a thread takes its rows. */
    bool transpose;
    const T *in[4]; /* sub, diag, super, rhs */
    T *x;
    int *status;
    const int64_t *offset;
    bool bulk;           /* the arrays are aligned to 16 bytes, as bulk copies require */
    bool crank_nicolson; /* x becomes 2 x - rhs */
};

/* Row i of a tile is element base + lead + i of the arrays. This block solves the rows [begin,
 * end); the other rows are masked. In all files the current tile is called `at`. */
struct tile {
    int64_t base;
    /* number of the tile's row 0 in its system; not 0 only if the system has several tiles */
    int64_t first_row;
    int64_t first_system;
    int lead, begin, end;
    /* the systems of the rows [begin, end), counted from first_system */
    int systems_begin, systems_end;
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

/* The index of the first of `count` increasing offsets that is not below `row`, or `count`. All
 * lanes of a warp search together, and each step tests 32 offsets. */
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

/* Returns the tile to which a part belongs; its members begin, end, systems_begin and systems_end
 * are those of the part. If `offset` is set, all lanes of a warp must call it together. */
template <class T> static __device__ inline tile tile_of(const batch<T> &b, int64_t part, int lane)
{
    constexpr int elements = LINE / sizeof(T);
    tile at = {};
    int64_t from;
    /* all tiles of a system except its first begin on a boundary of a line */
    if (b.tiles_per_system > 0) {
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

/* Sets the status of the systems of a tile to 0. A system that is longer than n, or that extends
 * beyond the tile, is not solved; its status becomes 1. */
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

/* The index of the last of `count` increasing offsets that is at most `row`. */
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

/* Breakdowns are reported to the status of the systems of tile *at, unless `active` is false: on
 * the fast path, and for lanes whose values are not used. */
template <class T> struct reporter {
    const batch<T> *b;
    const tile *at;
    bool active;
};

/* The system of a row, counted from the first system of the tile; -1 for rows before the tile. */
template <class T> static __device__ inline int system_of(const reporter<T> &to, int row)
{
    const int64_t *offset = to.b->offset;
    return row < 0  ? -1
           : offset ? last_not_above(offset + to.at->first_system, to.at->systems_end,
                                     offset[to.at->first_system] + row)
                    : (int)((row + to.at->first_row) / to.b->n);
}

/* Records a breakdown in row `row` of the tile. If a system has several reports, its status keeps
 * the lowest row. (The function is not inlined, because its registers would add to those of the
 * fast path.) */
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
