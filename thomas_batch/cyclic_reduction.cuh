/* Cyclic reduction (Hockney), PL19 section 2: serial (SERICR, one thread for each system) and
 * parallel (PARACR, one thread for each row). Both eliminate the neighbours of a row by adding
 * multiples of their rows. README.md numbers PL19's formulas in the order of print. l is the level;
 * row i of level l is made of row 2i + 1 of level l - 1, whose neighbours are h = 2^(l-1) rows
 * away. A prime marks level l. Eq. 7 counts i in rows of the system.
 *
 *   alpha_i = -a_{2i+1} / b_{2i}                                    PL19 eq. 1
 *   gamma_i = -c_{2i+1} / b_{2i+2}                                  PL19 eq. 2
 *   a'_i = alpha_i a_{2i}                                           PL19 eq. 3
 *   c'_i = gamma_i c_{2i+2}                                         PL19 eq. 4
 *   b'_i = b_{2i+1} + alpha_i c_{2i} + gamma_i a_{2i+2}             PL19 eq. 5
 *   k'_i = k_{2i+1} + alpha_i k_{2i} + gamma_i k_{2i+2}             PL19 eq. 6
 *   x_i = (k_i - a_i x_{i-h} - c_i x_{i+h}) / b_i                   PL19 eq. 7 */
#pragma once

#include "batch.cuh"

/* One equation: a x_below + b x + c x_above = k. */
template <class T> struct alignas(16) row {
    FIELDS(row, T, a, b, c, k);
};

/* Stands for a neighbour that does not exist. The coefficient a or c that would multiply its x is
 * 0, and because b = 1 so is the factor alpha or gamma. */
template <class T> static __device__ inline row<T> no_row(void)
{
    return {0, 1, 0, 0};
}

/* PL19 eq. 3-6. *terms: the sum of the magnitudes of the terms of the new b, for pivot_valid(). */
template <class T>
static __device__ inline row<T> combine(const row<T> *below, const row<T> *r, const row<T> *above,
                                        T alpha, T gamma, T *terms)
{
    T from_below = alpha * below->c, from_above = gamma * above->a;
    row<T> result = {alpha * below->a, r->b + from_below + from_above, gamma * above->c,
                     r->k + alpha * below->k + gamma * above->k};
    *terms = abs1(r->b) + abs1(from_below) + abs1(from_above);
    return result;
}

/* ---- SERICR: one thread for each system ---- */

/* Element j of array a is a[j * stride]; row j is row (j + 1) 2^l - 1 of the system. */
template <class T> struct level {
    int l;
    int64_t m, stride;
    const T *a, *b, *c, *k;
};

/* a of the first row and c of the last row become 0, whatever memory contains. */
template <class T> static __device__ inline row<T> load_row(const level<T> *from, int64_t j)
{
    int64_t at = j * from->stride;
    return {j > 0 ? from->a[at] : 0, from->b[at], j < from->m - 1 ? from->c[at] : 0, from->k[at]};
}

/* PL19 eq. 1-6 in compact indices: computes the next level, of floor(m/2) rows, and writes its
 * arrays a, b, c, k to `to`. The pivots are the b of the even rows of each level, because eq. 1-2
 * and 7 divide by them. *failed keeps 1 + the row of the first failed one.
 *
 * With `slots` (three slots of shared memory for each thread, blockDim.x rows apart) row 2i + 2
 * stays in its slot, because it is row 2i of the next i. So it is read only once. */
template <class T>
static __device__ inline level<T> reduce(const level<T> *from, T *to, row<T> *slots,
                                         long long *failed)
{
    int64_t m = from->m / 2;
    level<T> next = {from->l + 1,
                     m,
                     from->stride,
                     to,
                     to + m * from->stride,
                     to + 2 * m * from->stride,
                     to + 3 * m * from->stride};
    int threads = (int)blockDim.x;
    if (slots && m > 0)
        slots[0] = load_row(from, 0);
    for (int64_t i = 0; i < m; i++) {
        row<T> below, r, above, result;
        T terms;
        if (slots) {
            row<T> *at_below = &slots[i % 2 * 2 * threads],
                   *at_above = &slots[(i + 1) % 2 * 2 * threads];
            slots[threads] = load_row(from, 2 * i + 1);
            *at_above = 2 * i + 2 < from->m ? load_row(from, 2 * i + 2) : no_row<T>();
            below = *at_below;
            r = slots[threads];
            above = *at_above;
        } else {
            below = load_row(from, 2 * i);
            r = load_row(from, 2 * i + 1);
            above = 2 * i + 2 < from->m ? load_row(from, 2 * i + 2) : no_row<T>();
        }
        result = combine(&below, &r, &above, -r.a / below.b, -r.c / above.b, &terms);
        to[i * next.stride] = result.a;
        to[(m + i) * next.stride] = result.b;
        to[(2 * m + i) * next.stride] = result.c;
        to[(3 * m + i) * next.stride] = result.k;
        if (*failed == 0 && i % 2 == 0 && !pivot_valid(result.b, terms))
            *failed = (i + 1) << next.l;
    }
    return next;
}

