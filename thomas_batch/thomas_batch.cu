/* Batched tridiagonal systems (PL19): the launches. Read thomas.cuh first, then
 * cyclic_reduction.cuh. Run: make run. */
#include "thomas_batch.h"

#include "cyclic_reduction.cuh"
#include "thomas.cuh"

template <class T> static device_systems<T> systems_of(const struct thomas_batch *s)
{
    device_systems<T> v = {(const T *)s->sub,
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

/* The limit on batch keeps every index and number of bytes below 2^63. */
static bool arguments_valid(const struct thomas_batch *s)
{
    return s && s->n >= 0 && s->n < 1ll << 40 && s->batch >= 0 &&
           s->batch <= INT64_MAX / (64 * (s->n > 0 ? s->n : 1)) && s->threads >= WARP &&
           s->threads <= 1024 && s->threads % WARP == 0 && s->shared_limit >= 0;
}

/* The systems that share a tile of PARACR, so that neighbouring threads read neighbouring elements:
 * 1 in the contiguous layout, 32 (at most the batch, as a power of two) in the interleaved one. */
static int tile_systems_of(const struct thomas_batch *s)
{
    int systems = 1;
    while (s->interleaved && systems < WARP && systems < s->batch)
        systems *= 2;
    return systems;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static size_t size_of(char type)
{
    return type == 's' ? sizeof(float) : sizeof(double);
}

/* The most rows that a block of PARACR_BLOCK keeps in shared memory, four elements a row. */
static int64_t block_rows(char type)
{
    int device = 0, bytes = 48 * 1024;
    if (cudaGetDevice(&device) == cudaSuccess)
        (void)device_attribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    int64_t rows = bytes / (4 * (int64_t)size_of(type));
    return rows < BLOCK_ROWS ? rows : (int64_t)BLOCK_ROWS;
}

/* The independent systems into which PARACR_BLOCK splits each system so that they fit into a block.
 * paracr_partial() computes the first levels; each doubles the number. */
static int64_t resident_parts(const struct thomas_batch *s)
{
    int64_t parts = 1, most = block_rows(s->type);
    while (ceil_div(s->n, parts) > most)
        parts *= 2;
    return parts;
}

int thomas_batch_threads(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    if (variant == THOMAS_TILE)
        return WARP;
    if (variant != PARACR_BLOCK)
        return s->threads;
    int64_t rows = ceil_div(s->n, resident_parts(s));
    int least = (int)ceil_div(ceil_div(rows, ROWS_PER_THREAD), WARP) * WARP;
    return s->threads < least ? least : s->threads;
}

int64_t thomas_batch_blocks(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    if (!arguments_valid(s) || s->n == 0 || s->batch == 0)
        return 0;
    if (variant < PARACR_GLOBAL)
        return ceil_div(s->batch, thomas_batch_threads(variant, s));
    if (variant == PARACR_BLOCK)
        return s->batch * resident_parts(s);
    int systems = tile_systems_of(s);
    return ceil_div(s->batch, systems) * ceil_div(s->n, s->threads / systems);
}

size_t thomas_batch_shared(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    size_t element = size_of(s->type), threads = (size_t)s->threads;
    switch (variant) {
    case THOMAS_SHARED: /* for each thread 4 elements: a, b, c, k; and twice 3: alpha, beta, x */
        return (4 + 3 * 2) * element * threads;
    case THOMAS_TILE:
        return s->type == 's' ? element * tile<float>::ALL : element * tile<double>::ALL;
    case SERICR_SHARED: /* for each thread three rows of four elements */
        return 3 * 4 * element * threads;
    case PARACR_SHARED: /* for each thread a row of four elements, alpha and gamma */
        return (4 + 2) * element * threads;
    case PARACR_PARTIAL:
        return 4 * element * threads;
    case PARACR_BLOCK:
        return 4 * element * (size_t)ceil_div(s->n, resident_parts(s));
    default:
        return 0;
    }
}

int64_t thomas_batch_work(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    switch (variant) {
    case THOMAS_GLOBAL:
    case THOMAS_GLOBAL_EARLY:
    case THOMAS_SHARED:
        return s->n * s->batch;
    case THOMAS_TILE:
        return 2 * s->n * s->batch;
    case SERICR_GLOBAL:
    case SERICR_SHARED:
        return 4 * (s->n / 2 + s->n / 4) * s->batch;
    case PARACR_BLOCK:
        return resident_parts(s) == 1 ? 0 : 8 * s->n * s->batch;
    default:
        return 8 * s->n * s->batch;
    }
}

/* The shared memory that the launch of a level asks for. With shared_limit it is an equal share of
 * a multiprocessor's memory for as many blocks as its threads and shared_limit allow. RESERVED
 * bytes of each share belong to the system. */
static cudaError_t shared_of_launch(enum thomas_batch_variant variant, const struct thomas_batch *s,
                                    size_t *bytes)
{
    const int RESERVED = 1024;
    int device, shared, threads, most;
    *bytes = thomas_batch_shared(variant, s);
    if (s->shared_limit == 0)
        return cudaSuccess;
    TRY(cudaGetDevice(&device));
    TRY(device_attribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    TRY(device_attribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    TRY(device_attribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    int blocks = threads / s->threads, room = *bytes ? s->shared_limit / (int)*bytes : blocks;
    blocks = room < blocks ? room : blocks;
    if (blocks == 0)
        return cudaErrorInvalidValue;
    int share = shared / blocks - RESERVED;
    share = share < most ? share : most;
    *bytes = *bytes < (size_t)share ? (size_t)share : *bytes;
    return cudaSuccess;
}

/* Each level of PARACR is one launch; PARACR_BLOCK ends with one for all remaining levels. */
template <class T>
static cudaError_t solve_paracr(enum thomas_batch_variant variant, const struct thomas_batch *s,
                                cudaStream_t stream)
{
    int64_t elements = s->n * s->batch;
    T *work = (T *)s->work; /* NULL if the variant needs no workspace */
    bool whole = variant == PARACR_BLOCK;
    size_t shared = thomas_batch_shared(PARACR_PARTIAL, s);
    if (!whole)
        TRY(shared_of_launch(variant, s, &shared));
    T *buffers[] = {work, work ? work + 4 * elements : NULL};
    paracr_level<T> p = {};
    p.s = systems_of<T>(s);
    p.from = {p.s.a, p.s.b, p.s.c, p.s.k};
    p.tile_systems = tile_systems_of(s);
    p.tile_rows = s->threads / p.tile_systems;
    p.tiles_systems = ceil_div(s->batch, p.tile_systems);
    p.h = 1;
    TRY(cudaMemsetAsync(s->status, 0xff, (size_t)s->batch * sizeof *s->status, stream));
    unsigned blocks = (unsigned)thomas_batch_blocks(PARACR_GLOBAL, s);
    bool last = false;
    while (!last) {
        if (whole && p.h == resident_parts(s)) {
            TRY(LAUNCH((paracr_block<T>), (unsigned)thomas_batch_blocks(variant, s),
                       thomas_batch_threads(variant, s), thomas_batch_shared(variant, s), stream,
                       p));
            break;
        }
        last = 2 * p.h >= s->n;
        p.to = last ? NULL : buffers[p.level % 2];
        if (variant == PARACR_GLOBAL)
            TRY(LAUNCH((paracr_global<T>), blocks, s->threads, shared, stream, p));
        else if (variant == PARACR_SHARED)
            TRY(LAUNCH((paracr_shared<T>), blocks, s->threads, shared, stream, p));
        else
            TRY(LAUNCH((paracr_partial<T>), blocks, s->threads, shared, stream, p));
        if (!last)
            p.from = {p.to, p.to + elements, p.to + 2 * elements, p.to + 3 * elements};
        p.h *= 2;
        p.level++;
    }
    return LAUNCH(paracr_status, (unsigned)ceil_div(s->batch, 256), 256, 0, stream, s->batch,
                  s->status);
}

template <class T>
static cudaError_t solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                         cudaStream_t stream)
{
    device_systems<T> v = systems_of<T>(s);
    T *work = (T *)s->work;
    unsigned blocks = (unsigned)thomas_batch_blocks(variant, s);
    size_t shared = thomas_batch_shared(variant, s);
    switch (variant) {
    case THOMAS_GLOBAL:
        return LAUNCH((thomas_global<T, false>), blocks, s->threads, 0, stream, v, work);
    case THOMAS_GLOBAL_EARLY:
        return LAUNCH((thomas_global<T, true>), blocks, s->threads, 0, stream, v, work);
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
        return solve_paracr<T>(variant, s, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

static bool arrays_valid(enum thomas_batch_variant variant, const struct thomas_batch *s)
{
    const void *const arrays[] = {s->sub, s->diag, s->super, s->rhs, s->x};
    for (const void *array : arrays)
        if (!device_aligned(array, size_of(s->type)))
            return false;
    return thomas_batch_work(variant, s) == 0 || device_aligned(s->work, size_of(s->type));
}

cudaError_t thomas_batch_solve(enum thomas_batch_variant variant, const struct thomas_batch *s,
                               cudaStream_t stream)
{
    if (!arguments_valid(s) || thomas_batch_blocks(variant, s) > INT32_MAX)
        return cudaErrorInvalidValue;
    if (s->batch == 0)
        return cudaSuccess;
    if (!device_aligned(s->status, sizeof *s->status) || (s->n > 0 && !arrays_valid(variant, s)))
        return cudaErrorInvalidValue;
    if (s->n == 0)
        return cudaMemsetAsync(s->status, 0, (size_t)s->batch * sizeof *s->status, stream);
    return s->type == 's'   ? solve<float>(variant, s, stream)
           : s->type == 'd' ? solve<double>(variant, s, stream)
                            : cudaErrorInvalidValue;
}
