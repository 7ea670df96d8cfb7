/* What the main() functions of programs over MPI ranks share. Only rank 0 reads the command line,
 * prints and writes files. All ranks must call a function whose comment says "collective". */
#pragma once

#include "expect.h"
#include "options.h"
#include "results.h"
#include "timing.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The rank of this process and the number of ranks; weak, since several files define them here. */
__attribute__((weak)) int rank, ranks;

/* Calls MPI_Init and sends the options that rank 0 reads to all ranks. Returns what options_parse()
 * returned on rank 0: an exit status, or -1 if the program is to go on. Collective. */
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
    if (rank != 0) { /* addresses of rank 0 are not valid in other processes */
        options->csv = NULL;
        options->next = NULL;
    }
    return status;
}

/* Calls MPI_Finalize. Returns the `status` of rank 0. Collective. Without the barrier MPICH 4.0
 * over a slow TCP network often hangs: a rank waits for one that has ended already. */
static inline int mpi_program_end(int status)
{
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}

/* Prints one line and ends all ranks, so that no rank waits for this one for ever. */
static inline void mpi_program_stop(const char *program, const char *what)
{
    fprintf(stderr, "%s: rank %d: %s\n", program, rank, what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_DEVICE);
}
/* CHECK (device.h) for a program called NAME: an error ends all ranks. */
#define CHECK_MPI(call)                                                                            \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            mpi_program_stop(NAME, cudaGetErrorString(error_));                                    \
    } while (0)

/* Calls results_open() on rank 0; *results is NULL on the others. Returns false on all ranks if it
 * failed. Collective. */
static inline bool mpi_program_results(const char *program, const char *device, const char *csv,
                                       struct results **results)
{
    *results = rank == 0 ? results_open(program, device, csv) : NULL;
    int opened = *results != NULL;
    MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return opened;
}

/* The sum and the maximum of `mine` over all ranks. Collective. */
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

/* The sum of `mine` over all ranks that run on the same host as this rank. Collective. */
static inline double sum_over_host(double mine)
{
    MPI_Comm host;
    double all;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, host);
    MPI_Comm_free(&host);
    return all;
}

/* Prints on rank 0 how many tests passed and failed on all ranks, and returns the exit status
 * there. Collective. */
static inline int mpi_program_checked(void)
{
    expect_passed = (int)sum_over_ranks(expect_passed);
    expect_failed = (int)sum_over_ranks(expect_failed);
    return rank == 0 && expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

/* bytes: what this rank needs. Returns how many are missing on the host that lacks most; 0 or less
 * if all hosts have enough. Collective. */
static inline double mpi_program_missing(double bytes)
{
    return max_over_ranks(sum_over_host(bytes) - memory_available());
}

/* A sample of `ms` milliseconds, with the processor time and the switches of all ranks since
 * `before`, which timing_usage() returned on this rank. Collective. */
static inline struct timing_sample mpi_program_sample(struct timing_sample before, double ms)
{
    struct timing_sample after = timing_usage(), all = {ms, 0, 0};
    all.cpu_ms = sum_over_ranks(after.cpu_ms - before.cpu_ms);
    all.switches = (long)sum_over_ranks((double)(after.switches - before.switches));
    return all;
}

/* Rank 0 decides by samples_disturbed() (timing.h), for `cores_of_rank` cores on each rank; all
 * ranks return its answer. Returns false if a host has fewer cores than its ranks need, because
 * there the ranks disturb each other. Collective. */
static inline bool mpi_program_disturbed(struct timing_sample *samples, int count, int calls,
                                         int cores_of_rank)
{
    /* slow_network.c takes a core from a rank for every packet: such switches are no other load. */
    enum { ENOUGH_SWITCHES = 1000 };
    bool emulated = getenv("SLOW_NETWORK") != NULL;
    int threads = emulated ? ENOUGH_SWITCHES : cores_of_rank > 1 ? cores_of_rank * ranks : 1;
    double lacking =
        max_over_ranks(sum_over_host(cores_of_rank) - (double)sysconf(_SC_NPROCESSORS_ONLN));
    int disturbed = rank == 0 && lacking <= 0 && samples_disturbed(samples, count, calls, threads);
    MPI_Bcast(&disturbed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return disturbed;
}

/* Messages of any length, in pieces of at most 2^30 bytes: MPI's counts are of type int. */
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

/* EXPECT (expect.h), but only rank 0 tests the condition. */
#define EXPECT_0(condition, ...)                                                                   \
    do {                                                                                           \
        if (rank == 0)                                                                             \
            EXPECT(condition, __VA_ARGS__);                                                        \
    } while (0)

/* True if all ranks pass the same value. Collective. */
static inline bool is_agreed(int64_t value)
{
    int64_t both[2] = {value, -value}, least[2];
    MPI_Allreduce(both, least, 2, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    return least[0] == -least[1];
}
