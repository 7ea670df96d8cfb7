/* Lab 2: pre-computation, the first phase of P-scheme, in the two layouts of W12 sec. IV. */
#include "../arrays.cuh"

cudaError_t run_block(int blocks, int threads, int64_t n, int64_t m, float scale, const float *t,
                      float *w);
cudaError_t run_rearranged(int blocks, int threads, int64_t n, int64_t m, float scale,
                           const float *t, float *w);

/* Verifies each part of w in natural order as a recurrence that begins with 0. `verified` is the
 * function for the layout that w had in device memory. */
static void verify_parts(const char *name, int64_t n, int64_t m, float scale, const float *t,
                         const float *w, void (*verified)(const char *, struct verdict, int64_t))
{
    float *part = lab_floats(m + 1);
    part[0] = 0;
    for (int64_t first = 0; first < n; first += m) {
        int64_t rows = n - first < m ? n - first : m;
        memcpy(&part[1], &w[first], (size_t)rows * sizeof *part);
        verified(name, verify_recurrence('s', rows, 0, &scale, 0, &t[first], 1, part), first - 1);
    }
    free(part);
}

static void test(const struct lab_case *c)
{
    int64_t parts = (int64_t)c->blocks * c->threads, m = (c->n + parts - 1) / parts;
    size_t bytes = (size_t)(parts * m) * sizeof(float),
           natural_bytes = (size_t)c->n * sizeof(float);
    float scale = (float)RECURRENCE_SCALE;
    float *t = lab_floats(parts * m), *moved = lab_floats(parts * m), *w = lab_floats(c->n);
    random_rows(2, parts, m, t, moved);

    lab_parts(parts, m);
    float *w_block = (float *)lab_array("w", natural_bytes, NULL);
    lab_launched(run_block(c->blocks, c->threads, c->n, m, scale,
                           (const float *)lab_array("t", natural_bytes, t), w_block));
    lab_fetch(w_block, w);
    verify_parts("block_layout: w", c->n, m, scale, t, w, lab_verified);

    float *t_moved = (float *)lab_array("t", bytes, moved);
    float *w_moved = (float *)lab_array("w", bytes, NULL);
    lab_rearranged(t_moved);
    lab_rearranged(w_moved);
    lab_launched(run_rearranged(c->blocks, c->threads, c->n, m, scale, t_moved, w_moved));
    fetch_natural(w_moved, c->n, parts, m, w);
    verify_parts("rearranged: w", c->n, m, scale, t, w, lab_verified_rearranged);
    lab_least("rearranged", 2.0 * sizeof(float) * (double)c->n);
    free(t);
    free(moved);
    free(w);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, cases, CASES, test);
}
