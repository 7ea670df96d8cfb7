/* The N-shaped partition method over MPI ranks (L22 sections 5.2 and 6.2). Each rank keeps one part
 * of the rows, on its GPU or on CPU cores, for all time steps. Rank 0 is the root: it solves the
 * joint lines between the parts (RS). It may have a part of its own.
 *
 * Part w has the rows J_w … J_{w+1}; its first and its last row are joint lines (letters as in L22:
 * b is below the diagonal, a on it, c above it, d the right-hand side). A step has two
 * synchronisation points, before and after RS. Elements that are sent for a part, whatever n is:
 *
 *   to the root    b, a, d of J_{w+1} after JD; c, a, d of J_w after JU     6 (NSHAPE_MPI_KEPT: 2
 * d) from the root  psi of both lines                                        2
 *
 * With NSHAPE_MPI_SUMMED the root gets the 4 elements of each joint line, as in L22 5.2.1:
 *
 *   to the next part (the last part: to the root)   a, d of J_{w+1} after JD                  2
 *   to the root                                     b of J_{w+1}; c and the sums a, d of J_w  4
 *
 * Copy: nshape_mpi.h nshape_mpi.cu nshape_mpi_message.cuh nshape_mpi_part.cuh nshape_mpi_root.cuh
 * nshape/nshape.h nshape/nshape.cu nshape/nshape_stages.h nshape/tdse/tdse.h nshape/tdse/tdse.cu
 * nshape/tdse/tdse_stages.cuh nshape/tdse/tdse_tridiagonal.cuh solvers/tridiagonal.h
 * solvers/tridiagonal_problem.h solvers/tridiagonal.cu solvers/tridiagonal_rows.cuh
 * solvers/tridiagonal_grid.cuh solvers/tridiagonal_status.cuh solvers/tridiagonal_resident.cuh
 * solvers/tridiagonal_partly_resident.cuh solvers/tridiagonal_two_pass.cuh
 * solvers/tridiagonal_gradient.cuh solvers/scalar.cuh solvers/message.cuh solvers/arithmetic.cuh
 * solvers/certificate.cuh solvers/partition.cuh solvers/partition_rows.cuh
 * solvers/partition_plain.cuh solvers/partition_pivoted.cuh solvers/tridiagonal_cpu.h
 * solvers/tridiagonal_cpu.c solvers/tridiagonal_cpu_body.h solvers/tridiagonal_cpu_number.h
 * solvers/tridiagonal_cpu_rows.h solvers/tridiagonal_cpu_tiles.h solvers/tridiagonal_cpu_levels.h
 * solvers/tridiagonal_cpu_pivoted.h solvers/tridiagonal_cpu_pivoted_tiles.h
 * solvers/tridiagonal_cpu_solve.h
 * common/device.h common/device_async.h common/device_limits.h common/lanes.h common/lanes_body.h;
 * for a CPU also common/cpu_device.
 *
 * All ranks must call each function together, except where a comment says otherwise. A function
 * returns the first error of this rank's device. For an invalid argument or pointer it returns
 * cudaErrorInvalidValue and has written and sent nothing. After an error on one rank call
 * MPI_Abort, because other ranks may wait. MPI's own errors go to MPI's error handler. */
#pragma once

#include "nshape.h"
#include "tdse.h"

#include <mpi.h>

/* NSHAPE_ROOT_WORKS: every rank has a part. NSHAPE_ROOT_ALONE: every rank but the root has one. */
enum nshape_mpi_root { NSHAPE_ROOT_WORKS, NSHAPE_ROOT_ALONE };

/* What a rank knows of all ranks. Rank r has part r - first_worker. */
struct nshape_mpi {
    MPI_Comm comm;
    int rank, ranks, first_worker, parts;
};

/* Fills *mpi. NSHAPE_ROOT_ALONE needs at least two ranks. */
cudaError_t nshape_mpi_open(MPI_Comm comm, enum nshape_mpi_root root, struct nshape_mpi *mpi);

/* Shares n > mpi->parts rows: this part has the rows J_w … J_{w+1}, from *first on, *rows of them
 * (a root without a part: 0). The rows between a part's joint lines are proportional to `speed`, in
 * any unit that all ranks use. */
