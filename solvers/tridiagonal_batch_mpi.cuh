/* The kernels of tridiagonal_batch_mpi.cu; partition.cuh explains partitions.
 *
 *     reduce_rows        First pass. Reduces the rank's rows of every system to a partition of two
 *                        equations, which goes to the system's owner.
 *     solve_interfaces   The owner merges the partitions of all ranks and finds the boundary values
 *                        of each rank. One thread has one system.
 *     substitute_rows    Second pass. Eliminates the rows again, now with a known left neighbour,
 *                        and substitutes back.
 *
 * In both passes a rank cuts each system into partitions, one for each thread, which takes its rows
 * from the top to the bottom, in slices that fit into registers. The second pass substitutes from
 * the bottom to the top, so it would need the elimination of all rows at once. Therefore some
 * slices form a tile, and between two tiles the first pass stores a checkpoint: three numbers, with
 * which the elimination can begin again at the next tile. The second pass goes from the last tile
 * to the first, and keeps the elimination of one tile in shared memory and registers. */
#pragma once

#include "partition.cuh"

#include <limits.h>

enum {
    CACHE_LINE = 128,    /* bytes of each array in a slice */
    SPLIT_THREADS = 128, /* maximum number of threads of a block */
    SPLIT_BLOCKS = 2,    /* blocks of a multiprocessor, for which it has registers */
    UP_ELEMENTS = 7,     /* of a partition */
    DOWN_ELEMENTS = 2    /* of the boundary values: left and last */
};

/* ---- messages ---- */

/* A message has element 0 of `count` systems, then element 1 of all, and so on, and at the end a
 * status of each system. Its length is a multiple of 16 bytes. */
template <class T> static __host__ __device__ inline int64_t message_bytes(int64_t count, int each)
{
    return ceil_div(count * (each * (int64_t)sizeof(T) + (int64_t)sizeof(int)), 16) * 16;
}
template <class T>
static __device__ inline int *status_in(void *message, int64_t count, int each, int64_t system)
{
    return (int *)((T *)message + each * count) + system;
}

/* Where the message of a system is. The ranks own the systems of a chunk: `share` systems each, the
 * last ones fewer. */
struct letter {
    char *message;
    int64_t count, system; /* the number of systems in the message, and the number of this one */
};
template <class T>
static __device__ inline letter letter_of(char *messages, int64_t systems, int64_t share,
                                          int64_t system, int each)
{
    int64_t owner = system / share, begin = owner * share;
    letter l = {messages + owner * message_bytes<T>(share, each), share, system - begin};
    if (systems - begin < share)
        l.count = systems - begin;
    return l;
}

/* ---- a rank's rows of a chunk ---- */

template <class T> struct split_batch {
    const T *in[4]; /* sub, diag, super, rhs */
    T *x;
    int *status;
    int rows; /* of this rank in each system */
    int64_t batch;
    int64_t first_system, systems, share; /* this chunk; share: see letter_of() */
    int64_t first_row; /* the row of the whole system that is row 0 of this rank */
    /* there is no unknown before this rank's first row; there is none after its last row */
    bool begins, ends;
    /* A block has `across` systems and `partitions` partitions of each. A partition has `slices`
     * slices, and a tile tile_slices. */
    int across, partitions, slices, tile_slices;
    T *checkpoints; /* indices [tile - 1][3][partition][system of the batch] */
    T *interfaces;  /* indices [partition - 1][3][system of the batch] */
    char *up, *down;
};

/* The rows of a slice, in registers. */
template <class T> struct slice {
    enum { ROWS = CACHE_LINE / sizeof(T), PADDED = ROWS + 1 };
    T sub[ROWS], diag[ROWS], super[ROWS], rhs[ROWS];
};

