/* Two-pass kernels of tridiagonal.cu, for systems that do not fit into shared memory. Each row is
 * read twice and its solution written once, 9 elements a row:
 *
 *   first_pass     reduces each group of rows to a partition and stores only that
 *   merge_groups   merges all groups and finds the boundary values around each
 *   second_pass    reads the rows again, repeats the elimination and substitutes
 *
 * The second pass recomputes the factors because storing and reading them would move more bytes.
 *
 * A group is the rows of P::GROUP lanes of the second pass, some hundred rows. The first pass keeps
 * no factors, so a lane there takes the rows of several lanes of the second pass: fewer merges. */
#ifndef TRIDIAGONAL_TWO_PASS_CUH
#define TRIDIAGONAL_TWO_PASS_CUH

#include "tridiagonal_grid.cuh"

/* ---- first pass ---- */

/* A lane of the first pass reduces as many rows as PASS1_LANES lanes of the second pass have. Its
 * warp loads PIECE chunks of each lane's rows at a time, WARP_CHUNKS in all; shorter pieces waste
 * memory bandwidth. Nothing is prefetched: other blocks work while one waits. A block is a single
 * warp, and PASS1_BLOCKS of them fit on a multiprocessor, so the last few blocks spread over many
 * multiprocessors. */
enum { PASS1_LANES = 16, PIECE = 16, WARP_CHUNKS = WARP * PIECE, PASS1_BLOCKS = 6 };

/* Chunk k of lane i's piece lies at k ^ swizzle_of(i). Any eight neighbouring lanes then read chunk
 * k from different banks. */
static __device__ inline int swizzle_of(int lane)
{
    return lane % 8;
}
/* The warp starts to load one piece for each lane; lane 0's begins with row `from`. Neighbouring
 * lanes load neighbouring chunks, or single elements where the arrays are not aligned and at the
 * end of the system. */
template <class P>
static __device__ inline void load_pieces(const problem<P> &p, chunk<typename P::number> *to,
                                          int64_t from, int64_t rows_of_lane, int lane)
{
    typedef typename P::number T;
    constexpr int elements = CHUNK / sizeof(T);
    bool whole = p.bulk && from + (WARP - 1) * rows_of_lane + PIECE * elements <= p.n;
    UNROLL()
    for (int part = 0; part < PIECE; part++) {
        int i = part * WARP + lane, owner = i / PIECE, k = i % PIECE;
        int64_t row = from + owner * rows_of_lane + k * elements;
        chunk<T> *place = to + owner * PIECE + (k ^ swizzle_of(owner));
        if (whole) {
            copy_async<CHUNK>(place + 3 * WARP_CHUNKS, p.rhs + row);
            if (!p.toeplitz) {
                copy_async<CHUNK>(place, p.sub + row);
                copy_async<CHUNK>(place + WARP_CHUNKS, p.diag + row);
                copy_async<CHUNK>(place + 2 * WARP_CHUNKS, p.super + row);
            }
        } else
            for (int e = 0; e < elements && row + e < p.n; e++) {
                copy_async<sizeof(T)>(&place[3 * WARP_CHUNKS].element[e], p.rhs + row + e);
                if (!p.toeplitz) {
                    copy_async<sizeof(T)>(&place->element[e], p.sub + row + e);
                    copy_async<sizeof(T)>(&place[WARP_CHUNKS].element[e], p.diag + row + e);
                    copy_async<sizeof(T)>(&place[2 * WARP_CHUNKS].element[e], p.super + row + e);
                }
            }
    }
}

template <class P>
static __global__ void __launch_bounds__(WARP, PASS1_BLOCKS) first_pass(problem<P> p)
{
    typedef typename P::number T;
    DYN_SHARED(chunk<T>, memory);
    int lane = (int)threadIdx.x, pieces = PASS1_LANES * P::PASS2_CHUNKS / PIECE;
    int64_t rows_of_piece = rows_in<P>(PIECE), rows_of_lane = pieces * rows_of_piece,
            first_lane = (int64_t)blockIdx.x * WARP, from = first_lane * rows_of_lane;
    typename P::partition s = P::empty_partition();
    UNROLL(1)
    for (int k = 0; k < pieces; k++, from += rows_of_piece) {
        __syncwarp();
        load_pieces(p, memory, from, rows_of_lane, lane);
        copy_async_commit();
        copy_async_wait<0>();
        __syncwarp();
        thread_rows<T> my = thread_rows_at(p, memory + lane * PIECE, WARP_CHUNKS, PIECE,
                                           from + lane * rows_of_lane);
        my.swizzle = swizzle_of(lane);
        my.partition_begins = k == 0;
        eliminate<P, false>(my, &s);
    }
    constexpr int lanes = P::GROUP / PASS1_LANES; /* of a group, in this pass */
    int64_t group = (first_lane + lane) / lanes, left = p.n - group * lanes * rows_of_lane;
    int count = lanes;
    if (left < lanes * rows_of_lane)
        count = (int)((left + rows_of_lane - 1) / rows_of_lane);
    typename P::interface unused;
    s = reduce<P>(s, lanes, count, lane, &unused);
    if (lane % lanes == 0 && left > 0) {
        p.slots[group].partition = s;
        record_breakdown<P>(s, &p.head->broken_group, group * lanes * rows_of_lane);
    }
}

