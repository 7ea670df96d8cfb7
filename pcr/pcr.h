/* Parallel cyclic reduction of a linear recurrence (W12 sec. V-E, after Hockney and Jesshope and
 * Zhang, Cohen and Owens): w_i = s_i w_{i-1} + t_i by ceil(log2 n) steps over all n unknowns.
 *
 * Copy: pcr.h pcr.cu common/device.h common/device_limits.h; for a CPU also common/cpu_device. Nothing here allocates,
 * prints or waits. Pointers in the struct are device pointers; `type` is 's' (float) or 'd'
 * (double). n >= 0, blocks >= 1, 1 <= threads <= 1024; else, or where a pointer is NULL (n > 0) or
 * not a multiple of its word's size, cudaErrorInvalidValue, with nothing done. */
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
    int blocks, threads; /* G and T: P = G * T threads stride over the array */
    double w0;
    const void *s, *t; /* s_1..s_n and t_1..t_n, read only */
    void *w;           /* out: w_1..w_n; must not overlap s, t or work */
    void *work;        /* pcr_work(n) words */
};

int64_t pcr_work(int64_t n); /* words of workspace: 3n */
int pcr_steps(int64_t n);    /* kernels that pcr_solve launches: ceil(log2 n), 1 at least */
cudaError_t pcr_solve(const struct pcr *p, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
