/* tridiagonal_batch: how the threads of a block find their boundary values from the partitions of
 * all threads. This step needs communication between threads. There are two ways:
 *
 *     without pivoting   Each thread substitutes its neighbour's first equation into its own last
 *                        one. This leaves a tridiagonal system in the last unknowns of the threads,
 *                        with one row per thread. Parallel cyclic reduction (PCR; PARACR of PL19)
 *                        solves it, with one barrier per level. The number of levels depends only
 *                        on the number of partitions of one system, because couplings between
 *                        systems are 0.
 *     with pivoting      Partitions are merged in a tree, within each warp and then between warps,
 *                        and the boundary values come back down the same tree.
 *
 * M is the method of tridiagonal_batch_rows.cuh: plain_rows or pivoted_rows. */
#ifndef TRIDIAGONAL_BATCH_THREADS_CUH
#define TRIDIAGONAL_BATCH_THREADS_CUH

#include "tridiagonal_batch_staging.cuh"

/* Shared memory after the staging buffers. Members that warps exchange exist twice and are used for
 * alternate tiles, because a slow warp may still read the values of the tile before. */
template <class M> struct shared_storage {
    typedef typename M::number number;
    uint64_t full[M::THREADS / WARP]; /* one barrier for each warp: its bulk copies have arrived */
    typename M::partition partitions[2][M::THREADS / WARP];
    number last[2][M::THREADS / WARP];
    /* The tile and the warp's piece of it. Each warp has its own copy, so it needs neither a
     * barrier to share them nor registers to keep them. */
    struct tile tile[2][M::THREADS / WARP];
    struct piece piece[2][M::THREADS / WARP];
    int broken[2]; /* not 0: a NaN or Inf was found in the tile */
};

/* The place of a thread in its block, and pointers to what the block shares. */
template <class M> struct thread_context {
    typedef typename M::number number;
    int rank, warp, lane, threads, warps;
    int parity; /* 0 for the first, third, … tile of this block; 1 for the others */
    shared_storage<M> *shared;
    chunk<number> *buffer; /* M::CHUNKS chunks for each thread, for PCR rows and then for x */
};

/* ---- without pivoting: PCR over the threads ---- */

/* A row of the reduced system: x_i = d - a x_{i-h} - c x_{i+h}. h is 1 at first and doubles with
 * each level. */
template <class T> struct pcr_row {
    T a, c, d;
};
template <bool checked, class T>
static __device__ inline void mask_breakdown(pcr_row<T> *x, const reporter<T> &to, int row)
{
    if (checked && !all_finite(x->a, x->c, x->d)) {
        report(to, row);
        x->a = x->c = x->d = zero_of(T());
    }
}
/* Threads exchange a row in whole chunks, because shared memory is fastest with 16-byte
 * accesses. */
template <class T> static __device__ inline void put(chunk<T> *to, const pcr_row<T> &x)
{
    constexpr int elements = CHUNK / sizeof(T), chunks = (3 + elements - 1) / elements;
    chunk<T> c[chunks] = {};
    c[0].element[0] = x.a;
    c[1 / elements].element[1 % elements] = x.c;
    c[2 / elements].element[2 % elements] = x.d;
    for (int i = 0; i < chunks; i++)
        to[i] = c[i];
}
template <class T> static __device__ inline pcr_row<T> get(const chunk<T> *from)
{
    constexpr int elements = CHUNK / sizeof(T), chunks = (3 + elements - 1) / elements;
    chunk<T> c[chunks];
    for (int i = 0; i < chunks; i++)
        c[i] = from[i];
    return {c[0].element[0], c[1 / elements].element[1 % elements],
            c[2 / elements].element[2 % elements]};
}

/* Returns the boundary values of this thread's partition s. last_row is its last row in the tile,
 * for reports. If the buffer of a thread has room for two rows, these are used alternately, which
 * saves a barrier per level. */
