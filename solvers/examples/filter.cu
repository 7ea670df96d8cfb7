/* The example of filter.md in a program that checks its result: a low-pass of Butterworth of order
 * 8. Copy the files that filter.h names beside it, and: nvcc -arch=native filter.cu example.cu */
#include "filter.h"

#include <math.h>

// y = scipy.signal.sosfilt(sos, x), where a row of sos is b0 b1 b2 a0 a1 a2. x, y: device memory.
cudaError_t sosfilt(int sections, const double *sos, int64_t n, const float *x, float *y)
{
    void *workspace = NULL;
    struct filter p = {};
    p.type = 's', p.length = n, p.batch = 1;
    p.sections = sections, p.order = 2, p.coefficients = sos;
    p.x = x, p.y = y;
    size_t bytes = filter_workspace(&p);
    cudaError_t error = cudaMalloc(&workspace, bytes);
    if (error == cudaSuccess)
        error = filter_prepare(workspace, bytes, 0); // once, for any number of calls
    if (error == cudaSuccess)
        error = filter_solve(&p, workspace, bytes, 0);
    cudaError_t end = cudaDeviceSynchronize();
    cudaFree(workspace);
    return error != cudaSuccess ? error : end;
}

int main(void)
{
    enum { N = 100000, SECTIONS = 4 };
    static float host[N];
    double sos[SECTIONS][6], pi = acos(-1), w = 0.1 * pi, slow = 0, wrong = 0;
    for (int n = 0; n < SECTIONS; n++) {
        double alpha = sin(w) * cos(pi * (2 * n + 1) / (4 * SECTIONS)), b = (1 - cos(w)) / 2;
        double section[6] = {b, 2 * b, b, 1 + alpha, -2 * cos(w), 1 - alpha};
        memcpy(sos[n], section, sizeof section);
    }
    for (int i = 0; i < N; i++) /* 1 and the highest frequency */
        host[i] = i % 2 ? 2 : 0;
    float *x;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(sosfilt(SECTIONS, sos[0], N, x, x));
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(x));
    for (int i = N / 2; i < N; i++) {
        slow = host[i];
        wrong += !(fabs(slow - 1) < 1e-4); /* NaN is wrong, too */
    }
    printf("after the low-pass: %.6f, %g are wrong\n", slow, wrong);
    return wrong != 0;
}
