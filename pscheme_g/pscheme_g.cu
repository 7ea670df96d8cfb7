/* P-scheme/G, W13 sections II and III, and what follows from it. Read from top to bottom: what a
 * coefficient costs; the three phases in the paper's three layouts; the transposition; propagation
 * by a warp; the transposition inside the kernels; general coefficients. Run: make run. */
#include "pscheme_g.h"

enum { WARP = 32 };
#define ALL_LANES 0xffffffffu

static __device__ inline int64_t this_part(void)
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Unknowns of a part: M, fewer in the last one that has any, none beyond. */
static __host__ __device__ inline int64_t rows_of(int64_t n, int64_t rows, int64_t part)
{
    int64_t left = n - part * rows;
    return left < 0 ? 0 : left < rows ? left : rows;
}

/* The last part that has unknowns (n >= 1). */
static __host__ __device__ inline int64_t last_part(int64_t n, int64_t rows)
{
    return (n - 1) / rows;
}

/* ---- cases L, M and H: what s_i costs ---- */

template <class T> struct coefficient {
    int rounds;
    T up, down, scale, offset;
};

/* s_i, i = 1..n: `rounds` multiplications and as many divisions, each waiting for the one before.
 * Both are rounded as IEEE says on either device and there is no addition to fuse, so CPU and GPU
 * agree in every bit. up and down arrive at run time, so nothing can be folded. */
template <class T> static __device__ inline T coefficient_at(coefficient<T> c, int64_t i)
{
    if (c.rounds == 0)
        return c.scale; /* case L: constant */
    T s = c.scale - (T)(i % 8) * (T)(1.0 / (1 << 20));
    for (int r = 0; r < c.rounds; r++) {
        s *= c.up;
        s /= c.down;
    }
    return s;
}

/* ---- the paper's layouts ---- */

/* Block and simple SOA (and ends): word of w_0 first, then unknown i of part k at first + k part_stride + i
 * row_stride. The word before an unknown is row_stride before it, except for i = 0. */
struct strides {
    int64_t n, rows, part_stride, row_stride;
};

/* Pre-computation: w_kM taken as 0, hence a branch in every step (Fig. 2). */
template <class T>
static __global__ void precompute(struct strides at, coefficient<T> c, T *w, T *a)
{
    int64_t part = this_part(), rows = rows_of(at.n, at.rows, part);
    int64_t k = 1 + part * at.part_stride;
    T product = 1;
    for (int64_t i = 0; i < rows; i++, k += at.row_stride) {
        T s = coefficient_at(c, part * at.rows + i + 1);
        T previous;
        if (i == 0)
            previous = 0;
        else
            previous = w[k - at.row_stride];
        w[k] = s * previous + c.offset;
        product *= s;
        a[k] = product;
    }
}

template <class T> static __global__ void propagate(struct strides at, T w0, T *w, const T *a)
{
    int64_t parts = last_part(at.n, at.rows);
    T previous = w0;
    w[0] = w0;
    for (int64_t part = 0; part < parts; part++) {
        int64_t k = 1 + part * at.part_stride + (at.rows - 1) * at.row_stride;
        previous = w[k] + a[k] * previous;
        w[k] = previous;
    }
}

/* Determination: where w_kM is depends on the part: w_0 for the first (Fig. 2). */
template <class T> static __global__ void determine(struct strides at, T *w, const T *a)
{
    int64_t part = this_part(), last = last_part(at.n, at.rows);
    int64_t rows = rows_of(at.n, at.rows, part) - (part < last); /* propagate did the last one */
    int64_t k = 1 + part * at.part_stride;
    if (rows <= 0)
        return;
    T carry;
    if (part == 0)
        carry = w[0];
    else
        carry = w[k - at.part_stride + (at.rows - 1) * at.row_stride];
    for (int64_t i = 0; i < rows; i++, k += at.row_stride)
        w[k] += a[k] * carry;
}

/* P-scheme/G (Fig. 3): row 0 holds what comes into each part, so w_{i-1} is always P words before
 * w_i and no thread has a case of its own. Rows beyond a short last part exist and are computed:
 * nobody reads them. */
template <class T>
static __global__ void precompute_extended(int64_t parts, int64_t rows, coefficient<T> c, T *w,
                                           T *a)
{
    int64_t part = this_part(), k = part;
    T product = 1;
    w[k] = 0;
    for (int64_t i = 1; i <= rows; i++) {
        T s = coefficient_at(c, part * rows + i);
        k += parts;
        w[k] = s * w[k - parts] + c.offset;
        product *= s;
        a[k] = product;
    }
}

