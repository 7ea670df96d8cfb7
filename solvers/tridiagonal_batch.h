/* Many tridiagonal systems on a GPU, each word read once and written once where systems fit into a multiprocessor, else read twice:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for each of `batch` systems
 *
 * Copy: tridiagonal_batch.h tridiagonal_batch.cu common/device.h common/device_async.h common/device_limits.h scalar.cuh
 * arithmetic.cuh partition.cuh partition_rows.cuh partition_plain.cuh partition_pivoted.cuh; for a CPU also
 * common/cpu_device.
 *
 *     #include "tridiagonal_batch.h"
 *
 *     // n batch doubles each, on the device; `batch` statuses, 0 where x solves the system.
 *     // n at most tridiagonal_batch_longest('d', 0); beyond, b.work is needed.
 *     cudaError_t solve(int64_t n, int64_t batch, const double *sub, const double *diag, const double *super,
 *                       const double *rhs, double *x, int *status)
 *     {
 *         struct tridiagonal_batch b = {};
 *         b.type = 'd', b.n = n, b.batch = batch;
 *         b.sub = sub, b.diag = diag, b.super = super, b.rhs = rhs, b.x = x, b.status = status;
 *         return tridiagonal_batch_solve(&b, 0);
 *     }
 *
 * Functions put work on a stream and return the first error; none allocates, waits or prints; all
 * can be captured in a graph. cudaErrorInvalidValue, and nothing is done: a struct that makes no
 * sense, an array (or `work` where some is needed) that is NULL or not aligned as said below, or,
 * with `offset`, systems that are too long. Where n or batch is 0 no array is needed. A system has
 * the same bits on every run of a GPU, however many follow it (of complex numbers, unless one close
 * behind breaks down). */
#ifndef TRIDIAGONAL_BATCH_H
#define TRIDIAGONAL_BATCH_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whose the matrices are. */
enum tridiagonal_matrix {
    TRIDIAGONAL_BATCH_OWN,     /* each system its own: n batch words in each of sub, diag, super */
    TRIDIAGONAL_BATCH_SHARED,  /* all systems one, with as many right-hand sides: n words in each */
    TRIDIAGONAL_BATCH_CONSTANT /* that one has constant diagonals: one word in each */
};

/* Arrays are on the device and aligned to their words (to 16 bytes is fastest; n need not be a multiple of anything). */
struct tridiagonal_batch {
    char type; /* 's', 'd', 'c', 'z', as in BLAS */
    int64_t n, batch;
    /* Kept. Row i of system k is word k n + i, or i batch + k if interleaved. sub_0 and super_{n-1} of a system have no effect. */
    const void *sub, *diag, *super, *rhs;
    void *x; /* as rhs, and may be rhs */
    /* out, `batch` words, or NULL: 0, or 1 + a row where the elimination broke down: a pivot that is zero or out of range, or a
     * number that is not finite. Then x of that system means nothing; the others are not touched. */
    int *status;
    /* not 0: scaled partial pivoting (rows scaled by powers of two; each pivot the largest of all rows of the partition that have its
     * unknown). 0: for matrices that need none. */
    int pivot;
    enum tridiagonal_matrix matrix;
    int interleaved; /* not 0 */
    /* NULL, or systems of different lengths, contiguous: batch + 1 words, of which system k has rows offset[k] to
     * offset[k + 1] - 1; n is the length of the longest, at most tridiagonal_batch_longest(). One that is longer has a status. */
    const int64_t *offset;
    void *work; /* tridiagonal_batch_work() bytes, aligned to 16; what it holds does not matter */
};

/* The largest n whose systems are read once, 5 words a row, contiguous; longer ones are read twice,
 * 9 words. 0 for a type that there is not. All runs from compute capability 7.5 on; this follows
 * from the shared memory that a GPU gives a block, without and with pivoting:
 *
 *                                              's'           'd', 'c'      'z'
 *     H100, H200 (227 KiB; speed measured)     10721, 7649   5361, 3569    2681, 1785
 *     A100 (163 KiB)                            8033, 7649   4017, 3569    2009, 1785
 *     RTX 4090 (99 KiB)                         4449, 4449   2225, 2225    1113, 1113
 *     T4 (64 KiB)                               2657, 2529   1329, 1329     665, 665
 *
 * With less, fewer threads of a multiprocessor work. Before 9.0 there are no bulk copies: threads
 * bring the words, slower. */
int64_t tridiagonal_batch_longest(char type, int pivot);

/* Bytes of `work` for a call with this type, n, batch, pivot, matrix, interleaved, offset; 0 for contiguous systems up to the longest. */
size_t tridiagonal_batch_work(const struct tridiagonal_batch *b);

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
