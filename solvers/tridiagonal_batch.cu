/* Solves many tridiagonal systems on a GPU. tridiagonal_batch.h declares the public functions. The
 * kernels are in these files, each of which uses the files before it:
 *
 *     tridiagonal_batch_tile.cuh         how a batch is cut into tiles, and how a status is set
 *     tridiagonal_batch_rows.cuh         a thread's rows: elimination, merging, substitution
 *     tridiagonal_batch_staging.cuh      how a tile gets to the threads and x goes back; masking
 *     tridiagonal_batch_threads.cuh      the boundary values of each thread: PCR, or merging
 *     tridiagonal_batch_contiguous.cuh   the kernels for contiguous systems
 *     tridiagonal_batch_one_matrix.cuh   the kernel for contiguous systems that share one matrix
 *     tridiagonal_batch_lists.cuh        attempt, list and retry: automatic pivoting
 *     tridiagonal_batch_interleaved.cuh  the kernel for interleaved systems
 *     tridiagonal_batch_teams.cuh        for longer ones, the rows of which several blocks keep
 *     tridiagonal_batch_rings.cuh        the kernel for contiguous systems that are periodic or
 *                                        share matrices
 *
 * partition.cuh explains partitions. This file checks the arguments, selects the kernel for the
 * type, and launches it. The launchers choose the numbers of blocks and threads and the size of
 * tiles. */
#include "tridiagonal_batch.h"

#include "tridiagonal_batch_interleaved.cuh"
#include "tridiagonal_batch_one_matrix.cuh"
#include "tridiagonal_batch_rings.cuh"
#include "tridiagonal_batch_teams.cuh"
#include "tridiagonal_gradient.cuh"

#include <type_traits>

/* A call of a solver, also of the adjoint solve of a gradient: that is A^T x = conj(rhs). */
struct solver_call : tridiagonal_batch {
    bool adjoint;
    /* What sub and super are in an adjoint solve. GIVEN: those of A^T. TRANSPOSE: those of A, of
     * contiguous systems. SHIFTED: super and sub of A, of other systems, one row off. */
    enum { GIVEN, TRANSPOSE, SHIFTED } couplings;
};

/* The layout of a call, with its default values filled in. */
struct layout {
    int64_t inner, outer, row_stride, plane_stride;
    /* the kernels for contiguous systems solve the call: there is no padding between the systems,
     * and they are not periodic */
    bool contiguous;
};
static struct layout layout_of(const struct tridiagonal_batch *call)
{
    struct layout l;
    l.inner = call->inner > 0 ? call->inner : 1;
    l.outer = call->batch / l.inner;
    l.row_stride = call->row_stride > 0 ? call->row_stride : l.inner;
    l.plane_stride = call->plane_stride > 0 ? call->plane_stride : call->n * l.row_stride;
    l.contiguous =
        l.inner == 1 && l.row_stride == 1 && l.plane_stride == call->n && !call->periodic;
    return l;
}

template <class T> static batch<T> batch_of(const struct solver_call *call)
{
    batch<T> b = {};
    b.n = call->n;
    b.systems = call->batch;
    b.elements = b.n * b.systems;
    b.matrix = call->sides > 1 ? TRIDIAGONAL_BATCH_SHARED : call->matrix;
    b.sides = call->sides > 1 ? call->sides : INT64_MAX;
    b.offset = call->offset;
    const void *in[4] = {call->sub, call->diag, call->super, call->rhs};
    uintptr_t bits = (uintptr_t)call->x;
    for (int k = 0; k < 4; k++) {
        b.in[k] = (const T *)in[k];
        if (k == 3 || b.matrix != TRIDIAGONAL_BATCH_CONSTANT)
            bits |= (uintptr_t)in[k];
    }
    b.x = (T *)call->x;
    b.status = call->status;
    b.bulk = bits % CHUNK == 0;
    b.crank_nicolson = call->crank_nicolson != 0;
    b.adjoint = call->adjoint;
    b.transpose = call->couplings == solver_call::TRANSPOSE;
    return b;
}

/* ---- contiguous systems ---- */

/* How many chunks of each array a thread takes in a tile, and in a tile of short systems. With
 * fewer rows a thread is done sooner. A large batch of short systems takes the same time with both,
 * a small batch takes less. The numbers were measured to be fastest. */
enum { TILE_CHUNKS = 7, SHORT_CHUNKS = 3 };
template <class T> static bool is_short(int64_t n)
{
    return n <= (sizeof(T) > 8 ? 16 : 128);
}

template <class M> static size_t shared_bytes(int threads)
{
    return (size_t)(5 * M::CHUNKS * CHUNK) * (size_t)threads + sizeof(shared_storage<M>);
}
/* The same for solve_one_matrix, which may have to do what solve_tiles does. */
template <class M> static size_t shared_bytes_one_matrix(int threads)
{
    size_t factors = (size_t)reduced_elements(run_of_warps(threads / WARP)),
           bytes = (size_t)(4 * M::CHUNKS * CHUNK) * (size_t)threads +
                   factors * sizeof(typename M::number) + sizeof(shared_storage<M>);
    return bytes > shared_bytes<M>(threads) ? bytes : shared_bytes<M>(threads);
}

/* Returns the number of rows of systems that fit into a tile of `threads` threads. The first row of
 * a tile need not be at the begin of a 128-byte line, so up to one line less an element (the lead)
 * is lost. */
template <class M> static int64_t rows_that_fit(int threads)
{
    return (int64_t)threads * M::ROWS - (LINE / sizeof(typename M::number) - 1);
}

