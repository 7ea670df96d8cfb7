/* Parallel cyclic reduction (PCR) of a linear recurrence (W12 section V-E, after Hockney and
 * Jesshope, and Zhang, Cohen and Owens). It solves w_i = s_i w_{i-1} + t_i in ceil(log2 n) steps.
 * Each step changes all n unknowns.
 *
 * Copy: pcr.h pcr.cu common/device.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 * pcr_solve enqueues its kernels in `stream` and returns the first error of a launch. No function
 * allocates memory, prints or waits. The struct is in host memory. Its pointers point to device
 * memory, with elements of the type that `type` names: 's' (float) or 'd' (double).
 *
 * The ranges are 0 <= n <= 2^63 / 24, blocks >= 1 and 1 <= threads <= 1024. If a value is outside
 * its range, pcr_solve does nothing and returns cudaErrorInvalidValue. If n > 0, it does the same
 * for a pointer that is NULL or not aligned to its elements. */
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
    /* G and T. Thread k of all G * T threads computes the elements k, k + G * T, k + 2 G * T, …
     */
    int blocks, threads;
    double w0;
    const void *s, *t; /* s_1..s_n and t_1..t_n, not modified */
    void *w;           /* output: w_1..w_n; must not overlap s, t or work */
    void *work;        /* workspace of pcr_work(n) elements */
};

int64_t pcr_work(int64_t n); /* size of the workspace in elements: 3n */
int pcr_steps(int64_t n);    /* number of kernels of pcr_solve: ceil(log2 n), at least 1 */
cudaError_t pcr_solve(const struct pcr *p, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
