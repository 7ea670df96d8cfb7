/* Batched tridiagonal systems, PL19, and what follows from it. Read from top to bottom: Thomas in global memory,
 * with the row at hand in shared memory, by tiles; SERICR with its compact indices; PARACR level by level in the
 * paper's three kinds of memory, and on the chip. One text serves both layouts: word i of system k lies at
 * k system_stride + i row_stride. Run: make run. */
#include "thomas_batch.h"
#include "device_async.h"

enum { WARP = 32 };

/* The systems as kernels see them. */
template <class T> struct systems {
    const T *a, *b, *c, *k; /* the paper's letters: sub, diag, super, rhs */
    T *x;
    int64_t n, batch, system_stride, row_stride;
    long long *status;
};

template <class T> static __device__ inline T size(T value)
{
    return value < 0 ? -value : value;
}

/* A pivot is good if it is more than the rounding of its terms (the sum of their sizes is given); NaN is not. */
template <class T> static __device__ inline bool good(T pivot, T terms)
{
    const T epsilon = sizeof(T) == 4 ? T(1.1920929e-7) : T(2.220446049250313e-16);
    return size(pivot) > epsilon * terms;
}

/* ---- Thomas: one thread a system ---- */

/* x_{i-1} = alpha_{i-1} x_i + beta_{i-1} goes into row i and leaves
 * (b_i + a_i alpha_{i-1}) x_i + c_i x_{i+1} = k_i - a_i beta_{i-1}: alpha_i and beta_i from it. Gives whether
 * the pivot is good. */
template <class T>
static __device__ inline bool eliminate(T a, T b, T c, T k, T alpha_before, T beta_before, T *alpha,
                                        T *beta)
{
    T term = a * alpha_before, pivot = b + term, inverse = 1 / pivot;
    *alpha = -c * inverse;
    *beta = (k - a * beta_before) * inverse;
    return good(pivot, size(b) + size(term)) &&
           inverse - inverse == 0; /* 1/subnormal is infinite */
}

/* Everything in global memory: 9 words a row (a, b, c, k read; alpha, beta written and read; x written). beta
 * lies where x will. */
template <class T>
static __global__ void __launch_bounds__(1024) thomas_global(systems<T> s, T *alpha)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= s.batch)
        return;
    int64_t at = k * s.system_stride;
    T alpha_i = 0, beta_i = 0;
    long long bad = 0;
    for (int64_t i = 0; i < s.n; i++, at += s.row_stride) {
        T a = i > 0 ? s.a[at] : 0;
        if (!eliminate(a, s.b[at], s.c[at], s.k[at], alpha_i, beta_i, &alpha_i, &beta_i) &&
            bad == 0)
            bad = i + 1;
        alpha[at] = alpha_i;
        s.x[at] = beta_i;
    }
    at -= s.row_stride;
    T x = s.x[at];
    for (int64_t i = s.n - 2; i >= 0; i--) {
        at -= s.row_stride;
        s.x[at] = x = alpha[at] * x + s.x[at];
    }
    s.status[k] = bad;
}

/* PL19's use of shared memory: a, b, c, k of the row at hand (T words each in a block) and alpha, beta, x of this
 * row and the one before (2 T words each); each thread has its own column. It should save what is read twice from
 * global memory. */
template <class T>
static __global__ void __launch_bounds__(1024) thomas_shared(systems<T> s, T *alpha)
{
    DYN_SHARED(T, shared);
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= s.batch)
        return;
    int threads = (int)blockDim.x;
    T *a = shared + threadIdx.x, *b = a + threads, *c = b + threads, *rhs = c + threads;
    T *alphas = rhs + threads, *betas = alphas + 2 * threads, *xs = betas + 2 * threads;
    int64_t at = k * s.system_stride;
    long long bad = 0;
    alphas[threads] = 0; /* before the first row */
    betas[threads] = 0;
    for (int64_t i = 0; i < s.n; i++, at += s.row_stride) {
        int now = i % 2 ? threads : 0, before = threads - now;
        *a = i > 0 ? s.a[at] : 0;
        *b = s.b[at];
        *c = s.c[at];
        *rhs = s.k[at];
        if (!eliminate(*a, *b, *c, *rhs, alphas[before], betas[before], &alphas[now],
                       &betas[now]) &&
            bad == 0)
            bad = i + 1;
        alpha[at] = alphas[now];
        s.x[at] = betas[now];
    }
    at -= s.row_stride;
    xs[s.n % 2 ? 0 : threads] = s.x[at];
    for (int64_t i = s.n - 2; i >= 0; i--) {
        int now = i % 2 ? threads : 0, above = threads - now;
        at -= s.row_stride;
        alphas[now] = alpha[at];
        betas[now] = s.x[at];
        xs[now] = alphas[now] * xs[above] + betas[now];
        s.x[at] = xs[now];
    }
    s.status[k] = bad;
}

