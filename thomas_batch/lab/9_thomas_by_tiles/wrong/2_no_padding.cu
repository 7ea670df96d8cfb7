// fails: conflicts: different rows of one bank
#include "given.cuh"

static __global__ void eliminate(int n, int batch, const float *a, const float *b, const float *c,
                                 const float *k, float *alpha, float *beta)
{
    __shared__ float tile[4][TILE][TILE];
    const float *const from[] = {a, b, c, k};
    int lane = (int)threadIdx.x, first = (int)blockIdx.x * TILE;
    float alpha_i = 0, beta_i = 0;
    for (int row = 0; row < n; row += TILE) {
        int rows = n - row < TILE ? n - row : TILE;
        for (int array = 0; array < 4; array++)
            for (int system = 0; system < TILE && first + system < batch; system++)
                if (lane < rows)
                    tile[array][system][lane] =
                        from[array][(int64_t)(first + system) * n + row + lane];
        __syncwarp();
        for (int i = 0; i < rows && first + lane < batch; i++) {
            float a_i = tile[0][lane][i], b_i = tile[1][lane][i];
            float c_i = tile[2][lane][i], k_i = tile[3][lane][i];
            float inverse = 1 / (b_i + a_i * alpha_i);
            alpha_i = -c_i * inverse;
            beta_i = (k_i - a_i * beta_i) * inverse;
            alpha[(int64_t)(row + i) * batch + first + lane] = alpha_i;
            beta[(int64_t)(row + i) * batch + first + lane] = beta_i;
        }
        __syncwarp();
    }
}