/* Returns the maximum number of threads of a block for which shared memory has room. */
template <class M> static int most_threads(const struct device_properties *gpu)
{
    int threads = M::THREADS;
    while (threads > WARP && shared_bytes<M>(threads) > gpu->shared_bytes)
        threads -= WARP;
    return threads;
}
template <class M> static int64_t longest_system(const struct device_properties *gpu)
{
    return rows_that_fit<M>(most_threads<M>(gpu));
}

/* Returns log2(count), rounded up. */
static int pcr_levels_of(int64_t count)
{
    int levels = 0;
    while ((int64_t(1) << levels) < count)
        levels++;
    return levels;
}

/* Returns how many partitions a thread merges first (boundary_by_merging()), for a full tile of
 * `threads` threads. Then one or two warps merge. A tree over one warp is shorter, but its runs are
 * longer. */
template <class M> static int run_of(int threads)
{
    int places = threads / sharers_of<M>();
    return (int)ceil_div(places, places > 6 * WARP ? 2 * WARP : WARP);
}

/* Reserves bytes in `work`, rounded up to whole chunks. Returns their offset and advances *end. */
static size_t reserve(size_t *end, size_t bytes)
{
    size_t begin = *end;
    *end += ceil_div((int64_t)bytes, CHUNK) * CHUNK;
    return begin;
}

/* The plan for systems that are too long for one tile. partitions, interfaces and boundaries are
 * the offsets of these arrays in `work`, and `bytes` is the size of `work`. */
struct long_plan {
    int threads, tiles_per_system, tile_rows;
    int64_t tiles;
    size_t partitions, interfaces, boundaries, bytes;
};
template <class M>
static struct long_plan plan_long(const struct tridiagonal_batch *call,
                                  const struct device_properties *gpu)
{
    typedef typename M::number T;
    constexpr int elements = LINE / sizeof(T);
    struct long_plan p = {};
    /* The number of warps is a power of two, because reduce() works on powers of two. It would
     * replace missing partitions by padding, which means x = 0 in the rows after the tile. But in a
     * long system these rows exist. So a block also has as many threads as a whole warp of merging
     * lanes needs. If there is room for more, it has at most half of the possible threads: then two
     * blocks share a multiprocessor, and one eliminates while the other merges. */
    for (p.threads = WARP * sharers_of<M>(); 4 * p.threads <= most_threads<M>(gpu);
         p.threads *= 2) {
    }
    p.tile_rows = p.threads * M::ROWS;
    p.tiles_per_system = (int)ceil_div(call->n + elements - 1, p.tile_rows);
    p.tiles = p.tiles_per_system * call->batch;
    size_t tiles = (size_t)p.tiles;
    p.partitions = reserve(&p.bytes, tiles * sizeof(typename M::partition));
    p.interfaces = reserve(&p.bytes, tiles * sizeof(typename M::interface));
    p.boundaries = reserve(&p.bytes, tiles * sizeof(boundary<T>));
    return p;
}

template <class M>
static size_t work_contiguous(const struct tridiagonal_batch *call,
                              const struct device_properties *gpu)
{
    return call->offset || call->n <= longest_system<M>(gpu) ? 0 : plan_long<M>(call, gpu).bytes;
}

template <class M>
static cudaError_t solve_long(const struct solver_call *call, const struct device_properties *gpu,
                              cudaStream_t stream)
{
    typedef typename M::number T;
    batch<T> b = batch_of<T>(call);
    struct long_plan p = plan_long<M>(call, gpu);
    char *work = (char *)call->work;
    typename M::partition *partitions = (typename M::partition *)(work + p.partitions);
    typename M::interface *interfaces = (typename M::interface *)(work + p.interfaces);
    boundary<T> *boundaries = (boundary<T> *)(work + p.boundaries);
    b.tiles_per_system = p.tiles_per_system;
    b.tile_rows = p.tile_rows;
    b.parts = p.tiles;
    b.pcr_levels = pcr_levels_of(p.threads);
    b.run = run_of<M>(p.threads);
    b.used_elements = b.tile_rows;
    int64_t most = (int64_t)gpu->multiprocessors * (M::THREADS / p.threads);
    unsigned blocks = (unsigned)(b.parts < most ? b.parts : most), threads = (unsigned)p.threads;
    size_t bytes = shared_bytes<M>(p.threads);
    if (b.status)
        TRY(cudaMemsetAsync(b.status, 0, (size_t)b.systems * sizeof *b.status, stream));
    TRY(LAUNCH((solve_tiles<M, REDUCE_TILE>), blocks, threads, bytes, stream, b, partitions,
               nullptr));
    TRY(LAUNCH((merge_tiles<M>), (unsigned)b.systems, WARP, 0, stream, b, partitions, interfaces,
               boundaries));
    return LAUNCH((solve_tiles<M, FINISH_TILE>), blocks, threads, bytes, stream, b, nullptr,
                  boundaries);
}

/* The launch of a kernel for systems that fit into a tile. */
struct tile_plan {
    int threads;
    int64_t blocks;
    size_t bytes;    /* of shared memory */
    bool one_matrix; /* by solve_one_matrix */
};
/* Plans systems of different lengths. A tile has room for `fit` rows. */
template <class M> static void plan_lengths(batch<typename M::number> *b, int64_t fit, int threads)
{
    b->run = run_of<M>(threads);
    b->tile_size = (int)fit;
    b->used_elements = threads * M::ROWS;
    b->part_size = fit >= 2 * b->n ? (int)(fit - b->n + 1) : 0;
    b->parts = b->systems;
}
/* Plans systems of one length. A tile has as many systems as fit, independent of the size of the
 * batch. If there are fewer tiles than blocks, each tile is split into parts. */
