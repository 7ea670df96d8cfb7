/* W12 (Wakatani 2012), section II: P-scheme on a machine with distributed memory, for which the
 * paper designed it. Each MPI rank has one part and stores only the rows of this part. Problems A
 * and B are defined in pscheme_cpu.h.
 *
 * Copy: pscheme_mpi.h pscheme_mpi.c pscheme_mpi_body.h pscheme_cpu/pscheme_cpu.h
 * pscheme_cpu/pscheme_cpu.c pscheme_cpu/pscheme_cpu_body.h pscheme_cpu/simd/pscheme_lanes_body.h
 * common/lanes.h common/lanes_body.h. Link pscheme_mpi.c instead of pscheme_cpu.c. It includes
 * pscheme_cpu.c, because it uses static functions of that file for the sweeps over a part.
 * Functions with the suffix _s compute with float, those with the suffix _d with double.
 *
 * Common to the solvers
 *   Calls    Calls are collective: all ranks call the solver with the same n and the same `how`.
 *   Rows     The rows 1..n-2 (problem B: 1..n) are divided evenly over the ranks, in order, in the
 *            same way as pscheme_cpu divides them into parts. This rank has the m rows
 *            start+1..start+m, which pscheme_mpi_rows() returns. m may be 0.
 *   Arrays   In problem A arrays have m + 2 elements: this rank's rows and one neighbour at each
 *            end. Element j = 0..m+1 is row start+j. On the first rank element 0 is the first row
 *            of the system, and on the last rank element m+1 is the last row. For these two rows
 *            the solver copies rhs to x. On other ranks it does not read elements 0 and m+1 of the
 *            inputs. If n = 1, the system has one row, which is element 0 on the first rank.
 *            Outputs and work must not overlap inputs.
 *   work     Workspace that the caller allocates. No function allocates memory or prints.
 *   seconds  NULL on all ranks, or an array of 3 numbers. The solver adds to them the seconds that
 *            this rank needed for pre-computation, propagation and determination. In this case all
 *            ranks wait for each other between the phases, so that the time of waiting for a slow
 *            rank is not counted as propagation.
 *   Returns  All ranks return the same value. It is 0 if all pivots are good. It is the row if a
 *            row has a bad pivot (see pscheme_cpu.h). It is PSCHEME_REFUSED if n < 1, n > 2^57 - 1,
 *            `how` is unknown, or an array of some rank is NULL or not aligned to its elements. The
 *            rank with such an array then writes nothing, but takes part in the messages.
 *            There are two exceptions. pscheme_mpi_recurrence does not tell the other ranks about a
 *            bad array, see there. A rank on which MPI reports an error returns
 *            PSCHEME_MPI_FAILED, and the other ranks may wait for ever. By default MPI ends the
 *            program instead. Set the communicator's error handler to MPI_ERRORS_RETURN to get
 *            the return value. */
#ifndef PSCHEME_MPI_H
#define PSCHEME_MPI_H

#include "pscheme_cpu.h"

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PSCHEME_MPI_FAILED = -2 };

/* The two ways in which a rank gets the value before its part. With PSCHEME_MPI_CHAIN each rank
 * receives "just one data" (W12 section II-B) from the rank before it and sends one number to the
 * next rank. With PSCHEME_MPI_EXSCAN the function MPI_Exscan composes the maps of the ranks. */
enum pscheme_mpi_how { PSCHEME_MPI_CHAIN, PSCHEME_MPI_EXSCAN };

/* The MPI datatype of a map, and the MPI operator that composes two maps. The operator does not
 * commute. */
struct pscheme_mpi_map {
    MPI_Datatype elements;
    MPI_Op compose;
};

/* The communicators, datatypes and operators that the solvers use. pscheme_mpi_open sets them. The
 * fields are private. */
struct pscheme_mpi {
    MPI_Comm up, down; /* up: the ranks in their order; down: the ranks in reverse order, for x */
    struct pscheme_mpi_map affine_s, affine_d, moebius_s, moebius_d;
};

/* pscheme_mpi_open prepares *mpi for the ranks of comm, and pscheme_mpi_close frees it again. All
 * ranks of comm must call them. They return 0 or PSCHEME_MPI_FAILED. */
int pscheme_mpi_open(MPI_Comm comm, struct pscheme_mpi *mpi);
int pscheme_mpi_close(struct pscheme_mpi *mpi);

/* Returns m, the number of rows of `rank` when the rows 1..rows are divided over the ranks (problem
 * A: rows = max(n - 2, 0); problem B: rows = n). Sets *start to the row before the first of
 * them. */
int64_t pscheme_mpi_rows(int64_t rows, int ranks, int rank, int64_t *start);

/* The size of the workspace of pscheme_mpi_solve on a rank with m rows, in elements. */
static inline int64_t pscheme_mpi_work_elements(int64_t m)
{
    return 5 * (m + 2);
}

/* Solve problem A. p is computed as in pscheme_p_map. x[0] is set on the first rank only, x[m+1] on
 * all ranks. With PSCHEME_MPI_CHAIN the bits of x and the returned value are the same as those of
 * pscheme_solve with PSCHEME_MAP and as many parts as ranks. With PSCHEME_MPI_EXSCAN the maps of
 * neighbouring ranks are also composed. Therefore the pivots must also be good when the parts of
 * such ranks are joined and solved without the rest of the system. This holds for systems that are
 * diagonally dominant or symmetric definite. */
int64_t pscheme_mpi_solve_s(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                            const float *diag, const float *off, const float *rhs, float *x,
                            float *work, double *seconds);
int64_t pscheme_mpi_solve_d(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                            const double *diag, const double *off, const double *rhs, double *x,
                            double *work, double *seconds);

/* Solve problem B for n >= 0. s and t have the m coefficients of w_{start+1}..w_{start+m}. They may
 * be NULL if m = 0. w has m + 1 elements: w[j] is w_{start+j}, and w[0] is an output, too. w0 is
 * read on the first rank only. work has m + 1 elements. With PSCHEME_MPI_CHAIN the bits of w[1..m]
 * are the same as those of recurrence_pscheme with as many parts as ranks. If an array of a rank is
 * NULL or not aligned, only this rank returns PSCHEME_REFUSED. The ranks after it compute NaN. */
int64_t pscheme_mpi_recurrence_s(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                                 float w0, const float *s, const float *t, float *w, float *work,
                                 double *seconds);
int64_t pscheme_mpi_recurrence_d(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                                 double w0, const double *s, const double *t, double *w,
                                 double *work, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
