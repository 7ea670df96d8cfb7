/* Lab 6, the solution; kernel.cu says what the kernel must do. */
#include "given.cuh"

static __global__ void pcr(int n, const float *s, const float *t, float *w)
{
    __shared__ float s_of[2][MOST], t_of[2][MOST];
    int i = (int)threadIdx.x, now = 0;
    int64_t at = (int64_t)blockIdx.x * n + i;
    float s_i = i < n ? s[at] : 0, t_i = i < n ? t[at] : 0;
    for (int h = 1; h < n; h *= 2) {
        s_of[now][i] = s_i;
        t_of[now][i] = t_i;
        __syncthreads();
        if (i >= h) {
            t_i = s_i * t_of[now][i - h] + t_i;
            s_i = s_i * s_of[now][i - h];
        }
        now = 1 - now; /* others may still read this buffer: the next step writes the other */
    }
    if (i < n)
        w[at] = t_i;
}
