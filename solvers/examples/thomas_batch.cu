/* The call of thomas_batch/README.md in a program that checks its results. It solves four systems
 * in single precision. The third has no solution. */
#include <math.h>

#include "thomas_batch.h"

int main(void)
{
    enum { N = 50, BATCH = 4 };
    static float host[5][BATCH * N]; /* sub, diag, super, rhs, x */
    float *device[5];
    long long status[BATCH];
    int64_t n = N, batch = BATCH;
    cudaStream_t stream = 0;
    for (int j = 0; j < BATCH * N; j++) {
        int i = j % N;
        host[0][j] = host[2][j] = j / N == 2 ? 0 : -1;
        host[1][j] = j / N == 2 ? 0 : 2.5f;
        host[3][j] = 2.5f * (i % 7) - (i > 0 ? (i - 1) % 7 : 0) - (i < N - 1 ? (i + 1) % 7 : 0);
    }
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc(&device[k], sizeof host[k]));
        CHECK(cudaMemcpy(device[k], host[k], sizeof host[k], cudaMemcpyHostToDevice));
    }
    float *sub = device[0], *diag = device[1], *super = device[2], *rhs = device[3], *x = device[4];

    /* In a .cu file. sub, diag, super, rhs, x: device memory, n batch floats each, contiguous. */
    struct thomas_batch s = {};
    s.type = 's', s.n = n, s.batch = batch, s.threads = 32;
    s.sub = sub, s.diag = diag, s.super = super, s.rhs = rhs, s.x = x;
    CHECK(cudaMalloc(&s.work, thomas_batch_work(THOMAS_TILE, &s) * sizeof(float)));
    CHECK(cudaMalloc(&s.status, batch * sizeof *s.status));
    CHECK(thomas_batch_solve(THOMAS_TILE, &s, stream));
    /* Then status[k] is 0, or 1 + the row of system k whose pivot failed. */

    CHECK(cudaMemcpy(host[4], x, sizeof host[4], cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(status, s.status, sizeof status, cudaMemcpyDeviceToHost));
    if (status[0] != 0 || status[1] != 0 || status[2] != 1 || status[3] != 0)
        return 1;
    for (int j = 0; j < BATCH * N; j++)
        if (j / N != 2 && !(fabsf(host[4][j] - (float)(j % N % 7)) < 1e-5f))
            return 1;
    printf("status %lld %lld %lld %lld\n", status[0], status[1], status[2], status[3]);
    return 0;
}