/* A tile: 32 systems by as many rows as fill 128 bytes, rows padded by a word so that neither direction of access
 * has bank conflicts. A warp has four tiles in use and four under way. */
template <class T> struct tile {
    enum { ROWS = 128 / sizeof(T), PITCH = ROWS + 1, WORDS = WARP * PITCH, ALL = 8 * WORDS };
};

/* Which word of a tile is a lane's in step e: along the rows in the contiguous layout, across the systems in the
 * interleaved one, so that a warp reads neighbouring words. */
template <class T>
static __device__ inline void tile_place(bool along_rows, int e, int *system, int *row)
{
    *system = along_rows ? e / tile<T>::ROWS : e % WARP;
    *row = along_rows ? e % tile<T>::ROWS : e / WARP;
}

/* Start the copy of rows row0 … of an array into a tile; copy_async_commit() is left to the caller. */
template <class T>
static __device__ inline void load_tile(const systems<T> *s, int64_t first, int64_t row0,
                                        const T *from, int64_t system_stride, int64_t row_stride,
                                        T *to)
{
    for (int e = (int)threadIdx.x; e < WARP * tile<T>::ROWS; e += WARP) {
        int system, row;
        tile_place<T>(row_stride == 1, e, &system, &row);
        if (first + system < s->batch && row0 + row < s->n)
            copy_async<sizeof(T)>(
                &to[system * tile<T>::PITCH + row],
                &from[(first + system) * system_stride + (row0 + row) * row_stride]);
    }
}

/* What thomas_shared leaves out: a warp's accesses coalesce in both layouts, and the next tile is under way while
 * this one is worked on. alpha and beta, which nobody else sees, are interleaved always. Still 9 words a row. */
template <class T> static __global__ void thomas_tile(systems<T> s, T *alpha, T *beta)
{
    DYN_SHARED(T, shared);
    const int rows = tile<T>::ROWS;
    int lane = (int)threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * WARP, k = first + lane;
    int64_t tiles = (s.n + rows - 1) / rows;
    const T *const from[] = {s.a, s.b, s.c, s.k};
    T alpha_i = 0, beta_i = 0;
    long long bad = 0;
    for (int64_t t = -1; t < tiles; t++) {
        if (t + 1 < tiles)
            for (int i = 0; i < 4; i++)
                load_tile(&s, first, (t + 1) * rows, from[i], s.system_stride, s.row_stride,
                          shared + (((t + 1) & 1) * 4 + i) * tile<T>::WORDS);
        copy_async_commit();
        copy_async_wait<1>();
        __syncwarp();
        T *mine = shared + (t & 1) * 4 * tile<T>::WORDS + lane * tile<T>::PITCH;
        for (int j = 0; t >= 0 && k < s.batch && j < rows && t * rows + j < s.n; j++) {
            int64_t i = t * rows + j;
            T a = i > 0 ? mine[j] : 0;
            T b = mine[tile<T>::WORDS + j];
            T c = mine[2 * tile<T>::WORDS + j];
            T d = mine[3 * tile<T>::WORDS + j];
            if (!eliminate(a, b, c, d, alpha_i, beta_i, &alpha_i, &beta_i) && bad == 0)
                bad = i + 1;
            alpha[i * s.batch + k] = alpha_i;
            beta[i * s.batch + k] = beta_i;
        }
        __syncwarp();
    }
    if (k < s.batch)
        s.status[k] = bad;

    /* Substitution: alpha and beta by tiles from the last to the first, x out through a tile. */
    T x = 0;
    T *out = shared + 7 * tile<T>::WORDS;
    for (int64_t t = tiles; t >= 0; t--) {
        if (t > 0)
            for (int i = 0; i < 2; i++)
                load_tile(&s, first, (t - 1) * rows, i ? beta : alpha, 1, s.batch,
                          shared + (((t - 1) & 1) * 2 + i) * tile<T>::WORDS);
        copy_async_commit();
        copy_async_wait<1>();
        __syncwarp();
        if (t < tiles) {
            T *mine = shared + (t & 1) * 2 * tile<T>::WORDS + lane * tile<T>::PITCH;
            for (int j = rows - 1; j >= 0; j--)
                if (k < s.batch && t * rows + j < s.n) {
                    T ahead = t * rows + j < s.n - 1 ? mine[j] * x
                                                     : 0; /* alpha_{n-1} multiplies nothing */
                    out[lane * tile<T>::PITCH + j] = x = ahead + mine[tile<T>::WORDS + j];
                }
            __syncwarp();
            for (int e = lane; e < WARP * rows; e += WARP) {
                int system, row;
                tile_place<T>(s.row_stride == 1, e, &system, &row);
                if (first + system < s.batch && t * rows + row < s.n)
                    s.x[(first + system) * s.system_stride + (t * rows + row) * s.row_stride] =
                        out[system * tile<T>::PITCH + row];
            }
        }
        __syncwarp();
    }
}

