/* The experiment of tridiagonal_mpi.h. */
#ifndef TRIDIAGONAL_MPI_BENCH_H
#define TRIDIAGONAL_MPI_BENCH_H

#include "options.h"
#include "results.h"

/* The bytes that a rank needs for its share of n rows: on its GPU, or in main memory. */
double tridiagonal_mpi_bench_bytes(char type, int64_t n);

/* Adds the rows for one type and one n: the solver over all ranks, its three stages, the same
 * system on rank 0 alone if it fits there, and a copy of 9 elements a row. `device` is the text for
 * the CSV, `cores` as in tridiagonal_mpi.h, `results` is NULL on all ranks but rank 0.
 * Collective. */
void tridiagonal_mpi_bench(struct results *results, const char *device, const char *variant,
                           char type, int64_t n, int pivot, int cores, int reps, uint64_t seed);

#endif
