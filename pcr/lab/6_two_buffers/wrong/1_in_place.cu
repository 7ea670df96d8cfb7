// fails: result: a race in shared memory
#include "given.cuh"

static __global__ void pcr(int n, const float *s, const float *t, float *w)
{
    __shared__ float s_of[MOST], t_of[MOST];
    int i = (int)threadIdx.x;
    int64_t at = (int64_t)blockIdx.x * n + i;
    s_of[i] = i < n ? s[at] : 0;
    t_of[i] = i < n ? t[at] : 0;
    __syncthreads();
    for (int h = 1; h < n; h *= 2) {
        if (i >= h) {
            t_of[i] = s_of[i] * t_of[i - h] + t_of[i];
            s_of[i] = s_of[i] * s_of[i - h];
        }
        __syncthreads();
    }
    if (i < n)
        w[at] = t_of[i];
}