/* ---- SERICR: cyclic reduction by one thread a system ---- */

template <class T> struct alignas(16) row {
    FIELDS(row, T, a, b, c, k);
};

/* A level of a system: m rows, word j of array v at from[v][j stride]. Row j of level l is row
 * (j + 1) 2^l - 1 of the system. */
template <class T> struct level {
    int l;
    int64_t m, stride;
    const T *a, *b, *c, *k;
};

/* a of the first row and c of the last count as 0. */
template <class T> static __device__ inline row<T> row_at(const level<T> *at, int64_t j)
{
    int64_t word = j * at->stride;
    row<T> r;
    r.a = j > 0 ? at->a[word] : 0;
    r.b = at->b[word];
    r.c = j < at->m - 1 ? at->c[word] : 0;
    r.k = at->k[word];
    return r;
}

/* Row r freed of its neighbours below and above (PL19's two formulas; both cyclic reductions are made of it):
 * alpha = -a/b_below, gamma = -c/b_above. `terms` becomes the size of the terms of the new b. */
template <class T>
static __device__ inline row<T> combine(const row<T> *below, const row<T> *r, const row<T> *above,
                                        T alpha, T gamma, T *terms)
{
    T under = alpha * below->c, over = gamma * above->a;
    row<T> result = {alpha * below->a, r->b + under + over, gamma * above->c,
                     r->k + alpha * below->k + gamma * above->k};
    *terms = size(r->b) + size(under) + size(over);
    return result;
}

/* A row that does not exist: b = 1 makes its factor 0, because the a or c that would reach it is 0. */
template <class T> static __device__ inline row<T> no_row(void)
{
    row<T> r = {0, 1, 0, 0};
    return r;
}

/* The next level, of floor(m/2) rows, compactly: row i is row 2i + 1 of this one, freed of rows 2i and 2i + 2.
 * The even rows of a level are its pivots: *bad, if 0, becomes 1 + the first row whose pivot fails. slots: where
 * SERICR_SHARED keeps rows 2i, 2i + 1, 2i + 2 at hand (this thread's column of 12 T words), so that row 2i + 2 is
 * read once and not again as the next 2i; NULL: read again. */