template <bool checked, class T, int C>
static __device__ inline boundary<T>
boundary_of_thread(const thread_context<plain_rows<T, C>> &c,
                   const typename plain_rows<T, C>::partition &s, const reporter<T> &to,
                   int last_row, int levels, const boundary<T> *)
{
    constexpr int elements = CHUNK / sizeof(T), chunks = (3 + elements - 1) / elements,
                  slots = 2 * chunks <= C ? 2 : 1;
    const T none = zero_of(T()), one = one_of(T());
    chunk<T> *mine_shared = c.buffer + c.rank * C;
    if (c.lane == 0)
        c.shared->partitions[c.parity][c.warp] = s;
    /* The next thread's first equation: from the next lane, or from the next warp's lane 0. */
    pcr_row<T> next = {s.first_left, s.first_last, s.first_rhs};
    next = struct_from_lane<T>(next, (c.lane + 1) % WARP);
    __syncthreads();
    if (c.lane == WARP - 1) {
        next = {none, none, none};
        if (c.warp + 1 < c.warps) {
            const typename plain_rows<T, C>::partition &t =
                c.shared->partitions[c.parity][c.warp + 1];
            next = {t.first_left, t.first_last, t.first_rhs};
        }
    }
    T q = reciprocal(neg_mul_add(s.last, s.right, next.a));
    pcr_row<T> mine = {s.left * q, -(s.right * next.c * q),
                       neg_mul_add(s.rhs, s.right, next.d) * q};
    mask_breakdown<checked>(&mine, to, last_row);
    UNROLL(1)
    for (int level = 0; level < levels; level++) {
        int h = 1 << level, slot = slots > 1 ? (level & 1) * chunks : 0;
        put(mine_shared + slot, mine);
        __syncthreads();
        pcr_row<T> up = {none, none, none}, down = up;
        if (c.rank >= h)
            up = get(mine_shared - h * C + slot);
        if (c.rank + h < c.threads)
            down = get(mine_shared + h * C + slot);
        if (slots == 1)
            __syncthreads();
        q = reciprocal(neg_mul_add(neg_mul_add(one, mine.a, up.c), mine.c, down.a));
        mine = {-(mine.a * up.a * q), -(mine.c * down.c * q),
                neg_mul_add(neg_mul_add(mine.d, mine.a, up.d), mine.c, down.d) * q};
        mask_breakdown<checked>(&mine, to, last_row);
    }
    T left = from_lane(mine.d, (c.lane + WARP - 1) % WARP);
    if (c.lane == WARP - 1)
        c.shared->last[c.parity][c.warp] = mine.d;
    __syncthreads();
    if (c.lane == 0)
        left = c.warp > 0 ? c.shared->last[c.parity][c.warp - 1] : none;
    return {left, none, mine.d, none};
}

/* ---- by merging ---- */

/* Works like reduce() of partition.cuh, over all `size` lanes, and reports breakdowns. The
 * partition of lane i has `rows` rows and begins with row `first` + i rows of the tile. */
template <bool checked, class M>
static __device__ inline typename M::partition
reduce(typename M::partition s, int size, int lane, typename M::interface *mine,
       const reporter<typename M::number> &to, int first, int rows)
{
    typedef typename M::number T;
    int place = lane & (size - 1);
    UNROLL(1)
    for (int h = 1; h < size; h *= 2) {
        typename M::interface between;
        int begin = place & -2 * h;
        reporter<T> here = to; /* only the first lane of 2 h lanes has both partitions */
        here.active = to.active && place == begin;
        s = M::template merge<checked>(s, struct_from_lane<T>(s, (lane + h) % WARP), &between, here,
                                       first + begin * rows, first + (begin + h) * rows - 1,
                                       first + (begin + 2 * h) * rows - 1);
        between = struct_from_lane<T>(between, lane & -2 * h);
        if ((place & (2 * h - 1)) == h - 1)
            *mine = between;
    }
    return s;
}
/* Computes the two unknowns at an interface. The lower partition begins with row `lower_begin` of
 * the tile, and the upper one ends with the row before it. */
