/* Lab 9: what is given, the substitution and the launcher. README.md explains the task. */
#include "device.h"

enum { TILE = 32 };

static __global__ void eliminate(int n, int batch, const float *a, const float *b, const float *c,
                                 const float *k, float *alpha, float *beta);

/* Substitution, eq. T3: x from alpha and beta, from the last tile to the first. The lanes
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

cudaError_t run_thomas(int n, int batch, const float *a, const float *b, const float *c,
                       const float *k, float *alpha, float *beta, float *x)
{
    int blocks = (batch + TILE - 1) / TILE;
    TRY(LAUNCH(eliminate, blocks, TILE, 0, 0, n, batch, a, b, c, k, alpha, beta));
    return LAUNCH(substitute, blocks, TILE, 0, 0, n, batch, alpha, beta, x);
}
