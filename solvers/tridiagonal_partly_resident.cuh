/* The partly resident kernel of tridiagonal.cu, for systems that are up to some times larger than
 * shared memory. Each warp has some consecutive tiles. A tile consists of the rows that its 32
 * lanes hold in shared memory at a time.
 *
 *   down   Load tile after tile, eliminate, and merge its partition with those of the tiles before.
 *          The rows of the last tile stay in shared memory.
 *   grid   Merge the partitions of all warps and find the boundary values of each warp.
 *   up     Substitute in the last tile. Then go back to the first tile: load each tile again,
 *          repeat its elimination, and substitute.
 *
 * So the rows of the last tiles are read once, and all others twice. The tiles that come first on
 * the way up were read last on the way down, so L2 still has some of them. Rows that are not read
 * again are loaded with keep = false (bulk_load()), so that they do not displace the others. */
#pragma once

#include "tridiagonal_resident.cuh"

/* The tiles of a warp. All numbers count units: a unit is one 16-byte chunk of each array for each
 * lane. All tiles have `most` units, except that number `smaller` has the rest. */
struct warp_tiles {
    int64_t from; /* the unit of the system with which tile 0 begins */
    int count, most, smaller, rest;
};
/* Shares units begin to end - 1 among the fewest tiles. The smaller tile is the first one, but with
 * three tiles or more it is the second one in warps of odd number: otherwise all warps would load
 * at the same time, and then all would compute. */
static __device__ inline struct warp_tiles warp_tiles_of(int64_t begin, int64_t end, int most,
                                                         int warp)
{
    int units = end > begin ? (int)(end - begin) : 0, count = (units + most - 1) / most;
    return {begin, count, most, count > 2 ? warp % 2 : 0, units - (count - 1) * most};
}
static __device__ inline int units_of(const struct warp_tiles &w, int tile)
{
    return tile == w.smaller ? w.rest : w.most;
}
static __device__ inline int64_t first_unit(const struct warp_tiles &w, int tile)
{
    return w.from + tile * w.most - (tile > w.smaller ? w.most - w.rest : 0);
}

/* The tile that is in shared memory, and what its lanes need to go on with it. */
template <class P> struct tile_state {
    warp_rows rows;
    thread_rows<typename P::number> my;
    int lanes; /* the number of lanes that have rows */
    typename P::interface in_warp;
};
/* Starts to load a tile into the warp's shared memory, `staged`. `again`: the rows will be read
 * again soon, so L2 should keep them. */
template <class P>
static __device__ inline void start_tile(const problem<P> &p, tile_state<P> *t,
                                         const struct warp_tiles &w, int tile, bool again,
                                         chunk<typename P::number> *staged, uint64_t *barrier)
{
    const int rows = WARP * rows_in<P>(1);
    t->rows = warp_rows_at(p, first_unit(w, tile) * rows, units_of(w, tile) * rows);
    bulk_fence();
    __syncwarp();
    if (threadIdx.x % WARP == 0)
        load_start(p, t->rows, staged->element, w.most * rows, barrier, again);
}
/* Waits for the rows of a tile and eliminates them. Returns the partition of each lane. The phase
 * of the barrier is `round`. */
template <class P, bool store_factors>
static __device__ inline typename P::partition
eliminate_tile(const problem<P> &p, tile_state<P> *t, const struct warp_tiles &w, int tile,
               chunk<typename P::number> *staged, uint64_t *barrier, int round)
{
    int lane = (int)threadIdx.x % WARP, chunks = units_of(w, tile),
        rows_of_thread = rows_in<P>(chunks);
    const int64_t first = t->rows.from + lane * rows_of_thread;
    t->my = thread_rows_at(p, staged + lane * chunks, WARP * w.most, chunks, first);
    couplings<typename P::number> couplings_t = load_couplings(p, t->my, first);
    mbarrier_wait(barrier, round & 1);
    load_remainder(p, t->rows, staged->element, WARP * rows_in<P>(w.most), lane);
    transpose_rows(p, t->my, couplings_t);
    t->lanes = (t->rows.count + rows_of_thread - 1) / rows_of_thread;
    typename P::partition s = P::empty_partition();
    eliminate<P, store_factors>(t->my, &s);
    return s;
}

/* Merges the partition s of a tile with that of the tiles before it. */
template <class P>
static __device__ inline typename P::partition
append_tile(const problem<P> &p, const struct warp_tiles &w, int tile,
            const typename P::partition &before, typename P::partition s)
{
    if (tile > 0) {
        typename P::interface between;
        s = P::merge(before, s, &between);
        if (threadIdx.x % WARP == 0)
            p.between[first_unit(w, tile)] = between;
    }
    return s;
}
/* The boundary values of a tile. *around are those of this tile and all before it, and become those
 * of the tiles before it. */
