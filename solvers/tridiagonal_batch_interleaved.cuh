/* tridiagonal_batch: the kernel for interleaved systems. These are the columns of an array in which
 * each row has one element of every system. Neighbouring lanes take neighbouring systems, so loads
 * are coalesced and need no staging.
 *
 * A block takes `across` neighbouring systems and cuts each into `partitions` partitions. Each
 * thread takes one partition of one system, which it processes in slices of M::ROWS rows, in three
 * steps:
 *
 *     down      Each slice is loaded, reduced, and merged with the slices above it. The interface
 *               is stored in `work`; the rows are not kept.
 *     between   The partitions of each system are merged by neighbouring lanes, which gives each
 *               partition its boundary values.
 *     up        Each slice is loaded and reduced again, except the last one, which is still in
 *               registers. (Recomputing is cheaper than storing, as in RPTS.) Its boundary values
 *               are recovered, and substitution gives x.
 *
 * This moves 9 elements per row: 4 are read on the way down, 4 are read on the way up, and 1 is
 * written. If a partition has only one slice, nothing is read twice, and 5 elements are moved. */
#ifndef TRIDIAGONAL_BATCH_INTERLEAVED_CUH
#define TRIDIAGONAL_BATCH_INTERLEAVED_CUH

#include "tridiagonal_batch_threads.cuh"

enum { COLUMN_THREADS = 256 }; /* maximum number of threads of a block */

template <class M> struct column_batch {
    batch<typename M::number> b;
    int across, partitions,
        slices; /* numbers of systems per block, partitions per system, and slices per partition */
    typename M::interface *interfaces; /* in `work`, with the indices [slice][partition][system] */
};

template <class M> struct column_storage {
    typename M::partition partitions[COLUMN_THREADS];
    boundary<typename M::number> boundaries[COLUMN_THREADS];
    int broken[COLUMN_THREADS]; /* not 0: this system of the block broke down */
};

/* Records a breakdown. In this kernel each partition belongs to one system, so a system that breaks
 * down does not harm others, and no checked path is needed. NaN and Inf propagate within the
 * system, and its status keeps the lowest row in which one was found. */
template <class T>
static __device__ inline void report_column(const batch<T> &b, const tile &at, int row)
{
    int value = 1 + (row < at.end ? row : at.end - 1);
    if (b.status && at.end > 0 && atomicCAS(b.status + at.first_system, 0, value) != 0)
        atomicMin(b.status + at.first_system, value);
}
/* Called if is_finite() says that elimination broke down. Returns the index, among the thread's
 * rows, of the first row that broke down; M::ROWS - 1 if none is found before it. Without pivoting,
 * place e of r holds row e. With pivoting it holds the pivot row of unknown e - 1, so a NaN or Inf
 * there means that row e - 1 broke down. */
template <class M>
static __device__ inline int broken_row(const registers<typename M::number, M::ROWS> &r)
{
    int row = M::ROWS - 1;
    UNROLL()
    for (int e = row - 1; e >= M::P::NEEDS_FIRST_RIGHT; e--)
        row = all_finite(r.sub[e], r.diag[e], r.super[e], r.rhs[e]) ? row
                                                                    : e - M::P::NEEDS_FIRST_RIGHT;
    return row;
}

/* The 32 floats that a warp loads have the length of a 128-byte line of memory, but they may begin
 * in the middle of a line. For float the L2 cache is therefore told to fetch whole lines, because
 * the neighbouring warps need the rest of them. */
static __device__ inline float load(const float *from)
{
    return load_line(from);
}
template <class T> static __device__ inline T load(const T *from)
{
    return *from;
}
/* Loads a slice of a system, which begins with row `first`. Rows from at.end on do not exist, and
 * become x = 0. */
template <class T, int rows>
static __device__ inline void load_column(const batch<T> &b, const tile &at, int first,
                                          registers<T, rows> &r)
{
    const T none = zero_of(T()), one = one_of(T());
    int left = at.end - first;
    int64_t i = at.base + first * b.systems, rhs_inc = b.systems, matrix_i = i,
            matrix_inc = rhs_inc;
    if (b.matrix != TRIDIAGONAL_BATCH_OWN) {
        matrix_inc = b.matrix == TRIDIAGONAL_BATCH_SHARED;
        matrix_i = first * matrix_inc;
    }
    const T *sub = b.in[0] + matrix_i, *diag = b.in[1] + matrix_i, *super = b.in[2] + matrix_i,
            *rhs = b.in[3] + i;
    if (left >= rows) {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            r.sub[e] = load(sub);
            r.diag[e] = load(diag);
            r.super[e] = load(super);
            r.rhs[e] = load(rhs);
            sub += matrix_inc;
            diag += matrix_inc;
            super += matrix_inc;
            rhs += rhs_inc;
        }
    } else {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            bool exists = e < left;
            r.sub[e] = exists ? sub[e * matrix_inc] : none;
            r.diag[e] = exists ? diag[e * matrix_inc] : one;
            r.super[e] = exists && e + 1 < left ? super[e * matrix_inc] : none;
            r.rhs[e] = exists ? rhs[e * rhs_inc] : none;
        }
    }
    if (first == 0)
        r.sub[0] = none;
    if (left == rows)
        r.super[rows - 1] = none;
}

