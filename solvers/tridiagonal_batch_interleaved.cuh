/* tridiagonal_batch: the kernel for interleaved systems, and for all other systems that are not
 * contiguous or have padding between them: systems along any axis of an array. Neighbouring lanes
 * take neighbouring systems, so loads are coalesced and need no staging.
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
 * written. If a partition has only one slice, nothing is read twice, and 5 elements are moved.
 *
 * The systems are numbered across all planes of the array, so a block may have systems of several
 * planes, and no lane is idle if planes are narrow. If a plane is one system wide and its rows are
 * neighbours in memory (contiguous systems with padding between them), a warp exchanges elements
 * through shared memory, so that its loads are coalesced, too.
 *
 * In periodic systems the two equations of a whole system couple its first to its last unknown,
 * which costs nothing. Their rows are spread evenly, so that no slice is empty. */
#pragma once

#include "tridiagonal_batch_lists.cuh"

template <class T> using column_plain = plain_rows<T, 5>;
template <class T> using column_pivoted = pivoted_rows<T, 5>;
/* For systems of up to 4 rows. In single precision it needs half the registers, so twice as many
 * threads run. */
template <class T> using column_short = plain_rows<T, 4 * sizeof(T) / CHUNK>;

/* A block has COLUMN_THREADS threads, or, if it is wide, most_column_threads(), which is the number
 * that a multiprocessor has registers for. */
enum { COLUMN_THREADS = 256 };
template <class M> static __host__ __device__ constexpr int most_column_threads(void)
{
    return M::THREADS >= 2 * COLUMN_THREADS && sizeof(typename M::number) < 16 ? 2 * COLUMN_THREADS
                                                                               : COLUMN_THREADS;
}

/* Rows first to first + count - 1 of a system. Rows from the end of the system on do not exist. */
struct slice {
    int first, count;
};
/* Returns slice i of the partition whose first row would be `base` if all slices were full. In
 * periodic systems all its rows exist. */
template <bool periodic, int rows, class T>
static __device__ inline slice slice_at(const column_batch<T> &g, int base, int i)
{
    if (!periodic)
        return {base + i * rows, rows};
    int k = base / rows + i, longer = k < g.longer_slices;
    return {k * g.slice_rows + (longer ? k : g.longer_slices), g.slice_rows + longer};
}
/* Returns the index of the interface between slice i of a partition and the slices above it. */
template <class T>
static __device__ inline int64_t interface_index(const column_batch<T> &g, const tile &at,
                                                 int partition, int i)
{
    return ((int64_t)i * g.partitions + partition) * g.b.systems + at.first_system;
}

/* Shared memory of a block. Registers are scarce, so it also keeps what a thread needs only now and
 * then. */
template <class M, bool adjacent> struct column_storage {
    /* blocks of the kernel with `adjacent` are not wide */
    enum { THREADS = adjacent ? COLUMN_THREADS : most_column_threads<M>() };
    typedef typename M::number number;
    typedef number elements[M::ROWS | 1]; /* of a slice; the odd number avoids bank conflicts */
    union {
        typename M::partition partitions[WARP];
        elements of_lane[adjacent ? WARP : 1]; /* for the exchange within the warp */
    } of_warp[THREADS / WARP];
    union {
        boundary<number> boundaries[THREADS];
        int64_t slot[THREADS]; /* until find_column(): a system's place among all systems */
    };
    /* the system broke down or, in an attempt, has no certificate */
    bool failed[THREADS];
    int64_t system[THREADS], base[THREADS]; /* first_system and base of its tile */
    int64_t matrix[THREADS];         /* with TRIDIAGONAL_BATCH_SHARED: the begin of its matrix */
    unsigned wanted[THREADS / WARP]; /* of a retry (next_turns()) */
};
/* Returns where thread `rank` writes its partition. */
template <class M, bool adjacent>
static __device__ inline typename M::partition *partition_of(column_storage<M, adjacent> *shared,
                                                             int rank)
{
    return &shared->of_warp[rank / WARP].partitions[rank % WARP];
}

/* Finds the system in a place among all systems: its number in the batch, or -1 if there is none,
 * and its first element. */