template <class T>
static __device__ inline level<T> reduce(const level<T> *from, T *to, row<T> *slots, long long *bad)
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
        slots[0] = row_at(from, 0);
    for (int64_t i = 0; i < m; i++) {
        row<T> below, r, above, result;
        T terms;
        if (slots) {
            row<T> *at_below = &slots[i % 2 * 2 * threads],
                   *at_above = &slots[(i + 1) % 2 * 2 * threads];
            slots[threads] = row_at(from, 2 * i + 1);
            *at_above = 2 * i + 2 < from->m ? row_at(from, 2 * i + 2) : no_row<T>();
            below = *at_below;
            r = slots[threads];
            above = *at_above;
        } else {
            below = row_at(from, 2 * i);
            r = row_at(from, 2 * i + 1);
            above = 2 * i + 2 < from->m ? row_at(from, 2 * i + 2) : no_row<T>();
        }
        result = combine(&below, &r, &above, -r.a / below.b, -r.c / above.b, &terms);
        to[i * next.stride] = result.a;
        to[(m + i) * next.stride] = result.b;
        to[(2 * m + i) * next.stride] = result.c;
        to[(3 * m + i) * next.stride] = result.k;
        if (*bad == 0 && i % 2 == 0 && !good(result.b, terms))
            *bad = (i + 1) << next.l;
    }
    return next;
}

/* Two levels are kept, in turn: from the given rows each level is computed anew when substitution comes down to
 * it, log2(n) passes of up to n rows where the CPU makes one. work: 4 floor(n/2) and 4 floor(n/4) words a system,
 * in its layout. */
template <class T>
static __device__ inline void sericr(const systems<T> *s, int64_t k, T *work, row<T> *slots)
{
    int64_t half = s->n / 2, quarter = s->n / 4, at = k * s->system_stride, bad_level0 = 0;
    bool along = s->row_stride == 1;
    T *buffer = work ? work + (along ? k * 4 * (half + quarter) : k) : NULL; /* n = 1 needs none */
    T *buffers[] = {buffer, buffer ? buffer + 4 * half * s->row_stride : NULL};
    T *x = s->x + at;
    int top = 0;
    long long bad = 0;
    while (s->n >> (top + 1) > 0)
        top++;
    for (int l = top; l >= 0; l--) {
        level<T> now = {0, s->n, s->row_stride, s->a + at, s->b + at, s->c + at, s->k + at};
        for (int i = 0; i < l; i++)
            now = reduce(&now, buffers[i % 2], slots, &bad);
        int64_t h = (int64_t)1 << l;
        for (int64_t j = 0; j < now.m;
             j += 2) { /* even rows, from their neighbours in the level above */
            int64_t i = (j + 1) * h - 1;
            row<T> r = row_at(&now, j);
            T rest = r.k;
            if (j > 0)
                rest -= r.a * x[(i - h) * s->row_stride];
            if (j < now.m - 1)
                rest -= r.c * x[(i + h) * s->row_stride];
            x[i * s->row_stride] = rest / r.b;
            if (l == 0 && bad_level0 == 0 && !good(r.b, size(r.b)))
                bad_level0 = i + 1;
        }
    }
    s->status[k] = bad_level0 ? bad_level0 : bad; /* the given diagonal comes before all levels */
}

template <class T>
static __global__ void __launch_bounds__(1024) sericr_global(systems<T> s, T *work)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < s.batch)
        sericr<T>(&s, k, work, NULL);
}

template <class T>
static __global__ void __launch_bounds__(1024) sericr_shared(systems<T> s, T *work)
{
    DYN_SHARED(row<T>, slots);
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < s.batch)
        sericr(&s, k, work, slots + threadIdx.x);
}

/* ---- PARACR: one thread a row, a launch a level ---- */

/* Row i of a system freed of rows i - h and i + h is coupled to i - 2h and i + 2h: after the last level to none.
 * The levels lie in two buffers in turn, so that no row is overwritten while others need it. */
template <class T> struct rows_of {
    const T *a, *b, *c, *k;
};
template <class T> struct paracr {
    systems<T> s;
    rows_of<T> from;
    T *to; /* a, b, c, k one after the other, n batch words each; NULL: the last level, which gives x */
    int64_t h;
    int number; /* of the level */
    /* A block's tile of systems by rows: 1 by T contiguous, up to 32 by T/32 interleaved; tiles across the systems. */
    int tile_systems, tile_rows;
    int64_t tiles_systems;
};

