/* Lab 2b, the solution; kernel.cu says what the kernels must do.
 *
 * once, loads, share, stored: a thread loads and stores its own element. walk: a step is one store
 * and one load of shared memory for each number, and log2 T steps double what a thread has.
 * barriers: two a step, one between the stores and the loads, one between the loads and the next
 * stores. conflicts: j - h shifts all lanes equally. Next: lab 6 needs one barrier a step, lab 10
 * none; lab 3 uses a and b. The tiles of solvers/recurrence.cu are scanned so, by scan_warp in
 * recurrence_map.cuh. The gates with _m hold for the same reasons: a map is two numbers, in two
 * arrays. */
#include "given.cuh"

static __global__ void scan_sums(int64_t n, const float *x, float *y)
{
    __shared__ float sum_of[MOST];
    int thread = (int)threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + thread;
    float sum = i < n ? x[i] : 0;
    for (int h = 1; h < (int)blockDim.x; h *= 2) {
        sum_of[thread] = sum;
        __syncthreads();
        if (thread >= h)
            sum = sum_of[thread - h] + sum;
        __syncthreads();
    }
    if (i < n)
        y[i] = sum;
}

static __global__ void scan_maps(int64_t n, const float *s, const float *t, float *a, float *b)
{
    __shared__ float a_of[MOST], b_of[MOST];
    int thread = (int)threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + thread;
    map mine = {1, 0};
    if (i < n)
        mine = {s[i], t[i]};
    for (int h = 1; h < (int)blockDim.x; h *= 2) {
        a_of[thread] = mine.a;
        b_of[thread] = mine.b;
        __syncthreads();
        if (thread >= h)
            mine = compose({a_of[thread - h], b_of[thread - h]}, mine);
        __syncthreads();
    }
    if (i < n) {
        a[i] = mine.a;
        b[i] = mine.b;
    }
}
