/* The heat equation by alternating directions: see heat.h. What is here is the stencils; the solver is tridiagonal_batch.h. */
#include "heat.h"
#include "tridiagonal_batch.h"

/* T of a block, and rows that a thread makes: so many loads are under way at once. */
enum { THREADS = 128, ROWS = 8 };

/* Neighbours' differences are small where u is smooth, often exact, and lose less than 2 u_i would. */
template <class T> static __device__ inline T explicit_word(T r, T before, T here, T after)
{
    return here + r * ((before - here) + (after - here));
}

/* A thread has a column of ROWS words. Words of other columns, or of the rows above and below, are found in a cache: each comes
 * from memory once. */
template <class T> static __global__ void explicit_along_x(int64_t n, T r, const T *in, T *out)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t j = (int64_t)blockIdx.y * ROWS;
    T before[ROWS], here[ROWS], after[ROWS];
    if (i >= n)
        return;
    UNROLL()
    for (int k = 0; k < ROWS; k++) {
        const T *word = in + (j + k) * n + i;
        bool there = j + k < n;
        before[k] = there && i > 0 ? word[-1] : 0;
        here[k] = there ? word[0] : 0;
        after[k] = there && i + 1 < n ? word[1] : 0;
    }
    UNROLL()
    for (int k = 0; k < ROWS; k++)
        if (j + k < n)
            out[(j + k) * n + i] = explicit_word(r, before[k], here[k], after[k]);
}
template <class T> static __global__ void explicit_along_y(int64_t n, T r, const T *in, T *out)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t j = (int64_t)blockIdx.y * ROWS;
    T word[ROWS + 2];
    if (i >= n)
        return;
    UNROLL()
    for (int k = 0; k < ROWS + 2; k++) {
        int64_t row = j + k - 1;
        word[k] = row >= 0 && row < n ? in[row * n + i] : 0;
    }
    UNROLL()
    for (int k = 0; k < ROWS; k++)
        if (j + k < n)
            out[(j + k) * n + i] = explicit_word(r, word[k], word[k + 1], word[k + 2]);
}

/* The matrix 1 - r D, one word for each diagonal. */
template <class T> struct matrix {
    T off, diagonal;
};

/* r is chosen so that 1 + 2 r has no rounding: diagonal - 1 is exact, and a row's sum is 1 exactly. If it were 1 - u, each step
 * would gain u of the heat, and where r is small there are many steps. Now it is dt that is off, by some u (1 + 1/r) of itself. */
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

template <class T> static __global__ void put_matrix(matrix<T> m, matrix<T> *to)
{
    *to = m;
}

/* ---- work: a right-hand side, the matrix, what the solver wants ---- */

enum { ALIGNMENT = 16, MATRIX_BYTES = 16 };
static size_t word_bytes(const struct heat *s)
{
    return s->type == 's' ? sizeof(float) : sizeof(double);
}
static size_t array_bytes(const struct heat *s)
{
    size_t n = (size_t)s->n, bytes = n * n * word_bytes(s);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}
static char *matrix_at(const struct heat *s)
{
    return (char *)s->work + array_bytes(s);
}

/* All but pointers. */
static struct tridiagonal_batch solver(const struct heat *s, enum heat_direction along)
{
    struct tridiagonal_batch b = {};
    b.type = s->type;
    b.n = b.batch = s->n;
    b.matrix = TRIDIAGONAL_BATCH_CONSTANT;
    b.interleaved = along == HEAT_ALONG_Y;
    return b;
}

/* ---- public functions ---- */

static bool arguments_valid(const struct heat *s)
{
    if (!s || (s->type != 's' && s->type != 'd') || s->n < 1 || s->n > HEAT_MOST)
        return false;
    double r = heat_ratio(s);
    return r > 0 && r * 0 == 0; /* neither infinite nor NaN */
}

size_t heat_work(const struct heat *s)
{
    if (!arguments_valid(s))
        return 0;
    struct tridiagonal_batch x = solver(s, HEAT_ALONG_X), y = solver(s, HEAT_ALONG_Y);
    size_t x_bytes = tridiagonal_batch_work(&x), y_bytes = tridiagonal_batch_work(&y);
    return array_bytes(s) + MATRIX_BYTES + (x_bytes > y_bytes ? x_bytes : y_bytes);
}

cudaError_t heat_prepare(const struct heat *s, cudaStream_t stream)
{
    if (!arguments_valid(s) || !device_aligned(s->work, ALIGNMENT))
        return cudaErrorInvalidValue;
    return s->type == 's' ? LAUNCH(put_matrix<float>, 1, 1, 0, stream, matrix_of<float>(s),
                                   (matrix<float> *)matrix_at(s))
                          : LAUNCH(put_matrix<double>, 1, 1, 0, stream, matrix_of<double>(s),
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
    if (!arguments_valid(s) || !device_aligned(in, word_bytes(s)) || !device_aligned(out, word_bytes(s)))
        return cudaErrorInvalidValue;
    return s->type == 's' ? launch_explicit<float>(s, along, in, out, stream)
                          : launch_explicit<double>(s, along, in, out, stream);
}

/* In place on the array `x`. */
static cudaError_t implicit(const struct heat *s, enum heat_direction along, void *x,
                            cudaStream_t stream)
{
    struct tridiagonal_batch b = solver(s, along);
    b.sub = b.super = matrix_at(s);
    b.diag = matrix_at(s) + word_bytes(s);
    b.rhs = b.x = x;
    b.work = matrix_at(s) + MATRIX_BYTES;
    return tridiagonal_batch_solve(&b, stream);
}

cudaError_t heat_step(const struct heat *s, cudaStream_t stream)
{
    if (!arguments_valid(s) || !device_aligned(s->work, ALIGNMENT))
        return cudaErrorInvalidValue;
    TRY(heat_explicit(s, HEAT_ALONG_Y, s->u, s->work, stream));
    TRY(implicit(s, HEAT_ALONG_X, s->work, stream));
    TRY(heat_explicit(s, HEAT_ALONG_X, s->work, s->u, stream));
    return implicit(s, HEAT_ALONG_Y, s->u, stream);
}
