/* tridiagonal_batch: how the threads of a block find their boundary values from the partitions of
 * all threads. This step needs communication between threads. There are two ways:
 *
 *     without pivoting   Each thread substitutes its neighbour's first equation into its own last
 *                        one. This leaves a tridiagonal system in the last unknowns of the threads,
 *                        with one row per thread. Parallel cyclic reduction (PCR; PARACR of PL19)
 *                        solves it, with one barrier per level. The number of levels depends only
 *                        on the number of partitions of one system, because couplings between
 *                        systems are 0.
 *     with pivoting      Partitions are merged, by fewer and fewer threads, and the boundary values
 *                        come back along the same path.
 *
 * M is the method of tridiagonal_batch_rows.cuh: plain_rows, pivoted_rows or auto_rows. Method is
 * one of the first two, which auto_rows chooses for each tile. */
#pragma once

#include "tridiagonal_batch_staging.cuh"

/* A row of the reduced system: x_i = d - a x_{i-h} - c x_{i+h}. h is 1 at first and doubles with
 * each level. */
template <class T> struct pcr_row {
    T a, c, d;
};
/* Shared memory after the staging buffers. Members that warps exchange exist twice and are used for
 * alternate tiles, because a slow warp may still read the values of the tile before. */
template <class M> struct shared_storage {
    typedef typename M::number number;
    uint64_t full[M::THREADS / WARP];  /* one barrier for each warp: its bulk copies have arrived */
    typename M::partition of_warps[2]; /* of the two warps that merge */
    pcr_row<number> first_equation[2][M::THREADS / WARP];
    number last[2][M::THREADS / WARP];
    /* The tile and the warp's piece of it. Each warp has its own copy, so it needs neither a
     * barrier to share them nor registers to keep them. */
    struct tile tile[2][M::THREADS / WARP];
    struct piece piece[2][M::THREADS / WARP];
    int broken[2]; /* not 0: a NaN or Inf was found in the tile */
    int pivots[2]; /* used by auto_rows; not 0: a row of the tile is not dominant */
};

/* What solve_tiles does with a tile: solve whole systems, or, if a system has several tiles, reduce
 * each to a partition and then finish it with its boundary values. */
enum tile_step { SOLVE_TILE, REDUCE_TILE, FINISH_TILE };

/* The place of a thread in its block, and pointers to what the block shares. */
template <class M> struct thread_context {
    typedef typename M::number number;
    int rank, warp, lane, threads, warps;
    int parity; /* 0 for the first, third, … tile of this block; 1 for the others */
    shared_storage<M> *shared;
    chunk<number> *buffer; /* M::CHUNKS chunks for each thread, for PCR rows and then for x */
};

/* Returns the context of this thread without `shared` and `buffer`. */
template <class M> static __device__ inline thread_context<M> context_of_thread(void)
{
    thread_context<M> c;
    c.rank = (int)threadIdx.x;
    c.warp = c.rank / WARP;
    c.lane = c.rank % WARP;
    c.threads = (int)blockDim.x;
    c.warps = c.threads / WARP;
    c.parity = 0;
    return c;
}

/* Threads exchange a struct of elements T in whole chunks, because shared memory is fastest with
 * 16-byte accesses. */
template <class T, class V> static __device__ inline void put(chunk<T> *to, const V &v)
{
    constexpr int elements = CHUNK / sizeof(T), count = sizeof(V) / sizeof(T);
    T from[count];
    memcpy((void *)from, (const void *)&v, sizeof(V));
    UNROLL()
    for (int i = 0; i < count; i += elements) {
        chunk<T> c = {};
        for (int e = 0; e < elements && i + e < count; e++)
            c.element[e] = from[i + e];
        to[i / elements] = c;
    }
}
template <class V, class T> static __device__ inline V get(const chunk<T> *from)
{
    constexpr int elements = CHUNK / sizeof(T), count = sizeof(V) / sizeof(T);
    T to[count];
    V v;
    UNROLL()
    for (int i = 0; i < count; i += elements) {
        chunk<T> c = from[i / elements];
        for (int e = 0; e < elements && i + e < count; e++)
            to[i + e] = c.element[e];
    }
    memcpy((void *)&v, (const void *)to, sizeof(V));
    return v;
}

