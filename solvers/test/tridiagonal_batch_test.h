/* The tests of tridiagonal_batch.h. tridiagonal_batch --check runs them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Runs the tests. If `all` is true, it also tests larger batches. Returns the number of
 * expectations that failed. */
int tridiagonal_batch_check(bool all, uint64_t seed);
