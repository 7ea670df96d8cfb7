/* W12 (Wakatani 2012), section II, as it was first meant: P-scheme on a machine with distributed memory. Each MPI
 * rank is one part and holds its own rows, nothing else. Problem A and problem B are those of pscheme_cpu.h.
 *
 * Copy: pscheme_mpi.h pscheme_mpi.c pscheme_mpi_body.h pscheme_cpu/pscheme_cpu.h
 * pscheme_cpu/pscheme_cpu.c pscheme_cpu/pscheme_cpu_body.h pscheme_cpu/simd/pscheme_lanes_body.h common/lanes.h common/lanes_body.h. Link pscheme_mpi.c in
 * place of pscheme_cpu.c, which it contains: the sweeps over a part are the same functions. Suffix
 * _s: float, _d: double.
 *
 * Common to the solvers
 *   All ranks call them together, with the same n and how.
 *   Rows     The rows 1..n-2 (problem B: 1..n) are split evenly in order, as the parts of pscheme_cpu are: this
 *            rank has the m rows start+1..start+m of pscheme_mpi_rows(). m may be 0.
 *   Arrays   hold this rank's rows and their two neighbours: index j is row start+j, 0 <= j <= m+1. Index 0 of
 *            the first rank and index m+1 of the last are the first and the last row of the system and are given
 *            (in rhs) and returned (in x); elsewhere they belong to other ranks and inputs are not read there.
 *            For n = 1 there is row 0 of the first rank only. Outputs and work must not overlap inputs.
 *   work     space that the caller owns: nothing is allocated or printed.
 *   seconds  NULL, or three words to which the times of precompute, propagate and determine on this rank are
 *            added. Then all ranks wait for each other between the phases, so that waiting for slow rows is not
 *            taken for propagation.
 *   Returns  the same on all ranks: 0; or the row of a bad pivot (see pscheme_cpu.h); or PSCHEME_REFUSED (n < 1 or
 *            n > 2^57 - 1, no such how; or an array that a rank uses is NULL or not aligned to its words, then this
 *            rank touches nothing and takes part as one without rows). On a rank where MPI reported an error: PSCHEME_MPI_FAILED; that is seen only if the
 *            communicator's error handler returns, and the other ranks may then wait for ever. */
#ifndef PSCHEME_MPI_H
#define PSCHEME_MPI_H

#include "pscheme_cpu.h"

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PSCHEME_MPI_FAILED = -2 };

/* How the values that come in get from rank to rank: W12's chain of messages, "just one data" each, or MPI_Exscan
 * over the maps of the ranks. */
enum pscheme_mpi_how { PSCHEME_MPI_CHAIN, PSCHEME_MPI_EXSCAN };

/* A map as MPI sees it: its words, and the composition of two, which does not commute. */
struct pscheme_mpi_map {
    MPI_Datatype elements;
    MPI_Op compose;
};

/* What the solvers need of a communicator, made once. The fields are the solvers' own. */
struct pscheme_mpi {
    MPI_Comm up,
        down; /* duplicates of the communicator: its ranks in order, and in reverse for x */
    struct pscheme_mpi_map affine_s, affine_d, moebius_s, moebius_d;
};

/* 0 or PSCHEME_MPI_FAILED. Collective. */
int pscheme_mpi_open(MPI_Comm comm, struct pscheme_mpi *mpi);
int pscheme_mpi_close(struct pscheme_mpi *mpi);

/* The number m of rows that `rank` has out of rows 1..rows (problem A: rows = n - 2, not below 0; problem B: n);
 * *start is the row before its first. */
int64_t pscheme_mpi_rows(int64_t rows, int ranks, int rank, int64_t *start);

/* Words of work that pscheme_mpi_solve needs. */
static inline int64_t pscheme_mpi_work_elements(int64_t m)
{
    return 5 * (m + 2);
}

/* Problem A; p by the forward chain of the map (PSCHEME_MAP). With PSCHEME_MPI_CHAIN x and the status are, bit for
 * bit, those of pscheme_solve with as many parts as there are ranks. PSCHEME_MPI_EXSCAN asks more of the pivots: those
 * of neighbouring parts taken together without what is before them must not vanish either (on dominant and symmetric
 * definite systems they never do). x[0] is set on the first rank only; x[m+1] everywhere. */
int64_t pscheme_mpi_solve_s(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                            const float *diag, const float *off, const float *rhs, float *x,
                            float *work, double *seconds);
int64_t pscheme_mpi_solve_d(const struct pscheme_mpi *mpi, enum pscheme_mpi_how how, int64_t n,
                            const double *diag, const double *off, const double *rhs, double *x,
                            double *work, double *seconds);

/* Problem B; n may be 0. s and t hold the m coefficients of w_{start+1}..w_{start+m}; w holds m+1
 * words, w[j] is w_{start+j}, w[0] too is returned. w0 is looked at on the first rank only. work:
 * m+1 words. With PSCHEME_MPI_CHAIN w[1..m] are, bit for bit, those of recurrence_pscheme with as
 * many parts as ranks. Where m = 0 s and t may be NULL. Nothing is sent but values: a rank whose
 * arrays are refused returns that alone, and the w of ranks behind it are NaN. */
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