/* Where a thread's row is. */
struct place {
    int64_t system, row, at;
    bool inside;
};

template <class T> static __device__ inline struct place place_of(const paracr<T> *p)
{
    int thread = (int)threadIdx.x, system = thread % p->tile_systems,
        row = thread / p->tile_systems;
    struct place w;
    w.system = blockIdx.x % p->tiles_systems * p->tile_systems + system;
    w.row = blockIdx.x / p->tiles_systems * p->tile_rows + row;
    w.inside = w.system < p->s.batch && w.row < p->s.n;
    w.at = w.system * p->s.system_stride + w.row * p->s.row_stride;
    return w;
}

template <class T> static __device__ inline row<T> load_row(const rows_of<T> *from, int64_t at)
{
    row<T> r;
    r.a = from->a[at];
    r.b = from->b[at];
    r.c = from->c[at];
    r.k = from->k[at];
    return r;
}

/* Of all pivots that fail the one of the lowest level and there of the lowest row: the least of these keys. */
static __device__ inline void report(long long *status, int number, int64_t row)
{
    unsigned long long key = (unsigned long long)number << 40 | (unsigned long long)(row + 1);
    atomicMin((unsigned long long *)status, key);
}

/* The new row goes to the next level, or gives x where no neighbour is left. */
template <class T>
static __device__ inline void finish(const paracr<T> *p, const struct place *w, const row<T> *r,
                                     T terms)
{
    if (!good(r->b, terms))
        report(&p->s.status[w->system], p->number + 1, w->row);
    if (!p->to) {
        p->s.x[w->at] = r->k / r->b;
        return;
    }
    int64_t words = p->s.n * p->s.batch;
    p->to[w->at] = r->a;
    p->to[words + w->at] = r->b;
    p->to[2 * words + w->at] = r->c;
    p->to[3 * words + w->at] = r->k;
}

/* A row's own data: what cannot reach a neighbour counts as 0, and the given diagonal is looked at. */
template <class T>
static __device__ inline void own_row(const paracr<T> *p, const struct place *w, row<T> *r)
{
    if (w->row < p->h)
        r->a = 0;
    if (w->row + p->h >= p->s.n)
        r->c = 0;
    if (p->number == 0 && !good(r->b, size(r->b)))
        report(&p->s.status[w->system], 0, w->row);
}

/* All from global memory: 12 words read (4 of them for the first time) and 4 written. */
template <class T> static __global__ void __launch_bounds__(1024) paracr_global(paracr<T> p)
{
    struct place w = place_of(&p);
    if (!w.inside)
        return;
    row<T> r = load_row(&p.from, w.at), below = no_row<T>(), above = no_row<T>();
    own_row(&p, &w, &r);
    if (w.row >= p.h)
        below = load_row(&p.from, w.at - p.h * p.s.row_stride);
    if (w.row + p.h < p.s.n)
        above = load_row(&p.from, w.at + p.h * p.s.row_stride);
    T terms;
    r = combine(&below, &r, &above, -r.a / below.b, -r.c / above.b, &terms);
    finish(&p, &w, &r, terms);
}

/* The neighbour `rows` away: from the block's tile if it is there, else from global memory. */
template <class T>
static __device__ inline row<T> neighbour(const paracr<T> *p, const struct place *w,
                                          const row<T> *tile, int64_t rows)
{
    int64_t in_tile = threadIdx.x / p->tile_systems + rows;
    if (in_tile >= 0 && in_tile < p->tile_rows)
        return tile[(int)threadIdx.x + (int)rows * p->tile_systems];
    return load_row(&p->from, w->at + rows * p->s.row_stride);
}

/* Only the source data, which up to three threads use, in shared memory. From h = tile_rows on no neighbour is
 * in the tile any more. */