template <class M>
static void plan_tiles(batch<typename M::number> *b, int64_t fit, struct tile_plan *p)
{
    constexpr int elements = LINE / sizeof(typename M::number), rows = M::ROWS;
    const bool shared = b->matrix != TRIDIAGONAL_BATCH_OWN && b->sides == INT64_MAX;
    fit /= b->n;
    int64_t used = fit < b->systems ? fit : b->systems;
    int warps = (int)ceil_div(fit * b->n + elements - 1, WARP * rows);
    b->run = run_of<M>(warps * WARP);
    b->lane_run = run_of_warps(warps);
    p->threads = (int)ceil_div(used * b->n + elements - 1, WARP * rows) * WARP;
    int64_t tiles = ceil_div(b->systems, fit), share = ceil_div(fit, ceil_div(p->blocks, tiles)),
            in_warp = WARP * rows / b->n; /* fewer systems would not make a part faster */
    share = share < in_warp ? in_warp < fit ? in_warp : fit : share;
    b->tile_size = (int)fit;
    b->part_size = (int)share;
    b->parts_per_tile = (int)ceil_div(fit, share);
    /* if systems share a matrix, stage_matrix() may fill the whole buffer */
    b->used_elements = b->matrix == TRIDIAGONAL_BATCH_OWN
                           ? (int)(ceil_div(used * b->n + elements - 1, elements) * elements)
                           : p->threads * rows;
    b->parts = tiles * b->parts_per_tile;
    /* If all systems share a matrix, a block factors or stages it only once. So all its tiles must
     * have the same lead (the offset of row 0 in its 128-byte line). A block takes every
     * `blocks`-th tile; `period` is the number of tiles after which the lead repeats. */
    if (shared) {
        int64_t period = elements;
        while (period > 1 && period / 2 * fit * b->n % elements == 0)
            period /= 2;
        p->blocks = p->blocks > period ? p->blocks - p->blocks % period : period;
        b->same_matrix_rows = true;
    }
    if (b->parts < p->blocks || share < fit)
        p->blocks = b->parts;
    p->bytes =
        p->one_matrix ? shared_bytes_one_matrix<M>(warps * WARP) : shared_bytes<M>(p->threads);
}

/* Solves systems that fit into a tile. Systems that share a matrix must not be in short tiles. */
template <class M>
static cudaError_t solve_in_tiles(const struct solver_call *call,
                                  const struct device_properties *gpu, cudaStream_t stream)
{
    typedef typename M::number T;
    batch<T> b = batch_of<T>(call);
    int blocks_each = 1, threads = most_threads<M>(gpu);
    constexpr bool can_factor =
        (int)M::CHUNKS == TILE_CHUNKS && (M::AUTO || !M::P::NEEDS_FIRST_RIGHT);
    struct tile_plan p = {};
    p.one_matrix = can_factor && b.matrix != TRIDIAGONAL_BATCH_OWN && b.sides == INT64_MAX &&
                   shared_bytes_one_matrix<M>(threads) <= gpu->shared_bytes;
    auto bytes = p.one_matrix ? shared_bytes_one_matrix<M> : shared_bytes<M>;

    /* Run as many blocks per multiprocessor as the length of the systems allows, up to 4, so that
     * one eliminates while another merges. The GPU reserves 1 KiB of shared memory per block in
     * addition to the block's own. */
    for (int more = 2; more <= 4; more++) {
        int fewer_threads = M::THREADS / more / WARP * WARP;
        if (rows_that_fit<M>(fewer_threads) < b.n ||
            (size_t)more * (bytes(fewer_threads) + 1024) > gpu->shared_bytes + 1024)
            break;
        blocks_each = more;
        threads = fewer_threads;
    }
    int64_t fit = rows_that_fit<M>(threads);
    b.pcr_levels = pcr_levels_of(ceil_div(b.n < fit ? b.n : fit, M::ROWS));
    if (b.n > fit)
        return cudaErrorInvalidValue;
    p.threads = threads;
    p.blocks = (int64_t)gpu->multiprocessors * blocks_each;
    p.bytes = shared_bytes<M>(threads);
    if (b.offset)
        plan_lengths<M>(&b, fit, threads);
    else
        plan_tiles<M>(&b, fit, &p);
    if constexpr (can_factor)
        if (p.one_matrix)
            return LAUNCH((solve_one_matrix<M>), (unsigned)p.blocks, (unsigned)p.threads, p.bytes,
                          stream, b);
    return LAUNCH((solve_tiles<M, SOLVE_TILE>), (unsigned)p.blocks, (unsigned)p.threads, p.bytes,
                  stream, b, nullptr, nullptr);
}

template <class M>
static cudaError_t solve_contiguous(const struct solver_call *call,
                                    const struct device_properties *gpu, cudaStream_t stream)
{
    return !call->offset && call->n > longest_system<M>(gpu) ? solve_long<M>(call, gpu, stream)
                                                             : solve_in_tiles<M>(call, gpu, stream);
}

/* ---- periodic systems, and all other layouts ---- */

/* Teams do not solve complex systems, for which they are slower. */
template <class T> static constexpr bool has_teams(void)
{
    return std::is_floating_point<T>::value;
}
/* Returns how many blocks a team needs for the systems of a call without pivoting, or 0 if
 * solve_columns() solves them: if one block has room for a system or a team has none, if systems
 * share a matrix, or if the rows of a system are neighbours in memory. A team takes the same time
 * whether all its rows exist or not; if more than a quarter do not, solve_columns() is faster. */
template <class T>
static int team_members(const struct tridiagonal_batch *call, const struct device_properties *gpu)
{
    if constexpr (has_teams<T>()) {
        typedef team<column_plain<T>> team;
        int64_t members = ceil_div(call->n, team::ROWS);
        bool fits = members > 1 && members <= team::MOST_MEMBERS &&
                    members <= gpu->multiprocessors &&
                    sizeof(typename team::storage) <= gpu->shared_bytes,
             filled = 4 * call->n >= 3 * members * team::ROWS;
        if (fits && filled && call->matrix == TRIDIAGONAL_BATCH_OWN && call->sides <= 1 &&
            layout_of(call).row_stride != 1)
            return (int)members;
    }
    return 0;
}
/* Plans a launch for systems that are periodic or not contiguous. The number of partitions does not
 * depend on the batch, so the solution of a system has the same bits in every batch. If each
 * partition has only one slice, the data is read once. If there would be fewer blocks than
 * multiprocessors, each block takes fewer systems. */
