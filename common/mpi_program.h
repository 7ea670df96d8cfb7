/* What the mains of programs over MPI ranks share. Rank 0 alone reads the command line, prints and
 * writes files. */
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

/* This process's rank and their number. Weak, so that every file of a program may include this header
 * and all share one definition. */
__attribute__((weak)) int rank, ranks;

/* MPI_Init, and rank 0's command line for all: one line for a bad option, and no rank goes another way. As options_parse():
 * an exit status, or less than 0 to go on. */
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
    if (rank != 0) { /* pointers */
        options->csv = NULL;
        options->next = NULL;
    }
    return status;
}

/* MPI_Finalize; the status is rank 0's. */
static inline int mpi_program_end(int status)
{
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}

/* results_open() on rank 0. False on all ranks if it failed. */
static inline bool mpi_program_results(const char *program, const char *device, const char *csv,
                                       struct results **results)
{
    *results = rank == 0 ? results_open(program, device, csv) : NULL;
    int opened = *results != NULL;
    MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return opened;
}

/* The most that any host lacks of what its ranks need together; at most 0 when all have enough. */
static inline double mpi_program_missing(double bytes)
{
    MPI_Comm host;
    double together, missing;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Allreduce(&bytes, &together, 1, MPI_DOUBLE, MPI_SUM, host);
    MPI_Comm_free(&host);
    together -= memory_available();
    MPI_Allreduce(&together, &missing, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return missing;
}

/* A sample of `ms` milliseconds: what all ranks have spent since each took `before` by
 * timing_usage(). */
static inline struct timing_sample mpi_program_sample(struct timing_sample before, double ms)
{
    struct timing_sample after = timing_usage(), all = {ms, 0, 0};
    double mine = after.cpu_ms - before.cpu_ms;
    long switches = after.switches - before.switches;
    MPI_Allreduce(&mine, &all.cpu_ms, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&switches, &all.switches, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* samples_disturbed() as rank 0 finds it, the same for all; of `calls` calls of work on
 * `cores_of_rank` cores of each rank. Never where ranks share cores: they disturb each other. */
static inline bool mpi_program_disturbed(struct timing_sample *samples, int count, int calls,
                                         int cores_of_rank)
{
    MPI_Comm host;
    int here, lack, most, threads = cores_of_rank > 1 ? cores_of_rank * ranks : 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Allreduce(&cores_of_rank, &here, 1, MPI_INT, MPI_SUM, host);
    MPI_Comm_free(&host);
    lack = here - (int)sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Allreduce(&lack, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int disturbed = rank == 0 && most <= 0 && samples_disturbed(samples, count, calls, threads);
    MPI_Bcast(&disturbed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return disturbed;
}

/* MPI counts in int: pieces of at most 2^30 bytes. */
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

/* Counted on rank 0. */
#define EXPECT_0(condition, ...)                                                                   \
    do {                                                                                           \
        if (rank == 0)                                                                             \
            EXPECT(condition, __VA_ARGS__);                                                        \
    } while (0)

/* Do all ranks have the same word? */
static inline bool is_agreed(int64_t word)
{
    int64_t both[2] = {word, -word}, least[2];
    MPI_Allreduce(both, least, 2, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    return least[0] == -least[1];
}

#endif
