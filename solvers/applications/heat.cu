/* The heat equation by alternating directions (heat.h). A half step is a call of
 * tridiagonal_batch_solve(), which also returns the right-hand side of the next one. The stencils
 * compute the first right-hand side of a call. */
#include "heat.h"
#include "tridiagonal_batch.h"

/* Each thread computes ROWS points of a column, so ROWS independent loads hide memory's latency. */
enum { THREADS = 128, ROWS = 8 };

/* One point of (1 + r D) u. If u is smooth, differences of neighbours are small and often exact, so
 * the rounding error is smaller than that of before - 2 here + after. */
template <class T> static __device__ inline T stencil(T r, T before, T here, T after)
{
    return here + r * ((before - here) + (after - here));
}

/* out = (1 + r Dx) in. A warp reads neighbouring columns, so accesses are coalesced, and the
 * neighbours left and right are in a cache. */
template <class T> static __global__ void explicit_along_x(int64_t n, T r, const T *in, T *out)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t j = (int64_t)blockIdx.y * ROWS;
    T before[ROWS], here[ROWS], after[ROWS];
    if (i >= n)
        return;
    UNROLL()
    for (int k = 0; k < ROWS; k++) {
        const T *element = in + (j + k) * n + i;
        bool there = j + k < n;
        before[k] = there && i > 0 ? element[-1] : 0;
        here[k] = there ? element[0] : 0;
        after[k] = there && i + 1 < n ? element[1] : 0;
    }
    UNROLL()
    for (int k = 0; k < ROWS; k++)
        if (j + k < n)
            out[(j + k) * n + i] = stencil(r, before[k], here[k], after[k]);
}
/* out = (1 + r Dy) in. The ROWS points of a thread are neighbours in the y direction, so the thread
 * needs only ROWS + 2 elements, which it keeps in registers. */
template <class T> static __global__ void explicit_along_y(int64_t n, T r, const T *in, T *out)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t j = (int64_t)blockIdx.y * ROWS;
    T column[ROWS + 2];
    if (i >= n)
        return;
    UNROLL()
    for (int k = 0; k < ROWS + 2; k++) {
        int64_t row = j + k - 1;
        column[k] = row >= 0 && row < n ? in[row * n + i] : 0;
    }
    UNROLL()
    for (int k = 0; k < ROWS; k++)
        if (j + k < n)
            out[(j + k) * n + i] = stencil(r, column[k], column[k + 1], column[k + 2]);
}

/* The matrix 1 - r D: `diagonal` = 1 + 2 r, and beside it `off` = -r. */
template <class T> struct matrix {
    T off, diagonal;
};

/* Returns the matrix, rounded to T. First 1 + 2 r is rounded, and then r is computed from the
 * rounded value, so the elements of a row add up to exactly 1, and no heat is gained or lost. If r
 * were rounded separately, each of many steps could increase the heat by the factor 1 + eps. The
 * price: the effective dt differs from the given one by about eps (1 + 1/r) dt. */
template <class T> static matrix<T> matrix_of(const struct heat *s)
{
    double points = (double)(s->n + 1), r = s->dt / 2 * points * points;
    matrix<T> m;
    m.diagonal = (T)(1 + 2 * r);
    m.off = -(m.diagonal - 1) / 2;
    return m;
}
double heat_ratio(const struct heat *s)
{
    return -(s->type == 's' ? (double)(matrix_of<float>(s).off) : matrix_of<double>(s).off);
}

/* Copies the matrix to device memory. One thread. */
template <class T> static __global__ void store_matrix(matrix<T> m, matrix<T> *to)
{
    *to = m;
}

/* ---- layout of `work`: n * n right-hand sides, the matrix, the batch solver's workspace ---- */

enum { ALIGNMENT = 16, MATRIX_BYTES = 16 };
static size_t bytes_of_element(const struct heat *s)
{
    return s->type == 's' ? sizeof(float) : sizeof(double);
}
static size_t array_bytes(const struct heat *s)
{
    size_t n = (size_t)s->n, bytes = n * n * bytes_of_element(s);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}
static char *matrix_at(const struct heat *s)
{
    return (char *)s->work + array_bytes(s);
}

