/* Lab 2b: prefix sums, and the recurrence w_i = s_i w_{i-1} + t_i as a scan of maps, in blocks. */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_scan_sums(int blocks, int threads, int64_t n, const float *x, float *y);
cudaError_t run_scan_maps(int blocks, int threads, int64_t n, const float *s, const float *t,
                          float *a, float *b);

/* Each block's elements are a recurrence with w_0 = before: prefix sums have s = 1 and w_0 = 0, b
 * has w_0 = 0, and a has w_0 = 1 and t = 0. s and t are one number if their `inc` is 0. */
static void verify(const char *name, const struct lab_case *c, float before, const float *s,
                   int s_inc, const float *t, int t_inc, const float *array)
{
    float *all = lab_floats(c->n), *w = lab_floats(c->threads + 1);
    lab_fetch(array, all);
    for (int64_t first = 0; first < c->n; first += c->threads) {
        int64_t count = c->n - first < c->threads ? c->n - first : c->threads;
        w[0] = before;
        memcpy(&w[1], &all[first], (size_t)count * sizeof *w);
        lab_verified(name,
                     verify_recurrence('s', count, before, &s[s_inc * first], s_inc,
                                       &t[t_inc * first], t_inc, w),
                     first - 1);
    }
    free(all);
    free(w);
}

static void test(const struct lab_case *c)
{
    const float one = 1, zero = 0;
    size_t bytes = (size_t)c->n * sizeof(float);
    float *s = lab_floats(c->n), *t = lab_floats(c->n);
    struct random r = {2};
    for (int64_t i = 0; i < c->n; i++) {
        s[i] = (float)random_uniform(&r, 0.9, 1.1);
        t[i] = (float)random_uniform(&r, 0.1, 1);
    }
    const float *device_s = (const float *)lab_array("s", bytes, s),
                *x = (const float *)lab_array("x", bytes, t),
                *device_t = (const float *)lab_array("t", bytes, t);
    float *y = (float *)lab_array("y", bytes, NULL), *a = (float *)lab_array("a", bytes, NULL),
          *b = (float *)lab_array("b", bytes, NULL);
    lab_launched(run_scan_sums(c->blocks, c->threads, c->n, x, y));
    verify("y", c, 0, &one, 0, t, 1, y);
    lab_launched(run_scan_maps(c->blocks, c->threads, c->n, device_s, device_t, a, b));
    verify("a", c, 1, s, 1, &zero, 0, a);
    verify("b", c, 0, s, 1, t, 1, b);
    lab_least("scan_sums", 2.0 * (double)bytes);
    lab_least("scan_maps", 4.0 * (double)bytes);
    free(s);
    free(t);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{8, 1, 8},       {1, 1, 32},     {31, 1, 32},
                                            {33, 2, 32},     {100, 2, 96},   {1000, 4, 256},
                                            {4097, 5, 1024}, {4096, 4, 1024}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
