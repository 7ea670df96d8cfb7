// fails: result: reads behind the end of a
#include "given.cuh"

static __global__ void thomas_on_chip(int n, int pitch, int batch, const float *a, const float *b,
                                      const float *c, const float *k, float *x)
{
    /* In shared memory, row i of lane j's system is element j pitch + i. */
    DYN_SHARED(float, a_of);
    float *b_of = a_of + SYSTEMS * pitch, *c_of = b_of + SYSTEMS * pitch;
    float *k_of = c_of + SYSTEMS * pitch;
    int lane = (int)threadIdx.x, first = (int)blockIdx.x * SYSTEMS; /* the block's first system */
    int systems = batch - first < SYSTEMS ? batch - first : SYSTEMS;

    for (int e = lane; e < SYSTEMS * n; e += SYSTEMS) {
        int at = e / n * pitch + e % n;
        a_of[at] = a[(int64_t)first * n + e];
        b_of[at] = b[(int64_t)first * n + e];
        c_of[at] = c[(int64_t)first * n + e];
        k_of[at] = k[(int64_t)first * n + e];
    }
    __syncwarp();
    (void)systems;
    float alpha = 0, beta = 0, x_i = 0;
    for (int i = 0; i < n; i++) {
        int at = lane * pitch + i;
        float inverse = 1 / (b_of[at] + a_of[at] * alpha);
        alpha = -c_of[at] * inverse;
        beta = (k_of[at] - a_of[at] * beta) * inverse;
        c_of[at] = alpha; /* c_i and k_i are not needed any more */
        k_of[at] = beta;
    }
    for (int i = n - 1; i >= 0; i--) {
        int at = lane * pitch + i;
        x_i = c_of[at] * x_i + k_of[at];
        k_of[at] = x_i;
    }
    __syncwarp();
    for (int e = lane; e < SYSTEMS * n; e += SYSTEMS)
        x[(int64_t)first * n + e] = k_of[e / n * pitch + e % n];
}
