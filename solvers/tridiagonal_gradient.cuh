/* The gradient of a tridiagonal solve (tridiagonal_problem.h), except for its adjoint solve. That
 * has the transposed matrix and conjugated right-hand sides, so the matrix need not be conjugated:
 *
 *     A^T conj(lambda) = conj(dx),   sub^T_i = super_{i-1},   super^T_i = sub_{i+1}
 *
 * The kernels here do the rest:
 *
 *     keep_dx              before the solve: copies dx, if the solve overwrites it too early
 *     transpose_couplings  copies sub^T and super^T, if the solver cannot read those of A
 *     derive_adjacent      after the solve: drhs, and the derivatives of matrices that no systems
 *                          share
 *     derive_strided       the same for layouts whose rows are not neighbours in memory
 *     derive_shared        the same for shared matrices: each thread adds up some of the elements
 *     add_sums             adds up the sums of these threads, always in the same order
 *     clear_ends           sets the derivatives at the ends of systems of different lengths to 0 */
#pragma once

#include "arithmetic.cuh"
#include "tridiagonal_problem.h"

/* A thread of derive_adjacent() or derive_strided() takes DERIVE_EACH rows, so that it waits for
 * memory once. A launch of derive_shared() has at most SUMS_MOST threads if several add up the same
 * element, and fewer if each would have fewer than ITEMS_LEAST rows. */
enum { DERIVE_THREADS = 256, DERIVE_EACH = 4, SUMS_MOST = 1 << 17, ITEMS_LEAST = 16 };

/* The arguments of the kernels. Row i of system o inner + k is element origin + o plane_stride + i
 * row_stride + k of dx, x, rhs and drhs, and also of the matrix if it is not shared. Otherwise
 * `sides` consecutive systems have the same matrix, and row i of matrix m is element m n + i. */
template <class T> struct gradient {
    int64_t n, systems, origin, inner, row_stride, plane_stride, sides;
    const int64_t *offset; /* not NULL: contiguous systems of different lengths */
    bool shared;           /* systems share a matrix, or its diagonals are constant */
    bool constant;         /* diagonals are constant: each has one element */
    bool periodic;
    bool rewrite; /* the result of the solve is not yet drhs */
    const T *sub, *super, *dx, *x;
    const T *rhs;       /* NULL unless x = 2 A^-1 rhs - rhs */
    T *kept;            /* [system][row]: a copy of dx, because drhs is the same array; or NULL */
    T *drhs;            /* from the solve: conj(lambda) */
    T *d[3];            /* dsub, ddiag, dsuper, each may be NULL */
    T *sub_t, *super_t; /* the results of transpose_couplings() */
    T *sums;            /* [3][keys][chunks]: partial sums */
    /* keys: the elements of each of d[]. chunks: the threads that add up each of them. */
    int64_t keys, chunks;
};

/* ---- rows and elements ---- */

/* a / b for a >= 0 and b > 0. Divisions of 64-bit numbers are slow. */
static __host__ __device__ inline int64_t quotient(int64_t a, int64_t b)
{
    return ((a | b) >> 32) != 0 ? a / b : (int64_t)((uint32_t)a / (uint32_t)b);
}
/* Row `row` of a system, and the elements of its unknown and of the unknowns before and after it;
 * -1 where there is none. */
struct place {
    int64_t system, row, element, before, after;
};
template <class T>
static __device__ inline place place_at(const gradient<T> &g, int64_t system, int64_t row)
{
    int64_t plane = g.inner == 1           ? system
                    : g.inner >= g.systems ? 0
                                           : quotient(system, g.inner),
            e = g.origin + plane * g.plane_stride + row * g.row_stride + system - plane * g.inner,
            ring = (g.n - 1) * g.row_stride;
    return {system, row, e,
            row > 0      ? e - g.row_stride
            : g.periodic ? e + ring
                         : -1,
            row + 1 < g.n ? e + g.row_stride
            : g.periodic  ? e - ring
                          : -1};
}
/* Number `i` of all rows. Numbers that follow one another are neighbours in memory. */
template <class T> static __device__ inline place place_of(const gradient<T> &g, int64_t i)
{
    int64_t by = g.row_stride == 1 ? g.n : g.systems, q = quotient(i, by), r = i - q * by;
    return g.row_stride == 1 ? place_at(g, q, r) : place_at(g, r, q);
}
/* Systems of different lengths become one system. clear_ends() corrects the derivatives at the
 * ends of the systems. */
template <class T> static __device__ inline void join_systems(gradient<T> *g)
{
    if (!g->offset)
        return;
    g->origin = g->offset[0];
    g->n = g->offset[g->systems] - g->origin;
    g->systems = 1;
    g->plane_stride = 0;
}
/* The index of a row in `kept`. */
template <class T> static __device__ inline int64_t kept_at(const gradient<T> &g, const place &at)
{
    return at.system * g.n + at.row;
}

