/* Lab 9: Thomas's elimination and substitution (PL19 sec. 2) of many systems, by tiles. */
#include "../systems.cuh"

cudaError_t run_thomas(int n, int batch, const float *a, const float *b, const float *c,
                       const float *k, float *alpha, float *beta, float *x);

static void test(const struct lab_case *c)
{
    size_t bytes = (size_t)(c->batch * c->n) * sizeof(float);
    float *alpha = (float *)lab_array("alpha", bytes, NULL);
    float *beta = (float *)lab_array("beta", bytes, NULL);
    test_systems(c, 9, [=](const float *const *in, float *x) {
        return run_thomas((int)c->n, c->batch, in[SUB], in[DIAG], in[SUPER], in[RHS], alpha, beta,
                          x);
    });
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{.n = 1, .batch = 1},    {.n = 2, .batch = 33},
                                            {.n = 31, .batch = 32},  {.n = 33, .batch = 31},
                                            {.n = 64, .batch = 100}, {.n = 100, .batch = 7},
                                            {.n = 129, .batch = 65}, {.n = 128, .batch = 128}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