template <class T, class S>
static __device__ inline void find_column(const column_batch<T> &g, S *shared, int column,
                                          int64_t slot)
{
    int64_t plane = slot < g.slots ? 0 : slot / g.slots, k = slot - plane * g.slots,
            system = plane * g.inner + k;
    bool exists = slot >= 0 && k < g.inner && system < g.b.systems;
    shared->system[column] = exists ? system : -1;
    shared->base[column] = exists ? plane * g.plane_stride + k : 0;
}
/* Returns system `column` of the block as a struct tile. If there is none, its end is 0, and so is
 * first_system, with which addresses are computed. */
template <class T, class S>
static __device__ inline tile column_at(const column_batch<T> &g, const S *shared, int column)
{
    tile at = {};
    int64_t system = shared->system[column];
    at.first_system = system >= 0 ? system : 0;
    at.base = shared->base[column];
    at.end = system >= 0 ? (int)g.b.n : 0;
    return at;
}

/* Records a breakdown. Here each partition belongs to one system, so a system that breaks down does
 * not harm others, and no checked path is needed. Its status keeps the lowest row in which a NaN or
 * Inf was found. */
template <class T>
static __device__ inline void report_column(const batch<T> &b, int64_t system, int row)
{
    int value = 1 + (row < (int)b.n ? row : (int)b.n - 1);
    if (b.status && system >= 0 && atomicCAS(b.status + system, 0, value) != 0)
        atomicMin(b.status + system, value);
}
/* The index, among the thread's `count` rows, of a row that broke down; count - 1 if none is found.
 * Without pivoting, place e of r holds row e, with pivoting the pivot row of the row before or
 * behind it (pivoted_rows). */
template <class M>
static __device__ inline int broken_row(const registers<typename M::number, M::ROWS> &r, int count)
{
    int row = count - 1;
    UNROLL()
    for (int e = M::ROWS - 1; e >= 0; e--) {
        const int i = M::row_of_place(e, count);
        if (!all_finite(r.sub[e], r.diag[e], r.super[e], r.rhs[e]) && i >= 0 && i < count)
            row = i;
    }
    return row;
}

/* The 32 floats that a warp loads may begin in the middle of a 128-byte line. L2 is told to fetch
 * whole lines, because the neighbouring warps need the rest of them. */
static __device__ inline float load(const float *from)
{
    return load_line(from);
}
template <class T> static __device__ inline T load(const T *from)
{
    return *from;
}
/* Returns the number of rows of a slice that exist. */
static __device__ inline int rows_left(const tile &at, const slice &s)
{
    int left = at.end - s.first;
    return left < 0 ? 0 : left < s.count ? left : s.count;
}
/* Loads an array's elements of a slice, which are neighbours in memory: lane i % 32 loads element i
 * of the warp's slices, and the lanes exchange them through `staging`. `from` is the slice's first
 * element, and `left` of its elements exist; the others become `none`. All lanes must call it. */
template <class T, int rows>
static __device__ inline void load_adjacent(const T *array, int64_t from, int left, T none, T *v,
                                            T (*staging)[rows | 1], int lane)
{
    UNROLL()
    for (int j = 0; j < rows; j++) {
        int i = j * WARP + lane, e = i % rows, other = i / rows;
        const T *element = array + from_lane(from, other) + e;
        v[j] = e < from_lane(left, other) ? load(element) : none;
    }
    UNROLL()
    for (int j = 0; j < rows; j++) {
        int i = j * WARP + lane;
        staging[i / rows][i % rows] = v[j];
    }
    __syncwarp();
    UNROLL()
    for (int e = 0; e < rows; e++)
        v[e] = staging[lane][e];
    __syncwarp();
}
/* The reverse: stores v[] to the elements that exist. */
template <class T, int rows>
static __device__ inline void store_adjacent(T *array, int64_t to, int left, const T *v,
                                             T (*staging)[rows | 1], int lane)
{
    UNROLL()
    for (int e = 0; e < rows; e++)
        staging[lane][e] = v[e];
    __syncwarp();
    UNROLL()
    for (int j = 0; j < rows; j++) {
        int i = j * WARP + lane, e = i % rows, other = i / rows;
        int64_t element = from_lane(to, other) + e;
        if (e < from_lane(left, other))
            array[element] = staging[other][e];
    }
    __syncwarp();
}

