/* A low-pass of order 2 of N samples, beside the loop. Copy the files that filter_cpu.h names, and:
 * gcc -std=gnu11 -O3 -march=native -fopenmp example.c filter_cpu.c -lm */
#include "filter_cpu.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1000000, CORES = 1 }; /* one core filters a sequence */
    /* b, then a, of scipy.signal.butter(2, 0.1) */
    static const double c[] = {0.020083365564211236, 0.04016673112842247, 0.020083365564211236, 1,
                               -1.5610180758007182,  0.6413515380575631};
    static double x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = i % 1000 < 500; /* a square wave */
    struct filter p = {.type = 'd', .length = N, .batch = 1, .sections = 1, .order = 2};
    p.coefficients = c, p.x = x, p.y = y;
    int error = filter_cpu_solve(&p, CORES);

    long wrong = 0;
    double z[2] = {0, 0};
    for (int i = 0; i < N; i++) {
        const double right = c[0] * x[i] + z[0];
        z[0] = c[1] * x[i] - c[4] * right + z[1];
        z[1] = c[2] * x[i] - c[5] * right;
        wrong += !(fabs(y[i] - right) < 1e-12); /* NaN is wrong, too */
    }
    printf("error %d, the last is %.6f, %ld are wrong\n", error, y[N - 1], wrong);
    return error != 0 || wrong != 0;
}
