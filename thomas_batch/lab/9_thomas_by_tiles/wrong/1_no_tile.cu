// fails: sectors: one sector each
#include "given.cuh"

static __global__ void eliminate(int n, int batch, const float *a, const float *b, const float *c,
                                 const float *k, float *alpha, float *beta)
{
    int64_t system = (int64_t)blockIdx.x * TILE + threadIdx.x;
    float alpha_i = 0, beta_i = 0;
    for (int i = 0; i < n && system < batch; i++) {
        int64_t at = system * n + i;
        float a_i = a[at], inverse = 1 / (b[at] + a_i * alpha_i);
        alpha_i = -c[at] * inverse;
        beta_i = (k[at] - a_i * beta_i) * inverse;
        alpha[i * batch + system] = alpha_i;
        beta[i * batch + system] = beta_i;
    }
}
