/* Parallel cyclic reduction of w_i = s_i w_{i-1} + t_i (W12 section V-E): the price of full
 * parallelism is log2 n steps over the whole array.
 *
 * Before the step of distance h, the equation of w_i depends on w_{i-h}. The step inserts the
 * equation of w_{i-h} into it, so afterwards w_i depends on w_{i-2h}:
 *
 *     t_i <- s_i t_{i-h} + t_i,   s_i <- s_i s_{i-h},   h = 1, 2, 4, …
 *
 * Other elements read the old values, and the only barrier over all blocks is the end of a kernel.
 * So each step is a kernel that reads one pair of arrays and writes another pair. */
#include "pcr.h"

int64_t pcr_work(int64_t n)
{
    return 3 * n;
}

/* Returns at least 1, because even for n = 1 the first step must run: it adds w_0. */
int pcr_steps(int64_t n)
{
    int steps = 1;
    for (int64_t h = 2; h < n; h *= 2)
        steps++;
    return steps;
}

/* w_1 takes the place of t_1. With w_0 as a row of its own there would be n + 1 rows and
 * ceil(log2(n+1)) steps instead of ceil(log2 n). */
template <class T> static __device__ inline T first_unknown(T w0, const T *s, const T *t)
{
    return s[0] * w0 + t[0];
}

/* The step h = 1 reads the caller's arrays and also computes w_1 and w_2. Their s becomes 0,
 * because later steps multiply by it, and a NaN would spread. */
template <class T>
static __global__ void first_step(int64_t n, T w0, const T *s, const T *t, T *s_out, T *t_out)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (i >= 2) {
            t_out[i] = s[i] * t[i - 1] + t[i];
            s_out[i] = s[i] * s[i - 1];
        } else {
            t_out[i] = i == 0 ? first_unknown(w0, s, t) : s[1] * first_unknown(w0, s, t) + t[1];
            s_out[i] = 0;
        }
    }
}

/* The step of distance h. All accesses are coalesced for every h. But in each of the log2 n steps a
 * row reads four elements and writes two; P-scheme moves five in total. */
template <class T>
static __global__ void step(int64_t n, int64_t h, const T *s, const T *t, T *s_out, T *t_out)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (i >= h) {
            t_out[i] = s[i] * t[i - h] + t[i];
            s_out[i] = s[i] * s[i - h];
        } else { /* this element is final already */
            t_out[i] = t[i];
            s_out[i] = s[i];
        }
    }
}

template <class T> static cudaError_t solve(const struct pcr *p, cudaStream_t stream)
{
    T *work = (T *)p->work;
    T *s[2] = {work, work + p->n};
    T *t[2] = {work + 2 * p->n, (T *)p->w};
    int steps = pcr_steps(p->n);
    int now = steps % 2; /* with this choice the last step writes t[1], which is w */
    TRY(LAUNCH((first_step<T>), p->blocks, p->threads, 0, stream, p->n, (T)p->w0, (const T *)p->s,
               (const T *)p->t, s[now], t[now]));
    for (int64_t h = 2; h < p->n; h *= 2, now = 1 - now)
        TRY(LAUNCH((step<T>), p->blocks, p->threads, 0, stream, p->n, h, s[now], t[now], s[1 - now],
                   t[1 - now]));
    return cudaSuccess;
}

/* ---- cyclic reduction (CR): half of the unknowns a step, so the work is O(n) ----
 *
 * The reduction puts the equation of w_{2j-1} into that of w_{2j}, for even unknowns only. They
 * form a recurrence of n / 2 unknowns with the same w_0. When that is solved, the substitution
 * computes each odd unknown from the even one before it. The textbook's CR leaves the equations in
 * place, so later steps access elements ever further apart. Here each step packs them into new
 * arrays (Goeddeke and Strzodka); neighbouring threads access neighbouring pairs at every size. */

template <class T>
static __global__ void reduce(int64_t half, const T *s, const T *t, T *s_half, T *t_half)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; j < half; j += stride) {
        T scale = s[2 * j + 1];
        t_half[j] = scale * t[2 * j] + t[2 * j + 1];
        s_half[j] = scale * s[2 * j];
    }
}

template <class T>
static __global__ void substitute(int64_t n, T w0, const T *s, const T *t, const T *w_half, T *w)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; 2 * j < n; j += stride) {
        w[2 * j] = s[2 * j] * (j > 0 ? w_half[j - 1] : w0) + t[2 * j];
        if (2 * j + 1 < n)
            w[2 * j + 1] = w_half[j];
    }
}

/* Each size takes three arrays of half its length from the workspace, and the last one leaves PCR
 * as much as it needs: together at most 3n. */
template <class T>
static cudaError_t solve_reduced(const struct pcr *p, int64_t left, cudaStream_t stream)
{
    if (p->n <= left)
        return solve<T>(p, stream);
    int64_t half = p->n / 2;
    T *s = (T *)p->work, *t = s + half, *w = t + half;
    struct pcr even = {p->type, half, p->blocks, p->threads, p->w0, s, t, w, w + half};
    TRY(LAUNCH((reduce<T>), p->blocks, p->threads, 0, stream, half, (const T *)p->s,
               (const T *)p->t, s, t));
    TRY(solve_reduced<T>(&even, left, stream));
    return LAUNCH((substitute<T>), p->blocks, p->threads, 0, stream, p->n, (T)p->w0,
                  (const T *)p->s, (const T *)p->t, (const T *)w, (T *)p->w);
}

/* With this limit on n the byte count of `work` is less than 2^63. */
static bool arguments_valid(const struct pcr *p)
{
    return p && (p->type == 's' || p->type == 'd') && p->n >= 0 && p->n <= INT64_MAX / 24 &&
           p->blocks >= 1 && p->threads >= 1 && p->threads <= 1024;
}

cudaError_t pcr_after_cr(const struct pcr *p, int64_t left, cudaStream_t stream)
{
    if (!arguments_valid(p) || left < 1)
        return cudaErrorInvalidValue;
    if (p->n == 0)
        return cudaSuccess;
    const void *const arrays[] = {p->s, p->t, p->w, p->work};
    for (const void *array : arrays)
        if (!device_aligned(array, p->type == 's' ? sizeof(float) : sizeof(double)))
            return cudaErrorInvalidValue;
    return p->type == 's' ? solve_reduced<float>(p, left, stream)
                          : solve_reduced<double>(p, left, stream);
}

cudaError_t pcr_solve(const struct pcr *p, cudaStream_t stream)
{
    return pcr_after_cr(p, INT64_MAX, stream);
}
