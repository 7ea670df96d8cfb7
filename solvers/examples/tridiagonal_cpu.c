/* gcc -std=gnu11 -O3 -march=native -fopenmp example.c tridiagonal_cpu.c -lm */
#include "tridiagonal_cpu.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { N = 1000000 };
    double *a[5]; /* sub, diag, super, rhs, x */
    for (int i = 0; i < 5; i++)
        a[i] = aligned_alloc(64, N * sizeof(double));
    for (int i = 0; i < N; i++) { /* -x'' = 1, x = 0 outside */
        a[0][i] = a[2][i] = -1;
        a[1][i] = 2;
        a[3][i] = 1.0 / N / N;
    }
    void *work = aligned_alloc(64, tridiagonal_cpu_work('d', N));
    struct tridiagonal_cpu s = {'d', N, a[0], a[1], a[2], a[3], a[4], work, 2 /* cores */};
    long long status = tridiagonal_cpu_solve(&s);
    printf("status %lld, x in the middle %.6f\n", status, a[4][N / 2]); /* 0.125 */
    return status != 0;
}
