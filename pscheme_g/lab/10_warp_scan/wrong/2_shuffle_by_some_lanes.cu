// fails: result: is NaN or infinite
/* Lab 10, shuffles: a warp composes 32 maps. README.md explains the task.
 *
 * The three phases of P-scheme for w_i = s_i w_{i-1} + t_i with P = 32 parts of m rows; the last
 * parts may be shorter or empty. s, t and w hold the rows 1 to n. Part j is the map x -> a[j] x +
 * b[j]: x is the unknown before the part, a[j] x + b[j] its last unknown. */
#include "device.h"

#define ALL_LANES 0xffffffffu
enum { PARTS = 32 };

/* Given, phase 1: the map of each part. An empty part is the map x -> 1 x + 0. */
static __global__ void precompute(int64_t n, int64_t m, const float *s, const float *t, float *a,
                                  float *b)
{
    int64_t begin = m * threadIdx.x, end = begin + m < n ? begin + m : n;
    float product = 1, current = 0;
    for (int64_t i = begin; i < end; i++) {
        current = s[i] * current + t[i];
        product = s[i] * product;
    }
    a[threadIdx.x] = product;
    b[threadIdx.x] = current;
}

/* Phase 2: last[j] is the true last unknown of part j. One warp; lane j has the map of part j. */
static __global__ void propagate(float w0, const float *a, const float *b, float *last)
{
    int lane = (int)threadIdx.x;
    float my_a = a[lane], my_b = b[lane];
    for (int h = 1; h < PARTS; h *= 2) {
        if (lane >= h) {
            float first_a = __shfl_up_sync(ALL_LANES, my_a, h);
            float first_b = __shfl_up_sync(ALL_LANES, my_b, h);
            my_b = my_a * first_b + my_b;
            my_a = my_a * first_a;
        }
    }
    last[lane] = my_a * w0 + my_b;
}

/* Given, phase 3: each part again, from the true unknown before it. */
static __global__ void determine(int64_t n, int64_t m, float w0, const float *s, const float *t,
                                 const float *last, float *w)
{
    int64_t begin = m * threadIdx.x, end = begin + m < n ? begin + m : n;
    float current = threadIdx.x == 0 ? w0 : last[threadIdx.x - 1];
    for (int64_t i = begin; i < end; i++) {
        current = s[i] * current + t[i];
        w[i] = current;
    }
}

/* The launcher: given, need not be changed. */
cudaError_t run_parts(int64_t n, float w0, const float *s, const float *t, float *a, float *b,
                      float *last, float *w)
{
    int64_t m = (n + PARTS - 1) / PARTS;
    TRY(LAUNCH(precompute, 1, PARTS, 0, 0, n, m, s, t, a, b));
    TRY(LAUNCH(propagate, 1, PARTS, 0, 0, w0, a, b, last));
    return LAUNCH(determine, 1, PARTS, 0, 0, n, m, w0, s, t, last, w);
}