template <class T>
static column_batch<T> plan_columns(const struct tridiagonal_batch *call, bool pivoted,
                                    const struct device_properties *gpu)
{
    typedef column_plain<T> plain;
    constexpr int rows = plain::ROWS, elements = LINE / sizeof(T);
    static_assert(rows == (int)column_pivoted<T>::ROWS, "slices have the same rows in all kernels");
    struct layout l = layout_of(call);
    column_batch<T> c = {};
    c.inner = c.slots = l.inner;
    c.row_stride = l.row_stride;
    c.plane_stride = l.plane_stride;
    /* If every row begins on a line of memory (128 bytes), let each block begin on one, too: round
     * the slots up to whole lines, unless that leaves more than an eighth of the lanes without a
     * system. */
    int64_t whole = ceil_div(l.inner, elements) * elements;
    if (l.row_stride % elements == 0 && l.plane_stride % elements == 0 &&
        whole - l.inner <= whole / 8)
        c.slots = whole;
    int most = COLUMN_THREADS * (int)sizeof(T) / 64;
    most = most < WARP ? most : (int)WARP;
    c.partitions = 1;
    while (c.partitions < most && c.partitions * rows < call->n)
        c.partitions *= 2;
    c.members = pivoted ? 0 : team_members<T>(call, gpu);
    /* one block has room for the rows, and needs no messages */
    const bool one_block = c.members > 0 && call->n <= WARP * rows;
    if (one_block) {
        c.members = 0;
        c.partitions = WARP;
    } else if (c.members > 0)
        c.partitions = team<plain>::PARTITIONS;
    else if (c.partitions * rows < call->n)
        c.partitions = 8;
    int64_t all = c.partitions * (c.members > 0 ? c.members : 1); /* partitions of a system */
    c.slices = (int)ceil_div(call->n, all * rows);
    c.slice_rows = (int)(call->n / (all * c.slices));
    c.longer_slices = (int)(call->n % (all * c.slices));
    /* If rows begin in the middle of a line, or a block takes less than a line of each, blocks side
     * by side fetch the same lines, so fewer blocks fetch less. */
    bool wide = c.slices > 1 && l.row_stride % elements != 0 && l.row_stride > elements &&
                call->matrix == TRIDIAGONAL_BATCH_OWN && !pivoted;
    wide = wide || one_block || c.members > 0;
    c.across = (wide ? most_column_threads<plain>() : COLUMN_THREADS) / c.partitions;
    while (c.members == 0 && c.across > 8 && c.across * c.partitions > WARP &&
           ceil_div(l.outer * c.slots, c.across) < gpu->multiprocessors)
        c.across /= 2;
    c.blocks = ceil_div(l.outer * c.slots, c.across);
    return c;
}
/* Returns a plan of solve_rings instead of c, a plan of solve_columns, if systems are contiguous,
 * fit on the chip, and are periodic or have one of several matrices. (With automatic pivoting the
 * latter are faster in tiles, which need no retry.) As many blocks as the length allows share a
 * multiprocessor, up to 4. */
template <class T>
static column_batch<T> plan_rings(const struct tridiagonal_batch *call,
                                  const struct device_properties *gpu, column_batch<T> c)
{
    typedef ring_rows<T> M;
    if (c.row_stride != 1 || c.plane_stride != call->n || call->pivot == TRIDIAGONAL_PIVOT_ALWAYS ||
        call->matrix == TRIDIAGONAL_BATCH_CONSTANT ||
        !(call->periodic || (call->sides > 1 && call->pivot == TRIDIAGONAL_PIVOT_NEVER)))
        return c;
    column_batch<T> ring = c;
    ring.rings = true;
    ring.b.n = call->n;
    ring.partitions = (int)ceil_div(call->n, M::ROWS);
    ring.matrices = call->matrix == TRIDIAGONAL_BATCH_SHARED
                        ? 1
                        : call->batch / (call->sides > 1 ? call->sides : 1);
    for (int each = 1; each <= 4; each++) {
        int64_t share = ceil_div(call->batch, (int64_t)gpu->multiprocessors * each);
        ring.across = M::THREADS / each / WARP * WARP / ring.partitions;
        ring.across = ring.across < ring_storage::SYSTEMS ? ring.across : ring_storage::SYSTEMS;
        ring.across = ring.across < share ? ring.across : (int)share;
        while (ring.across > 0 &&
               (size_t)each * (ring_bytes(ring) + 1024) > gpu->shared_bytes + 1024)
            ring.across--;
        if (ring.across == 0)
            break;
        ring.blocks = ceil_div(call->batch, ring.across);
        c = ring;
    }
    return c;
}
/* Returns the number of blocks of a launch for teams: as many whole teams as can run at the same
 * time and have systems. */
template <class T>
static int64_t team_grid(const column_batch<T> &c, const struct device_properties *gpu)
{
    int64_t teams = gpu->multiprocessors / c.members;
    return c.members * (teams < c.blocks ? teams : c.blocks);
}

/* The plans of a call: of its first launch, without pivoting, and of its second one, with pivoting
 * or a retry, of which a call may need only one; and the offsets in `work`. Both launches use the
 * room for interfaces. */