/* Each part's end is written twice: where it belongs and as what comes into the next (the
 * duplicate). */
template <class T>
static __global__ void propagate_extended(int64_t parts, int64_t rows, T w0, T *w, const T *a)
{
    const int64_t end = rows * parts;
    T previous = w0;
    for (int64_t part = 0; part < parts; part++) {
        w[part] = previous;
        previous = w[end + part] + a[end + part] * previous;
        w[end + part] = previous;
    }
}

template <class T>
static __global__ void determine_extended(int64_t parts, int64_t rows, T *w, const T *a)
{
    int64_t part = this_part(), k = part;
    T carry = w[part];
    for (int64_t i = 1; i < rows; i++) { /* row M is done */
        k += parts;
        w[k] += a[k] * carry;
    }
}

/* ---- the transposition (sec. III-A, Table I) ---- */

/* Threads of a warp read neighbours and write words `rows` apart. out words beyond limit are left
 * out. */
template <class T>
static __global__ void transpose_global(int64_t rows, int64_t columns, int64_t limit, const T *in,
                                        T *out)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = this_part(); k < rows * columns; k += stride) {
        int64_t i = k / columns, j = k % columns, to = j * rows + i;
        if (to < limit)
            out[to] = in[k];
    }
}

enum { TILE = 32, TILE_THREADS = 256 };

/* A tile is read by rows and written by columns: both sides coalesced, shared memory in between.
 * Without the padding word the 32 threads that read a column of it meet in one bank. */
template <class T, int pad>
static __global__ void transpose_tile(int64_t rows, int64_t columns, int64_t limit, const T *in,
                                      T *out)
{
    __shared__ T tile[TILE][TILE + pad];
    int64_t across = (columns + TILE - 1) / TILE;
    int64_t row0 = blockIdx.x / across * TILE, column0 = blockIdx.x % across * TILE;
    int x = (int)threadIdx.x % TILE, y0 = (int)threadIdx.x / TILE;
    for (int y = y0; y < TILE; y += TILE_THREADS / TILE)
        if (row0 + y < rows && column0 + x < columns)
            tile[y][x] = in[(row0 + y) * columns + column0 + x];
    __syncthreads();
    for (int y = y0; y < TILE; y += TILE_THREADS / TILE) {
        int64_t to = (column0 + y) * rows + row0 + x;
        if (row0 + x < rows && column0 + y < columns && to < limit)
            out[to] = tile[x][y];
    }
}

/* ---- rung: propagation by one warp ---- */

/* The map of a part, w -> a w + b. */
template <class T> struct map {
    T a, b;
};

/* Maps compose: first `first`, then `then`. */
template <class T> static __device__ inline map<T> compose(map<T> first, map<T> then)
{
    map<T> both = {then.a * first.a, then.a * first.b + then.b};
    return both;
}

/* Inclusive scan of the warp's maps: five steps of parallel cyclic reduction in registers. */
template <class T> static __device__ inline map<T> scan_warp(map<T> mine, int lane)
{
    for (int h = 1; h < WARP; h *= 2) {
        map<T> before = {__shfl_up_sync(ALL_LANES, mine.a, h),
                         __shfl_up_sync(ALL_LANES, mine.b, h)};
        if (lane >= h)
            mine = compose(before, mine);
    }
    return mine;
}

/* 32 parts at a time: loads of 32 neighbours at once and five steps instead of 32. */
template <class T>
static __global__ void propagate_warp(int64_t parts, int64_t rows, T w0, T *w, const T *a)
{
    const int64_t end = rows * parts;
    int lane = (int)threadIdx.x;
    T carry = w0; /* true value before the first of these 32 parts */
    for (int64_t first = 0; first < parts; first += WARP) {
        int64_t part = first + lane;
        map<T> mine = {1, 0};
        if (part < parts) {
            mine.a = a[end + part];
            mine.b = w[end + part];
        }
        mine = scan_warp(mine, lane);
        T after = mine.a * carry + mine.b;
        T before = __shfl_up_sync(ALL_LANES, after, 1);
        if (part < parts) {
            w[part] = lane == 0 ? carry : before;
            w[end + part] = after;
        }
        carry = __shfl_sync(ALL_LANES, after, WARP - 1);
    }
}

/* ---- rung: the parts' ends in an array of their own ---- */