/* ---- before the solve ---- */

template <class T> static __global__ void __launch_bounds__(DERIVE_THREADS) keep_dx(gradient<T> g)
{
    join_systems(&g);
    int64_t step = (int64_t)gridDim.x * DERIVE_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * DERIVE_THREADS + threadIdx.x; i < g.n * g.systems;
         i += step) {
        place at = place_of(g, i);
        g.kept[kept_at(g, at)] = g.dx[at.element];
    }
}
/* The copies have the layout of sub and super. */
template <class T>
static __global__ void __launch_bounds__(DERIVE_THREADS) transpose_couplings(gradient<T> g)
{
    if (g.shared) {
        g.systems /= g.sides;
        g.inner = g.row_stride = 1;
        g.plane_stride = g.n;
    }
    int64_t step = (int64_t)gridDim.x * DERIVE_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * DERIVE_THREADS + threadIdx.x; i < g.n * g.systems;
         i += step) {
        place at = place_of(g, i);
        g.sub_t[at.element] = at.before < 0 ? zero_of(T()) : g.super[at.before];
        g.super_t[at.element] = at.after < 0 ? zero_of(T()) : g.sub[at.after];
    }
}

/* ---- after the solve ---- */

/* With crank_nicolson x = 2 y - rhs for A y = rhs, and dA = -(2 lambda) y^H. So x + rhs takes the
 * place of x. 0 if there is no unknown. */
template <class T> static __device__ inline T unknown_at(const gradient<T> &g, int64_t element)
{
    return element < 0 ? zero_of(T()) : g.rhs ? g.x[element] + g.rhs[element] : g.x[element];
}
/* Replaces conj(lambda), which the solve gave, by drhs: by lambda or, with crank_nicolson, by
 * 2 lambda - dx. `kept` is the row's index in g.kept. */
template <class T>
static __device__ inline void write_drhs(const gradient<T> &g, int64_t element, int64_t kept,
                                         T conj_lambda)
{
    T value = conjugate(conj_lambda);
    if (g.rhs)
        value = twice_minus(value, g.kept ? g.kept[kept] : g.dx[element]);
    g.drhs[element] = value;
}
/* Writes what belongs to one row. x are the unknowns of dsub, ddiag and dsuper, 0 where there is
 * none. */
template <class T>
static __device__ inline void write_row(const gradient<T> &g, int64_t element, int64_t kept,
                                        T conj_lambda, const T x[3])
{
    UNROLL()
    for (int a = 0; a < 3; a++)
        if (g.d[a])
            g.d[a][element] = conjugate(-(conj_lambda * x[a]));
    if (g.rewrite)
        write_drhs(g, element, kept, conj_lambda);
}

/* Row_stride is 1: neighbouring threads take neighbouring rows. Index arithmetic would cost more
 * than memory, so a thread divides once, and again only where its rows enter another system. */
template <class T>
static __global__ void __launch_bounds__(DERIVE_THREADS) derive_adjacent(gradient<T> g)
{
    join_systems(&g);
    const int64_t all = g.n * g.systems, gap = g.plane_stride - g.n,
                  step = (int64_t)gridDim.x * DERIVE_THREADS * DERIVE_EACH;
    for (int64_t i = (int64_t)blockIdx.x * DERIVE_THREADS * DERIVE_EACH + threadIdx.x; i < all;
         i += step) {
        const int64_t system = quotient(i, g.n), row = i - system * g.n,
                      first = g.origin + i + system * gap;
        int64_t element[DERIVE_EACH];
        T conj_lambda[DERIVE_EACH], x[DERIVE_EACH][3];
        UNROLL()
        for (int j = 0; j < DERIVE_EACH; j++) {
            if (i + j * DERIVE_THREADS >= all)
                break;
            int64_t r = row + j * DERIVE_THREADS, e = first + j * DERIVE_THREADS;
            if (r >= g.n) {
                int64_t more = quotient(r, g.n);
                r -= more * g.n;
                e += more * gap;
            }
            element[j] = e;
            conj_lambda[j] = g.drhs[e];
            x[j][0] = unknown_at(g, r > 0 ? e - 1 : g.periodic ? e + g.n - 1 : -1);
            x[j][1] = unknown_at(g, e);
            x[j][2] = unknown_at(g, r + 1 < g.n ? e + 1 : g.periodic ? e - r : -1);
        }
        UNROLL()
        for (int j = 0; j < DERIVE_EACH; j++)
            if (i + j * DERIVE_THREADS < all)
                write_row(g, element[j], i + j * DERIVE_THREADS, conj_lambda[j], x[j]);
    }
}
/* Row_stride is larger: neighbouring threads take neighbouring systems. A thread takes consecutive
 * rows, and loads the unknowns of neighbouring rows once. */
