// fails: result: shared memory is read before it is written
#include "given.cuh"

static __global__ void pcr(int n, const float *s, const float *t, float *w)
{
    __shared__ float s_of[2][MOST], t_of[2][MOST];
    int i = (int)threadIdx.x, now = 0;
    int64_t at = (int64_t)blockIdx.x * n + i;
    s_of[0][i] = i < n ? s[at] : 0;
    t_of[0][i] = i < n ? t[at] : 0;
    __syncthreads();
    for (int h = 1; h < n; h *= 2) {
        if (i >= h) {
            t_of[1 - now][i] = s_of[now][i] * t_of[now][i - h] + t_of[now][i];
            s_of[1 - now][i] = s_of[now][i] * s_of[now][i - h];
        }
        __syncthreads();
        now = 1 - now;
    }
    if (i < n)
        w[at] = t_of[now][i];
}