/* Solves system k by SERICR. As in PL19 only two levels are stored, in two buffers of 4 floor(n/2)
 * and 4 floor(n/4) elements for each system. The substitution needs the levels from the last to the
 * first, so each is computed again from the given rows: about log2(n) passes. cpu_sericr() stores
 * all levels and needs one. */
template <class T>
static __device__ inline void sericr(const device_systems<T> *s, int64_t k, T *work, row<T> *slots)
{
    int64_t half = s->n / 2, quarter = s->n / 4, at = k * s->system_stride, failed_given = 0;
    bool contiguous = s->row_stride == 1;
    /* NULL only if n = 1 */
    T *buffer = work ? work + (contiguous ? k * 4 * (half + quarter) : k) : NULL;
    T *buffers[] = {buffer, buffer ? buffer + 4 * half * s->row_stride : NULL};
    T *x = s->x + at;
    int top = 0;
    long long failed = 0;
    while (s->n >> (top + 1) > 0)
        top++;
    for (int l = top; l >= 0; l--) {
        level<T> now = {0, s->n, s->row_stride, s->a + at, s->b + at, s->c + at, s->k + at};
        for (int i = 0; i < l; i++)
            now = reduce(&now, buffers[i % 2], slots, &failed);
        /* PL19 eq. 7 for the even rows; the odd rows are known from the next level */
        int64_t h = (int64_t)1 << l;
        for (int64_t j = 0; j < now.m; j += 2) {
            int64_t i = (j + 1) * h - 1;
            row<T> r = load_row(&now, j);
            T rest = r.k;
            if (j > 0)
                rest -= r.a * x[(i - h) * s->row_stride];
            if (j < now.m - 1)
                rest -= r.c * x[(i + h) * s->row_stride];
            x[i * s->row_stride] = rest / r.b;
            if (l == 0 && failed_given == 0 && !pivot_valid(r.b, abs1(r.b)))
                failed_given = i + 1;
        }
    }
    /* a failed pivot of level 0, the given diagonal, comes before one of a later level */
    s->status[k] = failed_given ? failed_given : failed;
}

/* The first kernel of SERICR. It reads a row from global memory each time it needs the row. */
template <class T>
static __global__ void __launch_bounds__(1024) sericr_global(device_systems<T> s, T *work)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < s.batch)
        sericr<T>(&s, k, work, NULL);
}

/* Keeps the three rows of a reduction in shared memory. sericr_global reads three rows for each
 * new row, since it reads even rows twice. This kernel reads two, so it should save a third of
 * the loads. */
template <class T>
static __global__ void __launch_bounds__(1024) sericr_shared(device_systems<T> s, T *work)
{
    DYN_SHARED(row<T>, slots);
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < s.batch)
        sericr(&s, k, work, slots + threadIdx.x);
}

/* ---- PARACR: one thread for each row, one launch for each level ---- */

/* The four arrays that the kernel of a level reads. */
template <class T> struct coefficients {
    const T *a, *b, *c, *k;
};

/* The arguments of one level of PARACR, which couples row i to rows i - 2h and i + 2h. The levels
 * write to two buffers by turns: in place, blocks would overwrite rows that others still need. */
template <class T> struct paracr_level {
    device_systems<T> s;
    coefficients<T> from;
    /* a, b, c, k of the next level, n * batch elements each; NULL in the last, which writes x */
    T *to;
    int64_t h;
    int level; /* h = 2^level */
    /* A block computes tile_rows rows of each of tile_systems systems: 1 in the contiguous layout,
     * up to 32 in the interleaved one. tiles_systems tiles side by side contain all systems. */
    int tile_systems, tile_rows;
    int64_t tiles_systems;
};

/* The place of the row that a thread computes. */
struct position {
    int64_t system, row, at; /* at: the index of the row's element in the arrays */
    bool inside;             /* false: the thread has no row */
};