/* The first sub and the last super of a system that is not periodic have no effect. `left` is the
 * number of rows from the slice's first row to the end of the system. */
template <class T, int rows>
static __device__ inline void mask_ends(int left, int first, registers<T, rows> &r)
{
    if (first == 0)
        r.sub[0] = zero_of(T());
    if (left == rows)
        r.super[rows - 1] = zero_of(T());
}
/* Loads a slice of a system. Rows that do not exist become x = 0. *matrix: see column_storage.
 *
 * In a gradient sub and super are the caller's super and sub, one row off. So where they have no
 * effect, they may lie outside the arrays and are not loaded. */
template <bool periodic, class T, int rows>
static __device__ inline void load_column(const column_batch<T> &g, const tile &at, const slice &s,
                                          const int64_t *matrix, registers<T, rows> &r)
{
    const batch<T> &b = g.b;
    const T none = zero_of(T()), one = one_of(T());
    int left = periodic ? rows_left(at, s) : at.end - s.first;
    int64_t i = at.base + s.first * g.row_stride, rhs_inc = g.row_stride, matrix_i = i,
            matrix_inc = rhs_inc;
    if (b.matrix != TRIDIAGONAL_BATCH_OWN) {
        matrix_inc = b.matrix == TRIDIAGONAL_BATCH_SHARED;
        matrix_i = matrix_inc ? *matrix + s.first : 0;
    }
    const T *sub = b.in[0] + matrix_i, *diag = b.in[1] + matrix_i, *super = b.in[2] + matrix_i,
            *rhs = b.in[3] + i;
    const bool begins = s.first == 0, ends = left == at.end - s.first;
    if (left >= rows) {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            if (e > 0)
                r.sub[e] = load(sub);
            else if (periodic)
                r.sub[e] = load(begins ? sub + g.ring : sub);
            else
                r.sub[e] = begins ? none : load(sub);
            r.diag[e] = load(diag);
            if (e + 1 < rows)
                r.super[e] = load(super);
            else if (periodic)
                r.super[e] = load(ends ? super - g.ring : super);
            else
                r.super[e] = left == rows ? none : load(super);
            r.rhs[e] = load(rhs);
            sub += matrix_inc;
            diag += matrix_inc;
            super += matrix_inc;
            rhs += rhs_inc;
        }
    } else {
        UNROLL()
        for (int e = 0; e < rows; e++) {
            bool exists = e < left, first = e == 0 && begins, last = e + 1 == left && ends;
            r.sub[e] =
                exists && (periodic || !first) ? sub[e * matrix_inc + (first ? g.ring : 0)] : none;
            r.diag[e] = exists ? diag[e * matrix_inc] : one;
            r.super[e] = exists && (periodic || e + 1 < left)
                             ? super[e * matrix_inc - (last ? g.ring : 0)]
                             : none;
            r.rhs[e] = exists ? rhs[e * rhs_inc] : none;
        }
    }
}
/* Loads a slice. With `adjacent` (load_adjacent()) all lanes of the warp must call it. */
template <bool adjacent, bool periodic, class T, int rows>
static __device__ inline void load_slice(const column_batch<T> &g, const tile &at, const slice &s,
                                         const int64_t *matrix, T (*staging)[rows | 1],
                                         registers<T, rows> &r)
{
    if (!adjacent) {
        load_column<periodic>(g, at, s, matrix, r);
        if (g.b.adjoint)
            conjugate_rhs(r.rhs);
        return;
    }
    const T none = zero_of(T());
    int lane = (int)threadIdx.x % WARP, left = at.end - s.first, count = rows_left(at, s);
    int64_t i = at.base + s.first, m = g.b.matrix == TRIDIAGONAL_BATCH_OWN ? i : *matrix + s.first;
    load_adjacent<T, rows>(g.b.in[0], m, count, none, r.sub, staging, lane);
    load_adjacent<T, rows>(g.b.in[1], m, count, one_of(T()), r.diag, staging, lane);
    load_adjacent<T, rows>(g.b.in[2], m, !periodic && left < rows ? count - 1 : count, none,
                           r.super, staging, lane);
    load_adjacent<T, rows>(g.b.in[3], i, count, none, r.rhs, staging, lane);
    if (!periodic)
        mask_ends(left, s.first, r);
    if (g.b.adjoint)
        conjugate_rhs(r.rhs);
}
/* Stores x of a slice, which is in r.rhs; the reverse of load_slice(). With crank_nicolson it
 * stores 2 x - rhs: all elements of rhs are loaded again before the first is used, so that a thread
 * waits once. */
