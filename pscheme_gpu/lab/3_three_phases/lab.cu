/* Lab 3: the three phases of P-scheme in the rearranged layout (W12 sec. II-B and IV). */
#include "../arrays.cuh"

cudaError_t run_three_phases(int blocks, int threads, int64_t n, int64_t m, float w0, float scale,
                             const float *t, float *w, float *a);

static void test(const struct lab_case *c)
{
    int64_t parts = (int64_t)c->blocks * c->threads, m = (c->n + parts - 1) / parts;
    size_t bytes = (size_t)(parts * m) * sizeof(float);
    /* w0 is so large that a part that is not corrected is wrong in every row. */
    float scale = (float)RECURRENCE_SCALE, w0 = 1000;
    float *t = lab_floats(parts * m), *moved = lab_floats(parts * m), *w = lab_floats(c->n + 1);
    random_rows(3, parts, m, t, moved);

    lab_parts(parts, m);
    float *device_t = (float *)lab_array("t", bytes, moved);
    float *device_w = (float *)lab_array("w", bytes, NULL);
    float *device_a = (float *)lab_array("a", bytes, NULL);
    lab_rearranged(device_t);
    lab_rearranged(device_w);
    lab_rearranged(device_a);
    lab_launched(
        run_three_phases(c->blocks, c->threads, c->n, m, w0, scale, device_t, device_w, device_a));
    w[0] = w0;
    fetch_natural(device_w, c->n, parts, m, &w[1]);
    lab_verified_rearranged("w", verify_recurrence('s', c->n, w0, &scale, 0, t, 1, w), -1);
    /* Determination: w and a are loaded and w is stored in all rows but the last rows of the parts
     * before the last one. These are loaded once, as the values that come in. */
    lab_least("determine",
              sizeof(float) * (3.0 * (double)(c->n - (parts - 1)) + (double)(parts - 1)));
    free(t);
    free(moved);
    free(w);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, cases, CASES, test);
}