template <class T> static __device__ inline struct position position_of(const paracr_level<T> *p)
{
    int thread = (int)threadIdx.x, system = thread % p->tile_systems,
        row = thread / p->tile_systems;
    struct position w;
    w.system = blockIdx.x % p->tiles_systems * p->tile_systems + system;
    w.row = blockIdx.x / p->tiles_systems * p->tile_rows + row;
    w.inside = w.system < p->s.batch && w.row < p->s.n;
    w.at = w.system * p->s.system_stride + w.row * p->s.row_stride;
    return w;
}

template <class T> static __device__ inline row<T> load_row(const coefficients<T> *from, int64_t at)
{
    return {from->a[at], from->b[at], from->c[at], from->k[at]};
}

/* *status keeps the smallest key: the lowest level, its first row. paracr_status() decodes it. */
static __device__ inline void report_pivot(long long *status, int level, int64_t row)
{
    unsigned long long key = (unsigned long long)level << 40 | (unsigned long long)(row + 1);
    atomicMin((unsigned long long *)status, key);
}

/* Stores the new row, after the last level x_i = k_i / b_i, and reports a failed pivot. */
template <class T>
static __device__ inline void store_row(const paracr_level<T> *p, const struct position *w,
                                        const row<T> *r, T terms)
{
    if (!pivot_valid(r->b, terms))
        report_pivot(&p->s.status[w->system], p->level + 1, w->row);
    if (!p->to) {
        p->s.x[w->at] = r->k / r->b;
        return;
    }
    int64_t elements = p->s.n * p->s.batch;
    p->to[w->at] = r->a;
    p->to[elements + w->at] = r->b;
    p->to[2 * elements + w->at] = r->c;
    p->to[3 * elements + w->at] = r->k;
}

/* a and c of neighbours that do not exist become 0. Level 0 also checks the given diagonal. */
template <class T>
static __device__ inline void mask_couplings(const paracr_level<T> *p, const struct position *w,
                                             row<T> *r)
{
    if (w->row < p->h)
        r->a = 0;
    if (w->row + p->h >= p->s.n)
        r->c = 0;
    if (p->level == 0 && !pivot_valid(r->b, abs1(r->b)))
        report_pivot(&p->s.status[w->system], 0, w->row);
}

/* A thread reads its row and both neighbours from global memory, 12 elements, and writes 4. Each
 * element is read by up to three threads. */
template <class T> static __global__ void __launch_bounds__(1024) paracr_global(paracr_level<T> p)
{
    struct position w = position_of(&p);
    if (!w.inside)
        return;
    row<T> r = load_row(&p.from, w.at), below = no_row<T>(), above = no_row<T>();
    mask_couplings(&p, &w, &r);
    if (w.row >= p.h)
        below = load_row(&p.from, w.at - p.h * p.s.row_stride);
    if (w.row + p.h < p.s.n)
        above = load_row(&p.from, w.at + p.h * p.s.row_stride);
    T terms;
    r = combine(&below, &r, &above, -r.a / below.b, -r.c / above.b, &terms);
    store_row(&p, &w, &r, terms);
}

/* Returns the row `rows` further than the thread's own: from the block's tile, or from global
 * memory. As soon as h >= tile_rows, no neighbour is in the tile. */
template <class T>
static __device__ inline row<T> neighbour(const paracr_level<T> *p, const struct position *w,
                                          const row<T> *tile, int64_t rows)
{
    int64_t in_tile = threadIdx.x / p->tile_systems + rows;
    if (in_tile >= 0 && in_tile < p->tile_rows)
        return tile[(int)threadIdx.x + (int)rows * p->tile_systems];
    return load_row(&p->from, w->at + rows * p->s.row_stride);
}

/* Adds the block's rows in shared memory, which PL19 calls "partial" use. Up to three threads use
 * each row, so two of three reads should come from shared memory. */
template <class T> static __global__ void __launch_bounds__(1024) paracr_partial(paracr_level<T> p)
{
    DYN_SHARED(row<T>, tile);
    struct position w = position_of(&p);
    if (w.inside)
        tile[threadIdx.x] = load_row(&p.from, w.at);
    __syncthreads();
    if (!w.inside)
        return;
    row<T> r = tile[threadIdx.x], below = no_row<T>(), above = no_row<T>();
    mask_couplings(&p, &w, &r);
    if (w.row >= p.h)
        below = neighbour(&p, &w, tile, -p.h);
    if (w.row + p.h < p.s.n)
        above = neighbour(&p, &w, tile, p.h);
    T terms;
    r = combine(&below, &r, &above, -r.a / below.b, -r.c / above.b, &terms);
    store_row(&p, &w, &r, terms);
}

