// fails: sectors: does not begin at a sector
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

    for (int system = 0; system < systems; system++)
        for (int i = lane; i < n; i += SYSTEMS) {
            int64_t from = (int64_t)(first + system) * n + i;
            a_of[system * pitch + i] = a[from];
            b_of[system * pitch + i] = b[from];
            c_of[system * pitch + i] = c[from];
            k_of[system * pitch + i] = k[from];
        }
    __syncwarp();
    float alpha = 0, beta = 0, x_i = 0;
    for (int i = 0; i < n && lane < systems; i++) {
        int at = lane * pitch + i;
        float inverse = 1 / (b_of[at] + a_of[at] * alpha);
        alpha = -c_of[at] * inverse;
        beta = (k_of[at] - a_of[at] * beta) * inverse;
        c_of[at] = alpha; /* c_i and k_i are not needed any more */
        k_of[at] = beta;
    }
    for (int i = n - 1; i >= 0 && lane < systems; i--) {
        int at = lane * pitch + i;
        x_i = c_of[at] * x_i + k_of[at];
        k_of[at] = x_i;
    }
    __syncwarp();
    for (int system = 0; system < systems; system++)
        for (int i = lane; i < n; i += SYSTEMS)
            x[(int64_t)(first + system) * n + i] = k_of[system * pitch + i];
}
