/* Solves one large tridiagonal system at the speed of memory: the launchers and public functions.
 *
 * The partition method (partition.cuh; L22 is one form of it) is a reduction, because merging two
 * neighbouring partitions gives a partition. A thread reduces its rows to a partition. The
 * partitions are merged over the lanes of a warp, the warps of a block, and the blocks of the grid,
 * until two equations for the whole system are left. Then substitution goes back along the same
 * path. In the terms of L22 the elimination in a thread is RD and RU in one sweep, merging is JD
 * and JU, the way back to each thread is RS, and the substitution in a thread is SS.
 *
 *   tridiagonal_rows.cuh      the problem, and how a warp loads and stores its rows
 *   tridiagonal_grid.cuh      the reduction over warps, blocks and the grid
 *   tridiagonal_status.cuh    breakdowns: from a missing pivot to the row in the status
 *   tridiagonal_resident.cuh  RESIDENT, for systems that fit into shared memory: 5 elements a row
 *   tridiagonal_partly_resident.cuh  PARTLY_RESIDENT, for systems up to some times larger: 5 to 9
 *   tridiagonal_two_pass.cuh  TWO_PASS, for larger systems: 9
 *   tridiagonal_gradient.cuh  the gradient, after its adjoint solve
 *
 * A merge costs as much as the elimination of dozens of rows, so a thread should have many rows.
 * Where rows stay in shared memory until substitution, its size limits their number. The first of
 * two passes keeps no rows and gives each lane sixteen times as many, so it has few warps for a
 * system only some times larger than shared memory. There the partly resident kernel is faster.
 *
 * Automatic pivoting is an attempt without pivoting, whose verdict is whether the system has the
 * certificate (certificate.cuh), and a retry with pivoting if it has none. RESIDENT and
 * PARTLY_RESIDENT do both in one kernel. TWO_PASS launches three more kernels for the retry, which
 * return at once if the attempt has solved the system. Below, P is the solver of the attempt and Q
 * that of the retry; without automatic pivoting P is the only solver, and Q is P.
 *
 * Accesses to shared memory have no bank conflicts, because each thread has an odd number of
 * consecutive 16-byte chunks: those that eight neighbouring threads read together lie in all 32
 * banks. (The first pass uses a swizzle instead. The smaller tile of a warp of the partly resident
 * kernel may have an even number, and then it has conflicts.) */
#include "tridiagonal.h"

#include "tridiagonal_gradient.cuh"
#include "tridiagonal_partly_resident.cuh"
#include "tridiagonal_resident.cuh"
#include "tridiagonal_two_pass.cuh"