template <class T> struct column_plan {
    column_batch<T> first, second;
    size_t interfaces, messages, message_bytes, counts, columns, bytes;
};
template <class T>
static column_plan<T> plan_column_launches(const struct tridiagonal_batch *call,
                                           const struct device_properties *gpu)
{
    column_plan<T> p = {};
    p.first = plan_rings(call, gpu, plan_columns<T>(call, false, gpu));
    p.second = plan_columns<T>(call, call->pivot != TRIDIAGONAL_PIVOT_NEVER, gpu);
    const bool retries = call->pivot == TRIDIAGONAL_PIVOT_AUTO || p.first.rings;
    column_batch<T> &last = call->pivot || retries ? p.second : p.first;
    size_t each = call->pivot ? sizeof(typename column_pivoted<T>::interface)
                              : sizeof(typename column_plain<T>::interface);
    if (last.slices > 1)
        p.interfaces =
            reserve(&p.bytes, (size_t)(last.slices * last.partitions * call->batch) * each);
    if (p.first.members > 0 && call->pivot != TRIDIAGONAL_PIVOT_ALWAYS) {
        int64_t words = 2 * team_table_words<column_plain<T>>(team_grid(p.first, gpu));
        p.message_bytes = (size_t)words * sizeof *p.first.messages;
        p.messages = reserve(&p.bytes, p.message_bytes);
    }
    if (retries) {
        int64_t lists = p.first.blocks, takers = gpu->multiprocessors / ceil_div(lists, WARP);
        p.first.lists = p.second.lists = lists;
        p.first.list_across = p.second.list_across = p.first.across;
        p.second.takers = takers > 1 ? (int)takers : 1;
        p.second.turns = ceil_div(lists, WARP) * turns_for_lists(p.second);
        p.counts = reserve(&p.bytes, (size_t)lists * sizeof *p.first.pivot_counts);
        p.columns =
            reserve(&p.bytes, (size_t)(lists * p.first.across) * sizeof *p.first.pivot_columns);
    }
    return p;
}
template <class T>
static size_t work_columns(const struct tridiagonal_batch *call,
                           const struct device_properties *gpu)
{
    return plan_column_launches<T>(call, gpu).bytes;
}

/* Returns the number of blocks of a retry: as many as can run at the same time and have a turn. */
template <class T>
static int64_t retry_grid(const column_batch<T> &c, const struct device_properties *gpu)
{
    int64_t most = gpu->multiprocessors * ceil_div(COLUMN_THREADS, c.across * c.partitions);
    return most < c.turns ? most : c.turns;
}

template <class T, bool attempt, bool periodic>
static cudaError_t launch_teams(const column_plan<T> &p, const struct device_properties *gpu,
                                cudaStream_t stream)
{
    typedef column_plain<T> plain;
    const column_batch<T> &c = p.first;
    TRY(cudaMemsetAsync(c.messages, 0, p.message_bytes, stream));
    if (c.b.status)
        TRY(cudaMemsetAsync(c.b.status, 0, (size_t)c.b.systems * sizeof *c.b.status, stream));
    return LAUNCH_COOPERATIVE((solve_columns_by_teams<plain, attempt, periodic>),
                              (unsigned)team_grid(c, gpu), team<plain>::THREADS,
                              sizeof(typename team<plain>::storage), stream, c);
}
template <class M, bool adjacent, bool attempt, bool periodic>
static cudaError_t launch_solve_columns(const column_batch<typename M::number> &c, int64_t blocks,
                                        cudaStream_t stream)
{
    constexpr size_t least = 64 * 1024; /* of the shared memory that GPUs give to a block */
    static_assert(sizeof(column_storage<M, adjacent>) <= least);
    return LAUNCH((solve_columns<M, adjacent, attempt, periodic>), (unsigned)blocks,
                  (unsigned)(c.across * c.partitions), sizeof(column_storage<M, adjacent>), stream,
                  c);
}
template <class T, bool certify, bool periodic>
static cudaError_t launch_rings(const column_batch<T> &c, const struct device_properties *gpu,
                                cudaStream_t stream)
{
    int threads = ring_threads(c), of_threads = ring_rows<T>::THREADS / threads,
        of_memory = (int)((gpu->shared_bytes + 1024) / (ring_bytes(c) + 1024));
    int64_t most =
        (int64_t)gpu->multiprocessors * (of_threads < of_memory ? of_threads : of_memory);
    return LAUNCH((solve_rings<T, certify, periodic>),
                  (unsigned)(most < c.blocks ? most : c.blocks), (unsigned)threads, ring_bytes(c),
                  stream, c);
}
template <class T, bool adjacent, bool attempt, bool periodic>
static cudaError_t launch_plain(const column_plan<T> &p, const struct device_properties *gpu,
                                cudaStream_t stream)
{
    typedef column_plain<T> plain;
    const column_batch<T> &c = p.first;
    if constexpr (adjacent && (periodic || !attempt))
        if (c.rings)
            return launch_rings<T, attempt, periodic>(c, gpu, stream);
    if constexpr (has_teams<T>())
        if (c.members > 0)
            return launch_teams<T, attempt, periodic>(p, gpu, stream);
    if constexpr (!adjacent && !periodic)
        if (c.b.n <= column_short<T>::ROWS)
            return launch_solve_columns<column_short<T>, false, attempt, false>(c, c.blocks,
                                                                                stream);
    return launch_solve_columns<plain, adjacent, attempt, periodic>(c, c.blocks, stream);
}
template <class T, bool adjacent, bool periodic>
static cudaError_t launch_columns(const struct tridiagonal_batch *call, const column_plan<T> &p,
                                  const struct device_properties *gpu, cudaStream_t stream)
{
    typedef column_plain<T> plain;
    typedef column_pivoted<T> pivoted;
    const column_batch<T> &c = p.second;
    if (call->pivot == TRIDIAGONAL_PIVOT_NEVER) {
        TRY((launch_plain<T, adjacent, false, periodic>(p, gpu, stream)));
        if constexpr (adjacent)
            if (p.first.rings)
                return launch_solve_columns<plain, true, false, periodic>(c, retry_grid(c, gpu),
                                                                          stream);
        return cudaSuccess;
    }
    int64_t blocks = c.blocks;
    if (call->pivot == TRIDIAGONAL_PIVOT_AUTO) {
        TRY((launch_plain<T, adjacent, true, periodic>(p, gpu, stream)));
        blocks = retry_grid(c, gpu);
    }
    return launch_solve_columns<pivoted, adjacent, false, periodic>(c, blocks, stream);
}
template <class T>
static cudaError_t solve_columns_of(const struct solver_call *call,
                                    const struct device_properties *gpu, cudaStream_t stream)
{
    column_plan<T> p = plan_column_launches<T>(call, gpu);
    char *work = (char *)call->work;
    column_batch<T> *const plans[] = {&p.first, &p.second};
    for (column_batch<T> *c : plans) {
        c->b = batch_of<T>(call);
        if (call->periodic && call->couplings == solver_call::SHIFTED)
            c->ring = call->n * c->row_stride;
        c->interfaces = (T *)(work + p.interfaces);
        c->messages = (uint64_t *)(work + p.messages);
        if (c->lists > 0) {
            c->pivot_counts = (int *)(work + p.counts);
            c->pivot_columns = (int *)(work + p.columns);
        }
    }
    bool adjacent = p.first.row_stride == 1 && p.first.b.matrix != TRIDIAGONAL_BATCH_CONSTANT;
    if (call->periodic)
        return adjacent ? launch_columns<T, true, true>(call, p, gpu, stream)
                        : launch_columns<T, false, true>(call, p, gpu, stream);
    return adjacent ? launch_columns<T, true, false>(call, p, gpu, stream)
                    : launch_columns<T, false, false>(call, p, gpu, stream);
}