/* What propagation needs of a part is two words, its last w and its last product. Kept side by side they are
 * read as neighbours, and what comes into the part replaces them: no row 0, no duplicate. w_{i-1} stays in a
 * register (pscheme_gpu's rung 3), so there is no branch either. */
template <class T>
static __global__ void precompute_ends(struct strides at, coefficient<T> c, T *w, T *a, T *ends)
{
    int64_t part = this_part(), rows = rows_of(at.n, at.rows, part);
    int64_t k = 1 + part * at.part_stride;
    T current = 0, product = 1;
    for (int64_t i = 0; i < rows; i++, k += at.row_stride) {
        T s = coefficient_at(c, part * at.rows + i + 1);
        current = s * current + c.offset;
        product *= s;
        w[k] = current;
        a[k] = product;
    }
    ends[2 * part] = product;
    ends[2 * part + 1] = current;
}

/* As propagate_warp, from the array of ends and back into it: ends[2 part] and [2 part + 1] are a and w of each part, then ends[2 part] what
 * comes into it. */
template <class T> static __global__ void propagate_ends(int64_t parts, T w0, T *w, T *ends)
{
    int lane = (int)threadIdx.x;
    T carry = w0;
    if (lane == 0)
        w[0] = w0;
    for (int64_t first = 0; first < parts; first += WARP) {
        int64_t part = first + lane;
        map<T> mine = {1, 0};
        if (part < parts) {
            mine.a = ends[2 * part];
            mine.b = ends[2 * part + 1];
        }
        mine = scan_warp(mine, lane);
        T after = mine.a * carry + mine.b;
        T before = __shfl_up_sync(ALL_LANES, after, 1);
        if (part < parts)
            ends[2 * part] = lane == 0 ? carry : before;
        carry = __shfl_sync(ALL_LANES, after, WARP - 1);
    }
}

template <class T>
static __global__ void determine_ends(struct strides at, T *w, const T *a, const T *ends)
{
    int64_t part = this_part(), rows = rows_of(at.n, at.rows, part);
    int64_t k = 1 + part * at.part_stride;
    T carry = ends[2 * part];
    for (int64_t i = 0; i < rows; i++, k += at.row_stride)
        w[k] += a[k] * carry;
}

/* ---- rungs: natural order in memory, transposed inside the kernels; general coefficients ---- */

/* A block's T parts are T rows of M neighbouring words. The block takes `width` columns of them at a time
 * through shared memory: loads and stores run along the rows (coalesced as far as the width goes), each
 * thread computes along its own row. A row of the tile has one word of padding, so that the 32 threads of a
 * warp, each in its own row, use 32 banks. */
struct tiles {
    int64_t n, rows; /* N, M */
    int width;
};

/* f(word of an array of unknowns, word of the tile) for columns column0… of the block's rows, neighbouring
 * threads taking neighbouring columns. */
template <class F> static __device__ inline void for_tile(struct tiles at, int64_t column0, F f)
{
    int64_t part0 = (int64_t)blockIdx.x * blockDim.x;
    int words = (int)blockDim.x * at.width;
    for (int k = (int)threadIdx.x; k < words; k += (int)blockDim.x) {
        int row = k / at.width, column = k % at.width;
        if (column0 + column < rows_of(at.n, at.rows, part0 + row))
            f((part0 + row) * at.rows + column0 + column, row * (at.width + 1) + column);
    }
}

template <class T>
static __device__ inline void load_tile(struct tiles at, int64_t column0, const T *array, T *tile)
{
    for_tile(at, column0, [=](int64_t there, int here) { tile[here] = array[there]; });
}

template <class T>
static __device__ inline void store_tile(struct tiles at, int64_t column0, T *array, const T *tile)
{
    for_tile(at, column0, [=](int64_t there, int here) { array[there] = tile[here]; });
}

/* general: s and t from arrays, else from the case's formula. Products are stored in the fused
 * variant (the paper's determination loads them) and made again from s in the general one, where
 * storing them would cost a word more than loading s. */
