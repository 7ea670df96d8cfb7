/* Two-pass kernels of tridiagonal.cu, for systems that do not fit into shared memory. Each row is
 * read twice (2 times 4 elements), and its solution is written once (1 element).
 *
 *   first_pass     reduces each group of rows to a partition and stores only the partition
 *   merge_groups   merges all groups and finds the boundary values of each group
 *   second_pass    reads the rows again, repeats the elimination and substitutes
 *
 * The second pass recomputes the factors because storing and reading them would move more bytes.
 *
 * A group consists of the rows of P::GROUP lanes of the second pass, some hundred rows. The first
 * pass keeps no factors, so each of its lanes can take the rows of several lanes of the second
 * pass. This saves merges. */
#pragma once

#include "tridiagonal_grid.cuh"

/* Automatic pivoting launches three kernels for the attempt and three for the retry. All but the
 * first two of the attempt depend on its verdict. */
template <class P> static __device__ inline bool is_skipped(const problem<P> &p)
{
    return p.run_if != ANY_VERDICT &&
           (p.run_if == IF_ATTEMPT_SOLVED) != (*(volatile unsigned *)&p.head->attempt_solved != 0);
}

/* ---- first pass ---- */

/* A lane of the first pass reduces as many rows as PASS1_LANES lanes of the second pass have. It
 * loads them in pieces of P::PASS1_CHUNKS chunks of each array, of which P::PASS1_PARTS partitions
 * become; shorter pieces would waste memory bandwidth. The warp loads one piece for each of its
 * lanes at a time. It does not prefetch its next pieces, because other blocks work while it waits.
 * A block is a single warp, so that even the last few blocks are spread over many multiprocessors;
 * some PASS1_BLOCKS fit on one. */
enum { PASS1_LANES = 16, PASS1_BLOCKS = 6 };

/* Eight neighbouring lanes read their chunks k from different banks: either an odd number of chunks
 * lies between them, or chunk k of lane i's piece is stored as chunk k ^ swizzle_of<P>(i). */
template <class P> static __host__ __device__ constexpr int chunks_between(void)
{
    return P::PASS1_CHUNKS + (P::PASS1_PARTS == 2);
}
template <class P> static __device__ inline int swizzle_of(int lane)
{
    return chunks_between<P>() % 2 ? 0 : lane % 8;
}
/* The warp starts to load one piece for each lane. The piece of lane 0 begins with row `from`.
 * Neighbouring lanes load neighbouring chunks. At the end of the system, or if the arrays are not
 * aligned, lanes load single elements. */
template <class P>
static __device__ inline void load_pieces(const problem<P> &p, chunk<typename P::number> *to,
                                          int64_t from, int64_t rows_of_lane, int lane)
{
    typedef typename P::number T;
    constexpr int elements = CHUNK / sizeof(T), piece = P::PASS1_CHUNKS,
                  apart = WARP * chunks_between<P>();
    bool whole = p.bulk && from + (WARP - 1) * rows_of_lane + piece * elements <= p.n;
    UNROLL()
    for (int round = 0; round < piece; round++) {
        int i = round * WARP + lane, owner = i / piece, k = i % piece;
        int64_t row = from + owner * rows_of_lane + k * elements;
        chunk<T> *slot = to + owner * chunks_between<P>() + (k ^ swizzle_of<P>(owner));
        if (whole) {
            copy_async<CHUNK>(slot + 3 * apart, p.rhs + row);
            if (!p.toeplitz) {
                copy_async<CHUNK>(slot, p.sub + row);
                copy_async<CHUNK>(slot + apart, p.diag + row);
                copy_async<CHUNK>(slot + 2 * apart, p.super + row);
            }
        } else
            for (int e = 0; e < elements && row + e < p.n; e++) {
                copy_async<sizeof(T)>(&slot[3 * apart].element[e], p.rhs + row + e);
                if (!p.toeplitz) {
                    copy_async<sizeof(T)>(&slot->element[e], p.sub + row + e);
                    copy_async<sizeof(T)>(&slot[apart].element[e], p.diag + row + e);
                    copy_async<sizeof(T)>(&slot[2 * apart].element[e], p.super + row + e);
                }
            }
    }
}

/* The third clause of the certificate (certificate.cuh) for the rows of a group, which this lane
 * and the next one have. `flow` and s are those of this lane; `merged`: the next lane has rows,
 * too. */
