/* The partly resident kernel of tridiagonal.cu, for systems that are up to some times larger than
 * shared memory. Each warp has some consecutive tiles. A tile consists of the rows that its 32 lanes
 * hold in shared memory at a time.
 *
 *   down   Load tile after tile, eliminate, and merge the tile's partition with those of the tiles
 *          before it. The rows of the last tile stay in shared memory.
 *   grid   Merge the partitions of all warps and find the boundary values of each warp.
 *   up     Substitute in the last tile. Then go back to the first tile: load each tile again,
 *          repeat its elimination, and substitute.
 *
 * So the rows of the last tiles are read once, and all others twice. The tiles that come first on
 * the way up were read last on the way down, so the second cache (L2) still has many of them. */
#ifndef TRIDIAGONAL_PARTLY_RESIDENT_CUH
#define TRIDIAGONAL_PARTLY_RESIDENT_CUH

#include "tridiagonal_grid.cuh"

template <class P> struct partly_resident_storage {
    uint64_t barriers[P::RESIDENT_THREADS / WARP]; /* one barrier for the loads of each warp */
    grid_storage<P, P::RESIDENT_THREADS> grid;
};

/* The tile of a warp that is in shared memory, and what its lanes need to go on with it. */
template <class P> struct tile_state {
    warp_rows rows;
    thread_rows<typename P::number> my;
    int lanes; /* the number of lanes that have rows */
    typename P::interface in_warp;
};

/* Waits for the rows of tile number `tile`, which load_start() loads, and eliminates them. Returns
 * the partition of each lane. */
template <class P, bool store_factors>
static __device__ inline typename P::partition
eliminate_tile(const problem<P> &p, tile_state<P> *t, chunk<typename P::number> *staged, int apart,
               int chunks, uint64_t *barrier, int round)
{
    int lane = (int)threadIdx.x % WARP, rows_of_thread = rows_in<P>(chunks);
    mbarrier_wait(barrier, round & 1);
    load_remainder(p, t->rows, staged->element, rows_in<P>(apart), lane);
    t->my = thread_rows_at(p, staged + lane * chunks, apart, chunks,
                           t->rows.from + lane * rows_of_thread);
    t->lanes = (t->rows.count + rows_of_thread - 1) / rows_of_thread;
    typename P::partition s = P::empty_partition();
    eliminate<P, store_factors>(t->my, &s);
    return s;
}

/* At most one block runs on each multiprocessor, and all blocks run at the same time. A block has
 * `tiles` tiles or, at the end of the system, fewer. Its warps share them evenly; each has at least
 * one, unless the system ends. The chunks of a lane are odd, to avoid bank conflicts (see
 * tridiagonal.cu). */
template <class P>
static __global__ void __launch_bounds__(P::RESIDENT_THREADS, 1)
    partly_resident(problem<P> p, int tiles, int chunks)
{
    typedef typename P::number T;
    DYN_SHARED(chunk<T>, memory);
    int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP,
        warps = (int)blockDim.x / WARP, apart = WARP * chunks,
        rows_of_tile = WARP * rows_in<P>(chunks);
    chunk<T> *staged = memory + warp * 4 * apart;
    partly_resident_storage<P> *shared = (partly_resident_storage<P> *)(memory + warps * 4 * apart);
    uint64_t *barrier = &shared->barriers[warp];
    unsigned call = this_call(p);
    int64_t first = (int64_t)blockIdx.x * tiles, all = (p.n + rows_of_tile - 1) / rows_of_tile;
    int here = all - first < tiles ? (int)(all - first) : tiles, begin = warp * tiles / warps,
        end = (warp + 1) * tiles / warps;
    end = end < here ? end : here;
    tile_state<P> t = {};
    t.rows = warp_rows_at(p, (first + begin) * rows_of_tile, rows_of_tile);
    if (lane == 0) {
        mbarrier_init(barrier, 1);
        if (begin < end)
            load_start(p, t.rows, staged->element, rows_in<P>(apart), barrier);
    }
    __syncwarp();
    int round = 0, tile = begin;
    typename P::partition s = P::empty_partition(), before = s;
    UNROLL(1)
    for (; tile < end; tile++) {
        bool last = tile == end - 1;
        if (last)
            s = eliminate_tile<P, true>(p, &t, staged, apart, chunks, barrier, round++);
        else {
            s = eliminate_tile<P, false>(p, &t, staged, apart, chunks, barrier, round++);
            t.rows = warp_rows_at(p, t.rows.from + rows_of_tile, rows_of_tile);
            bulk_fence();
            __syncwarp();
            if (lane == 0)
                load_start(p, t.rows, staged->element, rows_in<P>(apart), barrier);
        }
        s = reduce<P>(s, WARP, t.lanes, lane, &t.in_warp);
        if (tile > begin) {
            typename P::interface between;
            s = P::merge(before, s, &between);
            if (lane == 0)
                p.between[first + tile] = between;
        }
        before = s;
    }
    boundary<T> around = solve_warps(p, &shared->grid, s, (here * warps + tiles - 1) / tiles,
                                     (int64_t)tiles * rows_of_tile, call);
    UNROLL(1)
    for (tile--; tile >= begin; tile--) {
        boundary<T> of_tile = around;
        if (tile > begin) {
            P::recover(p.between[first + tile], around, &of_tile.left, &of_tile.first);
            around.last = of_tile.left;
            around.right = of_tile.first;
        }
        if (tile < end - 1) {
            s = eliminate_tile<P, true>(p, &t, staged, apart, chunks, barrier, round++);
            reduce<P>(s, WARP, t.lanes, lane, &t.in_warp);
        }
        back_substitute<P>(t.in_warp, WARP, t.lanes, lane, &of_tile);
        substitute<P>(t.my, of_tile);
        store(p, t.rows, staged->element + rows_in<P>(3 * apart), lane);
        t.rows = warp_rows_at(p, t.rows.from - rows_of_tile, rows_of_tile);
        bulk_fence();
        __syncwarp();
        if (lane == 0 && tile > begin)
            load_start(p, t.rows, staged->element, rows_in<P>(apart), barrier);
    }
}

#endif
