/* Lab 5: the paper's kernels against kernels that recompute (W12 sec. V-A, problem B). */
#include "../arrays.cuh"

cudaError_t run_paper(int blocks, int threads, int64_t n, int64_t m, float w0, float scale,
                      float offset, float *w, float *a);
cudaError_t run_recompute(int blocks, int threads, int64_t n, int64_t m, float w0, float scale,
                          float offset, float *w, float *a);

static void solve(const char *name, const struct lab_case *c,
                  cudaError_t (*run)(int, int, int64_t, int64_t, float, float, float, float *,
                                     float *))
{
    int64_t parts = (int64_t)c->blocks * c->threads, m = (c->n + parts - 1) / parts;
    size_t bytes = (size_t)(parts * m) * sizeof(float);
    /* w0 is so large that a part that is not corrected is wrong in every row. */
    float scale = (float)RECURRENCE_SCALE, offset = (float)RECURRENCE_OFFSET, w0 = 1000;
    float *w = lab_floats(c->n + 1);
    lab_parts(parts, m);
    float *device_w = (float *)lab_array("w", bytes, NULL);
    float *device_a = (float *)lab_array("a", bytes, NULL);
    lab_rearranged(device_w);
    lab_rearranged(device_a);
    lab_launched(run(c->blocks, c->threads, c->n, m, w0, scale, offset, device_w, device_a));
    w[0] = w0;
    fetch_natural(device_w, c->n, parts, m, &w[1]);
    lab_verified_rearranged(name, verify_recurrence('s', c->n, w0, &scale, 0, &offset, 0, w), -1);
    free(w);
}

static void test(const struct lab_case *c)
{
    solve("precompute_paper and determine_paper: w", c, run_paper);
    solve("precompute and determine: w", c, run_recompute);
    lab_rows(c->n);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, cases, CASES, test);
}
