/* Solves one tridiagonal system whose rows are in the memories of several MPI ranks, each on its
 * GPU at the speed of the GPU's memory, or on CPU cores:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < total
 *
 * Each rank has consecutive rows: rank 0 the first ones, rank 1 those after them, and so on; a rank
 * may have none. A rank reads its rows once and reduces them to two equations, all ranks exchange
 * these few numbers by one MPI_Allgather, every rank merges the equations of all ranks and gets its
 * four boundary values, reads its rows again and writes x. So 9 elements a row are moved, as on one
 * GPU, and 7 elements a rank and right-hand side travel, with pivoting 10. tridiagonal_mpi.md has
 * an example, timings and a model, examples/tridiagonal_mpi.cu is a program, and tridiagonal.h has
 * the method on a GPU.
 *
 * Copy: tridiagonal_mpi.h tridiagonal_mpi.cu tridiagonal.h tridiagonal_problem.h tridiagonal.cu
 * tridiagonal_rows.cuh tridiagonal_grid.cuh tridiagonal_status.cuh tridiagonal_resident.cuh
 * tridiagonal_partly_resident.cuh tridiagonal_two_pass.cuh tridiagonal_gradient.cuh scalar.cuh
 * message.cuh arithmetic.cuh certificate.cuh partition.cuh partition_rows.cuh partition_plain.cuh
 * partition_pivoted.cuh tridiagonal_cpu.h tridiagonal_cpu.c tridiagonal_cpu_body.h
 * tridiagonal_cpu_number.h tridiagonal_cpu_rows.h tridiagonal_cpu_tiles.h tridiagonal_cpu_levels.h
 * tridiagonal_cpu_pivoted.h tridiagonal_cpu_pivoted_tiles.h tridiagonal_cpu_solve.h
 * common/device.h common/device_async.h common/device_limits.h common/lanes.h common/lanes_body.h;
 * for a CPU also common/cpu_device.
 *
 * MPI needs no access to GPU memory: the elements that travel lie in pinned memory of the host,
 * where the GPU writes them. Messages so small are not faster from GPU to GPU.
 *
 * Errors: the functions print nothing. MPI's own errors go to MPI's error handler, which by default
 * ends all ranks; so does a rank that dies. */
#pragma once

#include "tridiagonal.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of this rank. Fields marked with * must be the same on all ranks. */
struct tridiagonal_mpi {
    char type; /* * 's', 'd', 'c', 'z', as in BLAS */
    /* This rank has rows first … first + n - 1. n >= 0 and is also the number of elements of its
     * arrays; `first` is the sum of n of all lower ranks, `total` * the sum of n of all ranks. */
    int64_t n, first, total;
    /* Arrays as in struct tridiagonal, of this rank's rows: on its GPU, or in main memory if cores
     * > 0. They are fastest if aligned to 16 bytes. sub of row 0 and super of row total - 1 have no
     * effect unless periodic is set. x may be the same array as rhs. */
    const void *sub, *diag, *super;
    const void *rhs;
    void *x;
    int64_t sides, stride; /* as in struct tridiagonal; * sides. All travel at once. */
    int toeplitz;          /* * as in struct tridiagonal; sub, diag, super have one element */
    int periodic;          /* * row 0 and row total - 1 are neighbours */
    int pivot; /* * TRIDIAGONAL_PIVOT_NEVER or _ALWAYS (within and across ranks); not AUTO */
    /* Output in main memory, or NULL *. The same value on all ranks: 0, or 1 + i, where a pivot was
     * zero, not finite or out of range in the rows that begin with row i of the whole system (see
     * struct tridiagonal); on CPU cores in row i. Then x is NaN on all ranks if the system has no
     * solution, and at least in these rows otherwise. With a status the function returns when x is
     * ready on all ranks. With NULL it returns when the last pass is on the stream, and then x of a
     * breakdown is NaN as well. */
    long long *status;
    /* 0: the rows are on the current GPU. Otherwise the rank solves with at most this many CPU
     * cores (tridiagonal_cpu.h). A rank on CPU cores refuses pivot and toeplitz. */
    int cores;
    /* Output, or NULL: seconds until this rank's equations were ready, and seconds of the exchange,
     * in which a rank also waits for the slowest one. The rest of the time is the second pass. */
    double *seconds;
    /* Output in main memory, or NULL: the four boundary values for each right-hand side, x of rows
     * first - 1, first, first + n - 1 and first + n. At an end of a system that is not periodic,
     * the value beyond it has no meaning. A rank without rows gets none. They are there when the
     * function returns, also without a status, so a time step needs no message for its neighbours'
     * values. */
    void *around;
};

/* What the ranks need to exchange equations. Its members are private. */
struct tridiagonal_mpi_link;

/* Creates a link for systems with type, pivot and at most as many sides as *s; the other fields but
 * `cores` are ignored. It allocates the memory that the exchange needs, some hundred bytes a rank
 * and right-hand side, pinned unless cores > 0. Collective: all ranks of `comm` call it together.
 * If type, pivot or sides differ, or a rank fails, all ranks return an error and *link is NULL. */
cudaError_t tridiagonal_mpi_open(MPI_Comm comm, const struct tridiagonal_mpi *s,
                                 struct tridiagonal_mpi_link **link);
void tridiagonal_mpi_close(struct tridiagonal_mpi_link *link); /* collective; link may be NULL */

/* Bytes of workspace that a solve of *s needs on this rank: memory of the GPU, aligned to 16 bytes,
 * or main memory aligned to 64. For each side at most a tenth of the bytes of the four arrays and
 * 161 KiB. Returns 0 if a field is out of range. */
size_t tridiagonal_mpi_workspace(const struct tridiagonal_mpi *s);

/* Prepares a workspace, as tridiagonal_prepare() does; `cores` of *s says for which processor. */
cudaError_t tridiagonal_mpi_prepare(const struct tridiagonal_mpi *s, void *workspace, size_t bytes,
                                    cudaStream_t stream);

/* Solves the system. Collective. All ranks return the first error of any rank if it occurs before
 * the exchange; a later one only if `status` is not NULL. It is cudaErrorInvalidValue if a field is
 * out of range, a pointer is NULL or not aligned, the workspace is too small, or the fields marked
 * with * or the rows of the ranks do not fit together. After an error prepare the workspace again.
 * The same call on the same processors gives the same bits. Not for graphs: it waits for messages.
 */
cudaError_t tridiagonal_mpi_solve(struct tridiagonal_mpi_link *link,
                                  const struct tridiagonal_mpi *s, void *workspace, size_t bytes,
                                  cudaStream_t stream);

#ifdef __cplusplus
}
#endif