/* The call of the batch solver for one direction, without pointers. */
static struct tridiagonal_batch plan_solver(const struct heat *s, enum heat_direction along)
{
    struct tridiagonal_batch b = {};
    b.type = s->type;
    b.n = b.batch = s->n;
    b.matrix = TRIDIAGONAL_BATCH_CONSTANT;
    b.inner = along == HEAT_ALONG_Y ? s->n : 1;
    return b;
}

/* ---- public functions ---- */

static bool arguments_valid(const struct heat *s)
{
    if (!s || (s->type != 's' && s->type != 'd') || s->n < 1 || s->n > HEAT_MOST)
        return false;
    double r = heat_ratio(s);
    return r > 0 && r * 0 == 0; /* r * 0 is NaN for Inf and NaN */
}

size_t heat_work(const struct heat *s)
{
    if (!arguments_valid(s))
        return 0;
    struct tridiagonal_batch x = plan_solver(s, HEAT_ALONG_X), y = plan_solver(s, HEAT_ALONG_Y);
    size_t x_bytes = tridiagonal_batch_work(&x), y_bytes = tridiagonal_batch_work(&y);
    return array_bytes(s) + MATRIX_BYTES + (x_bytes > y_bytes ? x_bytes : y_bytes);
}

cudaError_t heat_prepare(const struct heat *s, cudaStream_t stream)
{
    if (!arguments_valid(s) || !device_aligned(s->work, ALIGNMENT))
        return cudaErrorInvalidValue;
    return s->type == 's' ? LAUNCH(store_matrix<float>, 1, 1, 0, stream, matrix_of<float>(s),
                                   (matrix<float> *)matrix_at(s))
                          : LAUNCH(store_matrix<double>, 1, 1, 0, stream, matrix_of<double>(s),
                                   (matrix<double> *)matrix_at(s));
}

template <class T>
static cudaError_t launch_explicit(const struct heat *s, enum heat_direction along, const void *in,
                                   void *out, cudaStream_t stream)
{
    dim3 blocks((unsigned)((s->n + THREADS - 1) / THREADS), (unsigned)((s->n + ROWS - 1) / ROWS));
    return LAUNCH((along == HEAT_ALONG_X ? explicit_along_x<T> : explicit_along_y<T>), blocks,
                  THREADS, 0, stream, s->n, -matrix_of<T>(s).off, (const T *)in, (T *)out);
}
cudaError_t heat_explicit(const struct heat *s, enum heat_direction along, const void *in,
                          void *out, cudaStream_t stream)
{
    if (!arguments_valid(s) || !device_aligned(in, bytes_of_element(s)) ||
        !device_aligned(out, bytes_of_element(s)))
        return cudaErrorInvalidValue;
    return s->type == 's' ? launch_explicit<float>(s, along, in, out, stream)
                          : launch_explicit<double>(s, along, in, out, stream);
}

/* Makes a half step: solves n systems with the matrix 1 - r D along one direction. x becomes the
 * solution, or, if `next` is true, the right-hand side of the next half step. */
static cudaError_t half_step(const struct heat *s, enum heat_direction along, const void *rhs,
                             void *x, bool next, cudaStream_t stream)
{
    struct tridiagonal_batch b = plan_solver(s, along);
    b.sub = b.super = matrix_at(s);
    b.diag = matrix_at(s) + bytes_of_element(s);
    b.rhs = rhs;
    b.x = x;
    b.crank_nicolson = next;
    b.work = matrix_at(s) + MATRIX_BYTES;
    return tridiagonal_batch_solve(&b, stream);
}

/* The right-hand sides of all half steps are in `work`. */
cudaError_t heat_steps(const struct heat *s, int64_t steps, cudaStream_t stream)
{
    if (!arguments_valid(s) || steps < 0 || !device_aligned(s->work, ALIGNMENT) ||
        !device_aligned(s->u, bytes_of_element(s)))
        return cudaErrorInvalidValue;
    if (steps > 0)
        TRY(heat_explicit(s, HEAT_ALONG_Y, s->u, s->work, stream));
    for (int64_t i = 1; i <= steps; i++) {
        TRY(half_step(s, HEAT_ALONG_X, s->work, s->work, true, stream));
        bool last = i == steps;
        TRY(half_step(s, HEAT_ALONG_Y, s->work, last ? s->u : s->work, !last, stream));
    }
    return cudaSuccess;
}
