/* The systems of tridiagonal_batch_mpi (tridiagonal_batch_mpi.cu), for its experiment and tests. */
#pragma once

#include "device_program.h"
#include "mpi_program.h"
#include "problems.h"
#include "tridiagonal_batch_mpi.h"

static const char NAME[] = "tridiagonal_batch_mpi";

enum { SUB, DIAG, SUPER, RHS, X, ARRAYS };

/* What the systems of a batch are, and how their rows are shared. */
struct shape {
    char type;
    enum system kind; /* SYSTEM_DOMINANT, SYSTEM_POISSON or SYSTEM_BARELY */
    int64_t n, batch;
    int64_t first, rows; /* this rank's rows of each system */
    bool interleaved, periodic, in_place, staged;
    int chunks;
    uint64_t seed;
};

/* This rank's rows on its device, and the call that solves them. */
struct problem {
    struct shape shape;
    struct memory memory;
    struct tridiagonal_batch_mpi call;
    struct tridiagonal_batch_mpi_plan *plan;
    void *array[ARRAYS];
    int *status;
    cudaStream_t stream;
};

/* Makes the rows on the device, from random numbers that depend only on the seed, the system and
 * the row, so that every cut of the rows gives the same systems. Collective. */
void problem_open(struct problem *p, const struct shape *shape);
void problem_close(struct problem *p);

/* Solves the systems and waits for the solution. Collective. */
void problem_solve(struct problem *p);

/* The index of row i of this rank in system k. */
int64_t problem_index(const struct shape *s, int64_t i, int64_t k);

/* True if all statuses that this rank got are 0. */
bool all_solved(const struct shape *s, const int *status);

/* Verifies x on the device. The error of a row is that of verify_systems (verify.h), in double
 * precision; it may be 20 units of roundoff: the 16 of tridiagonal_batch, and 4 for the
 * residual's own rounding. For SYSTEM_DOMINANT the difference to the known solution is tested, too:
 * the condition number is at most 10, so it may be 200 units of the largest x. Systems whose status
 * is not 0 are left out. Returns the same verdict on all ranks. Collective. */
struct verdict problem_verdict(const struct problem *p, const int *status);

/* The time in which this rank's device copies rhs to x, which is 2 elements a row. */
struct timing problem_copy(struct problem *p, int reps);

int check(const struct options *options);
