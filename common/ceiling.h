/* The bandwidth that every speed is shown against, measured in the same run on large arrays. */
#ifndef CEILING_H
#define CEILING_H

#include "results.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds three rows to the results, measured with arrays of 2^27 floats: "copy" (one read, one
 * write), "triad" (two reads, one write) and "four_reads" (four reads, one write, the traffic of a
 * tridiagonal system). On the CPU device it adds nothing, since a CPU's bandwidth is no GPU's. */
void ceiling_rows(struct results *results, int reps);

/* The device memory that ceiling_rows takes. */
double ceiling_bytes(void);

/* The same rows for arrays of n floats; n is a multiple of 4. */
void ceiling_rows_at(struct results *results, int64_t n, int reps);

#ifdef __cplusplus
}
#endif
#endif
