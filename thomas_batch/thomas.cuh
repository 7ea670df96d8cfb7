/* Thomas's elimination ("progonka", the sweep), PL19 section 2: one thread solves one system. Three
 * kernels, each with one more idea. PL19 prints no formula; README.md numbers them:
 *
 *   alpha_i = -c_i / (b_i + a_i alpha_{i-1})                        eq. T1
 *   beta_i = (k_i - a_i beta_{i-1}) / (b_i + a_i alpha_{i-1})       eq. T2
 *   x_i = alpha_i x_{i+1} + beta_i                                  eq. T3 */
#pragma once

#include "batch.cuh"

/* eq. T1-T2 for one row. Returns true if the pivot b_i + a_i alpha_{i-1} is valid. */
template <class T>
static __device__ inline bool eliminate(T a, T b, T c, T k, T alpha_before, T beta_before, T *alpha,
                                        T *beta)
{
    T term = a * alpha_before, pivot = b + term, inverse = 1 / pivot;
    *alpha = -c * inverse;
    *beta = (k - a * beta_before) * inverse;
    /* NaN, if the inverse of a subnormal pivot is infinite */
    return pivot_valid(pivot, abs1(b) + abs1(term)) && inverse - inverse == 0;
}

/* All arrays are in global memory, 9 elements a row: a, b, c, k are read, alpha and beta written
 * and read again, x written. The array x holds beta until the substitution.
 *
 * The compiler loads c and k after the division, so a row waits for memory twice. EARLY is
 * thomas_shared's order without shared memory: all four loads, one wait. */
template <class T, bool EARLY>
static __global__ void __launch_bounds__(1024) thomas_global(device_systems<T> s, T *alpha)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= s.batch)
        return;
    int64_t at = k * s.system_stride;
    T alpha_i = 0, beta_i = 0;
    long long failed = 0;
    for (int64_t i = 0; i < s.n; i++, at += s.row_stride) {
        T a = i > 0 ? s.a[at] : 0;
        T b = s.b[at], c = s.c[at], rhs = s.k[at];
        if (EARLY)
            asm volatile("" ::: "memory"); /* no load may move beyond this line */
        if (!eliminate(a, b, c, rhs, alpha_i, beta_i, &alpha_i, &beta_i) && failed == 0)
            failed = i + 1;
        alpha[at] = alpha_i;
        s.x[at] = beta_i;
    }
    at -= s.row_stride;
    T x = s.x[at];
    for (int64_t i = s.n - 2; i >= 0; i--) { /* substitution, eq. T3 */
        at -= s.row_stride;
        s.x[at] = x = alpha[at] * x + s.x[at];
    }
    s.status[k] = failed;
}

/* Adds PL19's use of shared memory: T elements of a, b, c, k for the current row, 2 T of alpha,
 * beta, x for the current and the previous row. Each thread uses its own column, so there is no
 * barrier. PL19 expects a gain from repeated use; README.md says where it comes from. */
template <class T>
static __global__ void __launch_bounds__(1024) thomas_shared(device_systems<T> s, T *alpha)
{
    DYN_SHARED(T, shared);
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= s.batch)
        return;
    int threads = (int)blockDim.x;
    T *a = shared + threadIdx.x, *b = a + threads, *c = b + threads, *rhs = c + threads;
    T *alphas = rhs + threads, *betas = alphas + 2 * threads, *xs = betas + 2 * threads;
    int64_t at = k * s.system_stride;
    long long failed = 0;
    alphas[threads] = 0; /* the start values alpha_{-1} and beta_{-1} */
    betas[threads] = 0;
    for (int64_t i = 0; i < s.n; i++, at += s.row_stride) {
        int now = i % 2 ? threads : 0, before = threads - now;
        *a = i > 0 ? s.a[at] : 0;
        *b = s.b[at];
        *c = s.c[at];
        *rhs = s.k[at];
        if (!eliminate(*a, *b, *c, *rhs, alphas[before], betas[before], &alphas[now],
                       &betas[now]) &&
            failed == 0)
            failed = i + 1;
        alpha[at] = alphas[now];
        s.x[at] = betas[now];
    }
    at -= s.row_stride;
    xs[s.n % 2 ? 0 : threads] = s.x[at];
    for (int64_t i = s.n - 2; i >= 0; i--) { /* substitution, eq. T3 */
        int now = i % 2 ? threads : 0, above = threads - now;
        at -= s.row_stride;
        alphas[now] = alpha[at];
        betas[now] = s.x[at];
        xs[now] = alphas[now] * xs[above] + betas[now];
        s.x[at] = xs[now];
    }
    s.status[k] = failed;
}

/* A tile of one array in shared memory: 32 systems by ROWS rows of 128 bytes. A warp accesses it
 * along the rows of a system to copy, and across the 32 systems to eliminate. Without padding the
 * 32 elements of a row would lie 128 bytes apart, in one bank: 32 turns instead of 1 (in double
 * precision, instead of 2). With PITCH = ROWS + 1 neither direction has a conflict. There are
 * STAGES sets of four tiles (a, b, c, k): one is copied while the warp works on the other. */
template <class T> struct tile {
    enum { ROWS = 128 / sizeof(T), PITCH = ROWS + 1, ELEMENTS = WARP * PITCH };
    enum { STAGES = 2, ALL = STAGES * 4 * ELEMENTS };
};

