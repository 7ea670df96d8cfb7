/* Lab 8: what is given, TILE and lab 7 with its solution, transpose_tile. README.md explains the
 * task. */
#include "../7_transpose/solution.cu"

static __global__ void transpose_padded(int64_t parts, int64_t m, const float *w, float *moved);

cudaError_t run_padded(int64_t parts, int64_t m, const float *w, float *moved)
{
    return LAUNCH(transpose_padded, tiles(parts, m), dim3(TILE, TILE), 0, 0, parts, m, w, moved);
}