/* The rows of this thread's partition. Row i is element base + i * increment of the arrays. */
struct row_range {
    int64_t system; /* of the batch */
    int64_t base, increment;
    int column, number; /* the number of the system in the block, and of the partition */
    int count;          /* number of partitions of this system that have rows */
    /* The first slice begins with row `first`. In contiguous systems slices begin on a cache line,
     * so the first slice of a system may have fewer rows: then `first` is negative. The partition
     * has the rows [begin, end), none if the system does not exist. */
    int first, begin, end;
};
template <class T, bool interleaved>
static __device__ inline row_range rows_of_thread(const split_batch<T> &b)
{
    constexpr int rows = slice<T>::ROWS;
    int thread = (int)threadIdx.x, length = b.slices * rows, lead = 0;
    row_range p;
    p.column = thread % b.across;
    p.number = thread / b.across;
    int64_t system = (int64_t)blockIdx.x * b.across + p.column;
    p.system = b.first_system + system;
    if (interleaved) {
        p.base = p.system;
        p.increment = b.batch;
    } else {
        p.base = p.system * b.rows;
        p.increment = 1;
        lead = (int)(p.base % rows);
    }
    p.count = (b.rows + lead + length - 1) / length;
    p.first = p.number * length - lead;
    p.begin = p.first > 0 ? p.first : 0;
    p.end = p.first + length < b.rows ? p.first + length : b.rows;
    if (p.begin > p.end || system >= b.systems)
        p.begin = p.end = p.first;
    return p;
}

/* ---- between memory and registers ---- */

/* Contiguous systems: the elements of a slice are a cache line, which one thread should not load
 * alone. So a warp loads and stores the cache lines of its 32 threads one after the other, with
 * element i in lane i % 32, and exchanges the elements through its staging buffer, whose padding
 * avoids bank conflicts. */
template <bool to_own_rows, class T>
static __device__ inline void exchange_rows(T *v, T *staging, int lane)
{
    constexpr int rows = slice<T>::ROWS, padded = slice<T>::PADDED;
    auto of_warp = [&](int j) {
        int i = j * WARP + lane;
        return i / rows * padded + i % rows;
    };
    auto of_lane = [&](int e) { return lane * padded + e; };
    UNROLL()
    for (int j = 0; j < rows; j++)
        staging[to_own_rows ? of_warp(j) : of_lane(j)] = v[j];
    __syncwarp();
    UNROLL()
    for (int j = 0; j < rows; j++)
        v[j] = staging[to_own_rows ? of_lane(j) : of_warp(j)];
    __syncwarp();
}

/* Calls visit(j, i, exists) for each register j in which this lane loads or stores element i. */
template <class T, class Visit>
static __device__ inline void each_of_warp(const row_range &p, int first, int lane, Visit visit)
{
    constexpr int rows = slice<T>::ROWS;
    int begin = p.begin - first, end = p.end - first;
    int64_t from = p.base + first;
    UNROLL()
    for (int j = 0; j < rows; j++) {
        int i = j * WARP + lane, e = i % rows, other = i / rows;
        int64_t at = from_lane(from, other) + e;
        int other_begin = from_lane(begin, other), other_end = from_lane(end, other);
        visit(j, at, e >= other_begin && e < other_end);
    }
}

/* True if all rows of the slice exist, and if it has neither the first nor the last row of the
 * partition. */
template <class T> static __device__ inline bool is_inside(const row_range &p, int first)
{
    return first > p.begin && first + slice<T>::ROWS < p.end;
}

/* Loads the slice that begins with row `first`. Registers of rows that do not exist become 0. */
template <class T, bool interleaved>
static __device__ inline void load_slice(const split_batch<T> &b, const row_range &p, int first,
                                         T *staging, slice<T> &r)
{
    constexpr int rows = slice<T>::ROWS;
    int lane = (int)threadIdx.x % WARP;
    if (interleaved && is_inside<T>(p, first)) {
        int64_t i = p.base + first * p.increment;
        UNROLL()
        for (int e = 0; e < rows; e++) {
            r.sub[e] = b.in[0][i];
            r.diag[e] = b.in[1][i];
            r.super[e] = b.in[2][i];
            r.rhs[e] = b.in[3][i];
            i += p.increment;
        }
        return;
    }
    const T none = zero_of(T());
    if (interleaved) {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            bool exists = first + e >= p.begin && first + e < p.end;
            int64_t i = p.base + (first + e) * p.increment;
            r.sub[e] = exists ? b.in[0][i] : none;
            r.diag[e] = exists ? b.in[1][i] : none;
            r.super[e] = exists ? b.in[2][i] : none;
            r.rhs[e] = exists ? b.in[3][i] : none;
        }
    } else {
        each_of_warp<T>(p, first, lane, [&](int j, int64_t i, bool exists) {
            r.sub[j] = exists ? b.in[0][i] : none;
            r.diag[j] = exists ? b.in[1][i] : none;
            r.super[j] = exists ? b.in[2][i] : none;
            r.rhs[j] = exists ? b.in[3][i] : none;
        });
        exchange_rows<true>(r.sub, staging, lane);
        exchange_rows<true>(r.diag, staging, lane);
        exchange_rows<true>(r.super, staging, lane);
        exchange_rows<true>(r.rhs, staging, lane);
    }
    if ((b.begins || b.ends) && !is_inside<T>(p, first)) {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            r.sub[e] = b.begins && first + e == 0 ? none : r.sub[e];
            r.super[e] = b.ends && first + e == b.rows - 1 ? none : r.super[e];
        }
    }
}

