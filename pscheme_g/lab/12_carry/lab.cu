/* Lab 12: the linear recurrence (W13 eq. 1-2) in one kernel, with a carry between blocks. */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_one_pass(int64_t n, float w0, const float *s, const float *t, float *w, int *next,
                         int *flags, float *carries);

static void test(const struct lab_case *c)
{
    const float w0 = 1000;
    size_t bytes = (size_t)c->n * sizeof(float);
    float *s = (float *)malloc(bytes), *t = (float *)malloc(bytes);
    float *w = (float *)malloc(bytes + sizeof(float));
    int *zeros = (int *)calloc((size_t)c->n + 1, sizeof(int));
    struct random r = {12};
    if (!s || !t || !w || !zeros)
        exit(3);
    for (int64_t i = 0; i < c->n; i++) {
        s[i] = (float)random_uniform(&r, 0.9, 1.1);
        t[i] = (float)random_uniform(&r, -1, 1);
    }
    w[0] = w0;
    float *result = (float *)lab_array("w", bytes, NULL);
    lab_launched(run_one_pass(
        c->n, w0, (const float *)lab_array("s", bytes, s), (const float *)lab_array("t", bytes, t),
        result, (int *)lab_array("next", sizeof(int), zeros),
        (int *)lab_array("flags", bytes, zeros), (float *)lab_array("carries", bytes, NULL)));
    lab_fetch(result, &w[1]);
    lab_verified("w", verify_recurrence('s', c->n, w0, s, 1, t, 1, w), -1);
    lab_least("one_pass", 3.0 * (double)bytes);
    free(s);
    free(t);
    free(w);
    free(zeros);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{.n = 1},   {.n = 31},   {.n = 128},  {.n = 129},
                                            {.n = 257}, {.n = 1000}, {.n = 4097}, {.n = 16384}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