template <class T>
static __global__ void __launch_bounds__(DERIVE_THREADS) derive_strided(gradient<T> g)
{
    const int64_t i = (int64_t)blockIdx.x * DERIVE_THREADS + threadIdx.x,
                  run = quotient(i, g.systems), system = i - run * g.systems,
                  row = run * DERIVE_EACH;
    if (row >= g.n)
        return;
    const int64_t first = place_at(g, system, row).element, ring = g.n * g.row_stride;
    T conj_lambda[DERIVE_EACH], x[DERIVE_EACH + 2];
    UNROLL()
    for (int j = -1; j <= DERIVE_EACH; j++) {
        int64_t r = row + j, e = first + j * g.row_stride;
        x[j + 1] = unknown_at(g, r > g.n             ? -1
                                 : r >= 0 && r < g.n ? e
                                 : !g.periodic       ? -1
                                 : r < 0             ? e + ring
                                                     : e - ring);
        if (j >= 0 && j < DERIVE_EACH && r < g.n)
            conj_lambda[j] = g.drhs[e];
    }
    UNROLL()
    for (int j = 0; j < DERIVE_EACH; j++)
        if (row + j < g.n)
            write_row(g, first + j * g.row_stride, system * g.n + row + j, conj_lambda[j], x + j);
}
template <class T>
static __global__ void __launch_bounds__(DERIVE_THREADS) clear_ends(gradient<T> g)
{
    int64_t step = (int64_t)gridDim.x * DERIVE_THREADS;
    for (int64_t k = (int64_t)blockIdx.x * DERIVE_THREADS + threadIdx.x; k < g.systems; k += step) {
        int64_t begin = g.offset[k], end = g.offset[k + 1];
        if (begin < end && g.d[0])
            g.d[0][begin] = zero_of(T());
        if (begin < end && g.d[2])
            g.d[2][end - 1] = zero_of(T());
    }
}

/* Thread number t adds up every chunks-th of the products that belong to one element of dsub, ddiag
 * and dsuper. Neighbouring threads take neighbouring rows or systems, as they lie in memory. */
template <class T>
static __global__ void __launch_bounds__(DERIVE_THREADS) derive_shared(gradient<T> g)
{
    int64_t t = (int64_t)blockIdx.x * DERIVE_THREADS + threadIdx.x, key = 0, chunk = t, first = 0,
            items = g.n * g.systems, row = 0;
    if (t >= g.keys * g.chunks)
        return;
    if (!g.constant) {
        int64_t matrices = quotient(g.keys, g.n), by = g.row_stride == 1 ? g.n : g.chunks,
                q = quotient(t, by), r = t - q * by, more = g.row_stride == 1 ? g.chunks : matrices,
                q2 = quotient(q, more), r2 = q - q2 * more, matrix = g.row_stride == 1 ? q2 : r2;
        row = g.row_stride == 1 ? r : q2;
        chunk = g.row_stride == 1 ? r2 : r;
        key = matrix * g.n + row;
        first = matrix * g.sides;
        items = g.sides;
    }
    T sum[3] = {zero_of(T()), zero_of(T()), zero_of(T())};
    for (int64_t i = chunk; i < items; i += g.chunks) {
        place at = g.constant ? place_of(g, i) : place_at(g, first + i, row);
        T conj_lambda = g.drhs[at.element];
        if (at.before >= 0)
            sum[0] = neg_mul_add(sum[0], conj_lambda, unknown_at(g, at.before));
        sum[1] = neg_mul_add(sum[1], conj_lambda, unknown_at(g, at.element));
        if (at.after >= 0)
            sum[2] = neg_mul_add(sum[2], conj_lambda, unknown_at(g, at.after));
        if (g.rewrite)
            write_drhs(g, at.element, kept_at(g, at), conj_lambda);
    }
    UNROLL()
    for (int a = 0; a < 3; a++)
        if (g.d[a]) {
            T *to = g.chunks == 1 ? g.d[a] + key : g.sums + (a * g.keys + key) * g.chunks + chunk;
            *to = conjugate(sum[a]);
        }
}
/* `lanes` threads, a warp or a block, add up the sums of each element. */
template <class T>
static __global__ void __launch_bounds__(DERIVE_THREADS) add_sums(gradient<T> g, int lanes)
{
    __shared__ T of_warp[DERIVE_THREADS / WARP];
    int rank = (int)threadIdx.x % lanes, warp = (int)threadIdx.x / WARP,
        lane = (int)threadIdx.x % WARP;
    int64_t i = (int64_t)blockIdx.x * (DERIVE_THREADS / lanes) + (int)threadIdx.x / lanes,
            a = quotient(i, g.keys);
    T sum = zero_of(T());
    const bool exists = a < 3 && g.d[a];
    for (int64_t c = rank; exists && c < g.chunks; c += lanes)
        sum = sum + g.sums[i * g.chunks + c];
    for (int h = WARP / 2; h > 0; h /= 2)
        sum = sum + from_lane(sum, lane ^ h);
    if (lane == 0)
        of_warp[warp] = sum;
    __syncthreads();
    for (int w = 1; w < lanes / WARP; w++)
        sum = sum + of_warp[w];
    if (exists && rank == 0)
        g.d[a][i - a * g.keys] = sum;
}