template <class T> static __global__ void __launch_bounds__(1024) paracr_partial(paracr<T> p)
{
    DYN_SHARED(row<T>, tile);
    struct place w = place_of(&p);
    if (w.inside)
        tile[threadIdx.x] = load_row(&p.from, w.at);
    __syncthreads();
    if (!w.inside)
        return;
    row<T> r = tile[threadIdx.x], below = no_row<T>(), above = no_row<T>();
    own_row(&p, &w, &r);
    if (w.row >= p.h)
        below = neighbour(&p, &w, tile, -p.h);
    if (w.row + p.h < p.s.n)
        above = neighbour(&p, &w, tile, p.h);
    T terms;
    r = combine(&below, &r, &above, -r.a / below.b, -r.c / above.b, &terms);
    finish(&p, &w, &r, terms);
}

/* The factors too, in a pass of their own, as PL19 has it; each is used by the thread that made it alone. */
template <class T> static __global__ void __launch_bounds__(1024) paracr_shared(paracr<T> p)
{
    DYN_SHARED(row<T>, tile);
    T *alpha = (T *)(tile + blockDim.x), *gamma = alpha + blockDim.x;
    struct place w = place_of(&p);
    if (w.inside)
        tile[threadIdx.x] = load_row(&p.from, w.at);
    __syncthreads();
    row<T> r, below = no_row<T>(), above = no_row<T>();
    if (w.inside) {
        r = tile[threadIdx.x];
        own_row(&p, &w, &r);
        if (w.row >= p.h)
            below = neighbour(&p, &w, tile, -p.h);
        if (w.row + p.h < p.s.n)
            above = neighbour(&p, &w, tile, p.h);
        alpha[threadIdx.x] = -r.a / below.b;
        gamma[threadIdx.x] = -r.c / above.b;
    }
    __syncthreads();
    if (!w.inside)
        return;
    T terms;
    r = combine(&below, &r, &above, alpha[threadIdx.x], gamma[threadIdx.x], &terms);
    finish(&p, &w, &r, terms);
}

/* The keys of report() become 0 or 1 + row. */
static __global__ void paracr_status(int64_t batch, long long *status)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < batch)
        status[k] = status[k] == -1 ? 0 : status[k] & ((1ll << 40) - 1);
}

/* ---- PARACR on the chip ---- */

enum { BLOCK_ROWS = 4096, ROWS_PER_THREAD = 4 }; /* at most; fewer where shared memory is short */

/* A whole system, or after h = 2^number levels one of the h systems that a system has fallen into (rows r, r + h,
 * …), in one block: read once, all levels in shared memory (in place: a thread's new rows wait in registers until
 * all have read), x written: 5 words a row. */