template <class P>
static __device__ inline bool errors_stay_small(const typename P::partition &s,
                                                error_flow<typename P::number> flow, bool merged,
                                                int lane)
{
    typedef typename P::number T;
    static_assert(P::GROUP == 2 * PASS1_LANES, "two lanes have the rows of a group");
    int behind = (lane + 1) % WARP;
    typename P::partition lower = struct_from_lane<T>(s, behind);
    error_flow<T> next = {from_lane(flow.first, behind), from_lane(flow.last, behind),
                          from_lane(flow.diag, behind)};
    T p = reciprocal(neg_mul_add(s.last, s.right, lower.first_left));
    return flow_is_small(merged ? merged_flow(flow, next, p, s.first_last, lower.left, s.right)
                                : flow);
}

template <class P>
static __global__ void __launch_bounds__(WARP, PASS1_BLOCKS) first_pass(problem<P> p)
{
    typedef typename P::number T;
    DYN_SHARED(chunk<T>, memory);
    constexpr int piece = P::PASS1_CHUNKS, pieces = PASS1_LANES * P::PASS2_CHUNKS / piece,
                  parts = P::PASS1_PARTS, chunks = piece / parts, between = chunks_between<P>();
    int lane = (int)threadIdx.x;
    int64_t rows_of_piece = rows_in<P>(piece), rows_of_lane = pieces * rows_of_piece,
            first_lane = (int64_t)blockIdx.x * WARP, from = first_lane * rows_of_lane;
    if (is_skipped(p))
        return;
    typename P::partition s = P::empty_partition();
    error_flow<T> flow = {};
    UNROLL(1)
    for (int k = 0; k < pieces; k++, from += rows_of_piece) {
        __syncwarp();
        load_pieces(p, memory, from, rows_of_lane, lane);
        copy_async_commit();
        thread_rows<T> my[parts];
        couplings<T> couplings_t[parts];
        UNROLL()
        for (int h = 0; h < parts; h++) {
            const int64_t first = from + lane * rows_of_lane + h * rows_in<P>(chunks);
            my[h] = thread_rows_at(p, memory + lane * between + h * chunks, WARP * between, chunks,
                                   first);
            my[h].swizzle = swizzle_of<P>(lane);
            my[h].partition_begins = k == 0 && h == 0;
            couplings_t[h] = load_couplings(p, my[h], first);
        }
        copy_async_wait<0>();
        __syncwarp();
        UNROLL()
        for (int h = 0; h < parts; h++) {
            transpose_rows(p, my[h], couplings_t[h]);
            eliminate<P, false>(my[h], &s, P::IS_ATTEMPT ? &flow : NULL);
        }
    }
    /* the number of lanes that share the rows of a group in this pass */
    constexpr int lanes = P::GROUP / PASS1_LANES;
    int64_t group = (first_lane + lane) / lanes, left = p.n - group * lanes * rows_of_lane;
    int count = lanes;
    if (left < lanes * rows_of_lane)
        count = (int)((left + rows_of_lane - 1) / rows_of_lane);
    typename P::interface unused;
    bool small = true;
    if constexpr (P::IS_ATTEMPT)
        small = errors_stay_small<P>(s, flow, count > 1, lane);
    s = reduce<P>(s, lanes, count, lane, &unused);
    if constexpr (P::IS_ATTEMPT)
        if (!small)
            s.last = nan_of(T());
    if (lane % lanes == 0 && left > 0) {
        p.slots[group].partition = s;
        record_breakdown<P>(s, &p.head->broken_group, group * lanes * rows_of_lane);
    }
}

/* ---- between the passes ---- */

/* Each thread merges `each` groups and stores the interface between two groups in the slot of the
 * second one. Then the reduction over the grid merges the results of all threads. */
template <class P>
static __global__ void __launch_bounds__(MERGE_THREADS) merge_groups(problem<P> p, int64_t each)
{
    typedef typename P::number T;
    DYN_SHARED(chunk<T>, memory);
    if (is_skipped(p))
        return;
    clear_status(p);
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
        if (p.steps != REDUCE) /* otherwise tridiagonal_finish() repeats the merges */
            p.slots[k].interface = between;
    }
    int most = MERGE_THREADS, warp = (int)threadIdx.x / WARP;
    if (threads < most)
        most = (int)threads;
    grid_result<T> r =
        solve_grid(p, (grid_storage<P, MERGE_THREADS> *)memory, s, most - warp * WARP,
                   (most + WARP - 1) / WARP,
                   MERGE_THREADS * each * P::GROUP * rows_in<P>(P::PASS2_CHUNKS), call);
    if (p.steps == REDUCE || (P::IS_ATTEMPT && !r.solved))
        return;
    boundary<T> around = r.around;
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

