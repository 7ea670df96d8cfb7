/* Calls two solvers of the installed CPU library from C. All arrays are ordinary memory of this
 * program. Compile:
 *
 *   cc installed.c $(pkg-config --cflags --libs recurrences_cpu) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tridiagonal_cpu.h"
#include "recurrence.h"

int main(void)
{
    enum { N = 1000 };
    static double sub[N], diag[N], super[N], rhs[N], x[N], w[N], one[1] = {1};
    for (int i = 0; i < N; i++) { /* the solution is x_i = i mod 7 */
        sub[i] = super[i] = -1;
        diag[i] = 2.5;
        rhs[i] = 2.5 * (i % 7) - (i > 0 ? (i - 1) % 7 : 0) - (i < N - 1 ? (i + 1) % 7 : 0);
    }
    void *work = aligned_alloc(64, (tridiagonal_cpu_work('d', N) + 63) / 64 * 64);
    struct tridiagonal_cpu system = {'d', N, sub, diag, super, rhs, x, work, 2};
    long long status = tridiagonal_cpu_solve(&system);
    free(work);
    for (int i = 0; i < N; i++)
        if (status != 0 || !(fabs(x[i] - i % 7) < 1e-13))
            return 1;

    size_t bytes = recurrence_workspace('d', N);
    struct recurrence recurrence = {'d', N, 1, 0, 1, one, diag, NULL, w, RECURRENCE_AUTO, 0};
    work = aligned_alloc(64, (bytes + 63) / 64 * 64);
    /* The library runs this solver's kernel on the CPU device. */
    cudaError_t error = recurrence_prepare(work, bytes, 0);
    if (error == cudaSuccess)
        error = recurrence_solve(&recurrence, work, bytes, 0); /* w_i = w_{i-1} + 2.5 */
    free(work);
    printf("x_%d = %g, w_%d = %g\n", N - 1, x[N - 1], N - 1, w[N - 1]);
    return error != cudaSuccess || w[N - 1] != 2.5 * N;
}