template <bool adjacent, class T, int rows>
static __device__ inline void store_slice(const column_batch<T> &g, const tile &at, const slice &s,
                                          T (*staging)[rows | 1], registers<T, rows> &r)
{
    int lane = (int)threadIdx.x % WARP;
    int64_t first = at.base + s.first * g.row_stride;
    if (g.b.crank_nicolson) {
        const T *rhs = g.b.in[3] + first;
        T old[rows];
        if (adjacent)
            load_adjacent<T, rows>(g.b.in[3], first, rows_left(at, s), zero_of(T()), old, staging,
                                   lane);
        else {
            UNROLL()
            for (int e = 0; e < rows; e++) {
                old[e] = e < s.count && s.first + e < at.end ? *rhs : zero_of(T());
                rhs += g.row_stride;
            }
        }
        UNROLL()
        for (int e = 0; e < rows; e++)
            r.rhs[e] = twice_minus(r.rhs[e], old[e]);
    }
    if (adjacent) {
        store_adjacent<T, rows>(g.b.x, first, rows_left(at, s), r.rhs, staging, lane);
        return;
    }
    T *to = g.b.x + first;
    UNROLL()
    for (int e = 0; e < rows; e++) {
        if (e < s.count && s.first + e < at.end)
            *to = r.rhs[e];
        to += g.row_stride;
    }
}

/* The last clause of the certificate, for periodic systems. */
template <class T>
static __device__ inline bool last_pivot_is_safe(const typename plain<T>::partition &s)
{
    return abs1(s.last) <= PERIODIC_GROWTH * abs1(plain<T>::last_pivot(s));
}
/* Solves the two equations of a whole system. Sets *solved to false if it has no solution. */
template <class M, bool attempt, bool periodic>
static __device__ inline boundary<typename M::number> solve_whole(const typename M::partition &s,
                                                                  bool *solved)
{
    typedef typename M::number T;
    boundary<T> k;
    if constexpr (periodic) {
        M::P::solve(s, &k.first, &k.last);
        k.left = k.last;
        k.right = k.first;
        *solved = all_finite(k.first) && all_finite(k.last);
        if constexpr (attempt)
            *solved = *solved && last_pivot_is_safe<T>(s);
    } else {
        k = M::template solve<false>(s, reporter<T>{}, 0, 0);
        *solved = all_finite(k.last);
    }
    return k;
}

/* Merges the partitions of each system of the block, which its threads have written to shared
 * memory. Neighbouring lanes take the partitions of one system for this. Calls not_solved(number)
 * for systems of the block that have no solution. Returns the boundary values of the partition of
 * thread *owner. */
template <class M, bool attempt, bool periodic, class S, class NotSolved>
static __device__ inline boundary<typename M::number>
boundary_of_partition(const column_batch<typename M::number> &g, S *shared, int *owner,
                      NotSolved not_solved)
{
    typedef typename M::number T;
    const reporter<T> nobody = {};
    int rank = (int)threadIdx.x, lane = rank % WARP, partition_rows = g.slices * M::ROWS,
        column = rank / g.partitions, q = rank % g.partitions;
    *owner = q * g.across + column;
    typename M::interface between = {};
    typename M::partition s = reduce<false, M>(*partition_of(shared, *owner), g.partitions, lane,
                                               &between, nobody, 0, partition_rows);
    bool solved;
    boundary<T> k = solve_whole<M, attempt, periodic>(s, &solved);
    bool safe = true;
    if constexpr (attempt)
        safe = equation_stayed_dominant(between.left, between.last);
    if ((q == 0 && !solved) || !safe)
        not_solved(column);
    k = struct_from_lane<T>(k, lane - q);
    back_substitute<false, M>(between, g.partitions, lane, &k, nobody, 0, partition_rows);
    return k;
}

