/* Tests of tridiagonal_batch.h. For main.cu. */
#ifndef BATCH_CHECK_H
#define BATCH_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* all: larger batches, too. Gives how many expectations failed. */
int check_batch(bool all, uint64_t seed);

#endif
