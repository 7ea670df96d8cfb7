/* Recurrences whose maps are 2 x 2 matrices, on a GPU in one pass over memory:
 *
 *     LINEAR   x_i = a_i x_(i-1) + b_i x_(i-2) + c_i             order 2, varying coefficients
 *     MOBIUS   x_i = (a_i x_(i-1) + b_i) / (c_i x_(i-1) + d_i)   continued fractions
 *     LU       u_i = b_i - a_i x_(i-1),   x_i = c_i / u_i        factors of a tridiagonal matrix,
 *                                                                and its determinant; W12 eq. 5
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
 * Poles and zero pivots. x_i of MOBIUS may be infinite; the next element is then a / c, as in exact
 * arithmetic, and both infinities are one point. 0 / 0 is NaN, and so is all that follows. LU
 * without pivoting has no factors if a pivot u_i is 0: then `status` has its row, and also if one
 * is not finite, or if the last x of a thread and the state that is carried on from it differ by
 * more than 2^-12 (double precision: 2^-26) of x, which happens where pivots nearly vanish. With
 * status 0 all rows of L U are those of the matrix, but for such a difference. The determinant is
 * right beyond a zero pivot, too.
 *
 * Range. If all coefficients of an element of MOBIUS or LU are multiplied by a power of two, x has
 * the same bits, as long as the coefficients themselves neither overflow nor underflow. LINEAR is
 * not scaled: where a product of matrices overflows, x may be NaN although the loop's is finite. An
 * infinite coefficient may give NaN where the loop gives a number.
 *
 * Rounding error. Let u be the unit roundoff, 2^-24 or 2^-53. nvcc compiles a x + b to a fused
 * multiply-add.
 *
 * LINEAR: with the running bound B_i = |a_i| B_(i-1) + |b_i| B_(i-2) + |c_i| from the moduli of
 * `before`, |x_i - exact_i| <= (2 i + 42) u B_i + O(u^2) for element i = 0, 1, ... of a sequence.
 * The serial loop has 2 i + 2: an element is rounded twice in a map as in the loop, and
 * compositions add at most 40 (10 in the scan of a warp, 4 over the warps, 18 between tiles, 8 into
 * the thread).
 *
 * MOBIUS: the distance of two points is |x - y| / sqrt((1 + x^2) (1 + y^2)). To first order a step
 * multiplies the distance by |det m| |v|^2 / |m v|^2, v = (x, 1), and rounding adds up to u |m| |v|
 * / |m v|. Let D_i be what adds up so over the sequence. The loop's error is at most some D_i.
 * Within a thread the solver goes on as the loop does, but what comes into it has passed some 20
 * compositions. No bound is proven for these; in the tests the error is at most 1.2 D_i if all
 * coefficients are in [0.5, 1), and 4.4 D_i if they are in [-1, 1).
 *
 * LU: c = x u within 2 u, and b = u + a x_(i-1) within 2 u (|u| + |a x_(i-1)|), but for the first
 * row of each thread, which is every 44th (double precision: 22nd). There the error relative to |a|
 * + |u| + |a x_(i-1)| is some sum of the errors of x in a loop over a thread's rows. In the tests
 * it is at most 12 u if the matrix is dominant by 1% (|b| >= 1.01 (|a| + |c|)), and 28 u for rows
 * (-0.7 1.4 -0.7), which are hardly dominant, as in Poisson's equation. Such an error makes this
 * matrix indefinite if it has more than some 2000 rows in single precision; then the factors are
 * those of another matrix, or status is not 0. In a matrix that is not dominant the error can be
 * large in a few rows: of a million with random elements, 6 10^4 u. The determinant has the errors
 * of its pivots: for 2^20 rows (-1 2 -1) in double precision it is wrong by 4 10^-6 of it, where
 * the loop is wrong by 10^-6. */
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
 * 128 bytes, and for sequences longer than a tile 48 bytes for each 2816 elements (MOBIUS: 2304),
 * in double precision 80 (LINEAR: 96) for half as many elements, and a little more. */
size_t recurrence2_workspace(const struct recurrence2 *p);

/* Prepares a workspace, as recurrence_prepare() does: before the first use, after a call that
 * failed, and after 2^31 - 1 calls. Calls that share a workspace must not overlap in time. */
cudaError_t recurrence2_prepare(void *workspace, size_t bytes, cudaStream_t stream);

cudaError_t recurrence2_solve(const struct recurrence2 *p, void *workspace, size_t bytes,
                              cudaStream_t stream);

#ifdef __cplusplus
}
#endif