/* ---- the kernel ---- */

/* Finds the systems of a turn, in a retry on the lists, and clears their status. Returns false if
 * there are none. */
template <bool attempt, class T, class S>
static __device__ inline bool find_columns(const column_batch<T> &g, S *shared, int64_t turn,
                                           int column, int partition)
{
    int rank = (int)threadIdx.x;
    if (!attempt && g.pivot_counts) {
        if (rank < WARP)
            take_from_lists(g, turn, shared->slot, rank);
    } else if (partition == 0)
        shared->slot[column] = turn * g.across + column;
    __syncthreads();
    if (shared->slot[0] < 0)
        return false;
    if (partition == 0) {
        find_column(g, shared, column, shared->slot[column]);
        int64_t system = shared->system[column];
        shared->failed[column] = false;
        if (g.b.matrix == TRIDIAGONAL_BATCH_SHARED)
            shared->matrix[column] = system / g.b.sides * g.b.n;
        if (g.b.status && system >= 0)
            g.b.status[system] = 0;
    }
    __syncthreads();
    return true;
}
/* Merges the partition s of slice i with the slices above it, *so_far, and stores the interface
 * between them. An attempt clears *certified if the interface row did not stay dominant. */
template <class M, bool attempt, class S>
static __device__ inline void merge_slice(const column_batch<typename M::number> &g, S *shared,
                                          int column, const tile &at, const slice &here, int i,
                                          const registers<typename M::number, M::ROWS> &r,
                                          typename M::partition s, typename M::partition *so_far,
                                          typename M::interface *above, bool *certified)
{
    if (!M::is_finite(s)) {
        if (!attempt)
            report_column(g.b, shared->system[column], here.first + broken_row<M>(r, here.count));
        shared->failed[column] = true;
    } else if (i > 0) {
        typename M::interface between;
        s = M::P::merge(*so_far, s, &between);
        if constexpr (attempt)
            *certified = *certified && equation_stayed_dominant(between.left, between.last);
        if (at.end > 0)
            *above = between;
        if (!M::is_finite(s) && M::is_finite(*so_far)) {
            if (!attempt)
                report_column(g.b, shared->system[column], here.first - 1);
            shared->failed[column] = true;
        }
    }
    *so_far = s;
}
/* Finds the boundary values of all partitions. Returns whether this thread's system has failed; an
 * attempt puts it on the list then. */
template <class M, bool attempt, bool periodic, class S>
static __device__ inline bool find_boundaries(const column_batch<typename M::number> &g, S *shared,
                                              int column, bool certified)
{
    int rank = (int)threadIdx.x, owner;
    if (attempt && !certified)
        shared->failed[column] = true;
    __syncthreads();
    boundary<typename M::number> of_owner =
        boundary_of_partition<M, attempt, periodic>(g, shared, &owner, [&](int number) {
            if (!attempt && !shared->failed[number])
                report_column(g.b, shared->system[number], (int)g.b.n - 1);
            shared->failed[number] = true;
        });
    shared->boundaries[owner] = of_owner;
    __syncthreads();
    if (attempt && rank < WARP)
        store_list(g, blockIdx.x, shared->failed, rank);
    return shared->failed[column];
}
/* Computes and stores x of slice i. *k has the boundary values of the partition that slices 0 to i
 * form, and then of the slices above. */
template <class M, bool adjacent, bool attempt, class S>
static __device__ inline void
substitute_slice(const column_batch<typename M::number> &g, S *shared, int column, tile at,
                 const slice &here, int i, registers<typename M::number, M::ROWS> &r,
                 boundary<typename M::number> *k, const typename M::interface *above, bool failed)
{
    const reporter<typename M::number> nobody = {};
    boundary<typename M::number> around = *k;
    if (i > 0 && at.end > 0) {
        M::P::recover(*above, around, &k->last, &k->right);
        around.left = k->last;
        around.first = k->right;
    }
    M::template substitute<false>(r, around, nobody, here.first, here.count);
    if (!failed && !all_finite(M::last_x(r, here.count)))
        report_column(g.b, shared->system[column], here.first);
    if (attempt && failed)
        at.end = 0;
    store_slice<adjacent>(g, at, here, shared->of_warp[threadIdx.x / WARP].of_lane, r);
}