cudaError_t nshape_mpi_rows(const struct nshape_mpi *mpi, int64_t n, double speed, int64_t *first,
                            int64_t *rows);

/* The blocks for a part: on CPU cores one for each core, on a GPU (cores = 0) about 30 rows in each
 * application. The last application has one block. Returns n_it. Not collective. */
int nshape_mpi_parts(int64_t rows, int cores, int64_t parts[NSHAPE_NEST_MOST]);

/* How a step hides its messages behind computation. All orders but PLAIN send elements of JD before
 * RU. PLAIN, EARLY and SUMMED give the same bits; so do KEPT and AHEAD. */
enum nshape_mpi_order {
    NSHAPE_MPI_PLAIN,   /* RD, JD, RU, JU, messages to the root, RS, messages from the root, SS */
    NSHAPE_MPI_EARLY,   /* a message with the elements of JD travels while RU runs (L22 5.2.1) */
    NSHAPE_MPI_INVERSE, /* as EARLY, and 1/a is computed while RS runs (L22 5.2.2, 5.2.3) */
    NSHAPE_MPI_SUMMED,  /* as PLAIN, but neighbours add a and d of the line that they share */
    NSHAPE_MPI_KEPT,    /* T is constant; nshape_mpi_keep() has computed its factors (L22 5.2.4) */
    /* T changes; the factors of T of the next step are computed while RS of this step runs. */
    NSHAPE_MPI_AHEAD
};

/* A given system or a wave function of all ranks. A program may have several, and work on one while
 * the messages of another travel. */
struct nshape_mpi_system;

/* This rank's part. tdse_part() runs the stages of a wave function, nshape_part() those of a given
 * system on a GPU, tridiagonal_cpu.h those on CPU cores. */
struct nshape_mpi_part {
    int64_t first; /* J_w: the row of the whole system that is row 0 of this part */
    /* or NULL for a wave function; diag_0 and rhs_0 must be 0 in all parts but the first */
    const struct nshape *system;
    /* If system is NULL. wave[0] is TDSE_KEPT for the orders KEPT and AHEAD, else TDSE_REBUILT.
     * AHEAD also needs wave[1], which differs only in `work`. */
    const struct tdse *wave[2];
    cudaStream_t stream;
    int cores; /* number of CPU cores; 0: the part is on the GPU */
};

/* Creates *system; `type` is that of all parts. part = NULL: a root without a part. *part is
 * copied; what it points to must exist until nshape_mpi_system_close(). */
cudaError_t nshape_mpi_system_open(const struct nshape_mpi *mpi, char type,
                                   const struct nshape_mpi_part *part,
                                   struct nshape_mpi_system **system);
void nshape_mpi_system_close(struct nshape_mpi_system *system);

/* Measurements of this rank. Each function that takes this struct adds to its members. */
struct nshape_mpi_times {
    double waited; /* seconds in which neither this rank's CPU nor its GPU worked */
    /* elements that this part sent to the root (its own counts, too) and received */
    int64_t elements_up, elements_down;
    /* elements that this rank's part sent to its neighbour (NSHAPE_MPI_SUMMED) */
    int64_t elements_aside;
};

/* Solves a given system in the order PLAIN, EARLY, INVERSE or SUMMED. *status is the same on all
 * ranks: 0, or 1 + i if row i has a bad pivot; the first part with one reports. */
cudaError_t nshape_mpi_solve(struct nshape_mpi_system *system, enum nshape_mpi_order order,
                             long long *status, struct nshape_mpi_times *times);

/* Makes `steps` steps of `count` wave functions; step k has the field E(t + dt/2) = field[k]. While
 * the elements of one travel, the ranks compute the next (L22 5.2.1). With KEPT all fields must be
 * that of nshape_mpi_keep(). Returns when the last step is complete. */
cudaError_t nshape_mpi_steps(struct nshape_mpi_system *const *systems, int count,
                             enum nshape_mpi_order order, const double *field, int steps,
                             struct nshape_mpi_times *times);

/* KEPT: computes the factors of T. Call it before the first step and after a change of T. */
cudaError_t nshape_mpi_keep(struct nshape_mpi_system *system, double field,
                            struct nshape_mpi_times *times);
