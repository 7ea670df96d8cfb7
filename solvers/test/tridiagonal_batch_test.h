/* Tests of tridiagonal_batch.h, which thomas_batch --check runs. */
#ifndef TRIDIAGONAL_BATCH_TEST_H
#define TRIDIAGONAL_BATCH_TEST_H

#include <stdbool.h>
#include <stdint.h>

/* all: larger batches as well. Returns how many expectations failed. */
int tridiagonal_batch_check(bool all, uint64_t seed);

#endif
