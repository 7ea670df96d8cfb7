/* W12 (Wakatani 2012), section II: P-scheme on a machine with distributed memory, for which it was
 * designed. Each MPI rank is one part and has only its own rows. Problem A and problem B are those
 * of pscheme_cpu.h.
 *
 * Copy: pscheme_mpi.h pscheme_mpi.c pscheme_mpi_body.h pscheme_cpu/pscheme_cpu.h
 * pscheme_cpu/pscheme_cpu.c pscheme_cpu/pscheme_cpu_body.h pscheme_cpu/simd/pscheme_lanes_body.h
 * common/lanes.h common/lanes_body.h. Link pscheme_mpi.c instead of pscheme_cpu.c, which it
 * includes, because the sweeps over a part are the same functions. Suffix _s: float, _d: double.
 *
 * Common to the solvers
 *   Calls    are collective: all ranks call with the same n and how.
 *   Rows     1..n-2 (problem B: 1..n) are divided evenly over the ranks, in order, as pscheme_cpu
 *            divides them into parts. This rank has the m rows start+1..start+m that
 *            pscheme_mpi_rows() gives. m may be 0.
 *   Arrays   have this rank's rows and a neighbour at each end: element j = 0..m+1 is row start+j.
 *            Element 0 of the first rank and element m+1 of the last rank are the first and
 *            the last row of the system, read from rhs and returned in x. On other ranks these
 *            elements are not read in the inputs. If n = 1 there is only element 0 of the first
 *            rank. Outputs and work must not overlap inputs.
 *   work     workspace of the caller. Nothing is allocated or printed.
 *   seconds  NULL on all ranks, or an array of 3 to which this rank's times of pre-computation,
 *            propagation and determination are added. All ranks then wait for each other between
 *            the phases, so that waiting for a slow rank is not counted as propagation.
 *   Returns  the same on all ranks: 0; or the row of a bad pivot (pscheme_cpu.h); or
 *            PSCHEME_REFUSED if n < 1, n > 2^57 - 1, `how` is unknown, or an array of some rank
 *            is NULL or not aligned to its elements. That rank then writes nothing, but takes
 *            part in the messages. A rank on which MPI reports an error returns
 *            PSCHEME_MPI_FAILED, and the others may wait for ever; this needs an error handler
 *            of the communicator that returns. */
#ifndef PSCHEME_MPI_H
#define PSCHEME_MPI_H

#include "pscheme_cpu.h"

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PSCHEME_MPI_FAILED = -2 };

/* How propagation brings to each rank the value that comes in: by a chain of messages from rank to
 * rank of "just one data" (W12 section II-B), or by MPI_Exscan over the maps of the ranks. */
enum pscheme_mpi_how { PSCHEME_MPI_CHAIN, PSCHEME_MPI_EXSCAN };

/* A map as MPI data: its elements, and the composition of two maps, which does not commute. */
struct pscheme_mpi_map {
    MPI_Datatype elements;
    MPI_Op compose;
};

/* Communicators, datatypes and operators of the solvers, made once. The fields are private. */
struct pscheme_mpi {
    MPI_Comm up, down; /* the ranks of the communicator in order, and in reverse order for x */
    struct pscheme_mpi_map affine_s, affine_d, moebius_s, moebius_d;
};

/* Collective. Return 0 or PSCHEME_MPI_FAILED. */
int pscheme_mpi_open(MPI_Comm comm, struct pscheme_mpi *mpi);
int pscheme_mpi_close(struct pscheme_mpi *mpi);

/* The number m of rows that `rank` has out of rows 1..rows (problem A: rows = max(n - 2, 0);
 * problem B: rows = n). *start becomes the row before its first one. */
int64_t pscheme_mpi_rows(int64_t rows, int ranks, int rank, int64_t *start);

/* Elements of work for pscheme_mpi_solve. */
static inline int64_t pscheme_mpi_work_elements(int64_t m)
{
    return 5 * (m + 2);
}

/* Problem A, p by the forward chain of the map (PSCHEME_MAP). x[0] is set on the first rank
 * only, x[m+1] on all ranks. With PSCHEME_MPI_CHAIN x and the returned value are, bit for bit,
 * those of pscheme_solve with as many parts as ranks. PSCHEME_MPI_EXSCAN also composes the maps
 * of neighbouring ranks, and the pivots of such ranks taken together must be good too; dominant
 * and symmetric definite systems have that. */
int64_t pscheme_mpi_solve_s(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                            const float *diag, const float *off, const float *rhs, float *x,
                            float *work, double *seconds);
int64_t pscheme_mpi_solve_d(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                            const double *diag, const double *off, const double *rhs, double *x,
                            double *work, double *seconds);

/* Problem B, n >= 0. s and t have the m coefficients of w_{start+1}..w_{start+m}, and may be
 * NULL if m = 0. w has m+1 elements: w[j] is w_{start+j}; w[0] is an output too. w0 is read on
 * the first rank only. work: m+1. With PSCHEME_MPI_CHAIN w[1..m] are, bit for bit, those of
 * recurrence_pscheme with as many parts as ranks. A rank with a bad array returns
 * PSCHEME_REFUSED, but the others do not: the ranks behind it get NaN. */
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
