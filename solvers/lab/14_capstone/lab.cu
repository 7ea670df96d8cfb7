/* Lab 14: the linear recurrence (W13 eq. 1-2) in one launch, beside solvers/recurrence.cu. */
#include "given.cuh"
#include "lab/lab.h"
#include "problems.h"
#include "recurrence.h"

static bool with_library; /* in the run that is counted */

/* The library's solver, with the same s and t. */
static void solve_library(int64_t n, float w0, const float *s, const float *t, float *w)
{
    size_t bytes = (size_t)n * sizeof(float), space = recurrence_workspace('s', n);
    void *zeros = calloc(1, space);
    if (!zeros)
        exit(3);
    float *result = (float *)lab_array("w of the library", bytes, NULL);
    struct recurrence p = {.type = 's', .length = n, .batch = 1};
    p.s = s;
    p.t = t;
    p.w0 = lab_array("w0 of the library", sizeof w0, &w0);
    p.w = result;
    lab_launched(
        recurrence_solve(&p, lab_array("workspace of the library", space, zeros), space, 0));
    lab_fetch(result, w);
    free(zeros);
}

static void test(const struct lab_case *c)
{
    const float w0 = 1000;
    size_t bytes = (size_t)c->n * sizeof(float), words = (size_t)(c->n + 31) / 32 * sizeof(float);
    float *s = lab_floats(c->n), *t = lab_floats(c->n), *w = lab_floats(c->n + 1);
    int *zeros = (int *)calloc(1, words);
    struct random r = {14};
    if (!zeros)
        exit(3);
    for (int64_t i = 0; i < c->n; i++) {
        s[i] = (float)random_uniform(&r, 0.9, 1.1);
        t[i] = (float)random_uniform(&r, -1, 1);
    }
    const float *device_s = (const float *)lab_array("s", bytes, s),
                *device_t = (const float *)lab_array("t", bytes, t);
    float *result = (float *)lab_array("w", bytes, NULL);
    struct workspace space;
    space.next = (int *)lab_array("next", sizeof(int), zeros);
    space.flags = (int *)lab_array("flags", words, zeros);
    space.a = (float *)lab_array("a", words, NULL);
    space.b = (float *)lab_array("b", words, NULL);
    space.carries = (float *)lab_array("carries", words, NULL);
    /* With this seed blocks start in another order, and several run at the same time. */
    cpu_device_shuffle((uint64_t)c->parts);
    lab_launched(run_solve(c->n, w0, device_s, device_t, result, space));
    cpu_device_shuffle(0);
    w[0] = w0;
    lab_fetch(result, &w[1]);
    lab_verified("w", verify_recurrence('s', c->n, w0, s, 1, t, 1, w), -1);
    lab_least("solve", 3.0 * (double)bytes);
    if (with_library) {
        solve_library(c->n, w0, device_s, device_t, &w[1]);
        lab_verified("w of the library", verify_recurrence('s', c->n, w0, s, 1, t, 1, w), -1);
        lab_least("one_pass", 3.0 * (double)bytes);
    }
    free(s);
    free(t);
    free(w);
    free(zeros);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{.n = 1},
                                            {.n = 31},
                                            {.n = 128},
                                            {.n = 1000},
                                            {.n = 4096},
                                            {.n = 4097},
                                            {.n = 9998, .parts = 1},
                                            {.n = 9999, .parts = 2},
                                            {.n = 70000, .parts = 3},
                                            {.n = 12345},
                                            {.n = 65536}};
    with_library = argc > 1;
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
