/* The partly resident kernel of tridiagonal.cu, for systems that are up to some times larger than
 * shared memory. Each warp has some consecutive tiles. A tile consists of the rows that its 32
 * lanes hold in shared memory at a time.
 *
 *   down   Load tile after tile, eliminate, and merge the tile's partition with those of the tiles
 *          before it. The rows of the last tile stay in shared memory.
 *   grid   Merge the partitions of all warps and find the boundary values of each warp.
 *   up     Substitute in the last tile. Then go back to the first tile: load each tile again,
 *          repeat its elimination, and substitute.
 *
 * So the rows of the last tiles are read once, and all others twice. The tiles that come first on
 * the way up were read last on the way down, so the second cache (L2) still has some of them. Rows
 * that are not read again are loaded with keep = false (bulk_load()), so that they do not displace
 * the others. */
#ifndef TRIDIAGONAL_PARTLY_RESIDENT_CUH
#define TRIDIAGONAL_PARTLY_RESIDENT_CUH

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

/* A warp, its tiles, and the tile that is in shared memory. */
template <class P> struct warp_context {
    struct warp_tiles w;
    chunk<typename P::number> *staged; /* the warp's shared memory */
    uint64_t *barrier;
    int *round; /* number of tiles loaded before, also by an attempt before this retry */
    warp_rows rows;
    thread_rows<typename P::number> my;
    int lanes; /* the number of lanes that have rows */
    typename P::interface in_warp;
};
/* Starts to load a tile. `again`: the rows will be read again soon, so L2 should keep them. */
template <class P>
static __device__ inline void start_tile(const problem<P> &p, warp_context<P> *c, int tile,
                                         bool again)
{
    const int rows = WARP * rows_in<P>(1);
    c->rows = warp_rows_at(p, first_unit(c->w, tile) * rows, units_of(c->w, tile) * rows);
    bulk_fence();
    __syncwarp();
    if (threadIdx.x % WARP == 0)
        load_start(p, c->rows, c->staged->element, c->w.most * rows, c->barrier, again);
}
/* Waits for the rows of a tile and eliminates them. Returns the partition of each lane. */
template <class P, bool store_factors>
static __device__ inline typename P::partition eliminate_tile(const problem<P> &p,
                                                              warp_context<P> *c, int tile)
{
    int lane = (int)threadIdx.x % WARP, chunks = units_of(c->w, tile),
        rows_of_thread = rows_in<P>(chunks), round = (*c->round)++;
    mbarrier_wait(c->barrier, round & 1);
    load_remainder(p, c->rows, c->staged->element, WARP * rows_in<P>(c->w.most), lane);
    c->my = thread_rows_at(p, c->staged + lane * chunks, WARP * c->w.most, chunks,
                           c->rows.from + lane * rows_of_thread);
    c->lanes = (c->rows.count + rows_of_thread - 1) / rows_of_thread;
    typename P::partition s = P::empty_partition();
    eliminate<P, store_factors>(c->my, &s);
    return s;
}
/* Merges the tiles from the first to the last, whose rows stay in shared memory. Lane 0 gets the
 * partition of all of them. */
template <class P>
static __device__ inline typename P::partition go_down(const problem<P> &p, warp_context<P> *c)
{
    int lane = (int)threadIdx.x % WARP;
    typename P::partition s = P::empty_partition(), before = s;
    UNROLL(1)
    for (int tile = 0; tile < c->w.count; tile++) {
        if (tile == c->w.count - 1)
            s = eliminate_tile<P, true>(p, c, tile);
        else {
            s = eliminate_tile<P, false>(p, c, tile);
            start_tile(p, c, tile + 1, tile + 1 < c->w.count - 1 || !p.large);
        }
        s = reduce<P>(s, WARP, c->lanes, lane, &c->in_warp);
        if (tile > 0) {
            typename P::interface between;
            s = P::merge(before, s, &between);
            if (lane == 0)
                p.between[first_unit(c->w, tile)] = between;
        }
        before = s;
    }
    return s;
}
/* Substitutes in the tiles from the last to the first. `around` are the boundary values of all. */
template <class P>
static __device__ inline void go_up(const problem<P> &p, warp_context<P> *c,
                                    boundary<typename P::number> around, bool solved)
{
    int lane = (int)threadIdx.x % WARP;
    UNROLL(1)
    for (int tile = c->w.count - 1; tile >= 0; tile--) {
        boundary<typename P::number> of_tile = around;
        if (tile > 0) {
            P::recover(p.between[first_unit(c->w, tile)], around, &of_tile.left, &of_tile.first);
            around.last = of_tile.left;
            around.right = of_tile.first;
        }
        if (tile < c->w.count - 1) {
            typename P::partition s = eliminate_tile<P, true>(p, c, tile);
            reduce<P>(s, WARP, c->lanes, lane, &c->in_warp);
        }
        back_substitute<P>(c->in_warp, WARP, c->lanes, lane, &of_tile);
        substitute<P>(c->my, of_tile);
        report_wrong(p, c->my, true, c->rows.from, solved);
        store(p, c->rows, c->staged->element + 3 * WARP * rows_in<P>(c->w.most), lane);
        /* Rows of the first tile may still be in L2 when a next solve reads them. */
        if (tile > 0)
            start_tile(p, c, tile - 1, tile == 1 || !p.large);
    }
}

/* At most one block runs on each multiprocessor, and all blocks run at the same time. A block has
 * `units` units or, at the end of the system, fewer. Its warps share them evenly; each has at least
 * one, unless the system ends. A tile has at most `most` units, an odd number, so that full tiles
 * have no bank conflicts. Returns the verdict; if that of an attempt is false, x is not written. */
template <class P>
static __device__ inline bool solve_partly_resident(const problem<P> &p, int units, int most,
                                                    unsigned call, int *round)
{
    const int rows_of_unit = WARP * rows_in<P>(1);
    DYN_SHARED(chunk<typename P::number>, memory);
    int warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
    resident_storage<P> *shared = (resident_storage<P> *)(memory + warps * 4 * WARP * most);
    int64_t first = (int64_t)blockIdx.x * units, all = (p.n + rows_of_unit - 1) / rows_of_unit,
            here = all - first < units ? all - first : units, begin = warp * units / warps,
            end = (warp + 1) * units / warps;
    warp_context<P> c = {};
    c.w = warp_tiles_of(first + begin, first + (end < here ? end : here), most, warp);
    c.staged = memory + warp * 4 * WARP * most;
    c.barrier = &shared->barriers[warp];
    c.round = round;
    if (threadIdx.x % WARP == 0 && *round == 0)
        mbarrier_init(c.barrier, 1);
    if (c.w.count > 0)
        start_tile(p, &c, 0, c.w.count > 1 || !p.large);
    __syncwarp();
    clear_status(p);
    typename P::partition s = go_down(p, &c);
    grid_result<typename P::number> r =
        solve_warps(p, &shared->grid, s, (int)((here * warps + units - 1) / units),
                    (int64_t)units * rows_of_unit, call);
    if (P::IS_ATTEMPT && !r.solved)
        return false;
    go_up(p, &c, r.around, r.solved);
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

#endif
