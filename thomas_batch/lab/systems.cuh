/* The test of labs 9 and 13. */
#include "lab/lab.h"
#include "problems.h"

enum { SUB, DIAG, SUPER, RHS, X, ARRAYS };

/* Makes c->batch dominant systems on the device, solves them by solve(in, x) and verifies x. */
template <class Solve>
static void test_systems(const struct lab_case *c, uint64_t seed, Solve solve)
{
    static const char *const names[] = {"a", "b", "c", "k"};
    size_t rows = (size_t)(c->batch * c->n), bytes = rows * sizeof(float);
    float *host[ARRAYS];
    const float *in[X];
    for (float *&array : host)
        if (!(array = (float *)malloc(bytes)))
            exit(3);
    fill_systems('s', SYSTEM_DOMINANT, seed, c->n, c->batch, host[SUB], host[DIAG], host[SUPER],
                 host[RHS]);
    for (int64_t s = 0; s < c->batch; s++)
        host[SUB][s * c->n] = host[SUPER][s * c->n + c->n - 1] = 0;
    for (int i = 0; i < X; i++)
        in[i] = (const float *)lab_array(names[i], bytes, host[i]);
    float *x = (float *)lab_array("x", bytes, NULL);
    lab_launched(solve(in, x));
    lab_fetch(x, host[X]);
    /* Thomas stays below 4 units of roundoff (thomas_batch --check). */
    lab_verified("x of system",
                 verify_systems('s', c->n, c->batch, host[SUB], host[DIAG], host[SUPER], host[RHS],
                                host[X], 16),
                 0);
    lab_rows((int64_t)rows);
    for (float *array : host)
        free(array);
}
