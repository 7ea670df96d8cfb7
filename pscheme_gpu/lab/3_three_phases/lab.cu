/* Lab 3: the three phases of P-scheme in the rearranged layout (W12 sec. II-B and IV). */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_three_phases(int blocks, int threads, int64_t n, int64_t m, float w0, float scale,
                             const float *t, float *w, float *a);

static void test(const struct lab_case *c)
{
    int64_t parts = (int64_t)c->blocks * c->threads, m = (c->n + parts - 1) / parts;
    size_t size = (size_t)(parts * m), bytes = size * sizeof(float);
    /* w0 is so large that a part that is not corrected is wrong in every row. */
    float scale = (float)RECURRENCE_SCALE, w0 = 1000;
    float *t = (float *)malloc(bytes), *moved = (float *)malloc(bytes);
    float *result = (float *)malloc(bytes), *w = (float *)malloc(bytes + sizeof *w);
    struct random r = {3};
    if (!t || !moved || !w || !result)
        exit(3);
    for (int64_t i = 0; i < parts * m; i++)
        t[i] = (float)random_uniform(&r, 0.1, 1);
    for (int64_t i = 0; i < parts * m; i++) /* W12 Fig. 2 */
        moved[i % m * parts + i / m] = t[i];

    lab_parts(parts, m);
    float *device_t = (float *)lab_array("t", bytes, moved);
    float *device_w = (float *)lab_array("w", bytes, NULL);
    float *device_a = (float *)lab_array("a", bytes, NULL);
    lab_rearranged(device_t);
    lab_rearranged(device_w);
    lab_rearranged(device_a);
    lab_launched(
        run_three_phases(c->blocks, c->threads, c->n, m, w0, scale, device_t, device_w, device_a));
    lab_fetch(device_w, result);
    w[0] = w0;
    for (int64_t i = 0; i < c->n; i++)
        w[i + 1] = result[i % m * parts + i / m];
    lab_verified_rearranged("w", verify_recurrence('s', c->n, w0, &scale, 0, t, 1, w), -1);
    /* Determination: w and a are loaded and w is stored in all rows but the last rows of the parts
     * before the last one. These are loaded once, as the values that come in. */
    lab_least("determine",
              sizeof(float) * (3.0 * (double)(c->n - (parts - 1)) + (double)(parts - 1)));
    free(t);
    free(moved);
    free(w);
    free(result);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{1, 1, 32},    {31, 2, 32},   {100, 2, 32},
                                            {1000, 4, 32}, {4097, 4, 64}, {4097, 3, 48},
                                            {16384, 8, 64}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
