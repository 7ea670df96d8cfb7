/* Lab 8: the rearrangement of W13 sec. III-A without bank conflicts. */
#include "../transposition.cuh"

cudaError_t run_tile(int64_t parts, int64_t m, const float *w, float *moved);
cudaError_t run_padded(int64_t parts, int64_t m, const float *w, float *moved);

static void test(const struct lab_case *c)
{
    test_transpositions(c, {{"transpose_tile", "moved of transpose_tile", run_tile},
                            {"transpose_padded", "moved", run_padded}});
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, cases, CASES, test);
}
