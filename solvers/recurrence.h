/* Solves linear recurrences of first order, w_i = s_i w_{i-1} + t_i, on a GPU in one pass over
 * memory: each s and t is read once, each w is written once. A call can also run in reverse order,
 * use a constant s, solve many sequences along any axis of an array, or compute the gradient. The
 * method is P-scheme (A. Wakatani 2012, 2013), with its three phases in one kernel. recurrence.md
 * has an example and the cost, examples/recurrence.cu is a program, and recurrence.cu and
 * recurrence_strided.cuh explain the kernels.
 *
 * Copy: recurrence.h recurrence_problem.h recurrence.cu recurrence_map.cuh recurrence_tile.cuh
 * recurrence_elements.cuh recurrence_carry.cuh recurrence_strided.cuh pack.cuh half.cuh half.h
 * scalar.cuh message.cuh common/device.h common/device_async.h common/device_limits.h; for a CPU
 * also common/cpu_device.
 *
 * Functions with a stream enqueue work there and return the first error. They allocate nothing, do
 * not wait, print nothing, and can be captured in a graph. They return cudaErrorInvalidValue and do
 * nothing if a number is out of its range, a required pointer is NULL, an array is not aligned to
 * its elements, or the workspace is not aligned to 16 bytes or too small. If length or batch is 0
 * they do nothing, but for zeros in dw0 of packed sequences, and all pointers may be NULL. The
 * numbers in `offset` are on the device and are not checked: if they are not as
 * recurrence_problem.h says, the results are wrong, and memory outside of the arrays may be used.
 *
 * Results are repeatable: the same call gives the same bits on every run on a GPU. The order of
 * operations depends only on the shape of the call, for packed sequences on `offset`, and on the
 * address of t (for the gradient: of dw) modulo 16 bytes. If the sequences are not one after the
 * other, that of a sequence depends only on its length (of packed ones on where it begins and on
 * that of all), on how many sequences lie side by side (`inner`, or the batch where plane_stride is
 * inner; at most 256 count), and on whether all strides and addresses are multiples of 16 bytes.
 *
 * Rounding error. Let u be the unit roundoff, 2^-24 or 2^-53, and B_i the running bound: B_0 =
 * |w_0|, B_i = |s_i| B_{i-1} + |t_i|. nvcc compiles a x + b to a fused multiply-add. Then
 * |w_i - exact_i| <= (i + 12) u B_i + O(u^2) for the i-th element of a sequence, and twice that for
 * complex types. The serial loop has i instead of i + 12: products of s are rounded as often as in
 * the loop, and composing t adds at most 12 roundings (five in the scan of a warp, one over the
 * warps, one where the value enters the tile, and five with look-back or three with a carry warp
 * between tiles). For integers the result is exact as long as all composed products and sums are
 * below 2^24 (single precision) or 2^53 (double precision).
 *
 * Types 'h' (IEEE half) and 'b' (bfloat16) have 16 bits in memory, and are computed in single
 * precision. w_i is rounded to them when it is stored, not where it goes on to w_{i+1}. So the
 * bound is that of single precision plus v |w_i|, v = 2^-11 or 2^-8, and for 'h' at least 2^-25. A
 * w_i beyond their range is infinity.
 *
 * NaN, and infinity in t or w_0, reach the same elements as in the serial loop, as long as no
 * product of consecutive s_i and no sum of composed t_i overflows or underflows. (In complex types
 * a component may be NaN where the loop has infinity, or the other way round.) An infinite s_i may
 * give NaN where the loop gives infinity, because a composition of maps starts from 0, and infinity
 * times 0 is NaN. NaN and infinity never reach another sequence.
 *
 * If a product of consecutive s overflows, the result differs from that of the serial loop. In
 * single precision, s = 1e30, 1e30, 1e-30, 1e-30 and w_0 = 1e-30 give 1e-30 after four steps, but
 * the product of the first two s is infinite. For such data use double precision or shorter
 * sequences. A product that underflows becomes 0 in the same way. */
#pragma once

#include "device.h"
#include "recurrence_problem.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of workspace (device memory aligned to 16 bytes) for calls with up to n elements of a type;
 * 0 if an argument is invalid. It is 128 bytes plus 6 elements per tile. The number of tiles is n
 * divided by the elements of the smallest tile, 6144 ('h', 'b'), 3072 ('s'), 1536 ('d', 'c') or 768
 * ('z'), rounded up, plus one; those of 'h' and 'b' count as elements of 's'. */
size_t recurrence_workspace(char type, int64_t n);

/* The same for *p and its gradient, in any layout. If the sequences are not one after the other it
 * is 128 bytes, and for those longer than a tile some 4 numbers for each tile of each sequence:
 * at most 14% of an array ('h', 'b': 28%). `carry` has no effect. */
size_t recurrence_workspace_of(const struct recurrence *p);

/* Prepares a workspace. Call it before the first use, after a call that failed, and after 2^31 - 1
 * calls. A successful call leaves the workspace ready for the next one, of any type, kind and size
 * for which it is large enough. Calls that share a workspace must not overlap in time. */
cudaError_t recurrence_prepare(void *workspace, size_t bytes, cudaStream_t stream);

cudaError_t recurrence_solve(const struct recurrence *p, void *workspace, size_t bytes,
                             cudaStream_t stream);

/* Computes the gradient of a real function L of w, in one more pass. dw are its derivatives dL/dw_i
 * with the w_i taken as independent. *p must have the members with which recurrence_solve() was
 * called, and p->w must hold its result. p->w is read, p->t is not used, and p->constant must be 0.
 * Outputs are ds and dt (n elements each) and dw0 (`batch` elements; NULL: not computed):
 *
 *     dt_i = dw_i + s_{i+1} dt_{i+1},   ds_i = dt_i w_{i-1},   dw0 = s_1 dt_1
 *
 * For complex types, s and w are conjugated in these formulas, and dL/dx means dL/dRe x + i dL/dIm
 * x. dt may be the same array as dw, and ds the same array as s. p->w must be none of these
 * arrays. */
cudaError_t recurrence_gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                                void *dw0, void *workspace, size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