template <class T, bool interleaved>
static __device__ inline void store_slice(const split_batch<T> &b, const row_range &p, int first,
                                          T *staging, T *x)
{
    constexpr int rows = slice<T>::ROWS;
    int lane = (int)threadIdx.x % WARP;
    if (interleaved) {
        T *to = b.x + p.base + first * p.increment;
        bool inside = is_inside<T>(p, first);
        UNROLL()
        for (int e = 0; e < rows; e++) {
            if (inside || (first + e >= p.begin && first + e < p.end))
                *to = x[e];
            to += p.increment;
        }
        return;
    }
    exchange_rows<false>(x, staging, lane);
    each_of_warp<T>(p, first, lane, [&](int j, int64_t i, bool exists) {
        if (exists)
            b.x[i] = x[j];
    });
}

/* ---- first pass ---- */

template <class T> static __device__ inline bool is_finite(const typename plain<T>::partition &s)
{
    return plain<T>::coefficients_finite(s) && all_finite(s.first_rhs) && all_finite(s.rhs);
}

/* Eliminates the rows again, one by one. Returns the first row that broke down. (Not inlined,
 * because its registers would add to those of the fast path.) */
template <class T>
static __device__ __attribute__((noinline)) int broken_row(const split_batch<T> &b, row_range p)
{
    const T none = zero_of(T());
    typename plain<T>::partition s = {};
    for (int row = p.begin; row < p.end; row++) {
        int64_t i = p.base + row * p.increment;
        T sub = b.begins && row == 0 ? none : b.in[0][i], diag = b.in[1][i],
          super = b.ends && row == b.rows - 1 ? none : b.in[2][i], rhs = b.in[3][i];
        if (row == p.begin)
            s = plain<T>::one_row(sub, diag, super, rhs);
        else
            plain<T>::append_row(&s, reciprocal(s.last), sub, diag, super, rhs);
        /* not finite because of the pivot of the row before, or of this row's own numbers */
        if (!is_finite<T>(s))
            return all_finite(sub) && all_finite(diag) && all_finite(super) && all_finite(rhs) &&
                           row > p.begin
                       ? row - 1
                       : row;
    }
    return p.end - 1;
}

/* The checkpoint after row i: x_i = rhs - left x_left - right x_{i+1}, where x_left is the unknown
 * before the partition. */
template <class T>
static __device__ inline T *checkpoint_of(const split_batch<T> &b, const row_range &p, int tile,
                                          int k)
{
    return b.checkpoints + (((int64_t)(tile - 1) * 3 + k) * b.partitions + p.number) * b.batch +
           p.system;
}
template <class T>
static __device__ inline T *interface_of(const split_batch<T> &b, const row_range &p, int number,
                                         int k)
{
    return b.interfaces + ((int64_t)(number - 1) * 3 + k) * b.batch + p.system;
}

template <class T>
static __device__ inline void append_slice(typename plain<T>::partition *s, const slice<T> &r,
                                           const row_range &p, int first)
{
    if (is_inside<T>(p, first)) {
        UNROLL()
        for (int e = 0; e < slice<T>::ROWS; e++)
            plain<T>::append_row(s, reciprocal(s->last), r.sub[e], r.diag[e], r.super[e], r.rhs[e]);
        return;
    }
    UNROLL()
    for (int e = 0; e < slice<T>::ROWS; e++) {
        if (first + e == p.begin)
            *s = plain<T>::one_row(r.sub[e], r.diag[e], r.super[e], r.rhs[e]);
        else if (first + e > p.begin && first + e < p.end)
            plain<T>::append_row(s, reciprocal(s->last), r.sub[e], r.diag[e], r.super[e], r.rhs[e]);
    }
}
/* The thread of a system's first partition merges all partitions of this rank, of which it has the
 * first one in *s. Returns the first row that broke down, or INT_MAX. */
