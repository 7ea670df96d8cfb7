/* What the mains of programs over MPI ranks share. Rank 0 alone reads the command line, prints and
 * writes files. Functions whose comment says "collective" must be called by all ranks. */
#ifndef MPI_PROGRAM_H
#define MPI_PROGRAM_H

#include "expect.h"
#include "options.h"
#include "results.h"
#include "timing.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* This process's rank and their number. Weak, so that every file of a program may include this
 * header and all share one definition. */
__attribute__((weak)) int rank, ranks;

/* MPI_Init, and the options that rank 0 reads for all ranks. Returns what options_parse() returns
 * there: an exit status, or less than 0 to go on. */
static inline int mpi_program_begin(const struct program *program, int argc, char **argv,
                                    struct options *options)
{
    int status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    memset(options, 0, sizeof *options);
    if (rank == 0)
        status = options_parse(program, argc, argv, options);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(options, (int)sizeof *options, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank != 0) { /* rank 0's pointers mean nothing here */
        options->csv = NULL;
        options->next = NULL;
    }
    return status;
}

/* MPI_Finalize. Returns rank 0's status on all ranks. */
static inline int mpi_program_end(int status)
{
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}

/* results_open() on rank 0; collective. Returns false on all ranks if it failed. */
static inline bool mpi_program_results(const char *program, const char *device, const char *csv,
                                       struct results **results)
{
    *results = rank == 0 ? results_open(program, device, csv) : NULL;
    int opened = *results != NULL;
    MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return opened;
}

/* Sum and maximum over all ranks; collective. */
static inline double sum_over_ranks(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
static inline double max_over_ranks(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* Sum over the ranks that share this rank's host; collective. */
static inline double sum_over_host(double mine)
{
    MPI_Comm host;
    double all;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, host);
    MPI_Comm_free(&host);
    return all;
}

/* `bytes` is the memory that this rank needs. Returns how much the host that lacks most lacks; 0 or
 * less if all hosts have enough. Collective. */
static inline double mpi_program_missing(double bytes)
{
    return max_over_ranks(sum_over_host(bytes) - memory_available());
}

/* A sample of `ms` milliseconds, with the processor time and the switches of all ranks since each
 * called timing_usage() for `before`. Collective. */
static inline struct timing_sample mpi_program_sample(struct timing_sample before, double ms)
{
    struct timing_sample after = timing_usage(), all = {ms, 0, 0};
    all.cpu_ms = sum_over_ranks(after.cpu_ms - before.cpu_ms);
    all.switches = (long)sum_over_ranks((double)(after.switches - before.switches));
    return all;
}

/* samples_disturbed() (timing.h) as rank 0 finds it, on all ranks; each sample is `calls` calls of
 * work on `cores_of_rank` cores of each rank. False where ranks share cores, because there the
 * ranks disturb each other. Collective. */
static inline bool mpi_program_disturbed(struct timing_sample *samples, int count, int calls,
                                         int cores_of_rank)
{
    int threads = cores_of_rank > 1 ? cores_of_rank * ranks : 1;
    double lacking =
        max_over_ranks(sum_over_host(cores_of_rank) - (double)sysconf(_SC_NPROCESSORS_ONLN));
    int disturbed = rank == 0 && lacking <= 0 && samples_disturbed(samples, count, calls, threads);
    MPI_Bcast(&disturbed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return disturbed;
}

/* Messages of any length: MPI counts in int, so they go in pieces of at most 2^30 bytes. */
static inline void send_bytes(const void *from, int64_t bytes, int to)
{
    for (int64_t at = 0, piece; at < bytes; at += piece) {
        piece = bytes - at < 1 << 30 ? bytes - at : 1 << 30;
        MPI_Send((const char *)from + at, (int)piece, MPI_BYTE, to, 1, MPI_COMM_WORLD);
    }
}
static inline void receive_bytes(void *into, int64_t bytes, int from)
{
    for (int64_t at = 0, piece; at < bytes; at += piece) {
        piece = bytes - at < 1 << 30 ? bytes - at : 1 << 30;
        MPI_Recv((char *)into + at, (int)piece, MPI_BYTE, from, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

/* EXPECT on rank 0 alone. */
#define EXPECT_0(condition, ...)                                                                   \
    do {                                                                                           \
        if (rank == 0)                                                                             \
            EXPECT(condition, __VA_ARGS__);                                                        \
    } while (0)

/* True if all ranks pass the same value; collective. */
static inline bool is_agreed(int64_t value)
{
    int64_t both[2] = {value, -value}, least[2];
    MPI_Allreduce(both, least, 2, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    return least[0] == -least[1];
}

#endif
