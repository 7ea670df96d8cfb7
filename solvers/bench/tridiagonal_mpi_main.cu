/* The program tridiagonal_mpi: one tridiagonal system over MPI ranks (tridiagonal_mpi.h), with its
 * stages, beside one GPU alone and a copy on all GPUs. Every solution is verified.
 *
 *     common/mpirun.sh -np 2 build/gpu/tridiagonal_mpi             measure
 *     common/mpirun.sh -np 3 build/cpu/tridiagonal_mpi --check     verify everything
 *
 * Only rank 0 reads the command line, prints and writes files. */
#include "bench/tridiagonal_mpi_bench.h"
#include "mpi_place.h"
#include "test/tridiagonal_mpi_test.h"

#include <math.h>

static const char NAME[] = "tridiagonal_mpi";

/* The index of a variant is its value of tridiagonal_mpi.pivot. */
enum { PIVOTS = 2 };
static const struct variant variants[] = {
    {"tridiagonal_mpi", "one system, solvers/tridiagonal_mpi.h"},
    {"tridiagonal_mpi_pivoted", "the same with pivoting, on GPUs"},
    {NULL, NULL}};

/* Prints one line on rank 0. Returns status. */
static int refuse(int status, const char *format, double value)
{
    if (rank == 0) {
        fprintf(stderr, "%s: ", NAME);
        fprintf(stderr, format, value);
        fputc('\n', stderr);
    }
    return status;
}

/* Returns the largest number of bytes that a host or a GPU lacks; 0 or less if there is enough
 * memory. Collective. */
static double missing_memory(const struct options *o)
{
    double bytes = 0;
    for (const char *type = o->types; *type; type++)
        bytes = fmax(bytes, tridiagonal_mpi_bench_bytes(*type, list_largest(&o->n, 1)));
    bool in_main_memory = cores > 0 || device_is_cpu();
    double missing = mpi_program_missing(in_main_memory ? bytes : 0);
    if (!in_main_memory) {
        size_t available = 0, total = 0;
        CHECK_MPI(cudaMemGetInfo(&available, &total));
        missing = fmax(missing, bytes - 0.95 * (double)available);
    }
    return max_over_ranks(missing);
}

static int run(const struct options *o)
{
    struct results *results;
    int cores_of_rank;
    for (int i = 0; i < o->n.count; i++)
        if (o->n.value[i] <= ranks)
            return refuse(EXIT_USAGE, "--n: more rows than ranks are needed, there are %.0f ranks",
                          ranks);
    double missing = missing_memory(o);
    if (missing > 0)
        return refuse(EXIT_DEVICE, "these sizes need %.1f GiB more than a host or a GPU has free",
                      missing / (1 << 30));
    const char *device = places(&cores_of_rank);
    if (!mpi_program_results(NAME, device, o->csv, &results))
        return EXIT_USAGE;
    const int pivots = cores_of_rank > 0 ? 1 : PIVOTS;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++)
            for (int pivot = 0; pivot < pivots; pivot++)
                if (o->has_variant[pivot])
                    tridiagonal_mpi_bench(results, device, variants[pivot].name, *type,
                                          o->n.value[i], pivot, cores, o->reps, o->seed);
    return rank == 0 ? results_close(results) : EXIT_VERIFIED;
}

static int check(const struct options *o)
{
    /* Ranks that share cores wait for each other at every message, so they test less. */
    const bool few = ranks > sysconf(_SC_NPROCESSORS_ONLN), on_cores = max_over_ranks(cores) > 0;
    for (int pivot = 0; pivot < PIVOTS; pivot++) {
        if (!o->has_variant[pivot])
            continue;
        tridiagonal_mpi_check(pivot, cores, few, o->seed);
        if (on_cores && device_is_cpu())
            tridiagonal_mpi_check(pivot, 0, few, o->seed);
    }
    return mpi_program_checked();
}

int main(int argc, char **argv)
{
    /* wait_passively() restarts the program, so it must run before the device is opened */
    wait_passively(argv);
    const struct program program = {
        .name = NAME,
        .summary = "One tridiagonal system over MPI ranks. Run by common/mpirun.sh -np RANKS.",
        .variants = variants,
        .takes = "n gpus type",
        .paper = "--n 300000,3000000 --type z,d --reps 10",
        .quick = "--n 30000,300000 --type z,d --reps 5",
        .device = device_name(),
        .quick_default = device_is_cpu()};
    struct options options;
    int status = mpi_program_begin(&program, argc, argv, &options);
    if (status < 0) {
        choose_place(options.gpus, true);
        if (options.quick && device_is_cpu())
            expect_few_tests();
        status = options.check ? check(&options) : run(&options);
    }
    return mpi_program_end(status);
}