/* ---- for launchers ---- */

/* Sets the numbers of elements and threads from the other members. */
template <class T> static void plan_sums(gradient<T> *g)
{
    int64_t all = g->n * g->systems, threads = all / ITEMS_LEAST,
            items = g->constant ? all : g->sides;
    threads = threads < SUMS_MOST ? threads : (int64_t)SUMS_MOST;
    g->keys = g->constant ? 1 : all / g->sides;
    g->chunks = threads / g->keys;
    g->chunks = g->chunks < 1 ? 1 : g->chunks < items ? g->chunks : items;
}
/* The bytes of g->sums. */
template <class T> static size_t sums_bytes(const gradient<T> &g)
{
    return g.shared && g.chunks > 1 ? (size_t)(3 * g.keys * g.chunks) * sizeof(T) : 0;
}
/* The blocks for this number of threads; fewer if their number is not known because of `offset`. */
template <class T>
static unsigned derive_blocks(const gradient<T> &g, int64_t threads, int multiprocessors)
{
    int64_t blocks = ceil_div(threads, DERIVE_THREADS),
            most = g.offset ? 8 * (int64_t)multiprocessors : INT32_MAX;
    return (unsigned)(blocks < most ? blocks : most);
}
/* Copies dx and the couplings, if g has memory for that. */
template <class T>
static cudaError_t launch_before_solve(const gradient<T> &g, int multiprocessors,
                                       cudaStream_t stream)
{
    unsigned blocks = derive_blocks(g, g.n * g.systems, multiprocessors);
    if (g.kept)
        TRY(LAUNCH((keep_dx<T>), blocks, DERIVE_THREADS, 0, stream, g));
    if (g.sub_t)
        TRY(LAUNCH((transpose_couplings<T>), blocks, DERIVE_THREADS, 0, stream, g));
    return cudaSuccess;
}
template <class T>
static cudaError_t launch_after_solve(const gradient<T> &g, int multiprocessors,
                                      cudaStream_t stream)
{
    if (!g.d[0] && !g.d[1] && !g.d[2] && !g.rewrite)
        return cudaSuccess;
    if (!g.shared) {
        if (g.row_stride == 1)
            TRY(LAUNCH((derive_adjacent<T>),
                       derive_blocks(g, ceil_div(g.n * g.systems, DERIVE_EACH), multiprocessors),
                       DERIVE_THREADS, 0, stream, g));
        else
            TRY(LAUNCH((derive_strided<T>),
                       derive_blocks(g, ceil_div(g.n, DERIVE_EACH) * g.systems, multiprocessors),
                       DERIVE_THREADS, 0, stream, g));
        if (g.offset && (g.d[0] || g.d[2]))
            TRY(LAUNCH((clear_ends<T>), derive_blocks(g, g.systems, multiprocessors),
                       DERIVE_THREADS, 0, stream, g));
        return cudaSuccess;
    }
    TRY(LAUNCH((derive_shared<T>), derive_blocks(g, g.keys * g.chunks, multiprocessors),
               DERIVE_THREADS, 0, stream, g));
    if (g.chunks == 1)
        return cudaSuccess;
    int lanes = g.chunks > 2 * DERIVE_THREADS ? (int)DERIVE_THREADS : (int)WARP;
    return LAUNCH((add_sums<T>), derive_blocks(g, 3 * g.keys * lanes, multiprocessors),
                  DERIVE_THREADS, 0, stream, g, lanes);
}

/* A gradient's arrays, each with its bytes. */
struct array_bytes {
    const void *array;
    int64_t bytes;
};
/* True if one of the first `outputs` arrays overlaps another array. If the layout has gaps, another
 * array may lie in them, so then only the addresses are compared. The pair (0, `same`) is not
 * tested. */
static bool outputs_overlap(const struct array_bytes *arrays, int count, int outputs, int same,
                            bool gaps)
{
    for (int i = 0; i < outputs; i++)
        for (int k = i + 1; k < count; k++) {
            const struct array_bytes *one = &arrays[i], *other = &arrays[k];
            int64_t apart = (int64_t)((uintptr_t)other->array - (uintptr_t)one->array);
            bool overlap = gaps ? apart == 0 : apart < one->bytes && apart > -other->bytes;
            if (one->array && other->array && overlap && !(i == 0 && k == same && apart == 0))
                return true;
        }
    return false;
}
