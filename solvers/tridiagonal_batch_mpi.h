/* Solves many tridiagonal systems on the GPUs of several MPI ranks. Each rank has some rows of
 * every system:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for `batch` systems
 *
 * Rank 0 has the first rows, rank 1 the rows after them, and so on. Ranks may have different
 * numbers of rows, also 0 or 1. There is no pivoting, so this is for matrices that need none, such
 * as diagonally dominant ones. tridiagonal_batch_mpi.md has the call, the method and its cost.
 *
 * Copy: tridiagonal_batch_mpi.h tridiagonal_batch_mpi.cu tridiagonal_batch_mpi.cuh partition.cuh
 * partition_rows.cuh partition_plain.cuh partition_pivoted.cuh arithmetic.cuh certificate.cuh
 * scalar.cuh common/device.h common/device_async.h common/device_limits.h; for a CPU also
 * common/cpu_device.
 *
 * All ranks call open, solve and close together. MPI's own errors go to MPI's error handler. If a
 * call returns an error on one rank only, the other ranks may wait for ever, so call MPI_Abort. */
#pragma once

#include "device.h"

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The arrays are on this rank's device and have rows * batch elements each, aligned to their
 * elements. They may be NULL if this rank has no rows. */
struct tridiagonal_batch_mpi {
    char type;     /* 's' float, 'd' double, 'c' and 'z' complex, as in BLAS */
    int64_t rows;  /* the rows of each system that this rank has; n is their sum over the ranks */
    int64_t batch; /* number of systems */
    /* Inputs, not modified. Row i of this rank in system k is element k rows + i, or i batch + k if
     * interleaved. If the systems are not periodic, the first sub of rank 0 and the last super of
     * the last rank have no effect. (The first and last rank are those that have rows.) */
    const void *sub, *diag, *super, *rhs;
    void *x; /* output, with the layout of rhs; may be the same array as rhs */
    /* Output, `batch` elements on this rank's device, or NULL. 0: x solves the system. Otherwise
     * 1 + a row of the whole system where elimination broke down because a pivot is zero or out of
     * range, or a number is not finite. Then x of this system must not be used on any rank; the
     * other systems are unaffected. All ranks get the same value, with one exception: an x that
     * overflows between finite boundary values is reported only by the rank that has its row. */
    int *status;
    int interleaved; /* not 0: neighbouring systems have neighbouring elements; 0: contiguous */
    int periodic;    /* not 0: x_{-1} is x_{n-1}, and x_n is x_0 */
    /* not 0: messages go through main memory even if MPI can read this device's memory */
    int staged;
    /* The batch is cut into this number of chunks. The messages of a chunk travel while the device
     * works on others. 0: the solver chooses. */
    int chunks;
    void *work; /* workspace of tridiagonal_batch_mpi_work() bytes, aligned to 16 */
};

/* Holds what solve needs beside the arrays: streams, events, main memory for messages if they are
 * staged, and a communicator. */
struct tridiagonal_batch_mpi_plan;

/* Makes a plan for calls with these type, rows, batch, interleaved, periodic, staged and chunks.
 * The arrays may still be NULL. All ranks must pass the same values but for rows and staged; n is
 * at most 2^30. Otherwise all ranks return cudaErrorInvalidValue. On an error *plan is NULL. */
cudaError_t tridiagonal_batch_mpi_open(MPI_Comm comm, const struct tridiagonal_batch_mpi *b,
                                       struct tridiagonal_batch_mpi_plan **plan);
void tridiagonal_batch_mpi_close(struct tridiagonal_batch_mpi_plan *plan);

/* Returns the bytes of `work` that this rank needs. */
size_t tridiagonal_batch_mpi_work(const struct tridiagonal_batch_mpi_plan *plan);

/* Returns 1 if MPI reads and writes device memory itself, 0 if the messages are staged. */
int tridiagonal_batch_mpi_is_direct(const struct tridiagonal_batch_mpi_plan *plan);

/* Solves the systems. Returns when all messages have arrived and all work is on the stream. x and
 * status are complete when the stream is. *b must have the type, sizes, layout and options that it
 * had in the call of open. For an array that is NULL or not aligned it returns
 * cudaErrorInvalidValue, and has done nothing. The solution has the same bits on every run with the
 * same GPUs and the same shares of the rows. */
cudaError_t tridiagonal_batch_mpi_solve(struct tridiagonal_batch_mpi_plan *plan,
                                        const struct tridiagonal_batch_mpi *b, cudaStream_t stream);

/* The times of the latest solve on this rank, in milliseconds. Waits for the stream. */
struct tridiagonal_batch_mpi_times {
    float first;    /* the first pass, over all chunks */
    float wait;     /* between the passes: messages that the first pass did not hide */
    float second;   /* the second pass, with its waits for the messages of later chunks */
    float exchange; /* the exchanges of all chunks by the CPU's clock, whether hidden or not */
};
cudaError_t tridiagonal_batch_mpi_last(struct tridiagonal_batch_mpi_plan *plan,
                                       struct tridiagonal_batch_mpi_times *times);

#ifdef __cplusplus
}
#endif
