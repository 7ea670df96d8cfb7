/* Lab 9: Thomas's elimination and substitution (PL19 sec. 2) of many systems, by tiles. */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_thomas(int n, int batch, const float *a, const float *b, const float *c,
                       const float *k, float *alpha, float *beta, float *x);

static void test(const struct lab_case *c)
{
    enum { SUB, DIAG, SUPER, RHS, X, ARRAYS };
    static const char *const names[] = {"a", "b", "c", "k"};
    size_t rows = (size_t)(c->batch * c->n), bytes = rows * sizeof(float);
    float *host[ARRAYS], *in[X];
    for (int i = 0; i < ARRAYS; i++)
        if (!(host[i] = (float *)malloc(bytes)))
            exit(3);
    fill_systems('s', SYSTEM_DOMINANT, 9, c->n, c->batch, host[SUB], host[DIAG], host[SUPER],
                 host[RHS]);
    for (int64_t s = 0; s < c->batch; s++)
        host[SUB][s * c->n] = host[SUPER][s * c->n + c->n - 1] = 0;
    for (int i = 0; i < X; i++)
        in[i] = (float *)lab_array(names[i], bytes, host[i]);
    float *alpha = (float *)lab_array("alpha", bytes, NULL);
    float *beta = (float *)lab_array("beta", bytes, NULL);
    float *x = (float *)lab_array("x", bytes, NULL);
    lab_launched(
        run_thomas((int)c->n, c->batch, in[SUB], in[DIAG], in[SUPER], in[RHS], alpha, beta, x));
    lab_fetch(x, host[X]);
    /* Thomas stays below 4 units of roundoff (thomas_batch --check). */
    lab_verified("x of system",
                 verify_systems('s', c->n, c->batch, host[SUB], host[DIAG], host[SUPER], host[RHS],
                                host[X], 16),
                 0);
    lab_rows((int64_t)rows);
    for (int i = 0; i < ARRAYS; i++)
        free(host[i]);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{.n = 1, .batch = 1},    {.n = 2, .batch = 33},
                                            {.n = 31, .batch = 32},  {.n = 33, .batch = 31},
                                            {.n = 64, .batch = 100}, {.n = 100, .batch = 7},
                                            {.n = 129, .batch = 65}, {.n = 128, .batch = 128}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
