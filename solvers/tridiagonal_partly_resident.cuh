/* The partly resident kernel of tridiagonal.cu, for systems that are up to some times larger than
 * shared memory. Each thread has a run of consecutive rows, which it processes in tiles:
 *
 *   down   Load tile after tile and eliminate. Only the last tile stays in shared memory.
 *   grid   Merge the runs of all threads and find the boundary values of each (tridiagonal_grid.cuh).
 *   up     Substitute in the last tile. Then go back to the first tile: load each tile again,
 *          repeat its elimination, and substitute.
 *
 * So the rows of the last tiles are read once, and all others twice. The tiles that come first on
 * the way up were read last on the way down, so the second cache (L2) still has many of them.
 *
 * Tiles need no merges: elimination continues from tile to tile, and substitution in a tile also
 * yields the last unknown of the tile before. To repeat the elimination of a tile, a thread needs
 * its state at the begin of the tile, a checkpoint. It stores one for each tile but the first and
 * the last. */
#ifndef TRIDIAGONAL_PARTLY_RESIDENT_CUH
#define TRIDIAGONAL_PARTLY_RESIDENT_CUH

#include "tridiagonal_grid.cuh"

/* How the rows of a thread are cut into tiles. All numbers but `tiles` count 16-byte chunks of each
 * array: in the first tile, in the last tile (which stays in shared memory), and in each of the
 * tiles between them. Neighbouring threads' tiles are `stride` chunks apart in shared memory.
 * stride is odd, so that the threads' accesses have no bank conflicts (see tridiagonal.cu). */
struct run_shape {
    int tiles, first, middle, last, stride;
};
static __host__ __device__ inline int run_chunks(const struct run_shape &run)
{
    return run.first + (run.tiles - 2) * run.middle + run.last;
}

/* Starts to copy chunk `row` / (elements of a chunk) of the four arrays to shared memory. At the end
 * of the system, or if the arrays are not aligned, the elements are copied one by one. */
template <class P>
static __device__ inline void load_chunk(const problem<P> &p, chunk<typename P::number> *to,
                                         int apart, int64_t row)
{
    typedef typename P::number T;
    constexpr int elements = CHUNK / sizeof(T);
    if (p.bulk && row + elements <= p.n) {
        copy_async<CHUNK>(to + 3 * apart, p.rhs + row);
        if (!p.toeplitz) {
            copy_async<CHUNK>(to, p.sub + row);
            copy_async<CHUNK>(to + apart, p.diag + row);
            copy_async<CHUNK>(to + 2 * apart, p.super + row);
        }
        return;
    }
    for (int e = 0; e < elements && row + e < p.n; e++) {
        copy_async<sizeof(T)>(&to[3 * apart].element[e], p.rhs + row + e);
        if (!p.toeplitz) {
            copy_async<sizeof(T)>(&to->element[e], p.sub + row + e);
            copy_async<sizeof(T)>(&to[apart].element[e], p.diag + row + e);
            copy_async<sizeof(T)>(&to[2 * apart].element[e], p.super + row + e);
        }
    }
}
/* The tiles of a warp's threads. The tile of lane 0 begins with row `from` and is stored at `at`;
 * that of the next lane begins rows_of_run rows later and is stored run.stride chunks later. */
template <class P> struct warp_tiles {
    chunk<typename P::number> *at;
    int64_t from;
    int chunks, stride;
    int64_t rows_of_run;
};
/* Loads the tiles of a warp. Neighbouring lanes load neighbouring chunks. */
template <class P>
static __device__ inline void load_tiles(const problem<P> &p, const warp_tiles<P> &tiles, int apart,
                                         int lane)
{
    __syncwarp();
    for (int i = lane; i < WARP * tiles.chunks; i += WARP) {
        int owner = i / tiles.chunks, k = i % tiles.chunks;
        load_chunk(p, tiles.at + owner * tiles.stride + k, apart,
                   tiles.from + owner * tiles.rows_of_run + rows_in<P>(k));
    }
    copy_async_commit();
    copy_async_wait<0>();
    __syncwarp();
}
/* Stores the solution, which the lanes wrote to their tiles' rhs. */
template <class P>
static __device__ inline void store_tiles(const problem<P> &p, const warp_tiles<P> &tiles,
                                          int apart, int lane)
{
    typedef typename P::number T;
    constexpr int elements = CHUNK / sizeof(T);
    __syncwarp();
    for (int i = lane; i < WARP * tiles.chunks; i += WARP) {
        int owner = i / tiles.chunks, k = i % tiles.chunks;
        const chunk<T> *x = tiles.at + owner * tiles.stride + k + 3 * apart;
        int64_t row = tiles.from + owner * tiles.rows_of_run + rows_in<P>(k);
        if (p.bulk && row + elements <= p.n)
            *(chunk<T> *)(p.x + row) = *x;
        else
            for (int e = 0; e < elements && row + e < p.n; e++)
                p.x[row + e] = x->element[e];
    }
}

