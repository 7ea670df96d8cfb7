/* The resident kernel of tridiagonal.cu. Each multiprocessor holds its share of the rows in shared
 * memory, from elimination to substitution, so each row is read once (4 elements) and its solution
 * is written once (1 element). */
#pragma once

#include "tridiagonal_grid.cuh"

/* Shared memory of a block of a resident or partly resident kernel, in addition to its rows. */
template <class P> struct resident_storage {
    uint64_t barriers[P::RESIDENT_THREADS / WARP]; /* one barrier for the loads of each warp */
    grid_storage<P, P::RESIDENT_THREADS> grid;
};

/* At most one block runs on each multiprocessor. Each thread eliminates its rows and overwrites
 * them with the factors, gets their boundary values by the reduction over the grid, and
 * substitutes. It has an odd number of 16-byte chunks of each array, `chunks`. `round` is the
 * number of times that the barriers were used before. Returns the verdict; if that of an attempt is
 * false, x is not written. */
template <class P>
static __device__ inline bool solve_resident(const problem<P> &p, int chunks, unsigned call,
                                             int round = 0)
{
    typedef typename P::number T;
    int rows_of_thread = rows_in<P>(chunks), rows_of_warp = WARP * rows_of_thread;
    DYN_SHARED(chunk<T>, memory);
    T *staged = (T *)memory;
    int rank = (int)threadIdx.x, warp = rank / WARP, lane = rank % WARP,
        rows_of_block = (int)blockDim.x * rows_of_thread;
    resident_storage<P> *shared = (resident_storage<P> *)(staged + 4 * rows_of_block);
    int64_t from = (int64_t)blockIdx.x * rows_of_block;
    warp_rows mine = warp_rows_at(p, from + warp * rows_of_warp, rows_of_warp),
              all = warp_rows_at(p, from, rows_of_block);
    T *to = staged + warp * rows_of_warp;
    if (lane == 0) {
        if (round == 0)
            mbarrier_init(&shared->barriers[warp], 1);
        load_start(p, mine, to, rows_of_block, &shared->barriers[warp]);
    }
    __syncwarp();
    clear_status(p);
    const int64_t first = from + rank * rows_of_thread;
    thread_rows<T> my =
        thread_rows_at(p, memory + rank * chunks, (int)blockDim.x * chunks, chunks, first);
    couplings<T> couplings_t = load_couplings(p, my, first);
    mbarrier_wait(&shared->barriers[warp], round & 1);
    load_remainder(p, mine, to, rows_of_block, lane);
    transpose_rows(p, my, couplings_t);
    typename P::partition s = P::empty_partition();
    eliminate<P, true>(my, &s);
    grid_result<T> r =
        solve_grid(p, &shared->grid, s, (mine.count + rows_of_thread - 1) / rows_of_thread,
                   (all.count + rows_of_warp - 1) / rows_of_warp, rows_of_block, call);
    if (P::IS_ATTEMPT && !r.solved)
        return false;
    substitute<P>(my, r.around);
    report_wrong(p, my, true, mine.from, r.solved);
    store(p, mine, to + 3 * rows_of_block, lane);
    return r.solved;
}
template <class P>
static __global__ void __launch_bounds__(P::RESIDENT_THREADS, 1) resident(problem<P> p, int chunks)
{
    solve_resident(p, chunks, this_call(p));
}
/* Automatic pivoting. The retry is in the same kernel, because a second launch that returns at once
 * would still take time, and most systems need no retry. No block writes x before all know the
 * verdict of the attempt, so the retry can read rhs again even if x is the same array. */
template <class T>
static __global__ void __launch_bounds__(plain_attempt<T>::RESIDENT_THREADS, 1)
    resident_auto(problem<plain_attempt<T>> attempt, problem<pivoted_retry<T>> retry, int chunks)
{
    unsigned call = this_call(attempt);
    if (solve_resident(attempt, chunks, call))
        return;
    begin_retry();
    solve_resident(retry, chunks, call + 1, 1);
}
