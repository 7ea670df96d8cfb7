/* tridiagonal_batch: the kernel for contiguous systems that share one matrix.
 *
 * All tiles of a block have the same rows of the matrix in the same places; solve_in_tiles()
 * arranges this. So a block factors the matrix once and keeps the factors in registers and shared
 * memory. Then it moves only right-hand sides and solutions, two elements per row, and divides no
 * more. Its rows are reduced in three steps:
 *
 *     a thread      its M::ROWS rows, to an equation in its last unknown
 *     a lane        in the first warp: the last unknowns of `run` neighbouring threads
 *     the warp      the last unknowns of its lanes, by PCR
 *
 * The first two steps are the same elimination as in plain_rows, but rows are divided by their
 * pivots. A group is the rows of a thread, or the equations that a lane takes:
 *
 *     d_i     = scale_i rhs_i + down_i d_{i-1}                             down the group
 *     x_first = sum of up_i d_i - first_left x_left - first_last x_last    for the group before
 *     x_i     = d_i - left_i x_left - super_i x_{i+1}                      upwards, from x_last
 *
 * A lane takes an odd number of threads, because then the lanes access different banks.
 *
 * If the factors are not finite, or if automatic pivoting does not accept the matrix, the block
 * solves its tiles as solve_tiles does. */
#pragma once

#include "tridiagonal_batch_contiguous.cuh"

/* ---- factors ---- */

/* The factors of a row (above). */
template <class T> struct row_factors {
    T scale, down, up, left, super;
};
/* The rows of a group that are eliminated so far. left and super belong to the last one. */
template <class T> struct group {
    T first_left, first_last, left, super;
};
/* The state before the first row: x_first = x_last, and the unknown before the row is x_left. */
template <class T> static __device__ inline group<T> empty_group(void)
{
    const T none = zero_of(T()), one = one_of(T());
    return {none, -one, -one, none};
}
/* Appends a row to the group. The last unknown of a group stays, so `up` of its last row is 0.
 * Clears *usable if a factor is not finite, or if automatic pivoting is wanted and the row has not
 * stayed dominant. */
template <bool automatic, class T>
static __device__ inline row_factors<T> eliminate_row(group<T> *g, T sub, T diag, T super,
                                                      bool is_last, bool *usable)
{
    row_factors<T> f;
    f.scale = reciprocal(neg_mul_add(diag, sub, g->super));
    f.down = -(sub * f.scale);
    f.up = is_last ? zero_of(T()) : -g->first_last;
    f.left = f.down * g->left;
    f.super = super * f.scale;
    if (!is_last) {
        g->first_left = mul_add(f.up, f.left, g->first_left);
        g->first_last = f.up * f.super;
    }
    g->left = f.left;
    g->super = f.super;
    *usable = *usable && all_finite(f.scale, f.left, f.super, g->first_left) &&
              all_finite(g->first_last) &&
              (!automatic || equation_stayed_dominant(f.left, f.super));
    return f;
}
/* Returns whether a pivot is accepted that was `before` and became `after` when the first unknown
 * of a neighbour, or a row of PCR, was substituted. */
template <bool automatic, class T> static __device__ inline bool accepts(T before, T after)
{
    T growth = before * reciprocal(after);
    return automatic ? abs1(growth) <= AUTO_GROWTH : all_finite(growth);
}

/* The factors of the threads' equations and those of the lanes, in shared memory. */
template <class T> struct reduced_factors {
    int run, places;             /* the equations of a lane, and of all lanes */
    T *down, *up, *left, *super; /* of the equation of each thread */
    /* The right-hand side of the equation of thread i is last[i] + from_next[i]. Then last[i]
     * becomes the last unknown of the thread. */
    T *last, *from_next;
    /* element `lane` of row 0 is the factor of the next lane's first equation. For each level of
     * PCR follow the factors of the rows before and after, and at last 1 / the pivot. */
    T *lanes;
};
enum { LANE_ROWS = 2 + 2 * 5 }; /* the rows of `lanes`, for log2(WARP) levels */

static __host__ __device__ inline int reduced_elements(int run)
{
    return WARP * (6 * run + LANE_ROWS);
}
/* Returns the number of threads whose equations a lane takes in a block of so many warps. */
static __host__ __device__ inline int run_of_warps(int warps)
{
    return warps | 1;
}

/* A thread's factors that are in registers. The others, `up` and `left`, are in shared memory. The
 * sums d_last and the sum of up_i d_i of a thread enter the equations of this thread and of the
 * one before with the factors to_own and to_before. */