/* ---- the choice of a kernel ---- */

template <class T> using tile_plain = plain_rows<T, TILE_CHUNKS>;
template <class T> using tile_pivoted = pivoted_rows<T, TILE_CHUNKS>;
template <class T> using tile_auto = auto_rows<T, TILE_CHUNKS>;
template <class T> using short_plain = plain_rows<T, SHORT_CHUNKS>;
template <class T> using short_auto = auto_rows<T, SHORT_CHUNKS>;

template <class T> static int64_t longest_of(int pivot, const struct device_properties *gpu)
{
    return pivot == TRIDIAGONAL_PIVOT_NEVER ? longest_system<tile_plain<T>>(gpu)
                                            : longest_system<tile_pivoted<T>>(gpu);
}
/* Do the kernels for contiguous systems solve the call, and not solve_rings? */
template <class T>
static bool in_tiles(const struct tridiagonal_batch *b, const struct device_properties *gpu)
{
    return layout_of(b).contiguous && !plan_rings(b, gpu, plan_columns<T>(b, false, gpu)).rings;
}
template <class T>
static size_t work_of(const struct tridiagonal_batch *b, const struct device_properties *gpu)
{
    if (!in_tiles<T>(b, gpu))
        return work_columns<T>(b, gpu);
    return b->pivot == TRIDIAGONAL_PIVOT_NEVER ? work_contiguous<tile_plain<T>>(b, gpu)
                                               : work_contiguous<tile_pivoted<T>>(b, gpu);
}
template <class T>
static int reads_of(const struct tridiagonal_batch *b, const struct device_properties *gpu)
{
    bool contiguous = layout_of(b).contiguous, fits = b->n <= longest_of<T>(b->pivot, gpu);
    if (b->offset && !fits)
        return 0;
    const column_batch<T> c =
        plan_rings(b, gpu, plan_columns<T>(b, b->pivot == TRIDIAGONAL_PIVOT_ALWAYS, gpu));
    return (contiguous ? fits : c.slices == 1 || c.rings) ? 1 : 2;
}
template <class T>
static cudaError_t solve(const struct solver_call *b, const struct device_properties *gpu,
                         cudaStream_t stream)
{
    if (!in_tiles<T>(b, gpu))
        return solve_columns_of<T>(b, gpu, stream);
    if (is_short<T>(b->n) && b->matrix == TRIDIAGONAL_BATCH_OWN && b->sides <= 1 &&
        b->pivot != TRIDIAGONAL_PIVOT_ALWAYS)
        return b->pivot == TRIDIAGONAL_PIVOT_NEVER ? solve_in_tiles<short_plain<T>>(b, gpu, stream)
                                                   : solve_in_tiles<short_auto<T>>(b, gpu, stream);
    return b->pivot == TRIDIAGONAL_PIVOT_NEVER ? solve_contiguous<tile_plain<T>>(b, gpu, stream)
           : b->pivot == TRIDIAGONAL_PIVOT_ALWAYS
               ? solve_contiguous<tile_pivoted<T>>(b, gpu, stream)
               : solve_contiguous<tile_auto<T>>(b, gpu, stream);
}

/* ---- the gradient ---- */

/* The arguments of the kernels of tridiagonal_gradient.cuh, and offsets in `work`, which begins
 * with the workspace of the adjoint solve. */