/* Also stores the factors alpha and gamma in shared memory, as PL19 does. But only the thread that
 * computes a factor uses it, so this should gain nothing. PL19 finds no gain. */
template <class T> static __global__ void __launch_bounds__(1024) paracr_shared(paracr_level<T> p)
{
    DYN_SHARED(row<T>, tile);
    T *alpha = (T *)(tile + blockDim.x), *gamma = alpha + blockDim.x;
    struct position w = position_of(&p);
    if (w.inside)
        tile[threadIdx.x] = load_row(&p.from, w.at);
    __syncthreads();
    row<T> r, below = no_row<T>(), above = no_row<T>();
    if (w.inside) {
        r = tile[threadIdx.x];
        mask_couplings(&p, &w, &r);
        if (w.row >= p.h)
            below = neighbour(&p, &w, tile, -p.h);
        if (w.row + p.h < p.s.n)
            above = neighbour(&p, &w, tile, p.h);
        alpha[threadIdx.x] = -r.a / below.b; /* PL19 eq. 1-2 */
        gamma[threadIdx.x] = -r.c / above.b;
    }
    __syncthreads();
    if (!w.inside)
        return;
    T terms;
    r = combine(&below, &r, &above, alpha[threadIdx.x], gamma[threadIdx.x], &terms);
    store_row(&p, &w, &r, terms);
}

/* Turns the key of report_pivot() into the status: -1 (no report) into 0, else 1 + the row. */
static __global__ void paracr_status(int64_t batch, long long *status)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < batch)
        status[k] = status[k] == -1 ? 0 : status[k] & ((1ll << 40) - 1);
}

/* The most rows that a block (less on a small device) and a thread of it compute. */
enum { BLOCK_ROWS = 4096, ROWS_PER_THREAD = 4 };

/* Adds shared memory for all levels: a block reads a whole system once and writes x, 5 elements a
 * row instead of 8 in each level. A longer system is first split by paracr_partial: after l levels
 * it consists of h = 2^l independent systems of the rows first, first + h, first + 2h, … Shared
 * memory is updated in place: new rows stay in registers until all threads have read the old
 * ones. */
template <class T> static __global__ void __launch_bounds__(1024) paracr_block(paracr_level<T> p)
{
    DYN_SHARED(T, shared);
    int64_t system = blockIdx.x / p.h, first = blockIdx.x % p.h;
    int m = (int)((p.s.n - first + p.h - 1) / p.h);
    int most = (int)((p.s.n + p.h - 1) / p.h);
    T *a = shared, *b = a + most, *c = b + most, *k = c + most;
    int64_t base = system * p.s.system_stride + first * p.s.row_stride,
            stride = p.h * p.s.row_stride;
    for (int i = (int)threadIdx.x; i < m; i += (int)blockDim.x) {
        int64_t at = base + i * stride;
        a[i] = i > 0 ? p.from.a[at] : 0;
        b[i] = p.from.b[at];
        c[i] = i < m - 1 ? p.from.c[at] : 0;
        k[i] = p.from.k[at];
        if (p.level == 0 && !pivot_valid(b[i], abs1(b[i])))
            report_pivot(&p.s.status[system], 0, first + i * p.h);
    }
    __syncthreads();
    int level = p.level;
    for (int h = 1; h < m; h *= 2, level++) {
        row<T> next[ROWS_PER_THREAD];
        for (int q = 0; q < ROWS_PER_THREAD; q++) {
            int i = (int)threadIdx.x + q * (int)blockDim.x;
            if (i < m) {
                row<T> r = {a[i], b[i], c[i], k[i]}, below = no_row<T>(), above = no_row<T>();
                if (i >= h)
                    below = {a[i - h], b[i - h], c[i - h], k[i - h]};
                if (i + h < m)
                    above = {a[i + h], b[i + h], c[i + h], k[i + h]};
                T terms;
                next[q] = combine(&below, &r, &above, -r.a / below.b, -r.c / above.b, &terms);
                if (!pivot_valid(next[q].b, terms))
                    report_pivot(&p.s.status[system], level + 1, first + i * p.h);
            }
        }
        __syncthreads();
        for (int q = 0; q < ROWS_PER_THREAD; q++) {
            int i = (int)threadIdx.x + q * (int)blockDim.x;
            if (i < m) {
                a[i] = next[q].a;
                b[i] = next[q].b;
                c[i] = next[q].c;
                k[i] = next[q].k;
            }
        }
        __syncthreads();
    }
    for (int i = (int)threadIdx.x; i < m; i += (int)blockDim.x)
        p.s.x[base + i * stride] = k[i] / b[i];
}
