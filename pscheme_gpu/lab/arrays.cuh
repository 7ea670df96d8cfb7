/* What the tests of labs 2 to 5 share. */
#include "lab/lab.h"
#include "problems.h"

/* The cases of labs 2, 3 and 5. */
static const struct lab_case cases[] = {{1, 1, 32},    {31, 2, 32},   {100, 2, 32},  {1000, 4, 32},
                                        {4097, 4, 64}, {4097, 3, 48}, {16384, 8, 64}};
enum { CASES = sizeof cases / sizeof *cases };

/* Fills t with random numbers, in natural order, and `moved` with the same in the rearranged layout
 * (W12 Fig. 2). */
static inline void random_rows(uint64_t seed, int64_t parts, int64_t m, float *t, float *moved)
{
    struct random r = {seed};
    for (int64_t i = 0; i < parts * m; i++)
        moved[i % m * parts + i / m] = t[i] = (float)random_uniform(&r, 0.1, 1);
}

/* Copies n rows from the array on the device, which is rearranged, to w in natural order. */
static inline void fetch_natural(const float *array, int64_t n, int64_t parts, int64_t m, float *w)
{
    float *moved = lab_floats(parts * m);
    lab_fetch(array, moved);
    for (int64_t i = 0; i < n; i++)
        w[i] = moved[i % m * parts + i / m];
    free(moved);
}
