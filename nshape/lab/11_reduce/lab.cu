/* Lab 11: the stages RD and RU of the N-shaped partition method (L22 Table 1). */
#include "lab/lab.h"
#include "problems.h"

cudaError_t run_reduce_down(int blocks, int threads, int64_t n, int64_t m, float *b, float *a,
                            float *c, float *d);
cudaError_t run_reduce_up(int blocks, int threads, int64_t n, int64_t m, float *b, float *a,
                          float *c, float *d);

enum { B, A, C, D, ARRAYS };
static const char *const names[ARRAYS] = {"b", "a", "c", "d"};

/* The rows of a block after RD and after RU, in double precision. */
static void reference_down(double *row[ARRAYS], int64_t first, int64_t last)
{
    for (int64_t i = first + 1; i <= last; i++) {
        double r = -row[B][i] / row[A][i - 1];
        row[B][i] = r * row[B][i - 1];
        row[A][i] += r * row[C][i - 1];
        row[D][i] += r * row[D][i - 1];
    }
}
static void reference_up(double *row[ARRAYS], int64_t first, int64_t last)
{
    for (int64_t i = last - 1; i >= first; i--) {
        double r = -row[C][i] / row[A][i + 1];
        row[B][i] += r * row[B][i + 1];
        row[C][i] = r * row[C][i + 1];
        row[D][i] += r * row[D][i + 1];
    }
}

/* Compares all rows with the reference. The diagonal dominates, so every factor r is below 1/2 and
 * rounding errors do not grow: an element of size 1 is wrong by a few units of roundoff. Elements
 * that are products of many factors are small, so their error is relative. */
static void verify_rows(const char *after, int64_t n, double *row[ARRAYS], float *result[ARRAYS],
                        const float *device[ARRAYS])
{
    const double allowed = 64 * unit_roundoff('s');
    for (int array = 0; array < ARRAYS; array++) {
        lab_fetch(device[array], result[array]);
        for (int64_t i = 0; i < n; i++) {
            double exact = row[array][i], is = result[array][i],
                   size = array == A || array == D ? 1 + fabs(exact) : fabs(exact) + 1e-30;
            if (!(fabs(is - exact) <= allowed * size))
                lab_fail("after %s: %s[%lld] is %.6g, not %.6g", after, names[array], (long long)i,
                         is, exact);
        }
    }
}

static void test(const struct lab_case *c)
{
    int64_t n = c->n, parts = (int64_t)c->blocks * c->threads, m = (n - 1 + parts - 1) / parts;
    double *row[ARRAYS], rows = 0, blocks = 0;
    float *result[ARRAYS], *device[ARRAYS];
    const float *fetched[ARRAYS];
    struct random r = {11};
    for (int array = 0; array < ARRAYS; array++) {
        row[array] = (double *)malloc((size_t)n * sizeof(double));
        result[array] = (float *)malloc((size_t)n * sizeof(float));
        if (!row[array] || !result[array])
            exit(3);
        for (int64_t i = 0; i < n; i++)
            row[array][i] = result[array][i] =
                (float)(array == A ? random_uniform(&r, 3, 4) : random_uniform(&r, -1, 1));
        device[array] = (float *)lab_array(names[array], (size_t)n * sizeof(float), result[array]);
        fetched[array] = device[array];
    }
    for (int stage = 0; stage < 2; stage++) {
        for (int64_t joint = 0; joint < n - 1; joint += m) {
            int64_t next = joint + m < n - 1 ? joint + m : n - 1;
            (stage == 0 ? reference_down : reference_up)(row, joint + 1, next - 1);
            rows += (double)(next - joint - 1);
            blocks += next - joint > 1;
        }
        lab_launched((stage == 0 ? run_reduce_down : run_reduce_up)(
            c->blocks, c->threads, n, m, device[B], device[A], device[C], device[D]));
        verify_rows(stage == 0 ? "reduce_down" : "reduce_up", n, row, result, fetched);
    }
    /* Each row is loaded (4 elements) and stored (3), but the first one of a block is only loaded.
     */
    for (int stage = 0; stage < 2; stage++)
        lab_least(stage == 0 ? "reduce_down" : "reduce_up",
                  (4 * rows / 2 + 3 * (rows - blocks) / 2) * sizeof(float));
    for (int array = 0; array < ARRAYS; array++) {
        free(row[array]);
        free(result[array]);
    }
}

int main(int argc, char **argv)
{
    static const struct lab_case cases[] = {{2, 1, 32},    {3, 1, 1},     {65, 1, 32},
                                            {100, 1, 32},  {1000, 1, 32}, {4097, 2, 64},
                                            {9000, 3, 64}, {3841, 4, 128}};
    return lab_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases), test);
}
