/* The ceiling that every bandwidth is shown against, measured in the same run on large arrays. */
#ifndef CEILING_H
#define CEILING_H

#include "results.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Add three rows to the results: "copy" (one read, one write), "triad" (two reads, one write) and "four_reads" (and one write: what a
 * tridiagonal system takes) of 2^27 floats. Adds nothing on the CPU device, whose bandwidth says nothing about a GPU. */
/* The device memory that ceiling_rows takes. */
double ceiling_bytes(void);
void ceiling_rows(struct results *results, int reps);
/* The same of n floats, n a multiple of 4. */
void ceiling_rows_at(struct results *results, int64_t n, int reps);

#ifdef __cplusplus
}
#endif
#endif