template <bool checked, class M>
static __device__ inline void
recover(const typename M::interface &between, const boundary<typename M::number> &around,
        const reporter<typename M::number> &to, int lower_begin, typename M::number *upper_last,
        typename M::number *lower_first)
{
    bool upper_broken = false, lower_broken = false;
    *lower_first = M::recover_first(between, around);
    zero_if_not_finite<checked>(lower_first, &lower_broken);
    *upper_last = M::recover_last(between, around, *lower_first);
    zero_if_not_finite<checked>(upper_last, &upper_broken);
    if (upper_broken)
        report(to, lower_begin - 1);
    if (lower_broken)
        report(to, lower_begin);
}
/* Works like back_substitute() of partition.cuh, and reports breakdowns. The parameters are those
 * of reduce() above. */
template <bool checked, class M>
static __device__ inline void back_substitute(const typename M::interface &mine, int size, int lane,
                                              boundary<typename M::number> *around,
                                              const reporter<typename M::number> &to, int first,
                                              int rows)
{
    typedef typename M::number T;
    int place = lane & (size - 1);
    UNROLL(1)
    for (int h = size / 2; h > 0; h /= 2) {
        T upper_last, lower_first;
        bool lower = (place & h) != 0;
        /* only the lane that has this interface reports; the values of other lanes are not used */
        reporter<T> here = to;
        here.active = to.active && (place & (2 * h - 1)) == h - 1;
        recover<checked, M>(mine, *around, here, first + (place + 1) * rows, &upper_last,
                            &lower_first);
        int keeper = (lane & -2 * h) + h - 1;
        upper_last = from_lane(upper_last, keeper);
        around->left = lower ? upper_last : around->left;
        around->last = lower ? around->last : upper_last;
        if (M::P::NEEDS_FIRST_RIGHT) {
            lower_first = from_lane(lower_first, keeper);
            around->first = lower ? lower_first : around->first;
            around->right = lower ? around->right : lower_first;
        }
    }
}

/* Returns the boundary values of this thread's partition. If tile_partition is not NULL, the
 * function only merges the whole tile to one partition and stores that there; the returned value
 * must not be used. `around` are the boundary values of the tile if it is part of a longer system,
 * else NULL. Every warp merges the partitions of all warps itself, which saves a barrier. */
template <bool checked, class M>
static __device__ inline boundary<typename M::number>
boundary_by_merging(const thread_context<M> &c, typename M::partition s,
                    const reporter<typename M::number> &to, typename M::partition *tile_partition,
                    const boundary<typename M::number> *around)
{
    typedef typename M::number T;
    constexpr int rows = M::ROWS, warp_rows = WARP * rows;
    typename M::interface in_warp = {}, between_warps = {};
    typename M::partition *partitions = c.shared->partitions[c.parity];
    int size = round_up_power_of_two(c.warps), lead = to.at->lead,
        first = c.warp * warp_rows - lead;
    s = reduce<checked, M>(s, WARP, c.lane, &in_warp, to, first, rows);
    if (c.lane == 0)
        partitions[c.warp] = s;
    __syncthreads();
    s = M::padding();
    if ((c.lane & (size - 1)) < c.warps)
        s = partitions[c.lane & (size - 1)];
    s = reduce<checked, M>(s, size, c.lane, &between_warps, to, -lead, warp_rows);
    if (tile_partition) {
        if (c.rank == 0)
            *tile_partition = s;
        return {};
    }
    /* only lane 0 reports, because only it has the partition of the whole tile */
    reporter<T> alone = to;
    alone.active = c.lane == 0;
    boundary<T> mine =
        around ? *around : M::template solve<checked>(s, alone, to.at->begin, to.at->end - 1);
    mine = struct_from_lane<T>(mine, 0);
    back_substitute<checked, M>(between_warps, size, c.lane, &mine, to, -lead, warp_rows);
    mine = struct_from_lane<T>(mine, c.warp);
    back_substitute<checked, M>(in_warp, WARP, c.lane, &mine, to, first, rows);
    return mine;
}
template <bool checked, class T, int C>
static __device__ inline boundary<T>
boundary_of_thread(const thread_context<pivoted_rows<T, C>> &c,
                   const typename pivoted_rows<T, C>::partition &s, const reporter<T> &to, int, int,
                   const boundary<T> *around)
{
    return boundary_by_merging<checked, pivoted_rows<T, C>>(c, s, to, NULL, around);
}

#endif