/* ---- between the passes ---- */

/* A thread merges `each` groups and leaves the interface between two of its own in the slot of the
 * second one. The reduction over the grid does the rest, as in the resident kernel, with a thread's
 * groups in place of its rows. */
template <class P>
static __global__ void __launch_bounds__(MERGE_THREADS) merge_groups(problem<P> p, int64_t each)
{
    typedef typename P::number T;
    DYN_SHARED(chunk<T>, memory);
    unsigned call = this_call(p);
    int64_t begin = (int64_t)blockIdx.x * MERGE_THREADS * each, i = begin + threadIdx.x * each,
            end = i + each < p.groups ? i + each : p.groups, left = p.groups - begin,
            threads = (left + each - 1) / each;
    typename P::partition s = {};
    if (i < end)
        s = p.slots[i].partition;
    for (int64_t k = i + 1; k < end; k++) {
        typename P::interface between;
        s = P::merge(s, p.slots[k].partition, &between);
        p.slots[k].interface = between;
    }
    int most = MERGE_THREADS, warp = (int)threadIdx.x / WARP;
    if (threads < most)
        most = (int)threads;
    boundary<T> around =
        solve_grid(p, (grid_storage<P, MERGE_THREADS> *)memory, s, most - warp * WARP,
                   (most + WARP - 1) / WARP,
                   MERGE_THREADS * each * P::GROUP * rows_in<P>(P::PASS2_CHUNKS), call);
    for (int64_t j = end - 1; j > i; j--) {
        T upper_last, lower_first;
        P::recover(p.slots[j].interface, around, &upper_last, &lower_first);
        p.group_last[j] = around.last;
        p.group_first[j] = lower_first;
        around.last = upper_last;
        around.right = lower_first;
    }
    if (i < end) {
        p.group_last[i] = around.last;
        p.group_first[i] = around.first;
    }
}

/* ---- second pass ---- */

/* Each warp works through its own tiles, the rows of its 32 lanes at a time. It starts to load a
 * tile as soon as the tile before it is stored; meanwhile the other warps of the block compute. */
template <class P>
static __global__ void __launch_bounds__(P::PASS2_WARPS *WARP, 1) second_pass(problem<P> p)
{
    typedef typename P::number T;
    constexpr int elements = CHUNK / sizeof(T), chunks = P::PASS2_CHUNKS;
    DYN_SHARED(chunk<T>, memory);
    int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP,
        warps = (int)blockDim.x / WARP, apart = WARP * chunks, rows_of_thread = rows_in<P>(chunks),
        rows_of_warp = WARP * rows_of_thread;
    chunk<T> *staged = memory + warp * 4 * apart;
    T *to = staged->element;
    uint64_t *barrier = (uint64_t *)(memory + warps * 4 * apart) + warp;
    int64_t from = ((int64_t)blockIdx.x * warps + warp) * rows_of_warp,
            stride = (int64_t)gridDim.x * warps * rows_of_warp;
    warp_rows mine = warp_rows_at(p, from, rows_of_warp);
    if (lane == 0) {
        mbarrier_init(barrier, 1);
        if (from < p.n)
            load_start(p, mine, to, apart * elements, barrier);
    }
    __syncwarp();
    for (int round = 0; from < p.n; from += stride, round++) {
        mbarrier_wait(barrier, round & 1);
        load_remainder(p, mine, to, apart * elements, lane);
        thread_rows<T> my =
            thread_rows_at(p, staged + lane * chunks, apart, chunks, from + lane * rows_of_thread);
        int lanes = (mine.count + rows_of_thread - 1) / rows_of_thread - lane / P::GROUP * P::GROUP;
        typename P::partition s = P::empty_partition();
        /* The last lane of a group has no interface, but computes with one as the others do. */
        typename P::interface in_group = {};
        eliminate<P, true>(my, &s);
        s = reduce<P>(s, P::GROUP, lanes, lane, &in_group);
        int64_t group = (from / rows_of_thread + lane) / P::GROUP;
        /* The grouping into lanes, and so the pivots, differ from the first pass. */
        if (lane % P::GROUP == 0 && lanes > 0 && P::has_nan(s))
            lower_status(p, group * P::GROUP * rows_of_thread);
        boundary<T> around = {};
        if (group < p.groups) {
            around.left = p.group_last[group > 0 ? group - 1 : p.groups - 1];
            around.last = p.group_last[group];
            if (P::NEEDS_FIRST_RIGHT) {
                around.first = p.group_first[group];
                around.right = p.group_first[group < p.groups - 1 ? group + 1 : 0];
            }
        }
        back_substitute<P>(in_group, P::GROUP, lanes, lane, &around);
        substitute<P>(my, around);
        store(p, mine, to + 3 * apart * elements, lane);
        mine = warp_rows_at(p, from + stride, rows_of_warp);
        bulk_fence();
        __syncwarp();
        if (lane == 0 && from + stride < p.n)
            load_start(p, mine, to, apart * elements, barrier);
    }
}

#endif