template <class T> static __global__ void __launch_bounds__(1024) paracr_block(paracr<T> p)
{
    DYN_SHARED(T, shared);
    int64_t system = blockIdx.x / p.h, first = blockIdx.x % p.h;
    int m = (int)((p.s.n - first + p.h - 1) / p.h);
    int most = (int)((p.s.n + p.h - 1) / p.h);
    T *a = shared, *b = a + most, *c = b + most, *k = c + most;
    int64_t base = system * p.s.system_stride + first * p.s.row_stride, step = p.h * p.s.row_stride;
    for (int i = (int)threadIdx.x; i < m; i += (int)blockDim.x) {
        int64_t at = base + i * step;
        a[i] = i > 0 ? p.from.a[at] : 0;
        b[i] = p.from.b[at];
        c[i] = i < m - 1 ? p.from.c[at] : 0;
        k[i] = p.from.k[at];
        if (p.number == 0 && !good(b[i], size(b[i])))
            report(&p.s.status[system], 0, first + i * p.h);
    }
    __syncthreads();
    int number = p.number;
    for (int h = 1; h < m; h *= 2, number++) {
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
                if (!good(next[q].b, terms))
                    report(&p.s.status[system], number + 1, first + i * p.h);
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
        p.s.x[base + i * step] = k[i] / b[i];
}

/* ---- launchers ---- */

template <class T> static systems<T> systems_of(const struct thomas_batch *s)
{
    systems<T> v = {(const T *)s->sub,
                    (const T *)s->diag,
                    (const T *)s->super,
                    (const T *)s->rhs,
                    (T *)s->x,
                    s->n,
                    s->batch,
                    s->interleaved ? 1 : s->n,
                    s->interleaved ? s->batch : 1,
                    s->status};
    return v;
}

/* Also: no index and no number of bytes overflows. */
static bool arguments_valid(const struct thomas_batch *s)
{
    return s && s->n >= 0 && s->n < 1ll << 40 && s->batch >= 0 &&
           s->batch <= INT64_MAX / (64 * (s->n > 0 ? s->n : 1)) && s->threads >= WARP &&
           s->threads <= 1024 && s->threads % WARP == 0;
}

/* PARACR's tile: neighbouring threads on neighbouring words, so 32 systems wide in the interleaved layout unless
 * there are fewer. */
static int tile_systems_of(const struct thomas_batch *s)
{
    int systems = 1;
    while (s->interleaved && systems < WARP && systems < s->batch)
        systems *= 2;
    return systems;
}

static int64_t tiles_of(int64_t all, int64_t each)
{
    return (all + each - 1) / each;
}

/* The rows of a type, four words each, that the shared memory of this device holds. */
static int64_t block_rows(char type)
{
    int device = 0, bytes = 48 * 1024;
    if (cudaGetDevice(&device) == cudaSuccess)
        (void)device_attribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    int64_t rows = bytes / (4 * (type == 's' ? sizeof(float) : sizeof(double)));
    return rows < BLOCK_ROWS ? rows : (int64_t)BLOCK_ROWS;
}

/* The h that PARACR_BLOCK's levels over all blocks come to before a system fits into one. */
static int64_t first_step(const struct thomas_batch *s)
{
    int64_t h = 1, most = block_rows(s->type);
    while ((s->n + h - 1) / h > most)
        h *= 2;
    return h;
}

int thomas_batch_threads(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    if (variant == THOMAS_TILE)
        return WARP;
    if (variant != PARACR_BLOCK)
        return s->threads;
    int64_t h = first_step(s), rows = (s->n + h - 1) / h;
    int least = (int)tiles_of(tiles_of(rows, ROWS_PER_THREAD), WARP) * WARP;
    return s->threads < least ? least : s->threads;
}

int64_t thomas_batch_blocks(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    if (!arguments_valid(s) || s->n == 0 || s->batch == 0)
        return 0;
    if (variant < PARACR_GLOBAL)
        return tiles_of(s->batch, thomas_batch_threads(variant, s));
    if (variant == PARACR_BLOCK)
        return s->batch * first_step(s);
    int systems = tile_systems_of(s);
    return tiles_of(s->batch, systems) * tiles_of(s->n, s->threads / systems);
}

size_t thomas_batch_shared(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    size_t word = s->type == 's' ? sizeof(float) : sizeof(double), threads = (size_t)s->threads;
    switch (variant) {
    case THOMAS_SHARED:
        return 10 * word * threads;
    case THOMAS_TILE:
        return s->type == 's' ? word * tile<float>::ALL : word * tile<double>::ALL;
    case SERICR_SHARED: /* three rows */
        return 3 * 4 * word * threads;
    case PARACR_SHARED: /* a row, alpha and gamma */
        return (4 + 2) * word * threads;
    case PARACR_PARTIAL:
        return 4 * word * threads;
    case PARACR_BLOCK:
        return 4 * word * (size_t)tiles_of(s->n, first_step(s));
    default:
        return 0;
    }
}

int64_t thomas_batch_work(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    switch (variant) {
    case THOMAS_GLOBAL:
    case THOMAS_SHARED:
        return s->n * s->batch;
    case THOMAS_TILE:
        return 2 * s->n * s->batch;
    case SERICR_GLOBAL:
    case SERICR_SHARED:
        return 4 * (s->n / 2 + s->n / 4) * s->batch;
    case PARACR_BLOCK:
        return first_step(s) == 1 ? 0 : 8 * s->n * s->batch;
    default:
        return 8 * s->n * s->batch;
    }
}

template <class T>
static cudaError_t paracr_all(enum thomas_batch_variant variant, const struct thomas_batch *s,
                              cudaStream_t stream)
{
    T *work = (T *)s->work; /* NULL where none is needed */
    T *buffers[] = {work, work ? work + 4 * s->n * s->batch : NULL};
    int64_t words = s->n * s->batch;
    paracr<T> p = {};
    p.s = systems_of<T>(s);
    p.from = {p.s.a, p.s.b, p.s.c, p.s.k};
    p.tile_systems = tile_systems_of(s);
    p.tile_rows = s->threads / p.tile_systems;
    p.tiles_systems = tiles_of(s->batch, p.tile_systems);
    p.h = 1;
    TRY(cudaMemsetAsync(s->status, 0xff, (size_t)s->batch * sizeof *s->status, stream));
    unsigned blocks = (unsigned)thomas_batch_blocks(PARACR_GLOBAL, s);
    bool last = false;
    while (!last) {
        if (variant == PARACR_BLOCK && p.h == first_step(s)) {
            TRY(LAUNCH((paracr_block<T>), (unsigned)thomas_batch_blocks(variant, s),
                       thomas_batch_threads(variant, s), thomas_batch_shared(variant, s), stream,
                       p));
            break;
        }
        last = 2 * p.h >= s->n;
        p.to = last ? NULL : buffers[p.number % 2];
        if (variant == PARACR_GLOBAL)
            TRY(LAUNCH((paracr_global<T>), blocks, s->threads, 0, stream, p));
        else if (variant == PARACR_SHARED)
            TRY(LAUNCH((paracr_shared<T>), blocks, s->threads, thomas_batch_shared(variant, s),
                       stream, p));
        else
            TRY(LAUNCH((paracr_partial<T>), blocks, s->threads,
                       thomas_batch_shared(PARACR_PARTIAL, s), stream, p));
        if (!last)
            p.from = {p.to, p.to + words, p.to + 2 * words, p.to + 3 * words};
        p.h *= 2;
        p.number++;
    }
    return LAUNCH(paracr_status, (unsigned)tiles_of(s->batch, 256), 256, 0, stream, s->batch,
                  s->status);
}

template <class T>
static cudaError_t solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                         cudaStream_t stream)
{
    systems<T> v = systems_of<T>(s);
    T *work = (T *)s->work;
    unsigned blocks = (unsigned)thomas_batch_blocks(variant, s);
    size_t shared = thomas_batch_shared(variant, s);
    switch (variant) {
    case THOMAS_GLOBAL:
        return LAUNCH((thomas_global<T>), blocks, s->threads, 0, stream, v, work);
    case THOMAS_SHARED:
        return LAUNCH((thomas_shared<T>), blocks, s->threads, shared, stream, v, work);
    case THOMAS_TILE:
        return LAUNCH((thomas_tile<T>), blocks, WARP, shared, stream, v, work,
                      work + s->n * s->batch);
    case SERICR_GLOBAL:
        return LAUNCH((sericr_global<T>), blocks, s->threads, 0, stream, v, work);
    case SERICR_SHARED:
        return LAUNCH((sericr_shared<T>), blocks, s->threads, shared, stream, v, work);
    case PARACR_GLOBAL:
    case PARACR_SHARED:
    case PARACR_PARTIAL:
    case PARACR_BLOCK:
        return paracr_all<T>(variant, s, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

static bool has_arrays(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    const void *const arrays[] = {s->sub, s->diag, s->super, s->rhs, s->x};
    size_t word = s->type == 's' ? sizeof(float) : sizeof(double);
    for (const void *array : arrays)
        if (!device_aligned(array, word))
            return false;
    return thomas_batch_work(variant, s) == 0 || device_aligned(s->work, word);
}

cudaError_t thomas_batch_solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                               cudaStream_t stream)
{
    if (!arguments_valid(s) || thomas_batch_blocks(variant, s) > INT32_MAX)
        return cudaErrorInvalidValue;
    if (s->batch == 0)
        return cudaSuccess;
    if (!device_aligned(s->status, sizeof *s->status) || (s->n > 0 && !has_arrays(variant, s)))
        return cudaErrorInvalidValue;
    if (s->n == 0)
        return cudaMemsetAsync(s->status, 0, (size_t)s->batch * sizeof *s->status, stream);
    return s->type == 's'   ? solve<float>(variant, s, stream)
           : s->type == 'd' ? solve<double>(variant, s, stream)
                            : cudaErrorInvalidValue;
}
