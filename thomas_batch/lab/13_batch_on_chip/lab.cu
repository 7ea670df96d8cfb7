/* Lab 13: Thomas's elimination and substitution (PL19 sec. 2) of many systems that stay on chip. */
#include "../systems.cuh"

cudaError_t run_thomas(int n, int batch, const float *a, const float *b, const float *c,
                       const float *k, float *x);

static void test(const struct lab_case *c)
{
    test_systems(c, 13, [=](const float *const *in, float *x) {
        return run_thomas((int)c->n, c->batch, in[SUB], in[DIAG], in[SUPER], in[RHS], x);
    });
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{.n = 1, .batch = 1},    {.n = 2, .batch = 33},
                                            {.n = 32, .batch = 32},  {.n = 33, .batch = 31},
                                            {.n = 64, .batch = 100}, {.n = 100, .batch = 7},
                                            {.n = 301, .batch = 33}, {.n = 100, .batch = 65},
                                            {.n = 31, .batch = 128}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