template <class T>
static __device__ inline int merge_partitions(const split_batch<T> &b, const row_range &p,
                                              const typename plain<T>::partition *partitions,
                                              const int *broken, typename plain<T>::partition *s)
{
    typedef typename plain<T>::partition partition;
    int thread = (int)threadIdx.x, row = broken[thread];
    for (int k = 1; k < p.count; k++) {
        int other = k * b.across + thread;
        typename plain<T>::interface between;
        partition both = plain<T>::merge(*s, partitions[other], &between);
        *interface_of(b, p, k, 0) = between.left;
        *interface_of(b, p, k, 1) = between.last;
        *interface_of(b, p, k, 2) = between.rhs;
        if (broken[other] < row)
            row = broken[other];
        if (row == INT_MAX && !is_finite<T>(both))
            row = p.end + (k - 1) * b.slices * slice<T>::ROWS - 1;
        *s = both;
    }
    return row;
}

template <class T, bool interleaved>
static __global__ void __launch_bounds__(SPLIT_THREADS, SPLIT_BLOCKS)
    reduce_rows(const __grid_constant__ split_batch<T> b)
{
    typedef typename plain<T>::partition partition;
    constexpr int rows = slice<T>::ROWS;
    DYN_SHARED(T, memory); /* the staging buffers of the warps, and after them the partitions */
    int thread = (int)threadIdx.x;
    T *staging = memory + thread / WARP * WARP * slice<T>::PADDED;
    partition *partitions = (partition *)memory, s = {};
    const row_range p = rows_of_thread<T, interleaved>(b);
    UNROLL(1)
    for (int i = 0, next_tile = b.tile_slices; i < b.slices; i++) {
        int first = p.first + i * rows;
        slice<T> r;
        load_slice<T, interleaved>(b, p, first, staging, r);
        if (i == next_tile) {
            if (first < p.end) {
                T q = reciprocal(s.last);
                *checkpoint_of(b, p, i / b.tile_slices, 0) = s.left * q;
                *checkpoint_of(b, p, i / b.tile_slices, 1) = s.right * q;
                *checkpoint_of(b, p, i / b.tile_slices, 2) = s.rhs * q;
            }
            next_tile += b.tile_slices;
        }
        append_slice(&s, r, p, first);
    }
    int *broken = (int *)(partitions + SPLIT_THREADS);
    __syncthreads();
    partitions[thread] = s;
    broken[thread] = p.begin < p.end && !is_finite<T>(s) ? broken_row(b, p) : INT_MAX;
    __syncthreads();
    if (p.number > 0 || p.begin >= p.end)
        return;
    int row = merge_partitions(b, p, partitions, broken, &s);
    letter l = letter_of<T>(b.up, b.systems, b.share, p.system - b.first_system, UP_ELEMENTS);
    const T elements[UP_ELEMENTS] = {s.first_left, s.first_last, s.first_rhs, s.left,
                                     s.last,       s.right,      s.rhs};
    UNROLL()
    for (int k = 0; k < UP_ELEMENTS; k++)
        ((T *)l.message)[k * l.count + l.system] = elements[k];
    *status_in<T>(l.message, l.count, UP_ELEMENTS, l.system) =
        row == INT_MAX ? 0 : 1 + (int)b.first_row + row;
}

/* ---- between the ranks ---- */

/* The owner has the messages of all ranks in `up`, and fills those to all ranks in `down`.
 * rank_rows has the first row of each rank and then n. Each partition but the first one is
 * overwritten by the interface to the ranks before it. */