template <class T> struct gradient_plan {
    gradient<T> g;
    bool copies; /* of the couplings */
    size_t sub_t, super_t, kept, sums, bytes;
};
template <class T>
static gradient_plan<T> plan_gradient(const struct tridiagonal_batch *b,
                                      const struct device_properties *gpu)
{
    struct layout l = layout_of(b);
    gradient_plan<T> p = {};
    gradient<T> &g = p.g;
    g.n = b->n;
    g.systems = b->batch;
    g.inner = l.inner;
    g.row_stride = l.row_stride;
    g.plane_stride = l.plane_stride;
    g.offset = b->offset;
    g.periodic = b->periodic != 0;
    g.constant = b->matrix == TRIDIAGONAL_BATCH_CONSTANT;
    g.shared = b->matrix != TRIDIAGONAL_BATCH_OWN || b->sides > 1;
    g.sides = b->sides > 1 ? b->sides : g.shared ? b->batch : 1;
    plan_sums(&g);
    int64_t matrix = g.shared
                         ? b->batch / g.sides * b->n
                         : (l.outer - 1) * l.plane_stride + (b->n - 1) * l.row_stride + l.inner;
    p.bytes = work_of<T>(b, gpu);
    p.copies = !g.constant && (g.shared || (g.row_stride == 1 && !l.contiguous));
    if (p.copies) {
        p.sub_t = reserve(&p.bytes, (size_t)matrix * sizeof(T));
        p.super_t = reserve(&p.bytes, (size_t)matrix * sizeof(T));
    }
    if (b->crank_nicolson)
        p.kept = reserve(&p.bytes, (size_t)(b->n * b->batch) * sizeof(T));
    p.sums = reserve(&p.bytes, sums_bytes(g));
    return p;
}
template <class T>
static size_t gradient_work_of(const struct tridiagonal_batch *b,
                               const struct device_properties *gpu)
{
    return plan_gradient<T>(b, gpu).bytes;
}
template <class T>
static cudaError_t solve_gradient(const struct tridiagonal_batch *b,
                                  const struct tridiagonal_derivatives *d,
                                  const struct device_properties *gpu, cudaStream_t stream)
{
    gradient_plan<T> p = plan_gradient<T>(b, gpu);
    gradient<T> &g = p.g;
    char *work = (char *)b->work;
    g.sub = (const T *)b->sub;
    g.super = (const T *)b->super;
    g.x = (const T *)b->x;
    g.rhs = b->crank_nicolson ? (const T *)b->rhs : NULL;
    g.dx = (const T *)d->dx;
    g.drhs = (T *)d->drhs;
    g.d[0] = (T *)d->dsub;
    g.d[1] = (T *)d->ddiag;
    g.d[2] = (T *)d->dsuper;
    g.sums = (T *)(work + p.sums);
    g.kept = b->crank_nicolson && d->dx == d->drhs ? (T *)(work + p.kept) : NULL;
    g.rewrite = b->crank_nicolson || !std::is_floating_point<T>::value;
    struct solver_call adjoint = {*b, true, solver_call::GIVEN};
    if (p.copies) {
        adjoint.sub = g.sub_t = (T *)(work + p.sub_t);
        adjoint.super = g.super_t = (T *)(work + p.super_t);
    } else if (g.constant) {
        adjoint.sub = b->super;
        adjoint.super = b->sub;
    } else if (layout_of(b).contiguous)
        adjoint.couplings = solver_call::TRANSPOSE;
    else {
        adjoint.couplings = solver_call::SHIFTED;
        adjoint.sub = g.super - g.row_stride;
        adjoint.super = g.sub + g.row_stride;
    }
    adjoint.rhs = d->dx;
    adjoint.x = d->drhs;
    adjoint.crank_nicolson = 0;
    TRY(launch_before_solve(g, gpu->multiprocessors, stream));
    TRY(solve<T>(&adjoint, gpu, stream));
    return launch_after_solve(g, gpu->multiprocessors, stream);
}

/* ---- public functions ---- */

int64_t tridiagonal_batch_longest(char type, int pivot)
{
    struct device_properties gpu;
    return element_bytes(type) > 0 && query_device(&gpu) == cudaSuccess
               ? BY_TYPE(type, longest_of, pivot, &gpu)
               : 0;
}

/* Returns true if no two systems have an element in common. The first tests prevent overflow in
 * products with each other and with a size in bytes. */
static bool layout_valid(const struct tridiagonal_batch *b)
{
    const int64_t most = INT64_MAX / 256, n = b->n > 0 ? b->n : 1;
    if (b->inner < 0 || b->row_stride < 0 || b->plane_stride < 0 || b->inner > most / n ||
        b->row_stride > most / n)
        return false;
    struct layout l = layout_of(b);
    int64_t planes = l.outer > 0 ? l.outer : 1;
    if (b->batch % l.inner != 0 || l.row_stride < l.inner || l.plane_stride > most / planes)
        return false;
    return b->n == 0 || planes == 1 || l.plane_stride >= (n - 1) * l.row_stride + l.inner ||
           (l.plane_stride >= l.inner && l.row_stride >= (planes - 1) * l.plane_stride + l.inner);
}
/* Checks the arguments except for pointers and the longest system. */
static bool arguments_valid(const struct tridiagonal_batch *b)
{
    return b && element_bytes(b->type) > 0 && b->n >= 0 && b->batch >= 0 && b->n <= 1 << 30 &&
           b->batch <= INT64_MAX / 256 / (b->n > 0 ? b->n : 1) && layout_valid(b) &&
           b->pivot >= TRIDIAGONAL_PIVOT_NEVER && b->pivot <= TRIDIAGONAL_PIVOT_AUTO &&
           b->matrix >= TRIDIAGONAL_BATCH_OWN && b->matrix <= TRIDIAGONAL_BATCH_CONSTANT &&
           b->sides >= 0 && (b->sides <= 1 || b->batch % b->sides == 0) &&
           !(b->sides > 1 && b->matrix != TRIDIAGONAL_BATCH_OWN) &&
           !(b->offset &&
             (!layout_of(b).contiguous || b->matrix != TRIDIAGONAL_BATCH_OWN || b->sides > 1));
}

