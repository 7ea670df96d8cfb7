/* The example of heat.h in a program that checks its result. A plate with the temperature sin(pi x)
 * sin(pi y) cools. Each step must multiply the temperature by the same known factor. */
#include <math.h>

#include "heat.h"

// u: n * n doubles on the device, u(0); becomes u(steps * dt). work: heat_work() bytes.
cudaError_t cool(int64_t n, double dt, int steps, double *u, void *work)
{
    struct heat s = {};
    s.type = 'd', s.n = n, s.dt = dt, s.u = u, s.work = work;
    TRY(heat_prepare(&s, 0));
    return heat_steps(&s, steps, 0);
}

int main(void)
{
    enum { N = 63, STEPS = 20 };
    const double PI = 3.14159265358979323846, dt = 1e-3;
    static double u[N * N];
    for (int k = 0; k < N * N; k++)
        u[k] = sin(PI * (k % N + 1) / (N + 1)) * sin(PI * (k / N + 1) / (N + 1));
    struct heat sizes = {};
    sizes.type = 'd', sizes.n = N, sizes.dt = dt;
    double *on_device;
    void *work;
    CHECK(cudaMalloc(&on_device, sizeof u));
    CHECK(cudaMalloc(&work, heat_work(&sizes)));
    CHECK(cudaMemcpy(on_device, u, sizeof u, cudaMemcpyHostToDevice));
    CHECK(cool(N, dt, STEPS, on_device, work));
    double before = u[N * N / 2];
    CHECK(cudaMemcpy(u, on_device, sizeof u, cudaMemcpyDeviceToHost));
    double a = 4 * pow(sin(PI / 2 / (N + 1)), 2), ra = heat_ratio(&sizes) * a,
           factor = pow((1 - ra) / (1 + ra), 2 * STEPS);
    if (!(fabs(u[N * N / 2] - before * factor) < 1e-12))
        return 1;
    printf("%.3f of the heat is left\n", u[N * N / 2] / before);
    return 0;
}