/* ---- without pivoting: PCR over the threads ---- */

template <bool checked, class T>
static __device__ inline void mask_breakdown(pcr_row<T> *x, const reporter<T> &to, int row)
{
    if (checked && !all_finite(x->a, x->c, x->d)) {
        report(to, row);
        x->a = x->c = x->d = zero_of(T());
    }
}
/* Returns the boundary values of this thread's partition s. last_row is its last row in the tile,
 * for reports. PCR computes each unknown by an elimination of its own. If a group of rows is nearly
 * singular without the rows around it, these differ by much more than rounding errors. With
 * auto_rows the tile is then solved again with pivoting. If the buffer of a thread has room for two
 * rows, these are used alternately, which saves a barrier per level. */
template <bool checked, class M>
static __device__ inline boundary<typename M::number>
boundary_by_pcr(const thread_context<M> &c, const typename plain<typename M::number>::partition &s,
                const reporter<typename M::number> &to, int last_row)
{
    typedef typename M::number T;
    constexpr int C = M::CHUNKS, elements = CHUNK / sizeof(T),
                  chunks = (3 + elements - 1) / elements, slots = 2 * chunks <= C ? 2 : 1;
    const T none = zero_of(T()), one = one_of(T());
    chunk<T> *mine_shared = c.buffer + c.rank * C;
    /* The next thread's first equation: from the next lane, or from the next warp's lane 0. */
    pcr_row<T> next = {s.first_left, s.first_last, s.first_rhs};
    if (c.lane == 0)
        c.shared->first_equation[c.parity][c.warp] = next;
    next = struct_from_lane<T>(next, (c.lane + 1) % WARP);
    __syncthreads();
    if (c.lane == WARP - 1) {
        next = {none, none, none};
        if (c.warp + 1 < c.warps)
            next = c.shared->first_equation[c.parity][c.warp + 1];
    }
    T q = reciprocal(neg_mul_add(s.last, s.right, next.a));
    bool certified = abs1(s.last * q) <= AUTO_GROWTH;
    pcr_row<T> mine = {s.left * q, -(s.right * next.c * q),
                       neg_mul_add(s.rhs, s.right, next.d) * q};
    mask_breakdown<checked>(&mine, to, last_row);
    UNROLL(1)
    for (int level = 0; level < to.b->pcr_levels; level++) {
        int h = 1 << level, slot = slots > 1 ? (level & 1) * chunks : 0;
        put(mine_shared + slot, mine);
        __syncthreads();
        pcr_row<T> up = {none, none, none}, down = up;
        if (c.rank >= h)
            up = get<pcr_row<T>>(mine_shared - h * C + slot);
        if (c.rank + h < c.threads)
            down = get<pcr_row<T>>(mine_shared + h * C + slot);
        if (slots == 1)
            __syncthreads();
        q = reciprocal(neg_mul_add(neg_mul_add(one, mine.a, up.c), mine.c, down.a));
        certified = certified && abs1(q) <= AUTO_GROWTH;
        mine = {-(mine.a * up.a * q), -(mine.c * down.c * q),
                neg_mul_add(neg_mul_add(mine.d, mine.a, up.d), mine.c, down.d) * q};
        mask_breakdown<checked>(&mine, to, last_row);
    }
    if (M::AUTO && !certified)
        c.shared->broken[c.parity] = 1;
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

/* Returns how many neighbouring threads share a place: a power of two, so many that their parts of
 * the buffer hold an interface. */
template <class M> static __host__ __device__ constexpr int sharers_of(void)
{
    int sharers = 1;
    while (sharers * M::CHUNKS * CHUNK < (int)sizeof(typename M::interface))
        sharers *= 2;
    return sharers;
}
/* What a lane merges in boundary_by_merging(): the places `from` to `end` - 1, each of `rows` rows
 * of the tile and `chunks` chunks of the buffer. */
template <class T> struct lane_run {
    chunk<T> *mine;                             /* of place `from` */
    int from, end, length, rows, chunks, first; /* first: the first row in the tile */
};
/* Merges the run of this lane one after the other, and keeps the interfaces in the places. */
template <class Method, bool checked, class T>
static __device__ inline typename Method::partition merge_run(const lane_run<T> &l,
                                                              const reporter<T> &to)
{
    typedef typename Method::partition partition;
    partition s = Method::padding();
    if (l.from < l.end)
        s = get<partition>(l.mine);
    UNROLL(1)
    for (int i = 1; i < l.length; i++) {
        if (l.from + i >= l.end)
            continue;
        typename Method::interface between;
        int lower_begin = l.first + i * l.rows;
        s = Method::template merge<checked>(s, get<partition>(l.mine + i * l.chunks), &between, to,
                                            l.first, lower_begin - 1, lower_begin + l.rows - 1);
        put(l.mine + i * l.chunks, between);
    }
    return s;
}
/* The reverse: k are the boundary values of the run; those of its places take the interfaces' room.
 */
template <class Method, bool checked, class T>
static __device__ inline void back_substitute_run(const lane_run<T> &l, const reporter<T> &to,
                                                  boundary<T> k)
{
    UNROLL(1)
    for (int i = l.length - 1; i > 0; i--) {
        if (l.from + i >= l.end)
            continue;
        boundary<T> lower = k;
        recover<checked, Method>(get<typename Method::interface>(l.mine + i * l.chunks), k, to,
                                 l.first + i * l.rows, &lower.left, &lower.first);
        put(l.mine + i * l.chunks, lower);
        k.last = lower.left;
        k.right = lower.first;
    }
    if (l.from < l.end)
        put(l.mine, k);
}
/* Merges the partitions of the first two warps, which have `rows` rows each from row `first` on. */
template <class Method, bool checked, class M>
static __device__ inline typename Method::partition
merge_warps(const thread_context<M> &c, typename Method::partition s,
            typename Method::interface *between, const reporter<typename M::number> &to, int first,
            int rows)
{
    typename Method::partition *of_warps = (typename Method::partition *)c.shared->of_warps;
    if (c.warp <= 1 && c.lane == 0)
        of_warps[c.warp] = s;
    __syncthreads();
    if (c.warp <= 1)
        s = Method::template merge<checked>(of_warps[0], of_warps[1], between, to, first,
                                            first + rows - 1, first + 2 * rows - 1);
    return s;
}
/* Returns the boundary values of this warp's half of the tile. k are those of the whole tile, and
 * the second half begins with row `lower_begin`. */
template <class Method, bool checked, class M>
static __device__ inline boundary<typename M::number>
boundary_of_warp(const thread_context<M> &c, const typename Method::interface &between_warps,
                 boundary<typename M::number> k, const reporter<typename M::number> &to,
                 int lower_begin)
{
    typename M::number upper_last, lower_first;
    recover<checked, Method>(between_warps, k, to, lower_begin, &upper_last, &lower_first);
    if (c.warp == 0) {
        k.last = upper_last;
        k.right = lower_first;
    } else {
        k.left = upper_last;
        k.first = lower_first;
    }
    return k;
}
/* Returns the boundary values of this thread's partition. With REDUCE_TILE the function only merges
 * the whole tile to one partition and stores it in *tile_partition; the returned value must not be
 * used. With FINISH_TILE `around` are the boundary values of the tile.
 *
 * Every thread puts its partition into its place in the buffer. One warp, or two if there are many
 * partitions, merges them: each lane first merges a run of neighbouring partitions one after the
 * other, and then the results are merged in a tree. If all threads took part in a tree, most of
 * their work would be wasted, because each level halves the number of partitions. And while one
 * warp merges, the others leave the multiprocessor to another block. */
template <class Method, bool checked, enum tile_step step, class M>
static __device__ inline boundary<typename M::number>
boundary_by_merging(const thread_context<M> &c, typename Method::partition s,
                    const reporter<typename M::number> &to, typename M::partition *tile_partition,
                    const boundary<typename M::number> *around)
{
    typedef typename M::number T;
    typedef typename Method::interface interface;
    /* If the buffer of a thread is too small for an interface, threads share a place, and merge
     * their partitions first. */
    constexpr int sharers = sharers_of<Method>(), rows = sharers * Method::ROWS,
                  chunks = sharers * Method::CHUNKS;
    int run = to.b->run, places = c.threads / sharers, from = c.rank * run,
        end = from + run < places ? from + run : places, lead = to.at->lead,
        first_of_place = c.rank / sharers * rows - lead, warp_rows = WARP * run * rows,
        first_of_warp = c.warp * warp_rows - lead;
    bool two_warps = places > WARP * run;
    chunk<T> *place = c.buffer + c.rank / sharers * chunks;
    const lane_run<T> mine = {c.buffer + from * chunks, from, end, run, rows, chunks,
                              from * rows - lead};
    interface in_place = {}, in_warp = {}, between_warps = {};
    s = reduce<checked, Method>(s, sharers, c.lane, &in_place, to, first_of_place, Method::ROWS);
    if (c.rank % sharers == 0)
        put(place, s);
    __syncthreads();
    if (c.warp <= two_warps)
        s = reduce<checked, Method>(merge_run<Method, checked>(mine, to), WARP, c.lane, &in_warp,
                                    to, first_of_warp, run * rows);
    /* only lane 0 reports, because only it has the partition of its warp */
    reporter<T> alone = to;
    alone.active = to.active && c.rank == 0;
    if (two_warps)
        s = merge_warps<Method, checked>(c, s, &between_warps, alone, -lead, warp_rows);
    if (step == REDUCE_TILE) {
        if (c.rank == 0)
            *tile_partition = M::of_tile(s);
        return {};
    }
    if (c.warp <= two_warps) {
        boundary<T> k =
            step == FINISH_TILE
                ? *around
                : Method::template solve<checked>(s, alone, to.at->begin, to.at->end - 1);
        k = struct_from_lane<T>(k, 0);
        if (two_warps)
            k = boundary_of_warp<Method, checked>(c, between_warps, k, alone, warp_rows - lead);
        back_substitute<checked, Method>(in_warp, WARP, c.lane, &k, to, first_of_warp, run * rows);
        back_substitute_run<Method, checked>(mine, to, k);
    }
    __syncthreads();
    boundary<T> k = get<boundary<T>>(place);
    __syncwarp(); /* the threads that share a place overwrite it */
    back_substitute<checked, Method>(in_place, sharers, c.lane, &k, to, first_of_place,
                                     Method::ROWS);
    return k;
}
/* Returns the boundary values of this thread's partition s. last_row is its last row. `around` is
 * used only with FINISH_TILE where partitions are merged; PCR needs no `around`, because
 * apply_boundary() has inserted it into the rows. auto_rows merge in FINISH_TILE, too, because
 * REDUCE_TILE merged: PCR eliminates in another order and rounds differently, and then x could
 * satisfy neither. */
template <class Method, bool checked, enum tile_step step, class M>
static __device__ inline boundary<typename M::number>
boundary_of_thread(const thread_context<M> &c, const typename Method::partition &s,
                   const reporter<typename M::number> &to, int last_row,
                   const boundary<typename M::number> *around)
{
    if constexpr (Method::P::NEEDS_FIRST_RIGHT || (M::AUTO && step == FINISH_TILE))
        return boundary_by_merging<Method, checked, step>(c, s, to, NULL, around);
    else
        return boundary_by_pcr<checked>(c, s, to, last_row);
}