/* At most one block runs on each multiprocessor, and all blocks run at the same time. Checkpoint
 * k - 1 of all threads belongs to tile k. */
template <class P>
static __global__ void __launch_bounds__(P::RESIDENT_THREADS, 1)
    partly_resident(problem<P> p, struct run_shape run)
{
    typedef typename P::number T;
    DYN_SHARED(chunk<T>, memory);
    int rank = (int)threadIdx.x, lane = rank % WARP, threads = (int)blockDim.x,
        apart = threads * run.stride, rows_of_run = rows_in<P>(run_chunks(run));
    grid_storage<P, P::RESIDENT_THREADS> *shared =
        (grid_storage<P, P::RESIDENT_THREADS> *)(memory + 4 * apart);
    unsigned call = this_call(p);
    int64_t thread = (int64_t)blockIdx.x * threads + rank, all = (int64_t)gridDim.x * threads;
    typename P::checkpoint *checkpoint = p.checkpoints + thread - all;
    warp_tiles<P> tiles = {memory + (rank - lane) * run.stride, (thread - lane) * rows_of_run,
                           run.first, run.stride, rows_of_run};
    thread_rows<T> my;
    typename P::partition s = P::empty_partition(), before;
    int tile = 0;
    UNROLL(1)
    for (;;) {
        load_tiles(p, tiles, apart, lane);
        my = thread_rows_at(p, memory + rank * run.stride, apart, tiles.chunks,
                            tiles.from + lane * rows_of_run);
        my.partition_begins = tile == 0;
        if (tile == run.tiles - 1)
            break;
        eliminate<P, false>(my, &s);
        tiles.from += rows_in<P>(tiles.chunks);
        tile++;
        tiles.chunks = tile < run.tiles - 1 ? run.middle : run.last;
        if (tile < run.tiles - 1)
            checkpoint[tile * all] = P::checkpoint_of(s);
    }
    before = s;
    eliminate<P, true>(my, &s);
    int64_t left = p.n - (thread - lane) * rows_of_run,
            left_block = p.n - (thread - rank) * rows_of_run;
    int threads_left = left < 0 ? 0
                       : left < (int64_t)WARP * rows_of_run
                           ? (int)((left + rows_of_run - 1) / rows_of_run)
                           : (int)WARP,
        warps = threads / WARP;
    if (left_block < (int64_t)threads * rows_of_run)
        warps = (int)((left_block + WARP * rows_of_run - 1) / (WARP * rows_of_run));
    boundary<T> around =
        solve_grid(p, shared, s, threads_left, warps, (int64_t)threads * rows_of_run, call);
    UNROLL(1)
    for (;;) {
        substitute<P>(my, before, &around);
        store_tiles(p, tiles, apart, lane);
        if (tile == 0)
            break;
        tile--;
        tiles.chunks = tile > 0 ? run.middle : run.first;
        tiles.from -= rows_in<P>(tiles.chunks);
        before = tile > 0 ? P::partition_of(checkpoint[tile * all]) : P::empty_partition();
        load_tiles(p, tiles, apart, lane);
        my = thread_rows_at(p, memory + rank * run.stride, apart, tiles.chunks,
                            tiles.from + lane * rows_of_run);
        my.partition_begins = tile == 0;
        s = before;
        eliminate<P, true>(my, &s);
    }
}

#endif
