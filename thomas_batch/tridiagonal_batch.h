/* Many tridiagonal systems on a GPU, each word read once and written once, for systems that fit into a multiprocessor:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for each of `batch` systems
 *
 * To use it elsewhere copy tridiagonal_batch.h, tridiagonal_batch.cu and from common device.h, device_words.h, segments.h.
 *
 *     #include "tridiagonal_batch.h"
 *
 *     // On the device: n batch doubles each, system after system; `batch` statuses: 0 where x solves the system.
 *     cudaError_t solve(int64_t n, int64_t batch, const double *sub, const double *diag, const double *super,
 *                       const double *rhs, double *x, int *status)
 *     {
 *         struct tridiagonal_batch b = {};
 *         b.type = 'd', b.n = n, b.batch = batch;
 *         b.sub = sub, b.diag = diag, b.super = super, b.rhs = rhs, b.x = x, b.status = status;
 *         return tridiagonal_batch_solve(&b, 0);
 *     }
 *
 * Functions put work on a stream and return the first error; none allocates, waits or prints; all can be captured in a graph.
 * cudaErrorInvalidValue: a struct that makes no sense, or systems that are too long. A system has the same bits on every run of a
 * GPU, however many follow it. */
#ifndef TRIDIAGONAL_BATCH_H
#define TRIDIAGONAL_BATCH_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays are on the device and aligned to their words (to 16 bytes is fastest; n need not be a multiple of anything). */
struct tridiagonal_batch {
    char type;        /* 's', 'd', 'c', 'z', as in BLAS */
    int64_t n, batch; /* >= 0; n at most tridiagonal_batch_longest() */
    /* n batch words each, system k from word k n on; kept. sub_0 and super_{n-1} of a system have no effect. */
    const void *sub, *diag, *super, *rhs;
    void *x; /* n batch words; may be rhs */
    /* out, `batch` words, or NULL: 0, or 1 + a row where the elimination broke down: a pivot that is zero or out of range, or a
     * number that is not finite. Then x of that system means nothing; the others are not touched. */
    int *status;
    /* not 0: scaled partial pivoting (rows scaled by powers of two; each pivot the largest of all rows of the partition that have its
     * unknown). 0: for matrices that need none. */
    int pivot;
};

/* The largest n that this GPU solves so; 0 for a type that there is not. */
int64_t tridiagonal_batch_longest(char type, int pivot);

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
