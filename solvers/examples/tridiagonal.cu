/* The example of tridiagonal.h in a program that checks its result. Every row is -1, 2.5, -1, and
 * the solution is x_i = i mod 7. */
#include <math.h>

#include "tridiagonal.h"

// n doubles each, on the device. Returns 0, 1 + the row of a breakdown, or -1: not run.
long long solve(int64_t n, const double *sub, const double *diag, const double *super,
                const double *rhs, double *x)
{
    struct tridiagonal t = {};
    t.type = 'd', t.n = n, t.pivot = TRIDIAGONAL_PIVOT_AUTO;
    t.sub = sub, t.diag = diag, t.super = super, t.rhs = rhs, t.x = x;
    size_t bytes = tridiagonal_workspace(&t);
    void *workspace = NULL;
    long long status = -1, *on_device = NULL;
    cudaMalloc(&workspace, bytes);
    cudaMalloc(&on_device, sizeof status);
    t.status = on_device;
    if (tridiagonal_prepare(workspace, bytes, 0) == cudaSuccess && // once
        tridiagonal_solve(&t, workspace, bytes, 0) == cudaSuccess)
        cudaMemcpy(&status, on_device, sizeof status, cudaMemcpyDeviceToHost); // waits
    cudaFree(workspace);
    cudaFree(on_device);
    return status;
}

int main(void)
{
    enum { N = 1000 };
    static double host[5][N]; /* sub, diag, super, rhs, x */
    double *device[5];
    for (int i = 0; i < N; i++) {
        host[0][i] = host[2][i] = -1;
        host[1][i] = 2.5;
        host[3][i] = 2.5 * (i % 7) - (i > 0 ? (i - 1) % 7 : 0) - (i < N - 1 ? (i + 1) % 7 : 0);
    }
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc(&device[k], sizeof host[k]));
        CHECK(cudaMemcpy(device[k], host[k], sizeof host[k], cudaMemcpyHostToDevice));
    }
    if (solve(N, device[0], device[1], device[2], device[3], device[4]) != 0)
        return 1;
    CHECK(cudaMemcpy(host[4], device[4], sizeof host[4], cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (!(fabs(host[4][i] - i % 7) < 1e-13))
            return 1;
    printf("x_%d = %g\n", N - 1, host[4][N - 1]);
    return 0;
}
