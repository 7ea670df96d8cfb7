/* Lab 7: the rearrangement of W13 sec. III-A, a transposition. */
#include "../transposition.cuh"

cudaError_t run_direct(int64_t parts, int64_t m, const float *w, float *moved);
cudaError_t run_tile(int64_t parts, int64_t m, const float *w, float *moved);

static void test(const struct lab_case *c)
{
    test_transpositions(c, {{"transpose_direct", "moved of transpose_direct", run_direct},
                            {"transpose_tile", "moved", run_tile}});
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, cases, CASES, test);
}