template <class M> struct thread_factors {
    typedef typename M::number T;
    T scale[M::ROWS], down[M::ROWS], super[M::ROWS], to_own, to_before;
};

/* Factors the equations of the threads. Called by all lanes of one warp. On entry down, up and
 * super are sub, diag and super of the equations. On return last[i] is 1 / pivot of equation i. */
template <bool automatic, class T>
static __device__ inline bool factor_lanes(const reduced_factors<T> &r, int lane, int64_t n,
                                           int rows)
{
    const T none = zero_of(T()), one = one_of(T());
    struct equation {
        T sub, diag, super;
    };
    bool usable = true;
    group<T> g = empty_group<T>();
    UNROLL(1)
    for (int j = 0, i = lane * r.run; j < r.run; j++, i++) {
        T diag = r.up[i];
        row_factors<T> f =
            eliminate_row<automatic>(&g, r.down[i], diag, r.super[i], j + 1 == r.run, &usable);
        usable = usable && accepts<automatic>(diag * f.scale, one);
        r.down[i] = f.down;
        r.up[i] = f.up;
        r.left[i] = f.left;
        r.super[i] = f.super;
        r.last[i] = f.scale;
    }
    group<T> next = struct_from_lane<T>(g, (lane + 1) % WARP);
    if (lane == WARP - 1)
        next.first_left = next.first_last = none;
    equation mine = {g.left, neg_mul_add(one, g.super, next.first_left),
                     -(g.super * next.first_last)};
    usable = usable && accepts<automatic>(one, mine.diag);
    T *factor = r.lanes + lane;
    *factor = -g.super;
    UNROLL(1)
    for (int h = 1; h * r.run * rows < n; h *= 2) {
        equation before = struct_from_lane<T>(mine, (lane + WARP - h) % WARP),
                 after = struct_from_lane<T>(mine, (lane + h) % WARP);
        if (lane < h)
            before = {none, one, none};
        if (lane + h >= WARP)
            after = {none, one, none};
        T from_before = -(mine.sub * reciprocal(before.diag)),
          from_after = -(mine.super * reciprocal(after.diag)),
          diag = mul_add(from_before, before.super, mul_add(from_after, after.sub, mine.diag));
        usable = usable && accepts<automatic>(mine.diag, diag);
        mine = {from_before * before.sub, diag, from_after * after.super};
        factor[WARP] = from_before;
        factor[2 * WARP] = from_after;
        factor += 2 * WARP;
    }
    factor[WARP] = reciprocal(mine.diag);
    return usable;
}

/* Factors this thread's rows, sub, diag and super in the first three quarters of `memory`. `up` and
 * `left` are put into the last two. */
template <class M>
static __device__ inline group<typename M::number>
factor_rows(const thread_context<M> &c, chunk<typename M::number> *memory, thread_factors<M> *mine,
            bool *usable)
{
    typedef typename M::number T;
    constexpr int elements = CHUNK / sizeof(T);
    int stride = c.threads * M::CHUNKS;
    chunk<T> *my = memory + c.rank * M::CHUNKS;
    group<T> g = empty_group<T>();
    UNROLL()
    for (int k = 0; k < M::CHUNKS; k++) {
        chunk<T> sub = my[k], diag = my[stride + k], super = my[2 * stride + k], up, left;
        for (int e = 0; e < elements; e++) {
            int i = k * elements + e;
            if (M::AUTO)
                *usable = *usable && is_dominant(sub.element[e], diag.element[e], super.element[e]);
            row_factors<T> f = eliminate_row<M::AUTO>(&g, sub.element[e], diag.element[e],
                                                      super.element[e], i + 1 == M::ROWS, usable);
            mine->scale[i] = f.scale;
            mine->down[i] = f.down;
            mine->super[i] = f.super;
            up.element[e] = f.up;
            left.element[e] = f.left;
        }
        my[2 * stride + k] = up;
        my[3 * stride + k] = left;
    }
    return g;
}
/* Substitutes the next thread's first equation into this thread's last one, which becomes an
 * equation of `r`. */
