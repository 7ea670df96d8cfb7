/* The device's memory bandwidth with large arrays, measured in the same run as a program's solvers.
 */
#pragma once

#include "results.h"

#include <stdint.h>

__BEGIN_DECLS

/* Adds three rows, measured with arrays of 2^27 floats: "copy" (one read, one write), "triad" (two
 * reads) and "four_reads" (the traffic of a tridiagonal system). On the CPU device it adds none. */
void ceiling_rows(struct results *results, int reps);

/* Bytes of device memory that ceiling_rows allocates. */
double ceiling_bytes(void);

/* The same rows for arrays of n floats; n is a multiple of 4. */
void ceiling_rows_at(struct results *results, int64_t n, int reps);

__END_DECLS
