/* The example of recurrence.h in a program that checks its result. Copy this file, as example.cu,
 * into a directory with the files that recurrence.h lists, and compile: nvcc recurrence.cu
 * example.cu */
#include "recurrence.h"

// w[i] = s[i] * w[i - 1] + t[i], 0 <= i < n, where w[-1] stands for *w0. Device memory.
cudaError_t solve(int64_t n, const float *s, const float *t, const float *w0, float *w)
{
    void *workspace = NULL;
    size_t bytes = recurrence_workspace('s', n);
    cudaError_t error = cudaMalloc(&workspace, bytes);
    if (error == cudaSuccess)
        error = recurrence_prepare(workspace, bytes, 0); // once, for any number of calls
    struct recurrence p = {};
    p.type = 's', p.length = n, p.batch = 1;
    p.s = s, p.t = t, p.w0 = w0, p.w = w;
    if (error == cudaSuccess)
        error = recurrence_solve(&p, workspace, bytes, 0);
    cudaError_t end = cudaDeviceSynchronize();
    cudaFree(workspace);
    return error != cudaSuccess ? error : end;
}

int main(void)
{
    enum { N = 1000 };
    static float ones[N];
    float *s, *w;
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    CHECK(cudaMalloc(&s, sizeof ones));
    CHECK(cudaMalloc(&w, sizeof ones));
    CHECK(cudaMemcpy(s, ones, sizeof ones, cudaMemcpyHostToDevice));
    CHECK(solve(N, s, s, s, w)); /* w_i = w_{i-1} + 1, w_0 = 1 */
    CHECK(cudaMemcpy(ones, w, sizeof ones, cudaMemcpyDeviceToHost));
    printf("w_%d = %g\n", N, ones[N - 1]);
    return ones[N - 1] != N + 1;
}
