/* Parallel cyclic reduction of w_i = s_i w_{i-1} + t_i (W12 sec. V-E). After the step of distance h
 * every unknown depends on the one 2h before it: replace w_{i-h} in w_i = s_i w_{i-h} + t_i by its
 * own equation,
 *
 *     t_i <- s_i t_{i-h} + t_i,   s_i <- s_i s_{i-h},   h = 1, 2, 4, …
 *
 * All i at once, but element i - h must still hold the values of the step before when i reads it. A
 * GPU has no barrier over all blocks but the end of a kernel, and even within one step block 1 may
 * be done before block 0 starts: so two pairs of arrays in turn, and one kernel a step. */
#include "pcr.h"

int64_t pcr_work(int64_t n)
{
    return 3 * n;
}

/* The first step runs for n = 1 too, for w_0's sake. */
int pcr_steps(int64_t n)
{
    int steps = 1;
    for (int64_t h = 2; h < n; h *= 2)
        steps++;
    return steps;
}

/* t_1 with w_0 folded in: then t_i is w_i as soon as the sum reaches back to 1, after ceil(log2 n)
 * steps; without it ceil(log2(n+1)) steps and w_i = s_i w_0 + t_i. */
template <class T> static __device__ inline T folded(T w0, const T *s, const T *t)
{
    return s[0] * w0 + t[0];
}

/* Step h = 1, from the caller's arrays, which stay as they are. An s that reaches back to w_0 is not used
 * again; 0 keeps a NaN out of what is copied along. */
template <class T>
static __global__ void first_step(int64_t n, T w0, const T *s, const T *t, T *s_out, T *t_out)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (i >= 2) {
            t_out[i] = s[i] * t[i - 1] + t[i];
            s_out[i] = s[i] * s[i - 1];
        } else {
            t_out[i] = i == 0 ? folded(w0, s, t) : s[1] * folded(w0, s, t) + t[1];
            s_out[i] = 0;
        }
    }
}

/* One step: neighbouring threads read neighbours, whatever h is: always coalesced. Each reads four
 * words and writes two, for log2 n steps: the reason why O(n log n) loses to P-scheme's O(n). */
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
    int now = steps % 2; /* so that the last step writes t[1], which is w */
    TRY(LAUNCH((first_step<T>), p->blocks, p->threads, 0, stream, p->n, (T)p->w0, (const T *)p->s,
               (const T *)p->t, s[now], t[now]));
    for (int64_t h = 2; h < p->n; h *= 2, now = 1 - now)
        TRY(LAUNCH((step<T>), p->blocks, p->threads, 0, stream, p->n, h, s[now], t[now], s[1 - now],
                   t[1 - now]));
    return cudaSuccess;
}

/* Also: the bytes of `work` are no more than a size_t holds. */
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
