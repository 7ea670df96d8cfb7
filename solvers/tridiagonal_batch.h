/* Many tridiagonal systems on a GPU, in one pass over memory where a system fits into the shared
 * memory of a multiprocessor, else in two:
 *
 *     sub_i x_{i-1} + diag_i x_i + super_i x_{i+1} = rhs_i,  0 <= i < n,  for `batch` systems
 *
 * tridiagonal_batch.md has a table "your problem -> the call", times, and how it works.
 *
 * Copy: tridiagonal_batch.h tridiagonal_batch.cu tridiagonal_batch_tile.cuh
 * tridiagonal_batch_rows.cuh tridiagonal_batch_staging.cuh tridiagonal_batch_threads.cuh
 * tridiagonal_batch_contiguous.cuh tridiagonal_batch_interleaved.cuh partition.cuh
 * partition_rows.cuh partition_plain.cuh partition_pivoted.cuh arithmetic.cuh scalar.cuh
 * common/device.h common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 *     #include "tridiagonal_batch.h"
 *
 *     // Arrays on the device: n * batch doubles each; `batch` statuses, 0 where x is a solution.
 *     // n is at most tridiagonal_batch_longest('d', 0); longer systems need b.work.
 *     cudaError_t solve(int64_t n, int64_t batch, const double *sub, const double *diag,
 *                       const double *super, const double *rhs, double *x, int *status)
 *     {
 *         struct tridiagonal_batch b = {};
 *         b.type = 'd', b.n = n, b.batch = batch;
 *         b.sub = sub, b.diag = diag, b.super = super, b.rhs = rhs, b.x = x, b.status = status;
 *         return tridiagonal_batch_solve(&b, 0);
 *     }
 *
 * No function allocates, waits or prints. tridiagonal_batch_solve puts its work on a stream and
 * returns the first error; it can be captured in a graph. If it returns cudaErrorInvalidValue it
 * has done nothing. It does so for
 *
 *     a member that is out of range
 *     an array, or `work` where it is needed, that is NULL or not aligned as the struct says
 *     systems of different lengths (`offset`) that are longer than tridiagonal_batch_longest
 *
 * If n or batch is 0 no array is needed. On one GPU a system has the same bits on every run,
 * whatever systems follow it. (One exception: complex systems close before one that breaks down may
 * be rounded otherwise.) */
#ifndef TRIDIAGONAL_BATCH_H
#define TRIDIAGONAL_BATCH_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many matrices there are, and so the elements of sub, diag and super. */
enum tridiagonal_matrix {
    TRIDIAGONAL_BATCH_OWN,     /* one for each system: n * batch elements in each array */
    TRIDIAGONAL_BATCH_SHARED,  /* one for all systems, `batch` right-hand sides: n elements */
    TRIDIAGONAL_BATCH_CONSTANT /* one for all, and its diagonals are constant: 1 element */
};

/* All arrays are on the device, aligned to their elements; alignment to 16 bytes is fastest. n need
 * not be a multiple of anything. */
struct tridiagonal_batch {
    char type; /* 's' float, 'd' double, 'c' and 'z' complex, as in BLAS */
    int64_t n, batch;
    /* Inputs, not modified. Row i of system k is element k n + i, or i batch + k if interleaved.
     * The first sub and the last super of a system have no effect. */
    const void *sub, *diag, *super, *rhs;
    void *x; /* out, laid out as rhs; may be rhs itself */
    /* Out, `batch` elements, or NULL. 0: x solves the system. Else 1 + a row where elimination
     * broke down: a pivot is zero or out of range, or a number is not finite. Then x of this system
     * is meaningless; the other systems are unaffected. */
    int *status;
    /* 0: no pivoting, for matrices that need none (diagonally dominant, for example). Else scaled
     * partial pivoting: rows are scaled by powers of two, and the pivot of an unknown is the
     * largest coefficient in all rows of the partition that contain it. */
    int pivot;
    enum tridiagonal_matrix matrix;
    int interleaved; /* not 0: the systems are the columns of an array, else its rows */
    /* NULL, or contiguous systems of different lengths: batch + 1 elements, system k has the rows
     * offset[k] to offset[k + 1] - 1. n is then the longest length, at most
     * tridiagonal_batch_longest. A longer system is not solved, and its status is not 0. */
    const int64_t *offset;
    void *work; /* tridiagonal_batch_work() bytes, aligned to 16, uninitialized */
};

/* The largest n of contiguous systems that are read once, moving 5 elements a row; longer ones are
 * read twice, 9 elements a row. 0 for an unknown type. It follows from the shared memory that the
 * GPU gives to a block. Without and with pivoting:
 *
 *                                              's'           'd', 'c'      'z'
 *     H100, H200 (227 KiB; speed measured)     10721, 7649   5361, 3569    2681, 1785
 *     A100 (163 KiB)                            8033, 7649   4017, 3569    2009, 1785
 *     RTX 4090 (99 KiB)                         4449, 4449   2225, 2225    1113, 1113
 *     T4 (64 KiB)                               2657, 2529   1329, 1329     665, 665
 *
 * With less shared memory fewer threads of a multiprocessor work. Compute capability 7.5 or later
 * is needed. Before 9.0 there are no bulk copies; threads load the elements, which is slower. */
int64_t tridiagonal_batch_longest(char type, int pivot);

/* Bytes of `work` for a call with this type, n, batch, pivot, matrix, interleaved and offset. 0 for
 * contiguous systems up to the longest, and for invalid arguments. */
size_t tridiagonal_batch_work(const struct tridiagonal_batch *b);

cudaError_t tridiagonal_batch_solve(const struct tridiagonal_batch *b, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
