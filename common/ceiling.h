/* Measures the device's memory bandwidth with large arrays. A program measures the bandwidth in
 * the same run as the speeds of its solvers, which are then compared with it. */
#ifndef CEILING_H
#define CEILING_H

#include "results.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds three rows to the results, measured with arrays of 2^27 floats: "copy" (one read, one
 * write), "triad" (two reads, one write) and "four_reads" (four reads, one write, the traffic of a
 * tridiagonal system). On the CPU device it adds nothing, because the bandwidth of a CPU is not a
 * ceiling for a GPU. */
void ceiling_rows(struct results *results, int reps);

/* Bytes of device memory that ceiling_rows allocates. On the CPU device 0. */
double ceiling_bytes(void);

/* Adds the same rows as ceiling_rows, but for arrays of n floats. n must be a multiple of 4. */
void ceiling_rows_at(struct results *results, int64_t n, int reps);

#ifdef __cplusplus
}
#endif
#endif
