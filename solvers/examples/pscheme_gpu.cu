/* Solves a linear recurrence of 2^20 unknowns by P-scheme on a GPU. Checks the first and the last
 * unknown. */
/* Compile: nvcc -o example example.cu pscheme_gpu.cu */
#include "pscheme_gpu.h"

int main(void)
{
    enum { N = 1 << 20, BLOCKS = 16, THREADS = 128 };
    static float w[N]; /* w_1 … w_N, where w_0 = 1 and w_i = w_{i-1} / 2 + 3 */
    struct pscheme_recurrence r =
        pscheme_recurrence_plan(PSCHEME_AHEAD, 's', N, BLOCKS, THREADS, 1.0, 0.5, 3.0);
    void *natural;
    CHECK(cudaMalloc(&r.w, pscheme_elements(&r.layout) * sizeof(float)));
    CHECK(cudaMalloc(&r.products, pscheme_product_elements(&r) * sizeof(float)));
    CHECK(cudaMalloc(&natural, sizeof w));
    CHECK(pscheme_solve(&r, 0));
    CHECK(pscheme_to_natural('s', &r.layout, r.w, natural, 0));
    CHECK(cudaMemcpy(w, natural, sizeof w, cudaMemcpyDeviceToHost));
    printf("w_1 = %g, w_%d = %g\n", w[0], N, w[N - 1]);
    return !(w[0] == 3.5f && w[N - 1] == 6.0f);
}
