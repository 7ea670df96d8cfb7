/* An exponential moving average of N samples, w_i = (1 - A) w_{i-1} + A x_i, beside the loop.
 * gcc -std=gnu11 -O3 -march=native -fopenmp example.c recurrence_cpu.c -lm */
#include "recurrence_cpu.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1000000, CORES = 2 };
    const double A = 0.01, keep = 1 - A, start = 0;
    static double t[N], w[N];
    for (int i = 0; i < N; i++)
        t[i] = A * (i % 1000 < 500); /* a square wave */
    struct recurrence p = {.type = 'd', .length = N, .batch = 1, .constant = 1};
    p.s = &keep, p.t = t, p.w0 = &start, p.w = w;
    int error = recurrence_cpu_solve(&p, CORES);

    long wrong = 0;
    double loop = start;
    for (int i = 0; i < N; i++) {
        loop = keep * loop + t[i];
        wrong += !(fabs(w[i] - loop) < 1e-12); /* NaN is wrong, too */
    }
    printf("error %d, average at the end %.6f, %ld are wrong\n", error, w[N - 1], wrong);
    return error != 0 || wrong != 0;
}