template <class M>
static __device__ inline void factor_last_row(const thread_context<M> &c,
                                              const reduced_factors<typename M::number> &r,
                                              const group<typename M::number> &g, bool *usable)
{
    typedef typename M::number T;
    const T none = zero_of(T()), one = one_of(T());
    r.last[c.rank] = g.first_left;
    r.from_next[c.rank] = g.first_last;
    __syncthreads();
    T next_left = none, next_last = none;
    if (c.rank + 1 < c.threads) {
        next_left = r.last[c.rank + 1];
        next_last = r.from_next[c.rank + 1];
    }
    T diag = neg_mul_add(one, g.super, next_left);
    *usable = *usable && accepts<M::AUTO>(one, diag);
    r.down[c.rank] = g.left;
    r.up[c.rank] = diag;
    r.super[c.rank] = -(g.super * next_last);
    for (int i = c.threads + c.rank; i < r.places; i += c.threads) { /* missing threads: x = 0 */
        r.down[i] = r.super[i] = none;
        r.up[i] = one;
    }
    __syncthreads();
    r.from_next[c.rank] = g.super;
}
/* Factors the matrix. Returns, to all threads of the block, whether the factors can be used. The
 * chunks `memory`, at least four per thread and M::CHUNKS of these, hold sub, diag and super at
 * first. On return the third quarter holds `up` and the fourth one `left`. */
template <class M>
static __device__ inline bool
factor_matrix(const batch<typename M::number> &b, const thread_context<M> &c,
              chunk<typename M::number> *memory, const reduced_factors<typename M::number> &r,
              thread_factors<M> *mine)
{
    typedef typename M::number T;
    constexpr int rows = M::ROWS;
    int stride = c.threads * M::CHUNKS, capacity = WARP * rows,
        rows_before = c.warp * capacity - (int)(LINE / sizeof(T)),
        search_from = rows_before > 0 ? rows_before / (int)b.n : 0;
    /* a full tile, even if this block solves only a part of one */
    tile at = tile_of(b, blockIdx.x, c.lane);
    at.begin = 0;
    at.end = b.tile_size * (int)b.n;
    const staging<T> to = {memory + c.warp * WARP * M::CHUNKS, stride};
    piece all = piece_of(b, at, c.warp, capacity);
    stage_matrix(b, at, all, to, c.warp, capacity, c.lane);
    mask_rows(b, at, all, to, c.warp, capacity, c.lane, search_from, false);
    if (c.rank == 0)
        c.shared->broken[0] = c.shared->broken[1] = 0;
    bool usable = true;
    group<T> g = factor_rows(c, memory, mine, &usable);
    factor_last_row(c, r, g, &usable);
    if (c.warp == 0)
        usable = factor_lanes<M::AUTO>(r, c.lane, b.n, rows) && usable;
    if (!usable)
        c.shared->broken[0] = 1;
    __syncthreads();
    mine->to_own = r.last[c.rank];
    mine->to_before = zero_of(T());
    if (c.rank > 0)
        mine->to_before = -(r.from_next[c.rank - 1] * r.last[c.rank - 1]);
    usable = c.shared->broken[0] == 0;
    __syncthreads();
    for (int i = c.rank; i < r.places; i += c.threads)
        r.last[i] = r.from_next[i] = zero_of(T());
    __syncthreads();
    return usable;
}

/* ---- right-hand sides ---- */

/* Solves the equations of the threads. Called by all lanes of one warp. A lane loads several
 * equations at once, because it would wait for each of them otherwise. */
template <class T>
static __device__ inline void solve_lanes(const reduced_factors<T> &r, int lane, int64_t n,
                                          int rows)
{
    constexpr int at_once = sizeof(T) > 8 ? 2 : 4;
    T d = zero_of(T()), first = d;
    int begin = lane * r.run, end = begin + r.run;
    UNROLL(1)
    for (int i = begin; i < end; i += at_once) {
        T down[at_once] = {}, up[at_once] = {}, rhs[at_once] = {};
        UNROLL()
        for (int k = 0; k < at_once; k++)
            if (i + k < end) {
                down[k] = r.down[i + k];
                up[k] = r.up[i + k];
                rhs[k] = r.last[i + k] + r.from_next[i + k];
            }
        UNROLL()
        for (int k = 0; k < at_once; k++)
            if (i + k < end) {
                d = mul_add(down[k], d, rhs[k]);
                first = mul_add(up[k], d, first);
                r.last[i + k] = d;
            }
    }
    const T *factor = r.lanes + lane;
    T x = mul_add(*factor, from_lane(first, (lane + 1) % WARP), d);
    UNROLL(1)
    for (int h = 1; h * r.run * rows < n; h *= 2) {
        T before = from_lane(x, (lane + WARP - h) % WARP), after = from_lane(x, (lane + h) % WARP);
        x = mul_add(factor[WARP], before, mul_add(factor[2 * WARP], after, x));
        factor += 2 * WARP;
    }
    x = x * factor[WARP];
    T x_left = from_lane(x, (lane + WARP - 1) % WARP);
    if (lane == 0)
        x_left = zero_of(T());
    r.last[end - 1] = x;
    UNROLL(1)
    for (int i = end - 2; i >= begin; i -= at_once) {
        T left[at_once] = {}, super[at_once] = {}, rhs[at_once] = {};
        UNROLL()
        for (int k = 0; k < at_once; k++)
            if (i - k >= begin) {
                left[k] = r.left[i - k];
                super[k] = r.super[i - k];
                rhs[k] = r.last[i - k];
            }
        UNROLL()
        for (int k = 0; k < at_once; k++)
            if (i - k >= begin) {
                x = neg_mul_add(neg_mul_add(rhs[k], left[k], x_left), super[k], x);
                r.last[i - k] = x;
            }
    }
}

