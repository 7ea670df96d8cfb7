/* The program recurrence: the solver of recurrences in one pass over memory (recurrence.h), beside
 * CUB's scan, the three kernels of pscheme_g, and copy and triad. Run: build/gpu/recurrence --help.
 */
#include "bench/recurrence_bench.h"
#include "device_program.h"
#include "expect.h"

extern const struct variant recurrence_variants[] = {
    {"one_pass", "recurrence.h: s and t in one pass over memory"},
    {"one_warp", "the same, a carry warp instead of look-back", NULL, "s"},
    {"arrays", "the three kernels of pscheme_g, s and t from arrays", NULL, "sd"},
    {"cub_scan", "the same by CUB's DeviceScan", "CUB", "sd", GPU_BUILD},
    {}};

static int check(const struct options *o)
{
    recurrence_check(o->seed, !device_is_cpu() && !o->quick);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {
        .name = "recurrence",
        .summary = "The recurrence w_i = s_i w_{i-1} + t_i in one pass over memory.",
        .variants = recurrence_variants,
        .takes = "n type",
        .paper = "--n 1K,4K,16K,64K,128K,256K,512K,1M,2M,4M,8M,16M,64M,256M --type s,d,c,z",
        .quick = "--n 1K,64K --type s,d,c,z --reps 3"};
    return device_main(&program, argc, argv, check, recurrence_bench);
}
