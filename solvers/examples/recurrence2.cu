/* The example of recurrence2.md in a program that checks its result: the determinant of n rows (-1
 * 2 -1) is n + 1. Copy the files that recurrence2.h names beside it, and:
 * nvcc -arch=native recurrence2.cu example.cu */
#include "recurrence2.h"

#include <math.h>

// log|det A| of the tridiagonal matrix with rows (a b c); *sign is -1, 0 or 1. a, b, c: n numbers
// in device memory; the factors replace a and b. NaN if there is an error.
double log_determinant(int64_t n, double *a, double *b, const double *c, int *sign)
{
    struct recurrence2 p = {};
    p.type = 'd', p.kind = RECURRENCE2_LU, p.length = n, p.batch = 1;
    p.a = a, p.b = b, p.c = c, p.x = a, p.u = b;
    size_t bytes = recurrence2_workspace(&p);
    char *memory = NULL; // the workspace, then mantissa and exponent
    double mantissa = NAN;
    int64_t exponent = 0;
    bool ok = cudaMalloc(&memory, bytes + 16) == cudaSuccess &&
              recurrence2_prepare(memory, bytes, 0) == cudaSuccess;
    p.mantissa = memory + bytes, p.exponent = (int64_t *)(memory + bytes + 8);
    ok = ok && recurrence2_solve(&p, memory, bytes, 0) == cudaSuccess &&
         cudaMemcpy(&mantissa, p.mantissa, 8, cudaMemcpyDeviceToHost) == cudaSuccess &&
         cudaMemcpy(&exponent, p.exponent, 8, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(memory);
    *sign = (mantissa > 0) - (mantissa < 0);
    return ok ? log(fabs(mantissa)) + (double)exponent * log(2) : NAN;
}

int main(void)
{
    enum { N = 1000000 };
    static double host[3][N];
    double *rows[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N; i++)
            host[k][i] = k == 1 ? 2 : -1;
        CHECK(cudaMalloc(&rows[k], sizeof host[k]));
        CHECK(cudaMemcpy(rows[k], host[k], sizeof host[k], cudaMemcpyHostToDevice));
    }
    int sign;
    const double got = log_determinant(N, rows[0], rows[1], rows[2], &sign);
    printf("log det = %.9f, log %d = %.9f\n", got, N + 1, log(N + 1.0));
    for (double *array : rows)
        CHECK(cudaFree(array));
    return !(sign == 1 && fabs(got - log(N + 1.0)) < 1e-4); /* NaN is wrong, too */
}