/* Launches a kernel whose blocks, if there are several, must run at the same time. */
#define LAUNCH_TOGETHER(kernel, blocks, ...)                                                       \
    device_launch(#kernel, (blocks) > 1, kernel, blocks, __VA_ARGS__)

/* ---- resident ---- */

static size_t larger(size_t x, size_t y)
{
    return x > y ? x : y;
}
template <class P, class Q> static size_t resident_bytes(int chunks, int threads)
{
    return larger(sizeof(resident_storage<P>), sizeof(resident_storage<Q>)) +
           (size_t)(4 * CHUNK) * chunks * threads;
}
/* The smallest odd number of chunks per thread with which n rows fit into `blocks` blocks of
 * `threads` threads; 0 if they do not fit. */
template <class P, class Q>
static int chunks_for(const struct device_properties *m, int64_t n, int64_t blocks, int threads)
{
    for (int chunks = 1; resident_bytes<P, Q>(chunks, P::RESIDENT_THREADS) <= m->shared_bytes;
         chunks += 2)
        if (ceil_div(n, threads * rows_in<P>(chunks)) <= blocks)
            return chunks;
    return 0;
}
/* The chunks per thread, an odd number, with which n rows fit into one block per multiprocessor; 0
 * if they do not fit. Merging takes more time than elimination. So where more than eight warps
 * would be needed, up to 14 rows a thread are better, if one block of four warps is then enough,
 * which merges without the grid, or blocks of six (measured on an H100). */
template <class P, class Q> static int resident_chunks(const struct device_properties *m, int64_t n)
{
    if (n <= 8 * WARP * rows_in<P>(1))
        return 1;
    const int most_rows = 14, one = chunks_for<P, Q>(m, n, 1, 4 * WARP),
              few = chunks_for<P, Q>(m, n, m->multiprocessors, 6 * WARP);
    if (one > 0 && rows_in<P>(one) <= most_rows)
        return one;
    if (few > 0 && rows_in<P>(few) <= most_rows)
        return few;
    return chunks_for<P, Q>(m, n, m->multiprocessors, P::RESIDENT_THREADS);
}
template <class P, class Q>
static cudaError_t launch_resident(const problem<P> &p, const problem<Q> &retry,
                                   const struct device_properties *m, int chunks,
                                   cudaStream_t stream)
{
    typedef typename P::number T;
    int64_t rows = rows_in<P>(chunks), threads = ceil_div(ceil_div(p.n, rows), WARP) * WARP,
            least = ceil_div(m->multiprocessors, WARP) * WARP;
    /* One block exchanges no messages. Otherwise use all multiprocessors. Then each block needs at
     * least as many threads as there are blocks, because each thread reads the message of one. */
    if (threads > P::RESIDENT_THREADS) {
        threads = ceil_div(ceil_div(p.n, rows * m->multiprocessors), WARP) * WARP;
        threads = threads < least ? least : threads;
    }
    unsigned blocks = (unsigned)ceil_div(p.n, rows * threads), width = (unsigned)threads;
    size_t shared = resident_bytes<P, Q>(chunks, (int)threads);
    if constexpr (P::IS_ATTEMPT)
        return LAUNCH_TOGETHER((resident_auto<T>), blocks, width, shared, stream, p, retry, chunks);
    else
        return LAUNCH_TOGETHER((resident<P>), blocks, width, shared, stream, p, chunks);
}

/* ---- partly resident ---- */

/* If warps have more tiles than this, two passes are as fast. */
enum { MOST_TILES = 20 };

struct tiling {
    int64_t blocks, units; /* units of a block (tridiagonal_partly_resident.cuh) */
    int most;              /* units of a tile */
};
/* Chooses the largest tiles that fit, and shares the units (a 16-byte chunk of each array for each
 * lane of a warp) evenly among all multiprocessors, at least one for each warp. */
template <class P, class Q>
static struct tiling tiling_of(const struct device_properties *m, int64_t n)
{
    int warps = P::RESIDENT_THREADS / WARP;
    struct tiling t = {};
    t.most = 1;
    while (resident_bytes<P, Q>(t.most + 2, P::RESIDENT_THREADS) <= m->shared_bytes)
        t.most += 2;
    int64_t all = ceil_div(n, WARP * rows_in<P>(1));
    t.units = ceil_div(all, m->multiprocessors);
    t.units = t.units < warps ? warps : t.units;
    t.blocks = ceil_div(all, t.units);
    return t;
}
/* The workspace for the interfaces between tiles; a tile has at least one unit. */
template <class P> static size_t between_bytes(int64_t n)
{
    return (size_t)ceil_div(n, WARP * rows_in<P>(1)) * sizeof(typename P::interface);
}
template <class P, class Q>
static cudaError_t launch_partly_resident(problem<P> p, problem<Q> retry,
                                          const struct device_properties *m, char *memory,
                                          cudaStream_t stream)
{
    typedef typename P::number T;
    struct tiling t = tiling_of<P, Q>(m, p.n);
    size_t shared = resident_bytes<P, Q>(t.most, P::RESIDENT_THREADS);
    p.between = (typename P::interface *)memory;
    p.large = p.n > m->l2_bytes / (5 * (int64_t)sizeof(T));
    if constexpr (P::IS_ATTEMPT) {
        retry.between = (typename Q::interface *)memory;
        retry.large = p.large;
        return LAUNCH_COOPERATIVE((partly_resident_auto<T>), (unsigned)t.blocks,
                                  P::RESIDENT_THREADS, shared, stream, p, retry, (int)t.units,
                                  t.most);
    } else
        return LAUNCH_COOPERATIVE((partly_resident<P>), (unsigned)t.blocks, P::RESIDENT_THREADS,
                                  shared, stream, p, (int)t.units, t.most);
}

/* ---- two passes ---- */

/* Lays out the arrays that have an element for each group at `memory`. Returns their bytes. */
template <class P> static size_t lay_out_groups(problem<P> *p, char *memory)
{
    p->groups = ceil_div(p->n, P::GROUP * rows_in<P>(P::PASS2_CHUNKS));
    size_t groups = (size_t)p->groups, bytes = groups * sizeof(group_slot<P>);
    p->slots = (group_slot<P> *)memory;
    p->group_first = (typename P::number *)(memory + bytes);
    p->group_last = p->group_first + groups;
    return bytes + 2 * groups * sizeof(typename P::number);
}

template <class P> static int64_t tiles_of(const problem<P> &p)
{
    return ceil_div(p.n, WARP * rows_in<P>(P::PASS2_CHUNKS));
}
template <class P> static cudaError_t launch_first_pass(const problem<P> &p, cudaStream_t stream)
{
    return LAUNCH((first_pass<P>), (unsigned)ceil_div(tiles_of(p), PASS1_LANES), WARP,
                  4 * WARP * chunks_between<P>() * CHUNK, stream, p);
}
struct merge_shape {
    int64_t each; /* the groups of a thread */
    unsigned blocks;
};
template <class P>
static struct merge_shape merge_shape_of(const problem<P> &p, const struct device_properties *m)
{
    int64_t each = ceil_div(p.groups, (int64_t)m->multiprocessors * MERGE_THREADS);
    return {each, (unsigned)ceil_div(p.groups, each * MERGE_THREADS)};
}
template <class P>
static cudaError_t launch_merge(const problem<P> &p, const struct device_properties *m,
                                cudaStream_t stream)
{
    constexpr size_t bytes = sizeof(grid_storage<P, MERGE_THREADS>);
    struct merge_shape shape = merge_shape_of(p, m);
    return LAUNCH_TOGETHER((merge_groups<P>), shape.blocks, MERGE_THREADS, bytes, stream, p,
                           shape.each);
}
template <class P>
static cudaError_t launch_second_pass(const problem<P> &p, const struct device_properties *m,
                                      cudaStream_t stream)
{
    int warps = P::PASS2_WARPS;
    constexpr size_t warp_bytes = 4 * WARP * CHUNK * P::PASS2_CHUNKS + sizeof(uint64_t);
    while (warps > 1 && warps * warp_bytes > m->shared_bytes)
        warps--;
    int64_t tiles = tiles_of(p);
    return LAUNCH((second_pass<P>),
                  (unsigned)(tiles < m->multiprocessors ? tiles : m->multiprocessors),
                  (unsigned)(warps * WARP), warps * warp_bytes, stream, p);
}
template <class P>
static cudaError_t launch_two_pass(problem<P> p, const struct device_properties *m, char *memory,
                                   cudaStream_t stream)
{
    lay_out_groups(&p, memory);
    TRY(launch_first_pass(p, stream));
    TRY(launch_merge(p, m, stream));
    if (P::IS_ATTEMPT)
        p.run_if = IF_ATTEMPT_SOLVED;
    return launch_second_pass(p, m, stream);
}

/* ---- API ---- */

/* The workspace consists of the head, the messages and the arrays of the groups. The messages have
 * the same address and size for all types, so that a later call cannot mistake other data for a
 * message. Attempt and retry have separate messages, because a block may send its message of the
 * retry while other blocks still wait for that of the attempt. */
static size_t message_bytes(bool attempt)
{
    typedef complex_of<double> largest;
    return MOST_BLOCKS * sizeof(uint64_t) *
           (attempt ? message_words<block_message<plain_attempt<largest>>>()
                    : message_words<block_message<pivoted<largest>>>());
}

static cudaError_t limits_of(struct device_properties *m)
{
    TRY(query_device(m));
    if (m->multiprocessors > MOST_BLOCKS)
        m->multiprocessors = MOST_BLOCKS;
    return cudaSuccess;
}
template <class P, class Q>
static enum tridiagonal_way way_of(const struct tridiagonal *t, const struct device_properties *m)
{
    if (t->way != TRIDIAGONAL_AUTO || t->n == 0)
        return t->way;
    if (resident_chunks<P, Q>(m, t->n) > 0)
        return TRIDIAGONAL_RESIDENT;
    struct tiling tiling = tiling_of<P, Q>(m, t->n);
    int warps = P::RESIDENT_THREADS / WARP;
    return tiling.most > 3 && tiling.units <= MOST_TILES * warps * tiling.most
               ? TRIDIAGONAL_PARTLY_RESIDENT
               : TRIDIAGONAL_TWO_PASS;
}

template <class P> static size_t workspace_bytes(const struct tridiagonal *t)
{
    problem<P> p = {};
    p.n = t->n;
    size_t groups = lay_out_groups(&p, NULL), between = between_bytes<P>(t->n);
    return HEAD_BYTES + message_bytes(false) + message_bytes(true) + larger(groups, between);
}

/* The problem of right-hand side k, `adjoint`: of a gradient. *memory becomes the address of the
 * arrays of the groups. */
template <class P>
static problem<P> problem_of(const struct tridiagonal *t, bool adjoint, int64_t k, void *work,
                             char **memory)
{
    typedef typename P::number T;
    problem<P> p = {};
    p.n = t->n;
    p.sub = (const T *)t->sub;
    p.diag = (const T *)t->diag;
    p.super = (const T *)t->super;
    p.rhs = (const T *)t->rhs + k * t->stride;
    p.x = (T *)t->x + k * t->stride;
    p.toeplitz = t->toeplitz != 0;
    p.transposed = adjoint;
    if (adjoint && p.toeplitz)
        swap_if(true, p.sub, p.super);
    p.begins = p.ends = !t->periodic;
    uintptr_t addresses = (uintptr_t)p.rhs | (uintptr_t)p.x;
    if (!p.toeplitz)
        addresses |= (uintptr_t)p.sub | (uintptr_t)p.diag | (uintptr_t)p.super;
    p.bulk = addresses % CHUNK == 0;
    p.head = (struct workspace_head *)work;
    p.status = t->status;
    p.keep_status = k > 0;
    char *messages = (char *)work + HEAD_BYTES;
    p.messages = (uint64_t *)(P::IS_ATTEMPT ? messages + message_bytes(false) : messages);
    *memory = messages + message_bytes(false) + message_bytes(true);
    return p;
}
template <class P, class Q = P>
static cudaError_t solve(const struct tridiagonal *t, bool adjoint, void *work, cudaStream_t stream)
{
    struct device_properties m;
    TRY(limits_of(&m));
    enum tridiagonal_way way = way_of<P, Q>(t, &m);
    int chunks = way == TRIDIAGONAL_RESIDENT ? resident_chunks<P, Q>(&m, t->n) : 0;
    if (chunks == 0 && way == TRIDIAGONAL_RESIDENT)
        return cudaErrorInvalidValue;
    for (int64_t k = 0; k < (t->sides > 0 ? t->sides : 1); k++) {
        char *memory;
        problem<P> attempt = problem_of<P>(t, adjoint, k, work, &memory);
        problem<Q> retry = problem_of<Q>(t, adjoint, k, work, &memory);
        retry.retry = P::IS_ATTEMPT;
        retry.run_if = IF_ATTEMPT_FAILED;
        if (way == TRIDIAGONAL_RESIDENT)
            TRY(launch_resident(attempt, retry, &m, chunks, stream));
        else if (way == TRIDIAGONAL_PARTLY_RESIDENT)
            TRY(launch_partly_resident(attempt, retry, &m, memory, stream));
        else {
            TRY(launch_two_pass(attempt, &m, memory, stream));
            if (P::IS_ATTEMPT)
                TRY(launch_two_pass(retry, &m, memory, stream));
        }
    }
    return cudaSuccess;
}

/* A call of tridiagonal_reduce(), tridiagonal_locate() or tridiagonal_finish(). */
struct part_call {
    enum { REDUCE_PART, LOCATE, FINISH_PART } what;
    int ends;
    void *equations;
    const void *around;
    enum tridiagonal_where where;
};
template <class P>
static cudaError_t run_part(const struct tridiagonal *t, const struct part_call *call, void *work,
                            cudaStream_t stream)
{
    struct device_properties m;
    char *memory;
    TRY(limits_of(&m));
    problem<P> p = problem_of<P>(t, false, 0, work, &memory);
    p.begins = (call->ends & TRIDIAGONAL_FIRST) != 0;
    p.ends = (call->ends & TRIDIAGONAL_LAST) != 0;
    lay_out_groups(&p, memory);
    if (call->what == part_call::REDUCE_PART) {
        p.steps = REDUCE;
        p.equations = (typename P::partition *)call->equations;
        TRY(launch_first_pass(p, stream));
        return launch_merge(p, &m, stream);
    }
    p.steps = FINISH;
    if (call->what == part_call::LOCATE) {
        struct merge_shape shape = merge_shape_of(p, &m);
        int64_t rows = MERGE_THREADS * shape.each * P::GROUP * rows_in<P>(P::PASS2_CHUNKS);
        return LAUNCH((locate<P>), 1, 1, 0, stream, p, (int)shape.blocks, rows, call->where);
    }
    memcpy((void *)&p.around, call->around, sizeof p.around);
    TRY(launch_merge(p, &m, stream));
    return launch_second_pass(p, &m, stream);
}

template <class T> static size_t workspace_bytes_of(const struct tridiagonal *t)
{
    size_t without = workspace_bytes<plain<T>>(t), with = workspace_bytes<pivoted<T>>(t);
    return t->pivot == TRIDIAGONAL_PIVOT_NEVER    ? without
           : t->pivot == TRIDIAGONAL_PIVOT_ALWAYS ? with
                                                  : larger(without, with);
}
template <class T>
static cudaError_t solve_type(const struct tridiagonal *t, bool adjoint, void *work,
                              cudaStream_t stream)
{
    return t->pivot == TRIDIAGONAL_PIVOT_NEVER ? solve<plain<T>>(t, adjoint, work, stream)
           : t->pivot == TRIDIAGONAL_PIVOT_ALWAYS
               ? solve<pivoted<T>>(t, adjoint, work, stream)
               : solve<plain_attempt<T>, pivoted_retry<T>>(t, adjoint, work, stream);
}
template <class T>
static cudaError_t run_part_type(const struct tridiagonal *t, const struct part_call *call,
                                 void *work, cudaStream_t stream)
{
    return t->pivot ? run_part<pivoted<T>>(t, call, work, stream)
                    : run_part<plain<T>>(t, call, work, stream);
}

/* The pointers are not checked. The bounds on n and stride prevent overflow in products. */
static bool arguments_valid(const struct tridiagonal *t)
{
    if (!t)
        return false;
    int way; /* C++ does not allow to read an enum that has a value of none of its constants */
    memcpy(&way, &t->way, sizeof way);
    if (element_bytes(t->type) == 0 || t->n < 0 || t->sides < 0 || t->stride < 0 ||
        t->pivot < TRIDIAGONAL_PIVOT_NEVER || t->pivot > TRIDIAGONAL_PIVOT_AUTO ||
        way < TRIDIAGONAL_AUTO || way > TRIDIAGONAL_TWO_PASS)
        return false;
    return t->n <= INT64_MAX / 64 &&
           (t->sides <= 1 || (t->stride >= t->n && t->stride <= INT64_MAX / 64 / t->sides));
}

size_t tridiagonal_workspace(const struct tridiagonal *t)
{
    return arguments_valid(t) ? BY_TYPE(t->type, workspace_bytes_of, t) : 0;
}

cudaError_t tridiagonal_prepare(void *workspace, size_t bytes, cudaStream_t stream)
{
    if (!device_aligned(workspace, CHUNK))
        return cudaErrorInvalidValue;
    return cudaMemsetAsync(workspace, 0, bytes, stream);
}

/* True if x overlaps an array of `count` right-hand sides of `bytes` bytes each. */
static bool overlaps_x(const struct tridiagonal *t, const void *array, int64_t bytes, int64_t count)
{
    const int64_t element = (int64_t)element_bytes(t->type), sides = t->sides > 1 ? t->sides : 1;
    int64_t apart = (int64_t)((intptr_t)array - (intptr_t)t->x);
    for (int64_t k = 1 - count; k < sides; k++) {
        int64_t begin = sides > 1 ? k * t->stride * element : 0;
        if (begin > apart - t->n * element && begin < apart + bytes)
            return true;
    }
    return false;
}
static bool overwrites_input(const struct tridiagonal *t)
{
    const int64_t element = (int64_t)element_bytes(t->type), one = t->toeplitz ? 1 : t->n;
    for (const void *array : {t->sub, t->diag, t->super})
        if (overlaps_x(t, array, one * element, 1))
            return true;
    return t->rhs != t->x && overlaps_x(t, t->rhs, t->n * element, t->sides > 1 ? t->sides : 1);
}
/* arguments_valid() must be true. */
static bool pointers_valid(const struct tridiagonal *t, void *workspace, size_t bytes)
{
    if (t->n > 0 &&
        (!all_aligned({t->sub, t->diag, t->super, t->rhs, t->x}, element_bytes(t->type)) ||
         overwrites_input(t)))
        return false;
    return device_aligned(workspace, CHUNK) && bytes >= tridiagonal_workspace(t) &&
           (!t->status || device_aligned(t->status, sizeof *t->status));
}

cudaError_t tridiagonal_solve(const struct tridiagonal *t, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    if (!arguments_valid(t) || !pointers_valid(t, workspace, bytes))
        return cudaErrorInvalidValue;
    if (t->n == 0)
        return t->status ? cudaMemsetAsync(t->status, 0, sizeof *t->status, stream) : cudaSuccess;
    return BY_TYPE(t->type, solve_type, t, false, workspace, stream);
}

/* ---- the gradient ---- */

template <class T> static gradient<T> plan_gradient(const struct tridiagonal *t)
{
    gradient<T> g = {};
    g.n = t->n;
    g.systems = g.sides = t->sides > 1 ? t->sides : 1;
    g.inner = g.row_stride = 1;
    g.plane_stride = t->stride;
    g.constant = t->toeplitz != 0;
    g.shared = g.constant || g.systems > 1;
    g.periodic = t->periodic != 0;
    plan_sums(&g);
    return g;
}
/* The offset of the sums in the workspace, which begins with that of the solve. */
static size_t sums_offset(const struct tridiagonal *t)
{
    return (size_t)ceil_div((int64_t)tridiagonal_workspace(t), CHUNK) * CHUNK;
}
template <class T> static size_t gradient_workspace_of(const struct tridiagonal *t)
{
    return t->n > 0 ? sums_offset(t) + sums_bytes(plan_gradient<T>(t)) : tridiagonal_workspace(t);
}
template <class T>
static cudaError_t solve_gradient(const struct tridiagonal *t,
                                  const struct tridiagonal_derivatives *d, void *work,
                                  cudaStream_t stream)
{
    struct device_properties m;
    TRY(limits_of(&m));
    struct tridiagonal adjoint = *t;
    adjoint.rhs = d->dx;
    adjoint.x = d->drhs;
    TRY(solve_type<T>(&adjoint, true, work, stream));
    gradient<T> g = plan_gradient<T>(t);
    g.rewrite = !std::is_floating_point<T>::value;
    g.x = (const T *)t->x;
    g.drhs = (T *)d->drhs;
    g.d[0] = (T *)d->dsub;
    g.d[1] = (T *)d->ddiag;
    g.d[2] = (T *)d->dsuper;
    g.sums = (T *)((char *)work + sums_offset(t));
    return launch_after_solve(g, m.multiprocessors, stream);
}

size_t tridiagonal_gradient_workspace(const struct tridiagonal *t)
{
    return arguments_valid(t) ? BY_TYPE(t->type, gradient_workspace_of, t) : 0;
}

static bool gradient_pointers_valid(const struct tridiagonal *t,
                                    const struct tridiagonal_derivatives *d)
{
    const size_t element = element_bytes(t->type);
    const int64_t sides = t->sides > 1 ? t->sides : 1,
                  one = (t->toeplitz ? 1 : t->n) * (int64_t)element,
                  all = ((sides - 1) * t->stride + t->n) * (int64_t)element;
    const struct array_bytes arrays[] = {{d->drhs, all},   {d->dsub, one},  {d->ddiag, one},
                                         {d->dsuper, one}, {d->dx, all},    {t->sub, one},
                                         {t->diag, one},   {t->super, one}, {t->x, all}};
    for (int i = 1; i < 4; i++)
        if (arrays[i].array && !device_aligned(arrays[i].array, element))
            return false;
    return device_aligned(t->x, element) &&
           !outputs_overlap(arrays, 9, 4, 4, sides > 1 && t->stride > t->n);
}

cudaError_t tridiagonal_gradient(const struct tridiagonal *t,
                                 const struct tridiagonal_derivatives *d, void *workspace,
                                 size_t bytes, cudaStream_t stream)
{
    if (!arguments_valid(t) || !d)
        return cudaErrorInvalidValue;
    struct tridiagonal adjoint = *t;
    adjoint.rhs = d->dx;
    adjoint.x = d->drhs;
    if (!pointers_valid(&adjoint, workspace, bytes) || bytes < tridiagonal_gradient_workspace(t) ||
        (t->n > 0 && !gradient_pointers_valid(t, d)))
        return cudaErrorInvalidValue;
    if (t->n == 0)
        return tridiagonal_solve(&adjoint, workspace, bytes, stream);
    return BY_TYPE(t->type, solve_gradient, t, d, workspace, stream);
}

/* ---- a part of a larger system ---- */

static cudaError_t call_part(const struct tridiagonal *t, struct part_call call, void *workspace,
                             size_t bytes, cudaStream_t stream)
{
    if (!arguments_valid(t) || t->n == 0 || t->sides > 1 || t->pivot == TRIDIAGONAL_PIVOT_AUTO ||
        (t->way != TRIDIAGONAL_AUTO && t->way != TRIDIAGONAL_TWO_PASS) || call.ends < 0 ||
        call.ends > (TRIDIAGONAL_FIRST | TRIDIAGONAL_LAST) || !pointers_valid(t, workspace, bytes))
        return cudaErrorInvalidValue;
    return BY_TYPE(t->type, run_part_type, t, &call, workspace, stream);
}

size_t tridiagonal_equations(char type, int pivot)
{
    return (pivot ? 10 : 7) * element_bytes(type);
}

cudaError_t tridiagonal_reduce(const struct tridiagonal *t, int ends, void *equations,
                               void *workspace, size_t bytes, cudaStream_t stream)
{
    struct part_call call = {part_call::REDUCE_PART, ends, equations, NULL, TRIDIAGONAL_INSIDE};
    if (!device_aligned(equations, element_bytes(t->type)))
        return cudaErrorInvalidValue;
    return call_part(t, call, workspace, bytes, stream);
}

cudaError_t tridiagonal_locate(const struct tridiagonal *t, int ends, enum tridiagonal_where where,
                               void *workspace, size_t bytes, cudaStream_t stream)
{
    struct part_call call = {part_call::LOCATE, ends, NULL, NULL, where};
    return t->status ? call_part(t, call, workspace, bytes, stream) : cudaErrorInvalidValue;
}

cudaError_t tridiagonal_finish(const struct tridiagonal *t, int ends, const void *around,
                               void *workspace, size_t bytes, cudaStream_t stream)
{
    struct part_call call = {part_call::FINISH_PART, ends, NULL, around, TRIDIAGONAL_INSIDE};
    return around ? call_part(t, call, workspace, bytes, stream) : cudaErrorInvalidValue;
}