template <class P>
static __device__ inline boundary<typename P::number>
boundary_of_tile(const problem<P> &p, const struct warp_tiles &w, int tile,
                 boundary<typename P::number> *around)
{
    boundary<typename P::number> of_tile = *around;
    if (tile > 0) {
        P::recover(p.between[first_unit(w, tile)], *around, &of_tile.left, &of_tile.first);
        around->last = of_tile.left;
        around->right = of_tile.first;
    }
    return of_tile;
}

/* At most one block runs on each multiprocessor, and all blocks run at the same time. A block has
 * `units` units or, at the end of the system, fewer. Its warps share them evenly; each has at least
 * one, unless the system ends. A tile has at most `most` units, an odd number, so that full tiles
 * have no bank conflicts. *round is the number of tiles that the warp has loaded before; the
 * function adds its own. Returns the verdict; if that of an attempt is false, x is not written. */
template <class P>
static __device__ inline bool solve_partly_resident(const problem<P> &p, int units, int most,
                                                    unsigned call, int *round)
{
    typedef typename P::number T;
    const int rows_of_unit = WARP * rows_in<P>(1);
    DYN_SHARED(chunk<T>, memory);
    int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP,
        warps = (int)blockDim.x / WARP;
    chunk<T> *staged = memory + warp * 4 * WARP * most;
    resident_storage<P> *shared = (resident_storage<P> *)(memory + warps * 4 * WARP * most);
    uint64_t *barrier = &shared->barriers[warp];
    int64_t first = (int64_t)blockIdx.x * units, all = (p.n + rows_of_unit - 1) / rows_of_unit,
            here = all - first < units ? all - first : units, begin = warp * units / warps,
            end = (warp + 1) * units / warps;
    struct warp_tiles w =
        warp_tiles_of(first + begin, first + (end < here ? end : here), most, warp);
    tile_state<P> t = {};
    if (lane == 0 && *round == 0)
        mbarrier_init(barrier, 1);
    if (w.count > 0)
        start_tile(p, &t, w, 0, w.count > 1 || !p.large, staged, barrier);
    __syncwarp();
    clear_status(p);
    int tile = 0;
    typename P::partition s = P::empty_partition(), before = s;
    UNROLL(1)
    for (; tile < w.count; tile++) {
        if (tile == w.count - 1)
            s = eliminate_tile<P, true>(p, &t, w, tile, staged, barrier, (*round)++);
        else {
            s = eliminate_tile<P, false>(p, &t, w, tile, staged, barrier, (*round)++);
            start_tile(p, &t, w, tile + 1, tile + 1 < w.count - 1 || !p.large, staged, barrier);
        }
        s = reduce<P>(s, WARP, t.lanes, lane, &t.in_warp);
        before = s = append_tile(p, w, tile, before, s);
    }
    grid_result<T> r = solve_warps(p, &shared->grid, s, (int)((here * warps + units - 1) / units),
                                   (int64_t)units * rows_of_unit, call);
    if (P::IS_ATTEMPT && !r.solved)
        return false;
    UNROLL(1)
    for (tile--; tile >= 0; tile--) {
        boundary<T> of_tile = boundary_of_tile(p, w, tile, &r.around);
        if (tile < w.count - 1) {
            s = eliminate_tile<P, true>(p, &t, w, tile, staged, barrier, (*round)++);
            reduce<P>(s, WARP, t.lanes, lane, &t.in_warp);
        }
        back_substitute<P>(t.in_warp, WARP, t.lanes, lane, &of_tile);
        substitute<P>(t.my, of_tile);
        report_wrong(p, t.my, true, t.rows.from, r.solved);
        store(p, t.rows, staged->element + 3 * WARP * rows_in<P>(most), lane);
        /* Rows of the first tile may still be in L2 when a next solve reads them. */
        if (tile > 0)
            start_tile(p, &t, w, tile - 1, tile == 1 || !p.large, staged, barrier);
    }
    return r.solved;
}
template <class P>
static __global__ void __launch_bounds__(P::RESIDENT_THREADS, 1)
    partly_resident(problem<P> p, int units, int most)
{
    int round = 0;
    solve_partly_resident(p, units, most, this_call(p), &round);
}
/* With automatic pivoting, as resident_auto(). */
template <class T>
static __global__ void __launch_bounds__(plain_attempt<T>::RESIDENT_THREADS, 1)
    partly_resident_auto(problem<plain_attempt<T>> attempt, problem<pivoted_retry<T>> retry,
                         int units, int most)
{
    int round = 0;
    unsigned call = this_call(attempt);
    if (solve_partly_resident(attempt, units, most, call, &round))
        return;
    begin_retry();
    solve_partly_resident(retry, units, most, call + 1, &round);
}
