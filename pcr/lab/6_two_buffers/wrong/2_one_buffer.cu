// fails: barriers: more than one barrier a step
#include "given.cuh"

static __global__ void pcr(int n, const float *s, const float *t, float *w)
{
    __shared__ float s_of[MOST], t_of[MOST];
    int i = (int)threadIdx.x;
    int64_t at = (int64_t)blockIdx.x * n + i;
    float s_i = i < n ? s[at] : 0, t_i = i < n ? t[at] : 0;
    for (int h = 1; h < n; h *= 2) {
        s_of[i] = s_i;
        t_of[i] = t_i;
        __syncthreads();
        if (i >= h) {
            t_i = s_i * t_of[i - h] + t_i;
            s_i = s_i * s_of[i - h];
        }
        __syncthreads();
    }
    if (i < n)
        w[at] = t_i;
}