/* The bytes of an array with all rows, and of sub, diag and super. */
struct sizes {
    int64_t all, matrix;
    bool gaps; /* the layout leaves elements out, so other arrays may lie in between */
};
static struct sizes sizes_of(const struct tridiagonal_batch *b)
{
    struct layout l = layout_of(b);
    struct sizes s;
    s.all = b->n * b->batch * (int64_t)element_bytes(b->type);
    s.matrix = b->matrix == TRIDIAGONAL_BATCH_OWN      ? s.all / (b->sides > 1 ? b->sides : 1)
               : b->matrix == TRIDIAGONAL_BATCH_SHARED ? s.all / b->batch
                                                       : s.all / b->batch / b->n;
    s.gaps = l.row_stride != l.inner || l.plane_stride != b->n * l.row_stride || b->offset;
    return s;
}
/* Returns true if x certainly overlaps an input. Only rhs may, if it is the same array. If the
 * layout has gaps, another array may lie in them, so then only the addresses are compared. */
static bool overwrites_input(const struct tridiagonal_batch *b)
{
    const struct sizes size = sizes_of(b);
    const struct array_bytes arrays[] = {{b->x, size.all},
                                         {b->rhs, size.all},
                                         {b->sub, size.matrix},
                                         {b->diag, size.matrix},
                                         {b->super, size.matrix}};
    return outputs_overlap(arrays, 5, 1, 1, size.gaps);
}

size_t tridiagonal_batch_work(const struct tridiagonal_batch *b)
{
    struct device_properties gpu;
    return arguments_valid(b) && b->n > 0 && b->batch > 0 && query_device(&gpu) == cudaSuccess
               ? BY_TYPE(b->type, work_of, b, &gpu)
               : 0;
}

int tridiagonal_batch_reads(const struct tridiagonal_batch *b)
{
    struct device_properties gpu;
    if (!arguments_valid(b) || query_device(&gpu) != cudaSuccess)
        return 0;
    return b->n > 0 && b->batch > 0 ? BY_TYPE(b->type, reads_of, b, &gpu) : 1;
}

size_t tridiagonal_batch_gradient_work(const struct tridiagonal_batch *b)
{
    struct device_properties gpu;
    return arguments_valid(b) && b->n > 0 && b->batch > 0 && query_device(&gpu) == cudaSuccess
               ? BY_TYPE(b->type, gradient_work_of, b, &gpu)
               : 0;
}

/* Checks the pointers of a call that needs `work` bytes of workspace, except for overlaps. */
static bool pointers_valid(const struct tridiagonal_batch *b, size_t work)
{
    return all_aligned({b->sub, b->diag, b->super, b->rhs, b->x}, element_bytes(b->type)) &&
           (!b->offset || device_aligned(b->offset, sizeof *b->offset)) &&
           (work == 0 || device_aligned(b->work, CHUNK));
}
static bool status_valid(const struct tridiagonal_batch *b)
{
    return !b->status || device_aligned(b->status, sizeof *b->status);
}
/* The call if there are no rows. */
static cudaError_t solve_nothing(const struct tridiagonal_batch *b, cudaStream_t stream)
{
    return b->status && b->batch > 0
               ? cudaMemsetAsync(b->status, 0, (size_t)b->batch * sizeof *b->status, stream)
               : cudaSuccess;
}

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream)
{
    struct device_properties gpu;
    if (!arguments_valid(b) || !status_valid(b))
        return cudaErrorInvalidValue;
    if (b->n == 0 || b->batch == 0)
        return solve_nothing(b, stream);
    TRY(query_device(&gpu));
    if (!pointers_valid(b, BY_TYPE(b->type, work_of, b, &gpu)) || overwrites_input(b))
        return cudaErrorInvalidValue;
    const struct solver_call call = {*b, false, solver_call::GIVEN};
    return BY_TYPE(b->type, solve, &call, &gpu, stream);
}

/* Returns true if an output of the gradient certainly overlaps another array, unless drhs is dx. */
static bool overwrites_arrays(const struct tridiagonal_batch *b,
                              const struct tridiagonal_derivatives *d)
{
    const struct sizes size = sizes_of(b);
    const struct array_bytes arrays[] = {
        {d->drhs, size.all},     {d->dsub, size.matrix},
        {d->ddiag, size.matrix}, {d->dsuper, size.matrix},
        {d->dx, size.all},       {b->sub, size.matrix},
        {b->diag, size.matrix},  {b->super, size.matrix},
        {b->x, size.all},        {b->crank_nicolson ? b->rhs : NULL, size.all}};
    return outputs_overlap(arrays, sizeof arrays / sizeof *arrays, 4, 4, size.gaps);
}

cudaError_t tridiagonal_batch_gradient(const struct tridiagonal_batch *b,
                                       const struct tridiagonal_derivatives *d, cudaStream_t stream)
{
    struct device_properties gpu;
    if (!arguments_valid(b) || !status_valid(b) || !d)
        return cudaErrorInvalidValue;
    if (b->n == 0 || b->batch == 0)
        return solve_nothing(b, stream);
    const size_t element = element_bytes(b->type);
    struct tridiagonal_batch adjoint = *b;
    adjoint.rhs = d->dx;
    adjoint.x = d->drhs;
    if (!pointers_valid(&adjoint, tridiagonal_batch_gradient_work(b)) ||
        !device_aligned(b->x, element) ||
        (b->crank_nicolson && (!device_aligned(b->rhs, element) || b->rhs == b->x)) ||
        overwrites_arrays(b, d))
        return cudaErrorInvalidValue;
    for (const void *array : {d->dsub, d->ddiag, d->dsuper})
        if (array && !device_aligned(array, element))
            return cudaErrorInvalidValue;
    TRY(query_device(&gpu));
    return BY_TYPE(b->type, solve_gradient, b, d, &gpu, stream);
}
