/* The N-shaped partition method over MPI ranks (L22 sections 5.2 and 6.2). Each rank has one part
 * of the rows, on its GPU or on CPU cores, for the whole time evolution. No rank needs the whole
 * matrix or the whole psi. Rank 0, the root, solves the joint lines between the parts (RS). The
 * root may have a part as well, or be a rank of its own.
 *
 * Part w of W has the rows J_w … J_{w+1}; its first and its last row are joint lines. A step has
 * two synchronisation points, before and after RS. Elements that travel for one part, whatever n
 * is:
 *
 *   to the root    b, a, d of J_{w+1} after JD; c, a, d of J_w after JU     6
 *   from the root  psi of both lines                                        2
 *
 * If the factors of T are kept, only d travels to the root: 2 elements, and 2 back.
 *
 * Copy: nshape_mpi.h nshape_mpi.cu nshape_mpi_message.cuh nshape_mpi_part.cuh nshape_mpi_root.cuh
 * nshape/nshape.h nshape/nshape.cu nshape/nshape_stages.h nshape/tdse/tdse.h nshape/tdse/tdse.cu
 * nshape/tdse/tdse_stages.cuh nshape/tdse/tdse_tridiagonal.cuh solvers/tridiagonal.h
 * solvers/tridiagonal.cu solvers/tridiagonal_rows.cuh solvers/tridiagonal_grid.cuh
 * solvers/tridiagonal_status.cuh solvers/tridiagonal_resident.cuh
 * solvers/tridiagonal_two_pass.cuh solvers/scalar.cuh solvers/message.cuh solvers/arithmetic.cuh
 * solvers/partition.cuh solvers/partition_rows.cuh solvers/partition_plain.cuh
 * solvers/partition_pivoted.cuh solvers/tridiagonal_cpu.h solvers/tridiagonal_cpu.c
 * solvers/tridiagonal_cpu_body.h solvers/tridiagonal_cpu_number.h solvers/tridiagonal_cpu_rows.h
 * solvers/tridiagonal_cpu_tiles.h solvers/tridiagonal_cpu_levels.h common/device.h
 * common/device_async.h common/device_limits.h common/lanes.h common/lanes_body.h; for a CPU also
 * common/cpu_device.
 *
 * All ranks call each function together, except where a comment says otherwise. A function returns
 * the first error of this rank's device. It returns cudaErrorInvalidValue for arguments out of
 * range and for a pointer that is NULL or not aligned; it has then touched and sent nothing. After
 * an error on one rank the other ranks may wait for ever, so call MPI_Abort. MPI's own errors go to
 * MPI's error handler. */
#ifndef NSHAPE_MPI_H
#define NSHAPE_MPI_H

#include "nshape.h"
#include "tdse.h"

#include <mpi.h>

enum nshape_mpi_root { NSHAPE_ROOT_WORKS, NSHAPE_ROOT_ALONE };

/* The ranks. Rank r has part r - first_worker. */
struct nshape_mpi {
    MPI_Comm comm;
    int rank, ranks, first_worker, parts;
};

/* NSHAPE_ROOT_ALONE needs two ranks. */
cudaError_t nshape_mpi_open(MPI_Comm comm, enum nshape_mpi_root root, struct nshape_mpi *mpi);

/* Share n > mpi->parts rows among the parts. Gives this rank's first row J_w and its number of
 * rows, J_w … J_{w+1}; a root alone gets 0 rows. The rows between the two joint lines are in
 * proportion to the rank's speed, in rows a second or any other unit that all ranks use. */
cudaError_t nshape_mpi_rows(const struct nshape_mpi *mpi, int64_t n, double speed, int64_t *first,
                            int64_t *rows);

/* Blocks for a part of `rows` rows: one block for each core or, with cores = 0, for a GPU, about 30
 * rows a block in each application. The last application has one block. Returns n_it. Not
 * collective. */
int nshape_mpi_parts(int64_t rows, int cores, int64_t parts[NSHAPE_NEST_MOST]);

/* How a step hides its messages behind computation. PLAIN and EARLY give the same bits, and so do
 * KEPT and AHEAD. From EARLY on, every order sends JD's elements early. */
enum nshape_mpi_order {
    NSHAPE_MPI_PLAIN,   /* RD, RU, JD, JU, messages, RS, messages, SS */
    NSHAPE_MPI_EARLY,   /* JD's elements are sent before RU (L22 5.2.1) */
    NSHAPE_MPI_INVERSE, /* and 1/a is computed while RS runs (L22 5.2.2, 5.2.3) */
    NSHAPE_MPI_KEPT,    /* a constant T: nshape_mpi_keep() has computed its factors (L22 5.2.4) */
    NSHAPE_MPI_AHEAD /* the factors of the next step's T are computed while RS of this step runs */
};

/* A system or a wave function that all ranks work on; several may be in flight. Opaque. */
struct nshape_mpi_system;

/* This rank's part, as nshape_part() or tdse_part() takes it. A given system on CPU cores goes to
 * tridiagonal_cpu_reduce() and tridiagonal_cpu_finish(); its joint lines are at nshape_lines() as
 * well. */
struct nshape_mpi_part {
    int64_t first; /* J_w: the row of the whole system that is row 0 of this part */
    /* A given system; diag_0 and rhs_0 must be 0 in all parts but the first. Or NULL, and a wave
     * function in wave[0]: TDSE_REBUILT for the first three orders, else TDSE_KEPT.
     * NSHAPE_MPI_AHEAD needs wave[1], too, which differs from wave[0] in `work` alone. */
    const struct nshape *system;
    const struct tdse *wave[2];
    cudaStream_t stream;
    int cores; /* 0: on the GPU */
};

/* type is that of all parts; a root alone passes part = NULL. *part is copied, but all that it
 * points to must outlive the system. */
cudaError_t nshape_mpi_system_open(const struct nshape_mpi *mpi, char type,
                                   const struct nshape_mpi_part *part,
                                   struct nshape_mpi_system **system);
void nshape_mpi_system_close(struct nshape_mpi_system *system);

/* What this rank did. Calls add to the values that are there. */
struct nshape_mpi_times {
    double waited; /* seconds in which neither this rank's processor nor its GPU had work */
    int64_t elements_up, elements_down; /* to and from the root, the root's own part included */
};

/* Solve a given system, in one of the first three orders; x is in the parts. *status, the same on
 * all ranks: 0, or 1 + i of a row i with a bad pivot, of the first part that has one. */
cudaError_t nshape_mpi_solve(struct nshape_mpi_system *system, enum nshape_mpi_order order,
                             long long *status, struct nshape_mpi_times *times);

/* `steps` time steps of `count` wave functions at once; step k has the field E(t + dt/2) =
 * field[k]. While the elements of one wave function travel, the ranks work on the next one (L22
 * 5.2.1). With NSHAPE_MPI_KEPT all fields must be that of nshape_mpi_keep(). Returns when the last
 * step is complete, on a GPU too. */
cudaError_t nshape_mpi_steps(struct nshape_mpi_system *const *systems, int count,
                             enum nshape_mpi_order order, const double *field, int steps,
                             struct nshape_mpi_times *times);

/* NSHAPE_MPI_KEPT: compute the factors of T, before the first step and after a change of T. */
cudaError_t nshape_mpi_keep(struct nshape_mpi_system *system, double field,
                            struct nshape_mpi_times *times);

#endif
