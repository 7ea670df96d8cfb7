/* The test of labs 7 and 8, which transpose in two ways. */
#include "lab/lab.h"

struct transposition {
    const char *kernel, *array; /* the kernel, and its result's name in messages */
    cudaError_t (*run)(int64_t parts, int64_t m, const float *w, float *moved);
};

/* Every element of w is its own index, so a wrong result tells which element it is. */
static void verify_moved(const char *kernel, int64_t parts, int64_t m, const float *moved)
{
    for (int64_t k = 0; k < parts * m; k++) {
        int64_t right = k % parts * m + k / parts;
        if (moved[k] == (float)right)
            continue;
        if (moved[k] >= 0)
            lab_fail("%s: moved[%lld] is w[%lld], but must be w[%lld]", kernel, (long long)k,
                     (long long)moved[k], (long long)right);
        else
            lab_fail("%s: moved[%lld] is NaN: not written, or copied from what was not written",
                     kernel, (long long)k);
    }
}

/* Tests both ways. The second is the student's. */
static void test_transpositions(const struct lab_case *c, const struct transposition (&ways)[2])
{
    int64_t parts = c->parts, m = c->n / parts;
    size_t bytes = (size_t)c->n * sizeof(float);
    float *w = lab_floats(c->n), *moved = lab_floats(c->n);
    for (int64_t k = 0; k < c->n; k++)
        w[k] = (float)k;
    lab_parts(parts, m);
    float *in = (float *)lab_array("w", bytes, w);
    for (const transposition &way : ways) {
        float *out = (float *)lab_array(way.array, bytes, NULL);
        lab_launched(way.run(parts, m, in, out));
        lab_fetch(out, moved);
        verify_moved(way.kernel, parts, m, moved);
    }
    lab_least(ways[1].kernel, 2.0 * (double)bytes);
    free(w);
    free(moved);
}

static const struct lab_case cases[] = {
    {.n = 1 * 1, .parts = 1},      {.n = 32 * 32, .parts = 32},  {.n = 5 * 7, .parts = 5},
    {.n = 32 * 31, .parts = 32},   {.n = 64 * 100, .parts = 64}, {.n = 100 * 10, .parts = 100},
    {.n = 1 * 100, .parts = 1},    {.n = 33 * 65, .parts = 33},  {.n = 128 * 128, .parts = 128}};
enum { CASES = sizeof cases / sizeof *cases };