/* The kernel. It describes a system by a struct tile: base and first_system are the number of the
 * system, and end is n, or 0 if there is no system of this number. */
template <class M>
static __global__ void
__launch_bounds__(COLUMN_THREADS,
                  M::THREADS >= 2 * COLUMN_THREADS && sizeof(typename M::number) < 16 ? 2 : 1)
    solve_columns(const __grid_constant__ column_batch<M> g)
{
    typedef typename M::number T;
    constexpr int rows = M::ROWS;
    const batch<T> &b = g.b;
    DYN_SHARED(column_storage<M>, shared);
    int rank = (int)threadIdx.x, lane = rank % WARP, column = rank % g.across,
        partition = rank / g.across, base = partition * g.slices * rows;
    int64_t leftmost = (int64_t)blockIdx.x * g.across;
    auto system_at = [&](int number) {
        tile at = {};
        at.base = at.first_system = leftmost + number;
        at.end = at.first_system < b.systems ? (int)b.n : 0;
        return at;
    };
    const tile at = system_at(column);
    if (partition == 0) {
        shared->broken[column] = 0;
        if (b.status && at.end > 0)
            b.status[at.first_system] = 0;
    }
    __syncthreads();

    const reporter<T> nobody = {};
    registers<T, M::ROWS> r;
    typename M::partition so_far = {};
    boundary<T> k = {};
    bool reported = false;
    UNROLL(1)
    for (int step = 0; step < 2 * g.slices - 1; step++) {
        bool down = step < g.slices;
        int i = down ? step : 2 * g.slices - 2 - step, first = base + i * rows;
        typename M::interface *above =
            g.interfaces + ((int64_t)i * g.partitions + partition) * b.systems + at.first_system;
        load_column(b, at, first, r);
        typename M::partition s = M::template eliminate<false>(r, nobody, first);
        if (down) {
            if (!M::is_finite(s)) {
                report_column(b, at, first + broken_row<M>(r));
                shared->broken[column] = 1;
            } else if (i > 0) {
                typename M::interface between;
                s = M::P::merge(so_far, s, &between);
                if (at.end > 0)
                    *above = between;
                if (!M::is_finite(s) && M::is_finite(so_far)) {
                    report_column(b, at, first - 1);
                    shared->broken[column] = 1;
                }
            }
            so_far = s;
        }
        if (step == g.slices - 1) {
            /* Threads exchange their partitions, so that neighbouring lanes have the partitions of
             * one system. */
            shared->partitions[partition * g.across + column] = so_far;
            __syncthreads();
            int partition_rows = g.slices * rows, other = rank / g.partitions,
                q = rank % g.partitions;
            typename M::interface between = {};
            s = reduce<false, M>(shared->partitions[q * g.across + other], g.partitions, lane,
                                 &between, nobody, 0, partition_rows);
            k = M::template solve<false>(s, nobody, 0, 0);
            if (q == 0 && !all_finite(k.last) && !shared->broken[other]) {
                report_column(b, system_at(other), (int)b.n - 1);
                shared->broken[other] = 1;
            }
            k = struct_from_lane<T>(k, lane - q);
            back_substitute<false, M>(between, g.partitions, lane, &k, nobody, 0, partition_rows);
            shared->boundaries[q * g.across + other] = k;
            __syncthreads();
            k = shared->boundaries[partition * g.across + column];
            reported = shared->broken[column] != 0;
        }
        if (step >= g.slices - 1) {
            /* k has the boundary values of the partition that slices 0 to i form */
            boundary<T> here = k;
            if (i > 0 && at.end > 0) {
                M::P::recover(*above, here, &k.last, &k.right);
                here.left = k.last;
                here.first = k.right;
            }
            M::template substitute<false>(r, here, nobody, first);
            if (!reported && !all_finite(r.rhs[0]))
                report_column(b, at, first);
            T *x = b.x + at.base + first * b.systems;
            UNROLL()
            for (int e = 0; e < rows; e++) {
                if (first + e < at.end)
                    *x = r.rhs[e];
                x += b.systems;
            }
        }
    }
}

#endif
