/* Parallel cyclic reduction of w_i = s_i w_{i-1} + t_i (W12 section V-E). Teaches the price of full
 * parallelism: log2 n steps over the whole array. Run: make run.
 *
 * Before the step of distance h, w_i depends on w_{i-h}. The step replaces w_{i-h} by its own
 * equation, and then w_i depends on w_{i-2h}:
 *
 *     t_i <- s_i t_{i-h} + t_i,   s_i <- s_i s_{i-h},   h = 1, 2, 4, …
 *
 * All i take a step at once, so element i - h must keep its old value until element i has read
 * it. The only barrier over all blocks is the end of a kernel. Therefore each step is a kernel,
 * and it reads one pair of arrays and writes another. */
#include "pcr.h"

int64_t pcr_work(int64_t n)
{
    return 3 * n;
}

/* The first step runs for n = 1 too, because it adds w_0. */
int pcr_steps(int64_t n)
{
    int steps = 1;
    for (int64_t h = 2; h < n; h *= 2)
        steps++;
    return steps;
}

/* w_1, which takes the place of t_1. Then t_i is w_i after ceil(log2 n) steps. With w_0 as a row of
 * its own there would be n + 1 rows and ceil(log2(n+1)) steps. */
template <class T> static __device__ inline T first_unknown(T w0, const T *s, const T *t)
{
    return s[0] * w0 + t[0];
}

/* Step h = 1, from the caller's arrays, which are not modified. Where a row reaches back to w_0
 * its s is not used any more and becomes 0, so that no NaN in it is copied from step to step. */
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

/* The step of distance h. Neighbouring threads read neighbouring elements for every h, so all
 * accesses are coalesced. But a row reads four elements and writes two in each of log2 n steps;
 * P-scheme moves five elements a row in all. */
template <class T>
static __global__ void step(int64_t n, int64_t h, const T *s, const T *t, T *s_out, T *t_out)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (i >= h) {
            t_out[i] = s[i] * t[i - h] + t[i];
            s_out[i] = s[i] * s[i - h];
        } else { /* reaches back to w_0 already */
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
    int now = steps % 2; /* then the last step writes t[1], which is w */
    TRY(LAUNCH((first_step<T>), p->blocks, p->threads, 0, stream, p->n, (T)p->w0, (const T *)p->s,
               (const T *)p->t, s[now], t[now]));
    for (int64_t h = 2; h < p->n; h *= 2, now = 1 - now)
        TRY(LAUNCH((step<T>), p->blocks, p->threads, 0, stream, p->n, h, s[now], t[now], s[1 - now],
                   t[1 - now]));
    return cudaSuccess;
}

/* The bound on n keeps the bytes of `work` below 2^63. */
static bool arguments_valid(const struct pcr *p)
{
    return p && (p->type == 's' || p->type == 'd') && p->n >= 0 && p->n <= INT64_MAX / 24 &&
           p->blocks >= 1 && p->threads >= 1 && p->threads <= 1024;
}

cudaError_t pcr_solve(const struct pcr *p, cudaStream_t stream)
{
    if (!arguments_valid(p))
        return cudaErrorInvalidValue;
    if (p->n == 0)
        return cudaSuccess;
    const void *const arrays[] = {p->s, p->t, p->w, p->work};
    for (const void *array : arrays)
        if (!device_aligned(array, p->type == 's' ? sizeof(float) : sizeof(double)))
            return cudaErrorInvalidValue;
    return p->type == 's' ? solve<float>(p, stream) : solve<double>(p, stream);
}