/* Lane e % 32 copies element e of a tile in step e / 32. Neighbouring lanes get neighbouring
 * addresses: along the rows in the contiguous layout, across the systems in the interleaved one. */
template <class T>
static __device__ inline void tile_position(bool along_rows, int e, int *system, int *row)
{
    *system = along_rows ? e / tile<T>::ROWS : e % WARP;
    *row = along_rows ? e % tile<T>::ROWS : e / WARP;
}

/* Starts the asynchronous copy of a tile of `from`, from first_system and first_row on. */
template <class T>
static __device__ inline void load_tile(const device_systems<T> *s, int64_t first_system,
                                        int64_t first_row, const T *from, int64_t system_stride,
                                        int64_t row_stride, T *to)
{
    for (int e = (int)threadIdx.x; e < WARP * tile<T>::ROWS; e += WARP) {
        int system, row;
        tile_position<T>(row_stride == 1, e, &system, &row);
        if (first_system + system < s->batch && first_row + row < s->n)
            copy_async<sizeof(T)>(
                &to[system * tile<T>::PITCH + row],
                &from[(first_system + system) * system_stride + (first_row + row) * row_stride]);
    }
}

/* Copies a tile of x from shared memory to global memory. */
template <class T>
static __device__ inline void store_tile(const device_systems<T> *s, int64_t first_system,
                                         int64_t first_row, const T *out)
{
    for (int e = (int)threadIdx.x; e < WARP * tile<T>::ROWS; e += WARP) {
        int system, row;
        tile_position<T>(s->row_stride == 1, e, &system, &row);
        if (first_system + system < s->batch && first_row + row < s->n)
            s->x[(first_system + system) * s->system_stride + (first_row + row) * s->row_stride] =
                out[system * tile<T>::PITCH + row];
    }
}

/* Adds coalesced access: a warp copies tiles together and transposes them through padded shared
 * memory. The next tiles are copied while the current ones are eliminated, so the warp should wait
 * less. In the contiguous layout it should touch six sevenths fewer sectors (single precision: 4 or
 * 5 a request instead of 32). The kernel still moves 9 elements a row; alpha and beta are always
 * interleaved. */
template <class T> static __global__ void thomas_tile(device_systems<T> s, T *alpha, T *beta)
{
    DYN_SHARED(T, shared);
    const int rows = tile<T>::ROWS;
    int lane = (int)threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * WARP, k = first + lane;
    int64_t tiles = (s.n + rows - 1) / rows;
    const T *const from[] = {s.a, s.b, s.c, s.k};
    T alpha_i = 0, beta_i = 0;
    long long failed = 0;
    /* Iteration t starts the copy of tile t + 1, then eliminates tile t. */
    for (int64_t t = -1; t < tiles; t++) {
        if (t + 1 < tiles)
            for (int i = 0; i < 4; i++)
                load_tile(&s, first, (t + 1) * rows, from[i], s.system_stride, s.row_stride,
                          shared + (((t + 1) & 1) * 4 + i) * tile<T>::ELEMENTS);
        copy_async_commit();
        copy_async_wait<1>();
        __syncwarp();
        T *mine = shared + (t & 1) * 4 * tile<T>::ELEMENTS + lane * tile<T>::PITCH;
        for (int j = 0; t >= 0 && k < s.batch && j < rows && t * rows + j < s.n; j++) {
            int64_t i = t * rows + j;
            T a = i > 0 ? mine[j] : 0;
            T b = mine[tile<T>::ELEMENTS + j];
            T c = mine[2 * tile<T>::ELEMENTS + j];
            T d = mine[3 * tile<T>::ELEMENTS + j];
            if (!eliminate(a, b, c, d, alpha_i, beta_i, &alpha_i, &beta_i) && failed == 0)
                failed = i + 1;
            alpha[i * s.batch + k] = alpha_i;
            beta[i * s.batch + k] = beta_i;
        }
        __syncwarp();
    }
    if (k < s.batch)
        s.status[k] = failed;

    /* Substitution, eq. T3, from the last tile to the first: reads alpha and beta, writes x. */
    T x = 0, *out = shared + 7 * tile<T>::ELEMENTS;
    for (int64_t t = tiles; t >= 0; t--) {
        if (t > 0)
            for (int i = 0; i < 2; i++)
                load_tile(&s, first, (t - 1) * rows, i ? beta : alpha, 1, s.batch,
                          shared + (((t - 1) & 1) * 2 + i) * tile<T>::ELEMENTS);
        copy_async_commit();
        copy_async_wait<1>();
        __syncwarp();
        if (t < tiles) {
            T *mine = shared + (t & 1) * 2 * tile<T>::ELEMENTS + lane * tile<T>::PITCH;
            for (int j = rows - 1; j >= 0; j--)
                if (k < s.batch && t * rows + j < s.n) {
                    /* alpha of the last row comes from c_{n-1}, which may be NaN */
                    T ahead = t * rows + j < s.n - 1 ? mine[j] * x : 0;
                    out[lane * tile<T>::PITCH + j] = x = ahead + mine[tile<T>::ELEMENTS + j];
                }
            __syncwarp();
            store_tile(&s, first, t * rows, out);
        }
        __syncwarp();
    }
}
