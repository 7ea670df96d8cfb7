/* Lab 13, the solution; kernel.cu says what the kernel must do. Why it passes the gates:
 *
 *     loads, stores   all rows of the 32 systems are in shared memory, where alpha takes the place
 *                     of c, beta that of k and x that of beta: 4, 1
 *     sectors, lanes  the systems of a block are one piece, which begins at a sector whatever n is.
 *                     Lanes copy neighbours of it, across the ends of systems: 4, 32
 *     words           so each sector is used in full, and none is moved again: 5
 *     conflicts       `pitch` is odd, so row i of 32 systems is in 32 banks. n = 31 is odd, too, so
 *                     systems follow each other without a gap where the lanes copy: 0. With
 *                     n = 100 a few copies cross a gap: 0.27
 *     stored          4 blocks store 32 * 31 elements, 32 at once: 124
 *
 * busiest, team: no warp or lane does more than the others: a warp is a block with 32 systems of
 * n rows, and each lane eliminates its own one.
 * Next: `solve_tiles` in solvers/tridiagonal_batch_contiguous.cuh. Many threads share a system,
 * and the next tile is loaded meanwhile. */
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

    for (int e = lane; e < systems * n; e += SYSTEMS) {
        int at = e / n * pitch + e % n;
        a_of[at] = a[(int64_t)first * n + e];
        b_of[at] = b[(int64_t)first * n + e];
        c_of[at] = c[(int64_t)first * n + e];
        k_of[at] = k[(int64_t)first * n + e];
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
    for (int e = lane; e < systems * n; e += SYSTEMS)
        x[(int64_t)first * n + e] = k_of[e / n * pitch + e % n];
}
