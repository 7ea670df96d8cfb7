/* Lab 10: propagation by one warp, W13 eq. 4. */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_parts(int64_t n, float w0, const float *s, const float *t, float *a, float *b,
                      float *last, float *w);

enum { PARTS = 32 };

static void test(const struct lab_case *c)
{
    /* So large that the unknown before a part matters everywhere. */
    const float w0 = 1000;
    size_t bytes = (size_t)c->n * sizeof(float), ends = PARTS * sizeof(float);
    float *s = lab_floats(c->n), *t = lab_floats(c->n), *w = lab_floats(c->n + 1);
    fill_recurrence('s', RECURRENCE_NEAR_ONE, 10, c->n, s, t);
    w[0] = w0;
    float *result = (float *)lab_array("w", bytes, NULL);
    lab_launched(run_parts(c->n, w0, (const float *)lab_array("s", bytes, s),
                           (const float *)lab_array("t", bytes, t),
                           (float *)lab_array("a", ends, NULL), (float *)lab_array("b", ends, NULL),
                           (float *)lab_array("last", ends, NULL), result));
    lab_fetch(result, &w[1]);
    lab_verified("w", verify_recurrence('s', c->n, w0, s, 1, t, 1, w), 0);
    lab_least("propagate", 3.0 * (double)ends);
    free(s);
    free(t);
    free(w);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{.n = 1},   {.n = 2},    {.n = 31},  {.n = 32},
                                            {.n = 100}, {.n = 1000}, {.n = 4097}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
