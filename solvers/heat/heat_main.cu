/* The program heat: the heat equation on tridiagonal_batch.h, beside two ways to solve it with
 * cuSPARSE. Run: build/gpu/heat --help. With --csv DIR/NAME.csv it writes DIR/NAME_steps.csv,
 * DIR/NAME_field.csv and DIR/NAME_convergence.csv. */
#include "heat/heat_bench.h"
#include "expect.h"

enum { HEAT, HEAT_CUSPARSE, HEAT_CUSPARSE_TRANSPOSED };
static const struct variant variants[] = {
    {"heat", "the heat equation on tridiagonal_batch.h"},
    {"heat_cusparse", "its strided and interleaved batches", "cuSPARSE", NULL, GPU_BUILD},
    {"heat_cusparse_transposed", "columns transposed to rows", "cuSPARSE", NULL, GPU_BUILD},
    {}};

static int sweep(const struct program *program, const struct options *o)
{
    char prefix[PREFIX_MOST];
    const bool *has = o->has_variant;
    double n = (double)list_largest(&o->n, 1);
    device_require(program->name, 2 * n * n * sizeof(float), n * n * sizeof(float));
    struct heat_asked asked = {has[HEAT], has[HEAT_CUSPARSE], has[HEAT_CUSPARSE_TRANSPOSED],
                               has[HEAT]};
    return heat_run(o, asked, options_csv_prefix(o, NULL, prefix));
}

static int check(const struct options *o)
{
    (void)o;
    EXPECT(heat_check() == 0, "heat equation");
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {.name = "heat",
                              .summary = "The heat equation on a plate of n x n points.",
                              .variants = variants,
                              .takes = "n type=sd",
                              .paper = "--n 1K,2K,4K,8K --type s,d",
                              .quick = "--n 31,64,100 --type s,d"};
    return device_main(&program, argc, argv, check, sweep);
}