/* For tridiagonal_locate(): one thread writes 1 + the first row of the broken group or block to the
 * status. `blocks` and `rows` are those of merge_groups(). */
template <class P>
static __global__ void locate(problem<P> p, int blocks, int64_t rows, enum tridiagonal_where where)
{
    typename P::partition pending[8];
    unsigned call = this_call(p) - 1; /* of the reduction, if it had several blocks */
    int64_t last = (p.groups - 1) * P::GROUP * rows_in<P>(P::PASS2_CHUNKS);
    *p.status = 1 + (where == TRIDIAGONAL_INSIDE      ? broken_row(p, blocks, rows, call, pending)
                     : where == TRIDIAGONAL_LAST_ROWS ? last
                                                      : 0);
}

/* ---- second pass ---- */

/* The boundary values of a group. */
template <class P>
static __device__ inline boundary<typename P::number> boundary_of_group(const problem<P> &p,
                                                                        int64_t group)
{
    boundary<typename P::number> around = {};
    if (group < p.groups) {
        around.left = group > 0           ? p.group_last[group - 1]
                      : p.steps == FINISH ? p.around.left
                                          : p.group_last[p.groups - 1];
        around.last = p.group_last[group];
        if (P::NEEDS_FIRST_RIGHT) {
            around.first = p.group_first[group];
            around.right = group < p.groups - 1 ? p.group_first[group + 1]
                           : p.steps == FINISH  ? p.around.right
                                                : p.group_first[0];
        }
    }
    return around;
}
/* A tile consists of the rows that the 32 lanes of a warp hold at a time. Each warp goes through
 * its own tiles. It starts to load a tile as soon as its tile before is stored, while the other
 * warps of the block compute. */
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
    if (is_skipped(p))
        return;
    const bool solved = *(volatile unsigned *)&p.head->solved != 0;
    if (lane == 0) {
        mbarrier_init(barrier, 1);
        if (from < p.n)
            load_start(p, mine, to, apart * elements, barrier);
    }
    __syncwarp();
    for (int round = 0; from < p.n; from += stride, round++) {
        const int64_t first = from + lane * rows_of_thread;
        thread_rows<T> my = thread_rows_at(p, staged + lane * chunks, apart, chunks, first);
        couplings<T> couplings_t = load_couplings(p, my, first);
        mbarrier_wait(barrier, round & 1);
        load_remainder(p, mine, to, apart * elements, lane);
        transpose_rows(p, my, couplings_t);
        int lanes = (mine.count + rows_of_thread - 1) / rows_of_thread - lane / P::GROUP * P::GROUP;
        typename P::partition s = P::empty_partition();
        /* The last lane of a group has no interface. Its in_group is initialized, because the lane
         * also computes with it, although the result is not used. */
        typename P::interface in_group = {};
        eliminate<P, true, false>(my, &s);
        s = reduce<P>(s, P::GROUP, lanes, lane, &in_group);
        boundary<T> around = boundary_of_group(p, (from / rows_of_thread + lane) / P::GROUP);
        /* The two passes eliminate in different orders. If a group is nearly singular without the
         * rows around it, their results differ by more than rounding errors: then the boundary
         * values, which are of the first pass, do not satisfy the equations of the second. The
         * certificate of an attempt excludes that; with pivoting it is a breakdown. */
        bool fits = true;
        if constexpr (P::NEEDS_FIRST_RIGHT)
            fits = lane % P::GROUP != 0 || lanes <= 0 || P::fits(s, around);
        back_substitute<P>(in_group, P::GROUP, lanes, lane, &around);
        substitute<P>(my, around);
        report_wrong(p, my, fits, from, solved);
        store(p, mine, to + 3 * apart * elements, lane);
        mine = warp_rows_at(p, from + stride, rows_of_warp);
        bulk_fence();
        __syncwarp();
        if (lane == 0 && from + stride < p.n)
            load_start(p, mine, to, apart * elements, barrier);
    }
}