template <class T, bool general>
static __global__ void precompute_fused(struct tiles at, coefficient<T> c, const T *s_array,
                                        const T *t_array, T *w, T *a, T *ends)
{
    DYN_SHARED(T, tile_w);
    T *tile_a = tile_w + blockDim.x * (at.width + 1);
    int64_t part = this_part(), rows = rows_of(at.n, at.rows, part);
    T *mine_w = tile_w + threadIdx.x * (at.width + 1),
      *mine_a = tile_a + threadIdx.x * (at.width + 1);
    T current = 0, product = 1;
    for (int64_t column0 = 0; column0 < at.rows; column0 += at.width) {
        if (general) {
            load_tile(at, column0, t_array, tile_w);
            load_tile(at, column0, s_array, tile_a);
            __syncthreads();
        }
        for (int j = 0; j < at.width && column0 + j < rows; j++) {
            T s = general ? mine_a[j] : coefficient_at(c, part * at.rows + column0 + j + 1);
            current = s * current + (general ? mine_w[j] : c.offset);
            product *= s;
            mine_w[j] = current;
            if (!general)
                mine_a[j] = product;
        }
        __syncthreads();
        store_tile(at, column0, w + 1, tile_w);
        if (!general)
            store_tile(at, column0, a + 1, tile_a);
        __syncthreads(); /* the next columns overwrite the tile */
    }
    ends[2 * part] = product;
    ends[2 * part + 1] = current;
}

template <class T, bool general>
static __global__ void determine_fused(struct tiles at, const T *s_array, T *w, const T *a,
                                       const T *ends)
{
    DYN_SHARED(T, tile_w);
    T *tile_a = tile_w + blockDim.x * (at.width + 1);
    int64_t part = this_part(), rows = rows_of(at.n, at.rows, part);
    T *mine_w = tile_w + threadIdx.x * (at.width + 1),
      *mine_a = tile_a + threadIdx.x * (at.width + 1);
    T carry = ends[2 * part], product = 1;
    for (int64_t column0 = 0; column0 < at.rows; column0 += at.width) {
        load_tile(at, column0, w + 1, tile_w);
        if (general)
            load_tile(at, column0, s_array, tile_a);
        else
            load_tile(at, column0, a + 1, tile_a);
        __syncthreads();
        for (int j = 0; j < at.width && column0 + j < rows; j++) {
            product = general ? product * mine_a[j] : mine_a[j];
            mine_w[j] += product * carry;
        }
        __syncthreads();
        store_tile(at, column0, w + 1, tile_w);
        __syncthreads();
    }
}

/* ---- launchers ---- */

template <class T> static coefficient<T> typed(const struct pscheme_g *g)
{
    coefficient<T> c = {g->coefficient.rounds, (T)g->coefficient.up, (T)g->coefficient.down,
                        (T)g->coefficient.scale, (T)g->coefficient.offset};
    return c;
}

static struct strides strides_of(const struct pscheme_g *g)
{
    bool block = g->variant == PSCHEME_G_BLOCK;
    struct strides at = {g->n, g->rows, block ? g->rows : 1, block ? 1 : g->parts};
    return at;
}

/* The widest tile, 32 columns or less, of which a block has two in 48 KiB, the shared memory that
 * every GPU gives without being asked; at 1024 threads of doubles 2 columns. */
static struct tiles tiles_of(const struct pscheme_g *g, size_t word)
{
    struct tiles at = {g->n, g->rows, 32};
    while (2 * word * g->threads * (at.width + 1) > 48 * 1024)
        at.width /= 2;
    return at;
}

