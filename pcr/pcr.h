/* Parallel cyclic reduction (PCR) of a linear recurrence (W12 section V-E, after Hockney and
 * Jesshope, and Zhang, Cohen and Owens): w_i = s_i w_{i-1} + t_i in ceil(log2 n) steps over all n
 * unknowns.
 *
 * Copy: pcr.h pcr.cu common/device.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 * pcr_solve enqueues its kernels in `stream` and returns the first error of a launch. Pointers are
 * to device memory, with elements of `type`: 's' (float) or 'd' (double). It does nothing and
 * returns cudaErrorInvalidValue unless 0 <= n <= 2^63 / 24, blocks >= 1, 1 <= threads <= 1024 and,
 * if n > 0, all pointers are aligned to their elements. */
#pragma once

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pcr {
    char type;
    int64_t n;
    /* G and T; thread k computes the elements k, k + G T, k + 2 G T, … */
    int blocks, threads;
    double w0;
    const void *s, *t; /* s_1..s_n and t_1..t_n, not modified */
    void *w;           /* output: w_1..w_n; must not overlap s, t or work */
    void *work;        /* workspace of pcr_work(n) elements */
};

int64_t pcr_work(int64_t n); /* size of the workspace in elements: 3n */
int pcr_steps(int64_t n);    /* number of kernels of pcr_solve: ceil(log2 n), at least 1 */
cudaError_t pcr_solve(const struct pcr *p, cudaStream_t stream);

/* Cyclic reduction (CR) halves the unknowns until at most `left` are left (else, with left < 1,
 * cudaErrorInvalidValue), PCR solves these, and CR's substitution the others, with the same
 * workspace. left = 2 is plain CR, for PCR of two unknowns is one step. */
cudaError_t pcr_after_cr(const struct pcr *p, int64_t left, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