/* The fallback. (The function is not inlined, so that the kernel can use more registers.) */
template <class M>
static __device__ __attribute__((noinline)) void
solve_tiles_of_block(const batch<typename M::number> &b)
{
    solve_parts<M, SOLVE_TILE>(b, NULL, NULL);
}

/* Takes this thread's rhs from its chunks `mine`, and sets rhs to 0 in rows of the warp that this
 * block does not solve. *written: the elements of the warp from there on are still 0. */
template <class M>
static __device__ inline void
take_rhs(const thread_context<M> &c, const piece &here, const staging<typename M::number> &to,
         const chunk<typename M::number> *mine, int *written, typename M::number *d)
{
    typedef typename M::number T;
    constexpr int elements = CHUNK / sizeof(T);
    int end = here.bulk_end > here.end ? here.bulk_end : here.end;
    *written = *written > end ? *written : end;
    for (int i = here.bulk_begin + c.lane; i < here.begin; i += WARP)
        *staged(to, 3, i) = zero_of(T());
    for (int i = here.end + c.lane; i < *written; i += WARP)
        *staged(to, 3, i) = zero_of(T());
    __syncwarp();
    UNROLL()
    for (int k = 0; k < M::CHUNKS; k++) {
        chunk<T> v = mine[k];
        for (int e = 0; e < elements; e++)
            d[k * elements + e] = v.element[e];
    }
}
/* Down: d becomes that of the eliminated rows. Its sums go to the equations of this thread and of
 * the one before. */
template <class M>
static __device__ inline void reduce_rhs(const thread_context<M> &c,
                                         const chunk<typename M::number> *mine,
                                         const reduced_factors<typename M::number> &r,
                                         const thread_factors<M> &f, typename M::number *d)
{
    typedef typename M::number T;
    constexpr int elements = CHUNK / sizeof(T), rows = M::ROWS;
    int stride = c.threads * M::CHUNKS;
    T first = zero_of(T());
    UNROLL()
    for (int k = 0; k < M::CHUNKS; k++) {
        chunk<T> up = mine[2 * stride + k];
        for (int e = 0; e < elements; e++) {
            int i = k * elements + e;
            d[i] = f.scale[i] * d[i];
            if (i > 0)
                d[i] = mul_add(f.down[i], d[i - 1], d[i]);
            if (i + 1 < rows)
                first = mul_add(up.element[e], d[i], first);
        }
    }
    r.last[c.rank] = f.to_own * d[rows - 1];
    if (c.rank > 0)
        r.from_next[c.rank - 1] = f.to_before * first;
}
/* Up: puts x into the buffer. Returns the first one; a NaN or Inf in any row reaches it. */
template <class M>
static __device__ inline typename M::number
substitute_rhs(const thread_context<M> &c, chunk<typename M::number> *mine,
               const reduced_factors<typename M::number> &r, const thread_factors<M> &f,
               const typename M::number *d)
{
    typedef typename M::number T;
    constexpr int elements = CHUNK / sizeof(T), rows = M::ROWS;
    int stride = c.threads * M::CHUNKS;
    chunk<T> next = mine[3 * stride + M::CHUNKS - 1]; /* of `left` */
    T x = r.last[c.rank], left = zero_of(T());
    if (c.rank > 0)
        left = r.last[c.rank - 1];
    UNROLL()
    for (int k = M::CHUNKS - 1; k >= 0; k--) {
        chunk<T> v, factor = next;
        if (k > 0)
            next = mine[3 * stride + k - 1];
        for (int e = elements - 1; e >= 0; e--) {
            int i = k * elements + e;
            if (i + 1 < rows)
                x = neg_mul_add(neg_mul_add(d[i], factor.element[e], left), f.super[i], x);
            v.element[e] = x;
        }
        mine[stride + k] = v;
    }
    return x;
}

