/* P-scheme/G, W13 sections II and III, to be read from top to bottom: the cost of a coefficient
 * s_i; the three phases in the paper's three layouts; steps beyond the paper. transpose.cuh has the
 * kernels that only transpose. */
#include "pscheme_g.h"

#include "transpose.cuh"

enum { WARP = 32 };
#define ALL_LANES 0xffffffffu

/* M in a full part, fewer in the last part that has unknowns, 0 in the parts after it. */
static __host__ __device__ inline int64_t rows_of(int64_t n, int64_t rows, int64_t part)
{
    int64_t left = n - part * rows;
    return left < 0 ? 0 : left < rows ? left : rows;
}

/* The last part that has unknowns. n >= 1. */
static __host__ __device__ inline int64_t last_part(int64_t n, int64_t rows)
{
    return (n - 1) / rows;
}

/* ---- cases L, M and H: the cost of s_i ---- */

template <class T> struct coefficient {
    int rounds;
    T up, down, scale, offset;
};

/* s_i, i = 1..n, by `rounds` multiplications and divisions, each of which needs the result before
 * it. `up` and `down` are kernel arguments, so the compiler cannot see that they cancel. CPU and
 * GPU compute the same bits: the start is exact, and both round as IEEE 754 requires. */
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

/* Where block, soa and ends store their unknowns: w_0 is element 0, unknown i of part k is element
 * 1 + k part_stride + i row_stride. So w_{i-1} is row_stride elements before w_i, except if w_i is
 * the first unknown of a part. */
struct strides {
    int64_t n, rows, part_stride, row_stride;
};

/* Pre-computation (W13 sec. II, eq. 3). Each thread takes w_kM, the value before its part, as 0,
 * and computes its w_i and the products a_i of its s. The value before the first unknown has
 * another address, so every step has a branch (W13 Fig. 2). */
template <class T>
static __global__ void precompute(struct strides at, coefficient<T> c, T *w, T *a)
{
    int64_t part = this_thread(), rows = rows_of(at.n, at.rows, part);
    int64_t k = 1 + part * at.part_stride;
    T product = 1;
    for (int64_t i = 0; i < rows; i++, k += at.row_stride) {
        T s = coefficient_at(c, part * at.rows + i + 1);
        T previous = i == 0 ? 0 : w[k - at.row_stride];
        w[k] = s * previous + c.offset;
        product *= s;
        a[k] = product;
    }
}

/* Propagation (W13 eq. 4). One thread corrects the last unknown of one part after the other, w_M,
 * w_2M, …: it adds a_i w_kM, where w_kM is the corrected value before the part. */
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

/* Determination (W13 eq. 5). Each thread adds a_i w_kM to the other unknowns of its part. w_kM is
 * element 0 for part 0, otherwise the last unknown of the part before (W13 Fig. 2). */