template <class T>
static __global__ void solve_interfaces(int64_t count, int ranks, const int64_t *rank_rows,
                                        bool periodic, char *up, char *down)
{
    typedef typename plain<T>::partition partition;
    int64_t system = (int64_t)blockIdx.x * blockDim.x + threadIdx.x,
            up_bytes = message_bytes<T>(count, UP_ELEMENTS),
            down_bytes = message_bytes<T>(count, DOWN_ELEMENTS);
    if (system >= count)
        return;
    partition s = {};
    int status = 0, first_rank = -1;
    for (int k = 0; k < ranks; k++) {
        T *from = (T *)(up + k * up_bytes) + system;
        if (rank_rows[k + 1] == rank_rows[k])
            continue;
        int found = *status_in<T>(up + k * up_bytes, count, UP_ELEMENTS, system);
        partition lower = {from[0],         from[count],     from[2 * count], from[3 * count],
                           from[4 * count], from[5 * count], from[6 * count]};
        status = status == 0 ? found : status;
        if (first_rank < 0) {
            first_rank = k;
            s = lower;
            continue;
        }
        typename plain<T>::interface between;
        s = plain<T>::merge(s, lower, &between);
        from[0] = between.left;
        from[count] = between.last;
        from[2 * count] = between.rhs;
        if (status == 0 && !is_finite<T>(s))
            status = (int)rank_rows[k];
    }
    T x_first, x_last;
    plain<T>::solve(s, &x_first, &x_last);
    if (status == 0 && !(all_finite(x_first) && all_finite(x_last)))
        status = (int)rank_rows[ranks];
    boundary<T> around = {periodic ? x_last : zero_of(T()), x_first, x_last, zero_of(T())};
    for (int k = ranks - 1; k >= 0; k--) {
        const T *from = (T *)(up + k * up_bytes) + system;
        T *to = (T *)(down + k * down_bytes) + system;
        T left = around.left, last = around.last, lower_first;
        if (rank_rows[k + 1] > rank_rows[k] && k > first_rank) {
            plain<T>::recover({from[0], from[count], from[2 * count]}, around, &left, &lower_first);
            around.last = left;
        }
        to[0] = left;
        to[count] = last;
        *status_in<T>(down + k * down_bytes, count, DOWN_ELEMENTS, system) = status;
    }
}

/* Copies the statuses of a chunk, on a rank without rows. */
template <class T> static __global__ void copy_status(const __grid_constant__ split_batch<T> b)
{
    int64_t system = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (system >= b.systems)
        return;
    letter l = letter_of<T>(b.down, b.systems, b.share, system, DOWN_ELEMENTS);
    b.status[b.first_system + system] = *status_in<T>(l.message, l.count, DOWN_ELEMENTS, l.system);
}

/* ---- second pass ---- */

/* Eliminates downwards: before row i, x_{i-1} = *d - *c x_i. Afterwards x_i = rhs - super x_{i+1}
 * in the registers of each row, and *c and *d are those of the slice's last row. In the partition's
 * last row x_i is known to be `last`. A row that does not exist gets x_i = x_{i+1}. */
template <class T>
static __device__ inline void eliminate(slice<T> &r, const row_range &p, int first, T last, T *c,
                                        T *d)
{
    constexpr int rows = slice<T>::ROWS;
    bool inside = is_inside<T>(p, first);
    UNROLL()
    for (int e = 0; e < rows; e++) {
        T q = reciprocal(neg_mul_add(r.diag[e], r.sub[e], *c)), super = r.super[e] * q,
          rhs = neg_mul_add(r.rhs[e], r.sub[e], *d) * q;
        if (!inside) {
            int row = first + e;
            if (row < p.begin || row >= p.end) {
                r.super[e] = -one_of(T());
                r.rhs[e] = zero_of(T());
                continue;
            }
            super = row < p.end - 1 ? super : zero_of(T());
            rhs = row < p.end - 1 ? rhs : last;
        }
        r.super[e] = *c = super;
        r.rhs[e] = *d = rhs;
    }
}

/* The thread of a system's first partition finds x before (lefts) and at the end (lasts) of each
 * partition. */