/* Solves the systems of a turn. With `adjacent` the rows of a system are neighbours in memory. */
template <class M, bool adjacent, bool attempt, bool periodic>
static __device__ inline void solve_turn(const column_batch<typename M::number> &g,
                                         column_storage<M, adjacent> *shared, int64_t turn)
{
    typedef typename M::number T;
    int rank = (int)threadIdx.x, column = rank % g.across, partition = rank / g.across,
        base = partition * g.slices * M::ROWS;
    if (!find_columns<attempt>(g, shared, turn, column, partition))
        return;
    const reporter<T> nobody = {};
    registers<T, M::ROWS> r;
    /* Registers are scarce. What the compiler would move to local memory is kept in shared memory,
     * which is faster. (With `adjacent` the partitions' place is in use.) */
    typename M::partition own = {}, *so_far = adjacent ? &own : partition_of(shared, rank);
    *so_far = {};
    bool failed = false, certified = true;
    UNROLL(1)
    for (int step = 0; step < 2 * g.slices - 1; step++) {
        bool down = step < g.slices;
        int i = down ? step : 2 * g.slices - 2 - step;
        const slice here = slice_at<periodic, M::ROWS>(g, base, i);
        const tile at = column_at(g, shared, column);
        typename M::interface *above =
            (typename M::interface *)g.interfaces + interface_index(g, at, partition, i);
        load_slice<adjacent, periodic>(g, at, here, shared->matrix + column,
                                       shared->of_warp[rank / WARP].of_lane, r);
        bool dominant = true;
        typename M::partition s =
            M::template eliminate<false, attempt>(r, nobody, here.first, here.count, &dominant);
        certified = certified && dominant;
        if (down) {
            merge_slice<M, attempt>(g, shared, column, at, here, i, r, s, so_far, above,
                                    &certified);
            /* the rest of these partitions is not needed */
            if (attempt && !__any_sync(ALL_LANES, certified))
                step = g.slices - 1;
        }
        if (step == g.slices - 1) {
            if (adjacent)
                *partition_of(shared, rank) = own;
            failed = find_boundaries<M, attempt, periodic>(g, shared, column, certified);
            if (attempt && __all_sync(ALL_LANES, failed))
                return;
        }
        if (step >= g.slices - 1)
            substitute_slice<M, adjacent, attempt>(g, shared, column, at, here, i, r,
                                                   &shared->boundaries[rank], above, failed);
    }
}

/* The turns of a block in a retry. */
template <class M, bool adjacent, bool periodic>
static __device__ inline void solve_turns(const column_batch<typename M::number> &g,
                                          column_storage<M, adjacent> *shared)
{
    for (int64_t first = blockIdx.x; first < g.turns; first += (int64_t)gridDim.x * blockDim.x) {
        next_turns(g, first, shared->wanted);
        __syncthreads();
        for (int warp = 0; warp < (int)blockDim.x / WARP; warp++)
            for (unsigned left = shared->wanted[warp]; left; left &= left - 1) {
                int lane = __ffs((int)left) - 1;
                solve_turn<M, adjacent, false, periodic>(
                    g, shared, first + (int64_t)(warp * WARP + lane) * gridDim.x);
                __syncthreads();
            }
        __syncthreads(); /* before `wanted` changes */
    }
}

template <class M, bool adjacent, bool attempt, bool periodic>
static __global__ void __launch_bounds__(most_column_threads<M>(), M::CHUNKS == 1 ? 2 : 1)
    solve_columns(const __grid_constant__ column_batch<typename M::number> g)
{
    typedef column_storage<M, adjacent> storage;
    DYN_SHARED(storage, shared);
    if constexpr (M::P::NEEDS_FIRST_RIGHT || (adjacent && !attempt))
        if (g.pivot_counts) {
            solve_turns<M, adjacent, periodic>(g, shared);
            return;
        }
    solve_turn<M, adjacent, attempt, periodic>(g, shared, blockIdx.x);
}
