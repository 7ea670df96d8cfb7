/* The example of tridiagonal_batch.h in a program that checks its results. It solves three systems
 * in double precision. The second has a matrix of zeros, so its status must not be 0. The solution
 * of the others is x_i = i mod 7. */
#include <math.h>

#include "tridiagonal_batch.h"

// Arrays on the device: n * batch doubles each; `batch` statuses, 0 where x is a solution.
// Other layouts, periodic and long systems may need tridiagonal_batch_work() bytes: b.work.
cudaError_t solve(int64_t n, int64_t batch, const double *sub, const double *diag,
                  const double *super, const double *rhs, double *x, int *status)
{
    struct tridiagonal_batch b = {};
    b.type = 'd', b.n = n, b.batch = batch, b.pivot = TRIDIAGONAL_PIVOT_AUTO;
    b.sub = sub, b.diag = diag, b.super = super, b.rhs = rhs, b.x = x, b.status = status;
    return tridiagonal_batch_solve(&b, 0);
}

int main(void)
{
    enum { N = 99, BATCH = 3 };
    static double host[5][BATCH * N]; /* sub, diag, super, rhs, x */
    double *device[5];
    int *on_device, status[BATCH];
    for (int j = 0; j < BATCH * N; j++) {
        int i = j % N;
        host[0][j] = host[2][j] = j / N == 1 ? 0 : -1;
        host[1][j] = j / N == 1 ? 0 : 2.5;
        host[3][j] = 2.5 * (i % 7) - (i > 0 ? (i - 1) % 7 : 0) - (i < N - 1 ? (i + 1) % 7 : 0);
    }
    CHECK(cudaMalloc(&on_device, sizeof status));
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc(&device[k], sizeof host[k]));
        CHECK(cudaMemcpy(device[k], host[k], sizeof host[k], cudaMemcpyHostToDevice));
    }
    CHECK(solve(N, BATCH, device[0], device[1], device[2], device[3], device[4], on_device));
    CHECK(cudaMemcpy(host[4], device[4], sizeof host[4], cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(status, on_device, sizeof status, cudaMemcpyDeviceToHost));
    if (status[0] != 0 || status[1] <= 0 || status[2] != 0)
        return 1;
    for (int j = 0; j < BATCH * N; j++)
        if (j / N != 1 && !(fabs(host[4][j] - j % N % 7) < 1e-13))
            return 1;
    printf("status %d %d %d\n", status[0], status[1], status[2]);
    return 0;
}