template <class T>
static __device__ inline void recover_boundaries(const split_batch<T> &b, const row_range &p,
                                                 T *lefts, T *lasts)
{
    const T none = zero_of(T());
    int thread = (int)threadIdx.x;
    letter l = letter_of<T>(b.down, b.systems, b.share, p.system - b.first_system, DOWN_ELEMENTS);
    const T *from = (T *)l.message + l.system;
    boundary<T> around = {from[0], none, from[l.count], none};
    for (int k = p.count - 1; k > 0; k--) {
        T left, first;
        plain<T>::recover(
            {*interface_of(b, p, k, 0), *interface_of(b, p, k, 1), *interface_of(b, p, k, 2)},
            around, &left, &first);
        lefts[k * b.across + thread] = left;
        lasts[k * b.across + thread] = around.last;
        around.last = left;
    }
    lefts[thread] = around.left;
    lasts[thread] = around.last;
    if (b.status)
        b.status[p.system] = *status_in<T>(l.message, l.count, DOWN_ELEMENTS, l.system);
}
/* Shared memory keeps the elimination of the slices of a tile but the last one. The elements of the
 * block's threads lie side by side. */
template <class T> static __device__ inline void keep_slice(T *kept, int i, const slice<T> &r)
{
    constexpr int rows = slice<T>::ROWS;
    int threads = (int)blockDim.x;
    UNROLL()
    for (int e = 0; e < rows; e++) {
        kept[(i * rows + e) * 2 * threads] = r.super[e];
        kept[((i * rows + e) * 2 + 1) * threads] = r.rhs[e];
    }
}
template <class T> static __device__ inline void fetch_slice(const T *kept, int i, slice<T> &r)
{
    constexpr int rows = slice<T>::ROWS;
    int threads = (int)blockDim.x;
    UNROLL()
    for (int e = 0; e < rows; e++) {
        r.super[e] = kept[(i * rows + e) * 2 * threads];
        r.rhs[e] = kept[((i * rows + e) * 2 + 1) * threads];
    }
}

template <class T, bool interleaved>
static __global__ void __launch_bounds__(SPLIT_THREADS, SPLIT_BLOCKS)
    substitute_rows(const __grid_constant__ split_batch<T> b)
{
    constexpr int rows = slice<T>::ROWS;
    const T none = zero_of(T());
    DYN_SHARED(T, memory);
    int thread = (int)threadIdx.x, threads = (int)blockDim.x;
    T *lefts = memory, *lasts = memory + threads, *kept = memory + 2 * threads + thread,
      *staging = memory + 2 * threads + (b.tile_slices - 1) * rows * 2 * threads +
                 thread / WARP * WARP * slice<T>::PADDED;
    const row_range p = rows_of_thread<T, interleaved>(b);
    if (p.number == 0 && p.begin < p.end)
        recover_boundaries(b, p, lefts, lasts);
    __syncthreads();
    T left = none, last = none, x = none;
    if (p.begin < p.end) {
        left = lefts[thread];
        last = lasts[thread];
    }
    UNROLL(1)
    for (int tile = (b.slices - 1) / b.tile_slices; tile >= 0; tile--) {
        int begin = tile * b.tile_slices, slices = b.slices - begin;
        slices = slices < b.tile_slices ? slices : b.tile_slices;
        T c = none, d = left;
        if (tile > 0 && p.first + begin * rows < p.end) {
            c = *checkpoint_of(b, p, tile, 1);
            d = neg_mul_add(*checkpoint_of(b, p, tile, 2), *checkpoint_of(b, p, tile, 0), left);
        }
        slice<T> r;
        UNROLL(1)
        for (int i = 0; i < slices; i++) {
            int first = p.first + (begin + i) * rows;
            load_slice<T, interleaved>(b, p, first, staging, r);
            eliminate(r, p, first, last, &c, &d);
            if (i < slices - 1)
                keep_slice(kept, i, r);
        }
        UNROLL(1)
        for (int i = slices - 1; i >= 0; i--) {
            if (i < slices - 1)
                fetch_slice(kept, i, r);
            int first = p.first + (begin + i) * rows;
            UNROLL()
            for (int e = rows - 1; e >= 0; e--) {
                x = neg_mul_add(r.rhs[e], r.super[e], x);
                r.rhs[e] = x;
            }
            store_slice<T, interleaved>(b, p, first, staging, r.rhs);
        }
    }
    /* If any x is not finite, then neither is that of the row above, up to the first one. */
    if (b.status && p.begin < p.end && !all_finite(x))
        atomicCAS(b.status + p.system, 0, 1 + (int)b.first_row + p.begin);
}
