/* A step of the heat equation, (1 + L) u = rhs, along the columns of an array: the systems are
 * interleaved, and one matrix serves all. The result is put into the equations.
 * gcc -std=gnu11 -O3 -march=native -fopenmp example.c tridiagonal_batch_cpu.c -lm */
#include "tridiagonal_batch_cpu.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { N = 200, BATCH = 1000, CORES = 2 };
    static double sub[N], diag[N], super[N], rhs[N][BATCH], u[N][BATCH];
    static int status[BATCH];
    for (int i = 0; i < N; i++) {
        sub[i] = super[i] = -1;
        diag[i] = 3;
        for (int k = 0; k < BATCH; k++)
            rhs[i][k] = (i * i + k) % 11;
    }
    struct tridiagonal_batch b = {.type = 'd', .n = N, .batch = BATCH, .inner = BATCH};
    b.sub = sub, b.diag = diag, b.super = super, b.rhs = rhs, b.x = u, b.status = status;
    b.matrix = TRIDIAGONAL_BATCH_SHARED, b.pivot = TRIDIAGONAL_PIVOT_AUTO;
    b.work = aligned_alloc(64, tridiagonal_batch_cpu_work(&b, CORES));
    long long broken = tridiagonal_batch_cpu_solve(&b, CORES);
    free(b.work);

    long wrong = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < BATCH; k++) {
            double left = i > 0 ? u[i - 1][k] : 0, right = i < N - 1 ? u[i + 1][k] : 0;
            double residual = fabs(3 * u[i][k] - left - right - rhs[i][k]);
            wrong += !(residual < 1e-13); /* NaN is wrong, too */
        }
    printf("%lld of %d systems broke down, %ld rows are wrong\n", broken, BATCH, wrong);
    return broken != 0 || wrong != 0;
}
