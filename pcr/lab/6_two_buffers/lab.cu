/* Lab 6: parallel cyclic reduction (W12 sec. V-E) of a recurrence for each block. */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_pcr(int blocks, int threads, int n, const float *s, const float *t, float *w);

static void test(const struct lab_case *c)
{
    size_t bytes = (size_t)(c->blocks * c->n) * sizeof(float);
    float *s = (float *)malloc(bytes), *t = (float *)malloc(bytes), *w = (float *)malloc(bytes);
    float *part = (float *)malloc((size_t)(c->n + 1) * sizeof *part);
    if (!s || !t || !w || !part)
        exit(3);
    /* |s| near 1: each w_i depends visibly on all rows before it. */
    for (int b = 0; b < c->blocks; b++)
        fill_recurrence('s', RECURRENCE_NEAR_ONE, (uint64_t)b, c->n, &s[b * c->n], &t[b * c->n]);
    float *result = (float *)lab_array("w", bytes, NULL);
    lab_launched(run_pcr(c->blocks, c->threads, (int)c->n, (const float *)lab_array("s", bytes, s),
                         (const float *)lab_array("t", bytes, t), result));
    lab_fetch(result, w);
    for (int b = 0; b < c->blocks; b++) {
        int64_t first = b * c->n;
        part[0] = 0;
        memcpy(&part[1], &w[first], (size_t)c->n * sizeof *part);
        lab_verified("w", verify_recurrence('s', c->n, 0, &s[first], 1, &t[first], 1, part),
                     first - 1);
    }
    lab_least("pcr", 3.0 * (double)bytes);
    free(s);
    free(t);
    free(w);
    free(part);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{1, 1, 32},   {2, 3, 64},   {33, 2, 64},
                                            {64, 2, 64},  {95, 2, 128}, {1000, 1, 1024},
                                            {512, 8, 512}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
