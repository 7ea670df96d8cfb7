/* W12 (Wakatani 2012), section II: P-scheme with distributed memory, for which the paper designed
 * it. Each MPI rank has one part and stores only its rows. Problems: pscheme_cpu.h.
 *
 * Copy: pscheme_mpi.h pscheme_mpi.c pscheme_mpi_body.h pscheme_cpu/pscheme_cpu.h
 * pscheme_cpu/pscheme_cpu.c pscheme_cpu/pscheme_cpu_body.h pscheme_cpu/simd/pscheme_lanes_body.h
 * common/lanes.h common/lanes_body.h. Link pscheme_mpi.c instead of pscheme_cpu.c, which it
 * includes for its static functions. Suffix _s: float, suffix _d: double.
 *
 * Common to the solvers
 *
 *   Calls    are collective: all ranks pass the same n and the same `how`.
 *   Rows     1..n-2 (problem B: 1..n) are divided evenly over the ranks, in order, as pscheme_cpu
 *            divides them into parts. This rank has the m rows start+1..start+m, which
 *            pscheme_mpi_rows() returns. m may be 0.
 *   Arrays   of problem A have m + 2 elements: this rank's rows and one neighbour at each end.
 *            Element j = 0..m+1 is row start+j. Element 0 of the first rank and element m+1 of the
 *            last are the first and the last row of the system (n = 1: only element 0), for which
 *            the solver copies rhs to x. Other ranks do not read elements 0 and m+1 of the inputs.
 *            Outputs and work must not overlap inputs.
 *   work     Workspace of the caller. No function allocates memory or prints.
 *   seconds  NULL on all ranks, or 3 numbers, to which the solver adds the seconds of this rank for
 *            pre-computation, propagation and determination. All ranks then wait for each other
 *            between the phases, so that waiting for a slow rank does not count as propagation.
 *   Returns  the same value on all ranks: 0 if all pivots are good; the row of a bad pivot
 *            (pscheme_cpu.h); PSCHEME_REFUSED if n < 1, n > 2^57 - 1, `how` is unknown, or an array
 *            of some rank is NULL or not aligned to its elements. That rank writes nothing, but
 *            takes part in the messages. Two exceptions: pscheme_mpi_recurrence does not tell the
 *            other ranks about a bad array, and a rank on which MPI reports an error returns
 *            PSCHEME_MPI_FAILED, while others may wait for ever. By default MPI ends the program
 *            instead; the error handler MPI_ERRORS_RETURN of the communicator gives the value. */
#pragma once

#include "pscheme_cpu.h"

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PSCHEME_MPI_FAILED = -2 };

/* How a rank gets the value before its part: "just one data" (W12 section II-B) from rank to rank,
 * or by MPI_Exscan, which composes the maps of the ranks. */
enum pscheme_mpi_how { PSCHEME_MPI_CHAIN, PSCHEME_MPI_EXSCAN };

/* A map, and the operator that composes two maps, which does not commute. */
struct pscheme_mpi_map {
    MPI_Datatype elements;
    MPI_Op compose;
};

/* Set by pscheme_mpi_open; the fields are private. */
struct pscheme_mpi {
    MPI_Comm up, down; /* up: the ranks in their order; down: the ranks in reverse order, for x */
    struct pscheme_mpi_map affine_s, affine_d, moebius_s, moebius_d;
};

/* For the ranks of comm, which all must call both. They return 0 or PSCHEME_MPI_FAILED. */
int pscheme_mpi_open(MPI_Comm comm, struct pscheme_mpi *mpi);
int pscheme_mpi_close(struct pscheme_mpi *mpi);

/* The number of rows of `rank` when the rows 1..rows are divided (problem A: rows = max(n - 2, 0);
 * problem B: rows = n). *start is the row before the first of them. */
int64_t pscheme_mpi_rows(int64_t rows, int ranks, int rank, int64_t *start);

/* The workspace of pscheme_mpi_solve on a rank with m rows. */
static inline int64_t pscheme_mpi_work_elements(int64_t m)
{
    return 5 * (m + 2);
}

/* Problem A, with p as in pscheme_p_map. x[0] is set on the first rank only, x[m+1] on all. With
 * PSCHEME_MPI_CHAIN bits and returned value are those of pscheme_solve with PSCHEME_MAP and as many
 * parts as ranks. With PSCHEME_MPI_EXSCAN the pivots must also be good when the parts of
 * neighbouring ranks are joined and solved alone, because their maps are composed. This holds for
 * systems that are diagonally dominant or symmetric definite. */
int64_t pscheme_mpi_solve_s(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                            const float *diag, const float *off, const float *rhs, float *x,
                            float *work, double *seconds);
int64_t pscheme_mpi_solve_d(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                            const double *diag, const double *off, const double *rhs, double *x,
                            double *work, double *seconds);

/* Problem B for n >= 0. s and t have the m coefficients of w_{start+1}..w_{start+m} and may be NULL
 * if m = 0. w has m + 1 elements: w[j] is w_{start+j}, and w[0] is an output, too. w0 is read on
 * the first rank only. work: m + 1 elements. With PSCHEME_MPI_CHAIN the bits of w[1..m] are those
 * of recurrence_pscheme with as many parts as ranks. If an array of a rank is NULL or not aligned,
 * only this rank returns PSCHEME_REFUSED; the ranks after it compute NaN. */
int64_t pscheme_mpi_recurrence_s(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                                 float w0, const float *s, const float *t, float *w, float *work,
                                 double *seconds);
int64_t pscheme_mpi_recurrence_d(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                                 double w0, const double *s, const double *t, double *w,
                                 double *work, double *seconds);

#ifdef __cplusplus
}
#endif