/* Solves the parts `part`, part + gridDim.x, … up to the first in which a NaN or Inf is found.
 * Returns the number of that part, or a number that is not below b.parts. */
template <class M>
static __device__ inline int64_t
solve_with_factors(const batch<typename M::number> &b, thread_context<M> *c,
                   chunk<typename M::number> *memory, const reduced_factors<typename M::number> &r,
                   const thread_factors<M> &f, int64_t part)
{
    typedef typename M::number T;
    chunk<T> *mine = memory + c->rank * M::CHUNKS;
    /* start_load() and load_rest() take only rhs, which is array number 3 */
    const staging<T> to = {memory + c->warp * WARP * M::CHUNKS, 0};
    uint64_t *full = &c->shared->full[c->warp];
    int written = 0;
    UNROLL()
    for (int k = 0; k < M::CHUNKS; k++)
        for (T &element : mine[k].element)
            element = zero_of(T());
    bulk_fence();
    __syncwarp();
    prepare_part<true>(b, *c, to, part, c->parity);
    UNROLL(1)
    for (; part < b.parts; part += gridDim.x, c->parity ^= 1) {
        const piece &here = c->shared->piece[c->parity][c->warp];
        load_rest(b, here, to, c->lane);
        mbarrier_wait(full, c->parity);
        T d[M::ROWS];
        take_rhs(*c, here, to, mine, &written, d);
        if (b.adjoint)
            conjugate_rhs(d);
        bulk_fence();
        __syncwarp();
        if (part + gridDim.x < b.parts)
            prepare_part<true>(b, *c, to, part + gridDim.x, c->parity ^ 1);
        reduce_rhs(*c, mine, r, f, d);
        __syncthreads();
        if (c->warp == 0)
            solve_lanes(r, c->lane, b.n, M::ROWS);
        if (elected(c->lane))
            bulk_store_wait(); /* until x of the tile before is stored */
        __syncthreads();
        T x = substitute_rhs(*c, mine, r, f, d);
        if (!all_finite(x))
            c->shared->broken[c->parity] = 1;
        __syncthreads();
        if (c->shared->broken[c->parity]) {
            if (part + gridDim.x < b.parts) /* the buffer will be used for other things */
                mbarrier_wait(full, c->parity ^ 1);
            return part;
        }
        store_solution<M::CHUNKS>(b, here, c->buffer + c->warp * WARP * M::CHUNKS, c->lane);
    }
    if (elected(c->lane))
        bulk_store_wait();
    return part;
}

/* Shared memory: for each thread M::CHUNKS chunks each of rhs, x, `up` and `left`; then
 * reduced_factors and shared_storage. A block takes the same parts as in solve_tiles. The matrix is
 * factored again after a tile that needs the checked path, because the registers that keep the
 * factors would have to be saved otherwise. */
template <class M>
static __global__ void __launch_bounds__(M::THREADS, 1)
    solve_one_matrix(const __grid_constant__ batch<typename M::number> b)
{
    typedef typename M::number T;
    DYN_SHARED(chunk<T>, memory);
    thread_context<M> c = context_of_thread<M>();
    int stride = c.threads * M::CHUNKS;
    reduced_factors<T> r;
    r.run = b.lane_run;
    r.places = WARP * r.run;
    r.down = memory[4 * stride].element;
    r.up = r.down + r.places;
    r.left = r.up + r.places;
    r.super = r.left + r.places;
    r.last = r.super + r.places;
    r.from_next = r.last + r.places;
    r.lanes = r.from_next + r.places;
    c.buffer = memory + stride;
    c.shared = (shared_storage<M> *)(r.down + reduced_elements(r.run));
    UNROLL(1)
    for (int64_t part = blockIdx.x; part < b.parts; part += gridDim.x) {
        thread_factors<M> f;
        if (!factor_matrix(b, c, memory, r, &f)) {
            solve_tiles_of_block<M>(b);
            return;
        }
        if (part == blockIdx.x) {
            if (elected(c.lane))
                mbarrier_init(&c.shared->full[c.warp], 1);
            __syncthreads();
        }
        part = solve_with_factors(b, &c, memory, r, f, part);
        if (part < b.parts)
            solve_checked<M, SOLVE_TILE>(b, c.shared->tile[c.parity][c.warp], c, NULL, NULL);
    }
}
