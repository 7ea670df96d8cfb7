/* The N-shaped partition method over MPI ranks (L22 5.2, 6.2). Each rank has one part of the rows, on its GPU or on CPU
 * cores, for the whole time evolution; no rank needs the whole of anything. Rank 0, the root, owns the joint lines between the
 * parts: it may have a part as well or be a rank of its own.
 *
 * Part w of W has the rows J_w … J_{w+1}, its first and last are joint lines. A step has two synchronisation points, before
 * and after RS. Words that travel for a part, whatever n is:
 *
 *   to the root    b, a, d of J_{w+1} after JD; c, a, d of J_w after JU     6
 *   from the root  psi of both lines                                       2
 *
 * Factors that are kept leave d alone: 2 to the root, 2 from it. That is 8 (or 4) for each of the W + 1 lines but one.
 *
 * Copy: nshape_mpi.h nshape_mpi.cu nshape/nshape.h nshape/nshape.cu nshape/nshape_stages.h
 * nshape/tdse/tdse.h nshape/tdse/tdse.cu solvers/tridiagonal.h solvers/tridiagonal.cu
 * solvers/scalar.cuh solvers/message.cuh solvers/partition.cuh solvers/tridiagonal_cpu.h solvers/tridiagonal_cpu.c
 * solvers/tridiagonal_cpu_body.h common/device.h common/device_async.h common/device_limits.h common/lanes.h common/lanes_body.h; for a CPU also
 * common/cpu_device. Functions are called by all ranks together. They give the first error of this
 * rank's device, or cudaErrorInvalidValue for what makes no sense (a pointer that is NULL or not
 * aligned, too: before anything was touched or sent); then the other ranks may wait for ever, so
 * call MPI_Abort. MPI's own errors are its error handler's. */
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

/* J_w and the number of rows J_w … J_{w+1} of this rank's part of n rows, n > mpi->parts: the rows between its lines in
 * proportion to its speed (rows a second; any unit). A root alone: 0 rows. */
cudaError_t nshape_mpi_rows(const struct nshape_mpi *mpi, int64_t n, double speed, int64_t *first,
                            int64_t *rows);

/* Blocks for a part of `rows` rows: one for each core, or, with cores = 0, about 30 rows a block in each application of a
 * GPU. The last application has one block. Gives n_it. */
int nshape_mpi_parts(int64_t rows, int cores, int64_t parts[NSHAPE_NEST_MOST]);

/* What hides the messages. The first two give the same bits, and so do the last two, which send JD's words early, too. */
enum nshape_mpi_order {
    NSHAPE_MPI_PLAIN,   /* RD, RU, JD, JU, messages, RS, messages, SS */
    NSHAPE_MPI_EARLY,   /* JD's words are sent before RU (L22 5.2.1) */
    NSHAPE_MPI_INVERSE, /* and 1/a is made while RS runs (5.2.2, 5.2.3) */
    NSHAPE_MPI_KEPT,    /* factors of a T that is constant (5.2.4), by nshape_mpi_keep() */
    NSHAPE_MPI_AHEAD    /* factors of the next step's T are made while RS of this one runs */
};

/* A system, or a wave function, that all ranks work on; several may be in flight. Opaque. */
struct nshape_mpi_system;

/* This rank's part: what nshape_part() or tdse_part() is given; a system on CPU cores goes to tridiagonal_cpu_reduce() and
 * _finish(), its joint lines are nshape_lines() all the same. */
struct nshape_mpi_part {
    int64_t first;               /* J_w: the row of the whole that its row 0 is */
    const struct nshape *system; /* diag_0 and rhs_0 must be 0 in all parts but the first */
    /* or a wave function: TDSE_REBUILT, or, for the last two orders, TDSE_KEPT; the second, for NSHAPE_MPI_AHEAD, differs from
     * the first in `work` alone. */
    const struct tdse *wave[2];
    cudaStream_t stream;
    int cores; /* 0: on the GPU */
};

/* Collective. type is that of the part; a root alone gives part = NULL. What part points to must outlive the system. */
cudaError_t nshape_mpi_system_open(const struct nshape_mpi *mpi, char type,
                                   const struct nshape_mpi_part *part,
                                   struct nshape_mpi_system **system);
void nshape_mpi_system_close(struct nshape_mpi_system *system);

/* What this rank did; all are added to what is there. */
struct nshape_mpi_times {
    double waited; /* seconds in which neither its processor nor its GPU had anything to do */
    int64_t elements_up,
        elements_down; /* of numbers, to and from the root; the root's own part counted, too */
};

/* Solve a given system, in one of the first three orders; x is in the parts. *status, the same on all ranks: 0, or 1 + i of
 * a row with a bad pivot, of the first part that has one. */
cudaError_t nshape_mpi_solve(struct nshape_mpi_system *system, enum nshape_mpi_order order,
                             long long *status, struct nshape_mpi_times *times);

/* `steps` time steps of `count` wave functions at once; step k has the field E(t + dt/2) = field[k]. While the words of one
 * travel the ranks go on with the next. For NSHAPE_MPI_KEPT all fields are that of nshape_mpi_keep(). Returns when the last
 * step's work is done, on a GPU too. */
cudaError_t nshape_mpi_steps(struct nshape_mpi_system *const *systems, int count,
                             enum nshape_mpi_order order, const double *field, int steps,
                             struct nshape_mpi_times *times);
cudaError_t nshape_mpi_keep(struct nshape_mpi_system *system, double field,
                            struct nshape_mpi_times *times);

#endif