template <class T> static __global__ void determine(struct strides at, T *w, const T *a)
{
    int64_t part = this_thread(), last = last_part(at.n, at.rows);
    /* Propagation has corrected the last unknown of every part but the last one. */
    int64_t rows = rows_of(at.n, at.rows, part) - (part < last);
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

/* Pre-computation of P-scheme/G (W13 Fig. 3). The idea: row 0 of an (M + 1) x P array holds the
 * value before each part. So w_{i-1} is always P elements before w_i, and no thread branches. A
 * short last part also computes rows beyond N, which are never read. */
template <class T>
static __global__ void precompute_extended(int64_t parts, int64_t rows, coefficient<T> c, T *w,
                                           T *a)
{
    int64_t part = this_thread(), k = part;
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

/* Propagation writes the last value of each part twice: into the last row of the part, and into row
 * 0 as the value before the next part. */
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

/* Determination. Row 0 holds the value before every part. */
template <class T>
static __global__ void determine_extended(int64_t parts, int64_t rows, T *w, const T *a)
{
    int64_t part = this_thread(), k = part;
    T carry = w[part];
    for (int64_t i = 1; i < rows; i++) { /* propagation has already corrected row M */
        k += parts;
        w[k] += a[k] * carry;
    }
}

/* ---- step: propagation by one warp ---- */

/* A part maps w, the value before it, to a w + b, its last unknown. */
template <class T> struct map {
    T a, b;
};

template <class T> static __device__ inline map<T> compose(map<T> first, map<T> then)
{
    return {then.a * first.a, then.a * first.b + then.b};
}

/* Inclusive scan: lane l gets the composition of the maps of lanes 0..l. The five steps are
 * parallel cyclic reduction (pcr/) in registers. */
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

/* The idea: the warp takes 32 neighbouring parts at a time, loads their values with one request,
 * and needs five steps instead of 32 dependent ones. */
template <class T>
static __global__ void propagate_warp(int64_t parts, int64_t rows, T w0, T *w, const T *a)
{
    const int64_t end = rows * parts;
    int lane = (int)threadIdx.x;
    T carry = w0; /* the true value before the first of these 32 parts */
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

/* ---- step: the parts' ends in an array of their own ---- */

/* The idea: propagation reads two values of each part, its last w and its last product. Here they
 * are neighbours in an array `ends`, so a warp reads neighbouring elements. Propagation replaces
 * the product by the value before the part, so row 0 of the extended layout is not needed. w_{i-1}
 * stays in a register, as in the variant `register` of pscheme_gpu. */
template <class T>
static __global__ void precompute_ends(struct strides at, coefficient<T> c, T *w, T *a, T *ends)
{
    int64_t part = this_thread(), rows = rows_of(at.n, at.rows, part);
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

/* As propagate_warp, with the array `ends`: at the start the last product and the last w of part k
 * at 2 k and 2 k + 1, at the end the true value before part k at 2 k. */
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

/* Determination. No part is a special case, because `ends` has the value before every part. */
template <class T>
static __global__ void determine_ends(struct strides at, T *w, const T *a, const T *ends)
{
    int64_t part = this_thread(), rows = rows_of(at.n, at.rows, part);
    int64_t k = 1 + part * at.part_stride;
    T carry = ends[2 * part];
    for (int64_t i = 0; i < rows; i++, k += at.row_stride)
        w[k] += a[k] * carry;
}

/* ---- steps: transposition inside the kernels; general coefficients ---- */

/* The idea: w stays in natural order in memory, and the kernel transposes. The T parts of a block
 * are the T rows of a matrix with M columns. The block loads `width` columns at a time into a tile
 * of shared memory: neighbouring threads load and store neighbouring elements of a row, so the
 * accesses are coalesced. Then each thread computes along its own row of the tile, and the separate
 * transposition is saved. A row has one element of padding, so the 32 threads of a warp access
 * different banks. */
struct tiles {
    int64_t n, rows; /* the number of unknowns N, and M = ceil(N / P) */
    int width;       /* number of columns of a tile */
};

/* Calls f(index in an array of unknowns, index in the tile) for each element of the tile that
 * starts at column0. Neighbouring threads take neighbouring columns. */
template <class F> static __device__ inline void for_tile(struct tiles at, int64_t column0, F f)
{
    int64_t part0 = (int64_t)blockIdx.x * blockDim.x;
    int elements = (int)blockDim.x * at.width;
    for (int k = (int)threadIdx.x; k < elements; k += (int)blockDim.x) {
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

/* Pre-computation with tiles. `fused` (general: false) computes s and t by the formula of the case
 * and stores the products a_i. `arrays` (general: true) loads s and t from arrays and stores no
 * products: its determination computes them again from s. */
template <class T, bool general>
static __global__ void precompute_fused(struct tiles at, coefficient<T> c, const T *s_array,
                                        const T *t_array, T *w, T *a, T *ends)
{
    DYN_SHARED(T, tile_w);
    T *tile_a = tile_w + blockDim.x * (at.width + 1);
    int64_t part = this_thread(), rows = rows_of(at.n, at.rows, part);
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

/* Determination with the same tiles, in place. */
template <class T, bool general>
static __global__ void determine_fused(struct tiles at, const T *s_array, T *w, const T *a,
                                       const T *ends)
{
    DYN_SHARED(T, tile_w);
    T *tile_a = tile_w + blockDim.x * (at.width + 1);
    int64_t part = this_thread(), rows = rows_of(at.n, at.rows, part);
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
    return {g->coefficient.rounds, (T)g->coefficient.up, (T)g->coefficient.down,
            (T)g->coefficient.scale, (T)g->coefficient.offset};
}

static struct strides strides_of(const struct pscheme_g *g)
{
    bool block = g->variant == PSCHEME_G_BLOCK;
    return {g->n, g->rows, block ? g->rows : 1, block ? 1 : g->parts};
}

/* The widest tile of at most 32 columns of which two fit into 48 KiB of shared memory, which every
 * GPU gives a block. With 1024 threads in double precision it has 2 columns. */
static struct tiles tiles_of(const struct pscheme_g *g, size_t element)
{
    struct tiles at = {g->n, g->rows, 32};
    while (2 * element * g->threads * (at.width + 1) > 48 * 1024)
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

static int64_t rows_per_part(int64_t n, int64_t parts)
{
    return parts > 0 ? n / parts + (n % parts != 0) : 0;
}

struct pscheme_g pscheme_g_plan(enum pscheme_g_variant variant, char type, int64_t n, int blocks,
                                int threads, double w0, struct pscheme_g_coefficient coefficient)
{
    int64_t parts = (int64_t)blocks * threads;
    return {variant, type,    n,    parts,       rows_per_part(n, parts),
            blocks,  threads, w0,   coefficient, NULL,
            NULL,    NULL,    NULL, NULL}; /* the caller fills in the arrays */
}

int64_t pscheme_g_elements(const struct pscheme_g *g)
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

/* Are the numbers those that pscheme_g_plan sets, and do the byte counts fit into 64 bits? */
static bool numbers_valid(const struct pscheme_g *g)
{
    return g && g->n >= 0 && g->n <= INT64_MAX / 32 && g->blocks >= 1 && g->threads >= 1 &&
           g->threads <= 1024 && g->parts == (int64_t)g->blocks * g->threads &&
           g->rows == rows_per_part(g->n, g->parts);
}
static bool array_valid(char type, const void *array)
{
    return (type == 's' && device_aligned(array, sizeof(float))) ||
           (type == 'd' && device_aligned(array, sizeof(double)));
}
static bool arrays_valid(const struct pscheme_g *g)
{
    bool general = g->variant == PSCHEME_G_ARRAYS;
    return array_valid(g->type, g->w) &&
           (general ? array_valid(g->type, g->s) && array_valid(g->type, g->t)
                    : array_valid(g->type, g->products)) &&
           (g->variant < PSCHEME_G_ENDS || array_valid(g->type, g->carry));
}

/* Checks the arguments and launches the phase for the type. */
typedef cudaError_t (*phase)(const struct pscheme_g *g, cudaStream_t stream);
static cudaError_t launch(phase of_float, phase of_double, const struct pscheme_g *g,
                          cudaStream_t stream)
{
    if (!numbers_valid(g))
        return cudaErrorInvalidValue;
    if (g->n == 0)
        return cudaSuccess;
    if (!arrays_valid(g))
        return cudaErrorInvalidValue;
    return g->type == 's' ? of_float(g, stream) : of_double(g, stream);
}

cudaError_t pscheme_g_precompute(const struct pscheme_g *g, cudaStream_t stream)
{
    return launch(precompute_all<float>, precompute_all<double>, g, stream);
}

cudaError_t pscheme_g_propagate(const struct pscheme_g *g, cudaStream_t stream)
{
    return launch(propagate_all<float>, propagate_all<double>, g, stream);
}

cudaError_t pscheme_g_determine(const struct pscheme_g *g, cudaStream_t stream)
{
    return launch(determine_all<float>, determine_all<double>, g, stream);
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
    if (!numbers_valid(g))
        return cudaErrorInvalidValue;
    if (g->n == 0)
        return cudaSuccess;
    if (!array_valid(g->type, g->w) || !array_valid(g->type, natural))
        return cudaErrorInvalidValue;
    return g->type == 's' ? to_natural<float>(g, how, natural, stream)
                          : to_natural<double>(g, how, natural, stream);
}

struct alignas(16) two_doubles {
    double re, im;
};
cudaError_t pscheme_g_transpose(char type, enum pscheme_g_transposition how, int64_t rows,
                                int64_t columns, const void *in, void *out, cudaStream_t stream)
{
    if (rows < 0 || columns < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || columns == 0)
        return cudaSuccess;
    size_t element = type == 's'                  ? sizeof(float)
                     : type == 'd' || type == 'c' ? sizeof(double)
                     : type == 'z'                ? sizeof(two_doubles)
                                                  : 0;
    if (rows > INT64_MAX / 32 / columns || element == 0 || !device_aligned(in, element) ||
        !device_aligned(out, element))
        return cudaErrorInvalidValue;
    auto transpose_elements = type == 's'   ? transpose<float>
                              : type == 'z' ? transpose<two_doubles>
                                            : transpose<double>;
    return transpose_elements(how, rows, columns, rows * columns, in, out, stream);
}
