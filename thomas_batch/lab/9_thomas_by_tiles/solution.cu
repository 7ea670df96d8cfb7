/* Lab 9, the solution; kernel.cu says what the kernel must do. Why it passes the gates:
 *
 *     sectors        the lanes copy along a system, 32 neighbours at once: 4. alpha and beta of 32
 *                    systems are neighbours, too: 4
 *     given          `substitute` goes the same way back, from the lanes to x: 4
 *     conflicts      a row of a tile has 33 words, so lanes use 32 banks along it and across the
 *                    rows: 0
 *     loads, stores  a, b, c and k are loaded once: 4. alpha and beta of the row before are in
 *                    registers, so they are only stored: 2
 *     lanes, stored  each lane copies, then has a system: 32. 4 warps store twice in each of 128
 *                    rows: 1024
 *
 * busiest, team: no warp or lane does more than the others: a warp is a block with 32 systems of
 * n rows, and each lane eliminates its own one.
 * Next: lab 13 keeps alpha and beta on chip. `thomas_tile` in thomas_batch/thomas.cuh copies the
 * next tile while it eliminates this one. */
#include "given.cuh"

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
        __syncwarp();
    }
}
