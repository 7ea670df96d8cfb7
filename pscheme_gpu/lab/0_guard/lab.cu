/* Lab 0: the same operation on each element of an array, by two kernels. */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_guarded(int threads, int n, float scale, float offset, const float *x, float *y);
cudaError_t run_strided(int blocks, int threads, int n, float scale, float offset, const float *x,
                        float *y);

static void verify(const char *kernel, const struct lab_case *c, const float *x, const float *array,
                   float scale, float offset)
{
    float *y = lab_floats(c->n);
    lab_fetch(array, y);
    for (int64_t i = 0; i < c->n; i++) {
        double right = (double)scale * x[i] + offset;
        if (isnan(y[i]))
            lab_fail("%s: y[%lld] is NaN (not a number): no thread has written it", kernel,
                     (long long)i);
        else if (fabs(y[i] - right) > 4 * unit_roundoff('s') * fabs(right))
            lab_fail("%s: y[%lld] is %g, not %g", kernel, (long long)i, y[i], right);
    }
    free(y);
}

static void test(const struct lab_case *c)
{
    const float scale = 2, offset = 1;
    const int n = (int)c->n;
    size_t bytes = (size_t)n * sizeof(float);
    float *x = lab_floats(n);
    struct random r = {0};
    for (int i = 0; i < n; i++)
        x[i] = (float)random_uniform(&r, 1, 2);
    const float *device_x = (const float *)lab_array("x", bytes, x);
    float *y_guarded = (float *)lab_array("y", bytes, NULL),
          *y_strided = (float *)lab_array("y", bytes, NULL);
    lab_launched(run_guarded(c->threads, n, scale, offset, device_x, y_guarded));
    verify("guarded", c, x, y_guarded, scale, offset);
    lab_launched(run_strided(c->blocks, c->threads, n, scale, offset, device_x, y_strided));
    verify("strided", c, x, y_strided, scale, offset);
    lab_least("guarded", 2.0 * (double)bytes);
    lab_least("strided", 2.0 * (double)bytes);
    free(x);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{8, 2, 4},     {10, 2, 4},    {1, 2, 4},
                                            {31, 1, 32},   {33, 2, 32},   {1000, 3, 96},
                                            {4097, 4, 64}, {1000, 2, 128}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