template <class T> static cudaError_t precompute_all(const struct pscheme_g *g, cudaStream_t stream)
{
    T *w = (T *)g->w, *a = (T *)g->products;
    struct tiles at = tiles_of(g, sizeof(T));
    size_t shared = 2 * sizeof(T) * g->threads * (at.width + 1);
    switch (g->variant) {
    case PSCHEME_G_BLOCK:
    case PSCHEME_G_SOA:
        return LAUNCH((precompute<T>), g->blocks, g->threads, 0, stream, strides_of(g), typed<T>(g),
                      w, a);
    case PSCHEME_G_EXTENDED:
    case PSCHEME_G_WARP:
        return LAUNCH((precompute_extended<T>), g->blocks, g->threads, 0, stream, g->parts, g->rows,
                      typed<T>(g), w, a);
    case PSCHEME_G_ENDS:
        return LAUNCH((precompute_ends<T>), g->blocks, g->threads, 0, stream, strides_of(g),
                      typed<T>(g), w, a, (T *)g->carry);
    case PSCHEME_G_FUSED:
        return LAUNCH((precompute_fused<T, false>), g->blocks, g->threads, shared, stream, at,
                      typed<T>(g), nullptr, nullptr, w, a, (T *)g->carry);
    case PSCHEME_G_ARRAYS:
        return LAUNCH((precompute_fused<T, true>), g->blocks, g->threads, shared, stream, at,
                      typed<T>(g), (const T *)g->s, (const T *)g->t, w, a, (T *)g->carry);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T> static cudaError_t propagate_all(const struct pscheme_g *g, cudaStream_t stream)
{
    T *w = (T *)g->w, w0 = (T)g->w0;
    const T *a = (const T *)g->products;
    switch (g->variant) {
    case PSCHEME_G_BLOCK:
    case PSCHEME_G_SOA:
        return LAUNCH((propagate<T>), 1, 1, 0, stream, strides_of(g), w0, w, a);
    case PSCHEME_G_EXTENDED:
        return LAUNCH((propagate_extended<T>), 1, 1, 0, stream, g->parts, g->rows, w0, w, a);
    case PSCHEME_G_WARP:
        return LAUNCH((propagate_warp<T>), 1, WARP, 0, stream, g->parts, g->rows, w0, w, a);
    case PSCHEME_G_ENDS:
    case PSCHEME_G_FUSED:
    case PSCHEME_G_ARRAYS:
        return LAUNCH((propagate_ends<T>), 1, WARP, 0, stream, g->parts, w0, w, (T *)g->carry);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T> static cudaError_t determine_all(const struct pscheme_g *g, cudaStream_t stream)
{
    T *w = (T *)g->w;
    const T *a = (const T *)g->products;
    struct tiles at = tiles_of(g, sizeof(T));
    size_t shared = 2 * sizeof(T) * g->threads * (at.width + 1);
    switch (g->variant) {
    case PSCHEME_G_BLOCK:
    case PSCHEME_G_SOA:
        return LAUNCH((determine<T>), g->blocks, g->threads, 0, stream, strides_of(g), w, a);
    case PSCHEME_G_EXTENDED:
    case PSCHEME_G_WARP:
        return LAUNCH((determine_extended<T>), g->blocks, g->threads, 0, stream, g->parts, g->rows,
                      w, a);
    case PSCHEME_G_ENDS:
        return LAUNCH((determine_ends<T>), g->blocks, g->threads, 0, stream, strides_of(g), w, a,
                      (const T *)g->carry);
    case PSCHEME_G_FUSED:
        return LAUNCH((determine_fused<T, false>), g->blocks, g->threads, shared, stream, at,
                      nullptr, w, a, (const T *)g->carry);
    case PSCHEME_G_ARRAYS:
        return LAUNCH((determine_fused<T, true>), g->blocks, g->threads, shared, stream, at,
                      (const T *)g->s, w, a, (const T *)g->carry);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T>
static cudaError_t transpose(enum pscheme_g_transposition how, int64_t rows, int64_t columns,
                             int64_t limit, const void *from, void *to, cudaStream_t stream)
{
    const T *in = (const T *)from;
    T *out = (T *)to;
    int64_t tiles = (rows + TILE - 1) / TILE * ((columns + TILE - 1) / TILE);
    int64_t blocks = (rows * columns + 255) / 256;
    switch (how) {
    case TRANSPOSE_GLOBAL:
        return LAUNCH((transpose_global<T>), (unsigned)(blocks < 65536 ? blocks : 65536), 256, 0,
                      stream, rows, columns, limit, in, out);
    case TRANSPOSE_TILE:
        return LAUNCH((transpose_tile<T, 0>), (unsigned)tiles, TILE_THREADS, 0, stream, rows,
                      columns, limit, in, out);
    case TRANSPOSE_PADDED:
        return LAUNCH((transpose_tile<T, 1>), (unsigned)tiles, TILE_THREADS, 0, stream, rows,
                      columns, limit, in, out);
    default:
        return cudaErrorInvalidValue;
    }
}

template <class T>
static cudaError_t to_natural(const struct pscheme_g *g, enum pscheme_g_transposition how,
                              void *natural, cudaStream_t stream)
{
    const T *w = (const T *)g->w;
    switch (g->variant) {
    case PSCHEME_G_SOA:
    case PSCHEME_G_ENDS:
        return transpose<T>(how, g->rows, g->parts, g->n, w + 1, natural, stream);
    case PSCHEME_G_EXTENDED:
    case PSCHEME_G_WARP:
        return transpose<T>(how, g->rows, g->parts, g->n, w + g->parts, natural, stream);
    default:
        return cudaMemcpyAsync(natural, w + 1, (size_t)g->n * sizeof(T), cudaMemcpyDeviceToDevice,
                               stream);
    }
}

/* ---- public functions ---- */

/* Call function<float> or function<double>. */
#define BY_TYPE(type, function, ...)                                                               \
    ((type) == 's'   ? function<float>(__VA_ARGS__)                                                \
     : (type) == 'd' ? function<double>(__VA_ARGS__)                                               \
                     : cudaErrorInvalidValue)

static int64_t rows_a_part(int64_t n, int64_t parts)
{
    return parts > 0 ? n / parts + (n % parts != 0) : 0;
}

struct pscheme_g pscheme_g_plan(enum pscheme_g_variant variant, char type, int64_t n, int blocks,
                                int threads, double w0, struct pscheme_g_coefficient coefficient)
{
    int64_t parts = (int64_t)blocks * threads;
    struct pscheme_g g = {};
    g.variant = variant;
    g.type = type;
    g.n = n;
    g.parts = parts;
    g.rows = rows_a_part(n, parts);
    g.blocks = blocks;
    g.threads = threads;
    g.w0 = w0;
    g.coefficient = coefficient;
    return g;
}

int64_t pscheme_g_words(const struct pscheme_g *g)
{
    switch (g->variant) {
    case PSCHEME_G_SOA:
    case PSCHEME_G_ENDS:
        return 1 + g->rows * g->parts;
    case PSCHEME_G_EXTENDED:
    case PSCHEME_G_WARP:
        return (g->rows + 1) * g->parts;
    default:
        return g->n + 1;
    }
}

/* A struct that was not filled in as the header says is refused, and so are arrays whose bytes
 * overflow; n = 0 is nothing to do. */
static bool arguments_valid(const struct pscheme_g *g)
{
    return g && g->n >= 0 && g->n <= INT64_MAX / 32 && g->blocks >= 1 && g->threads >= 1 &&
           g->threads <= 1024 && g->parts == (int64_t)g->blocks * g->threads &&
           g->rows == rows_a_part(g->n, g->parts);
}
static bool has_words(char type, const void *array)
{
    return device_aligned(array, type == 's' ? sizeof(float) : sizeof(double));
}
static bool has_arrays(const struct pscheme_g *g)
{
    bool general = g->variant == PSCHEME_G_ARRAYS;
    return has_words(g->type, g->w) &&
           (general ? has_words(g->type, g->s) && has_words(g->type, g->t)
                    : has_words(g->type, g->products)) &&
           (g->variant < PSCHEME_G_ENDS || has_words(g->type, g->carry));
}
#define GUARD(g, arrays_are_there)                                                                 \
    do {                                                                                           \
        if (!arguments_valid(g))                                                                          \
            return cudaErrorInvalidValue;                                                          \
        if ((g)->n == 0)                                                                           \
            return cudaSuccess;                                                                    \
        if (!(arrays_are_there))                                                                   \
            return cudaErrorInvalidValue;                                                          \
    } while (0)

cudaError_t pscheme_g_precompute(const struct pscheme_g *g, cudaStream_t stream)
{
    GUARD(g, has_arrays(g));
    return BY_TYPE(g->type, precompute_all, g, stream);
}

cudaError_t pscheme_g_propagate(const struct pscheme_g *g, cudaStream_t stream)
{
    GUARD(g, has_arrays(g));
    return BY_TYPE(g->type, propagate_all, g, stream);
}

cudaError_t pscheme_g_determine(const struct pscheme_g *g, cudaStream_t stream)
{
    GUARD(g, has_arrays(g));
    return BY_TYPE(g->type, determine_all, g, stream);
}

cudaError_t pscheme_g_solve(const struct pscheme_g *g, cudaStream_t stream)
{
    TRY(pscheme_g_precompute(g, stream));
    TRY(pscheme_g_propagate(g, stream));
    return pscheme_g_determine(g, stream);
}

cudaError_t pscheme_g_to_natural(const struct pscheme_g *g, enum pscheme_g_transposition how,
                                 void *natural, cudaStream_t stream)
{
    GUARD(g, has_words(g->type, g->w) && has_words(g->type, natural));
    return BY_TYPE(g->type, to_natural, g, how, natural, stream);
}

cudaError_t pscheme_g_transpose(char type, enum pscheme_g_transposition how, int64_t rows,
                                int64_t columns, const void *in, void *out, cudaStream_t stream)
{
    if (rows < 0 || columns < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || columns == 0)
        return cudaSuccess;
    if (rows > INT64_MAX / 32 / columns || !has_words(type, in) || !has_words(type, out))
        return cudaErrorInvalidValue;
    return BY_TYPE(type, transpose, how, rows, columns, rows * columns, in, out, stream);
}
