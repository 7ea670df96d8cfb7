/* Lab 1: the third phase of P-scheme, determination, for one part (W12 sec. II-B). */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_map(int64_t n, float carry, const float *hat, const float *a, float *w);

static void test(const struct lab_case *c)
{
    const float scale = (float)RECURRENCE_SCALE, offset = (float)RECURRENCE_OFFSET;
    /* So large that a w without the correction is wrong everywhere. */
    const float w_in = 1000;
    size_t bytes = (size_t)c->n * sizeof(float);
    float *hat = lab_floats(c->n), *a = lab_floats(c->n), *w = lab_floats(c->n + 1);
    for (int64_t i = 0; i < c->n; i++) {
        hat[i] = scale * (i > 0 ? hat[i - 1] : 0) + offset;
        a[i] = scale * (i > 0 ? a[i - 1] : 1);
    }
    w[0] = w_in;
    float *result = (float *)lab_array("w", bytes, NULL);
    lab_launched(run_map(c->n, w_in, (const float *)lab_array("hat", bytes, hat),
                         (const float *)lab_array("a", bytes, a), result));
    lab_fetch(result, &w[1]);
    lab_verified("w", verify_recurrence('s', c->n, w_in, &scale, 0, &offset, 0, w), -1);
    lab_least("map", 3.0 * (double)bytes);
    free(hat);
    free(a);
    free(w);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{.n = 1},   {.n = 31},   {.n = 33},   {.n = 256},
                                            {.n = 257}, {.n = 1000}, {.n = 4097}, {.n = 16384}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
