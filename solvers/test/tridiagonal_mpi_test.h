/* The tests of tridiagonal_mpi.h. tridiagonal_mpi --check runs them. */
#pragma once

#include <stdint.h>

/* Tests the solver without or with pivoting. This rank's rows are on the device if cores = 0,
 * otherwise on this many CPU cores. `few`: fewer tests, for ranks that share cores. Each rank adds
 * to its own expect_passed and expect_failed. Collective. */
void tridiagonal_mpi_check(int pivot, int cores, bool few, uint64_t seed);
