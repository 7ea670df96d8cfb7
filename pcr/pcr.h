/* Parallel cyclic reduction (PCR) of a linear recurrence (W12 section V-E, after Hockney and
 * Jesshope, and Zhang, Cohen and Owens): w_i = s_i w_{i-1} + t_i in ceil(log2 n) steps over all n
 * unknowns.
 *
 * Copy: pcr.h pcr.cu common/device.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 * Nothing here allocates, prints or waits. The struct is host memory, its pointers are device
 * memory with elements of `type`: 's' (float) or 'd' (double). n >= 0, blocks >= 1 and 1..1024
 * threads. A value outside its range, or, if n > 0, a pointer that is NULL or not aligned to its
 * elements gives cudaErrorInvalidValue, with nothing done. */
#ifndef PCR_H
#define PCR_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pcr {
    char type;
    int64_t n;
    int blocks, threads; /* G and T; the G * T threads stride over the array */
    double w0;
    const void *s, *t; /* s_1..s_n and t_1..t_n, not modified */
    void *w;           /* out: w_1..w_n; must not overlap s, t or work */
    void *work;        /* workspace of pcr_work(n) elements */
};

int64_t pcr_work(int64_t n); /* elements of workspace: 3n */
int pcr_steps(int64_t n);    /* kernels that pcr_solve launches: ceil(log2 n), at least 1 */
cudaError_t pcr_solve(const struct pcr *p, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
