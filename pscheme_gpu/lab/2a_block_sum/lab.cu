/* Lab 2a: one sum for each block, the step from many threads to one number. */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_block_sum(int blocks, int threads, int64_t n, const float *x, float *sums);

static void test(const struct lab_case *c)
{
    size_t bytes = (size_t)c->n * sizeof(float), ends = (size_t)c->blocks * sizeof(float);
    float *x = lab_floats(c->n), *sums = lab_floats(c->blocks);
    struct random r = {2};
    for (int64_t i = 0; i < c->n; i++)
        x[i] = (float)random_uniform(&r, 0.1, 1);
    float *result = (float *)lab_array("sums", ends, NULL);
    lab_launched(run_block_sum(c->blocks, c->threads, c->n, (const float *)lab_array("x", bytes, x),
                               result));
    lab_fetch(result, sums);
    for (int b = 0; b < c->blocks; b++) {
        double right = 0;
        for (int64_t i = (int64_t)b * c->threads; i < c->n && i < (int64_t)(b + 1) * c->threads;
             i++)
            right += x[i];
        /* All x are positive, so the rounding errors of T additions in any order are below this. */
        double allowed = 2 * unit_roundoff('s') * c->threads * right;
        if (isnan(sums[b]))
            lab_fail("sums[%d] is NaN: not written, or computed from what was not written", b);
        else if (!(fabs(sums[b] - right) <= allowed))
            lab_fail("sums[%d] is %.6g, not %.6g", b, sums[b], right);
    }
    lab_least("block_sum", (double)(bytes + ends));
    free(x);
    free(sums);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{8, 1, 8},       {1, 1, 32},     {7, 1, 8},
                                            {100, 2, 64},    {1000, 4, 256}, {33, 1, 1024},
                                            {4097, 5, 1024}, {4096, 4, 1024}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
