/* Lab 8: the rearrangement of W13 sec. III-A without bank conflicts. */
#include "lab/lab.h"

cudaError_t run_tile(int64_t parts, int64_t m, const float *w, float *moved);
cudaError_t run_padded(int64_t parts, int64_t m, const float *w, float *moved);

/* Every element of w is its own index, so a wrong result tells which element it is. */
static void verify_moved(const char *kernel, int64_t parts, int64_t m, const float *moved)
{
    for (int64_t k = 0; k < parts * m; k++) {
        int64_t right = k % parts * m + k / parts;
        if (moved[k] == (float)right)
            continue;
        if (moved[k] >= 0)
            lab_fail("%s: moved[%lld] is w[%lld], but must be w[%lld]", kernel, (long long)k,
                     (long long)moved[k], (long long)right);
        else
            lab_fail("%s: moved[%lld] is NaN: not written, or copied from what was not written",
                     kernel, (long long)k);
    }
}

static void test(const struct lab_case *c)
{
    int64_t parts = c->parts, m = c->n / parts;
    size_t bytes = (size_t)c->n * sizeof(float);
    float *w = (float *)malloc(bytes), *moved = (float *)malloc(bytes);
    if (!w || !moved)
        exit(3);
    for (int64_t k = 0; k < c->n; k++)
        w[k] = (float)k;
    lab_parts(parts, m);
    float *array = (float *)lab_array("w", bytes, w);

    float *direct = (float *)lab_array("moved of transpose_tile", bytes, NULL);
    lab_launched(run_tile(parts, m, array, direct));
    lab_fetch(direct, moved);
    verify_moved("transpose_tile", parts, m, moved);

    float *tile = (float *)lab_array("moved", bytes, NULL);
    lab_launched(run_padded(parts, m, array, tile));
    lab_fetch(tile, moved);
    verify_moved("transpose_padded", parts, m, moved);
    lab_least("transpose_padded", 2.0 * (double)bytes);
    free(w);
    free(moved);
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {
        {.n = 1 * 1, .parts = 1},      {.n = 32 * 32, .parts = 32},
        {.n = 5 * 7, .parts = 5},      {.n = 32 * 31, .parts = 32},
        {.n = 64 * 100, .parts = 64},  {.n = 33 * 65, .parts = 33},
        {.n = 100 * 10, .parts = 100}, {.n = 1 * 100, .parts = 1},
        {.n = 128 * 128, .parts = 128}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
