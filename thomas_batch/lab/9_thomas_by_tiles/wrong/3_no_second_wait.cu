// fails: result: a race in shared memory
/* Lab 9, Thomas by tiles. README.md explains the task.
 *
 * A block is one warp. It solves TILE systems, one for each lane: system `first` + lane. Row i of
 * system s is element s n + i of a, b, c, k and x, and element i batch + s of alpha and beta. */
#include "device.h"

enum { TILE = 32 };

/* Elimination, eq. T1-T2: alpha and beta from a, b, c and k. */
static __global__ void eliminate(int n, int batch, const float *a, const float *b, const float *c,
                                 const float *k, float *alpha, float *beta)
{
    __shared__ float tile[4][TILE][TILE + 1];
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
    }
}

/* Given: substitution, eq. T3: x from alpha and beta, from the last tile to the first. The lanes
 * compute a tile across the systems, and store it along the rows of each system. */
static __global__ void substitute(int n, int batch, const float *alpha, const float *beta, float *x)
{
    __shared__ float tile[TILE][TILE + 1];
    int lane = (int)threadIdx.x, first = (int)blockIdx.x * TILE;
    float x_i = 0;
    for (int row = (n - 1) / TILE * TILE; row >= 0; row -= TILE) {
        int rows = n - row < TILE ? n - row : TILE;
        for (int i = rows - 1; i >= 0 && first + lane < batch; i--) {
            int64_t at = (int64_t)(row + i) * batch + first + lane;
            x_i = alpha[at] * x_i + beta[at];
            tile[lane][i] = x_i;
        }
        __syncwarp();
        for (int system = 0; system < TILE && first + system < batch; system++)
            if (lane < rows)
                x[(int64_t)(first + system) * n + row + lane] = tile[system][lane];
        __syncwarp();
    }
}

/* The launcher: given, need not be changed. */
cudaError_t run_thomas(int n, int batch, const float *a, const float *b, const float *c,
                       const float *k, float *alpha, float *beta, float *x)
{
    int blocks = (batch + TILE - 1) / TILE;
    TRY(LAUNCH(eliminate, blocks, TILE, 0, 0, n, batch, a, b, c, k, alpha, beta));
    return LAUNCH(substitute, blocks, TILE, 0, 0, n, batch, alpha, beta, x);
}
