/* Recurrences whose maps are 2 x 2 matrices, on a GPU in one pass over memory:
 *
 *     LINEAR   x_i = a_i x_(i-1) + b_i x_(i-2) + c_i                 order 2, varying coefficients
 *     MOBIUS   x_i = (a_i x_(i-1) + b_i) / (c_i x_(i-1) + d_i)       continued fractions, W12 eq. 5
 *     LU       u_i = b_i - a_i x_(i-1),   x_i = c_i / u_i            factors of a tridiagonal matrix
 *                                                                    and its determinant
 *
 * The method is P-scheme (A. Wakatani 2012, 2013). W12 solves p_i = b_i / (a_i - b_i p_(i-1)); a
 * tile maps p to (A p + B) / (C p + D), a matrix that is known up to a factor. Here each product of
 * matrices is scaled by a power of two, so it cannot overflow. recurrence2.md has an example and
 * the cost, examples/recurrence2.cu is a program, and recurrence2.cu explains the kernel.
 *
 * Copy: recurrence2.h recurrence2.cu recurrence2_map.cuh recurrence2_elements.cuh teams.cuh
 * recurrence_tile.cuh recurrence_map.cuh half.cuh half.h arithmetic.cuh scalar.cuh message.cuh
 * common/device.h common/device_async.h common/device_limits.h; for a CPU also common/cpu_device.
 *
 * Functions with a stream enqueue work there and return the first error. They allocate nothing, do
 * not wait, print nothing, and can be captured in a graph. They return cudaErrorInvalidValue and do
 * nothing if a number is out of its range, a required pointer is NULL, an array is not aligned to
 * its elements, or the workspace is not aligned to 16 bytes or too small. If length or batch is 0
 * they do nothing, and all pointers may be NULL.
 *
 * Results are repeatable: the bits of a sequence depend on its length, the kind and the GPU's
 * shared memory alone, not on the batch, the alignment or the run. NaN and infinity never reach
 * another sequence, nor an earlier element.
 *
 * ROUNDING
 */
#pragma once

#include "device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum recurrence2_kind { RECURRENCE2_LINEAR, RECURRENCE2_MOBIUS, RECURRENCE2_LU };

/* `batch` sequences of `length` elements, one after the other. All arrays are in device memory.
 * Fastest are arrays and lengths that are multiples of 16 bytes; otherwise there are no bulk
 * copies. */
struct recurrence2 {
    char type; /* 's' float, 'd' double */
    enum recurrence2_kind kind;
    int64_t length, batch;
    /* The coefficients. c may be NULL if LINEAR: zeros. Only MOBIUS has d. Rows of LU are (a_i b_i
     * c_i): below, on and above the diagonal. a of the first row and c of the last one are not
     * used, as if they were 0. */
    const void *a, *b, *c, *d;
    /* What comes before each sequence. LINEAR: two elements, x_(-1) and x_(-2). MOBIUS: one, which
     * may be infinite. LU: not used. NULL: zeros. */
    const void *before;
    void *x; /* output; may be the same array as one of a, b, c, d */
    /* Outputs of LU alone; NULL: not wanted. u may be the same array as one of a, b, c. */
    void *u;
    /* The determinant of each matrix is mantissa 2^exponent, 0.5 <= |mantissa| < 1, or 0. */
    void *mantissa;
    int64_t *exponent;
    int64_t *status; /* of each matrix: 0, or 1 + the row of the first breakdown */
};

/* Bytes of workspace (device memory aligned to 16 bytes); 0 if a number is out of its range. It is
 * 128 bytes, and for sequences longer than a tile 2 matrices for each tile. */
size_t recurrence2_workspace(const struct recurrence2 *p);

/* Prepares a workspace, as recurrence_prepare() does: before the first use, after a call that
 * failed, and after 2^31 - 1 calls. Calls that share a workspace must not overlap in time. */
cudaError_t recurrence2_prepare(void *workspace, size_t bytes, cudaStream_t stream);

cudaError_t recurrence2_solve(const struct recurrence2 *p, void *workspace, size_t bytes,
                              cudaStream_t stream);

#ifdef __cplusplus
}
#endif
