/* Digital filters: linear recurrences of higher order with constant coefficients, on a GPU in one
 * pass over memory. A cascade of sections of one order, each in transposed direct form II, is what
 * scipy.signal.lfilter (one section of order 1 to 8) and scipy.signal.sosfilt (sections of order 2)
 * compute. The method is P-scheme (A. Wakatani 2012, 2013): a tile maps the state before it to
 * A^L state + b, and since the powers of A are known before, only b travels. filter.md has an
 * example and the cost, examples/filter.cu is a program, and filter.cu explains the kernel.
 *
 * Copy: filter.h filter_problem.h filter_powers.h filter.cu filter_state.cuh filter_tables.cuh
 * filter_tile.cuh teams.cuh recurrence_tile.cuh recurrence_map.cuh half.cuh half.h scalar.cuh
 * message.cuh common/device.h common/device_async.h common/device_limits.h; for a CPU also
 * common/cpu_device.
 *
 * Functions with a stream enqueue work there and return the first error. They allocate nothing, do
 * not wait, print nothing, and can be captured in a graph, which keeps the coefficients of the
 * capture. They return cudaErrorInvalidValue and do nothing if a number is out of its range, a
 * required pointer is NULL, an array is not aligned to its elements, the workspace is not aligned
 * to 16 bytes or too small, the growth is too large (below), or an element of A^i B, i < L, is
 * beyond the range of the state. If length or batch is 0 they do nothing, and all pointers may be
 * NULL. They need CUDA 12.1, since a kernel has more than 4 KiB of arguments.
 *
 * Results are repeatable: the bits of a sequence depend on its length, the filter and the GPU's
 * shared memory alone, not on the batch, the alignment or the run. NaN and infinity never reach
 * another sequence. After one of them all outputs of the sequence are NaN or infinite, as in the
 * serial loop, though not always the same of the two.
 *
 * Growth. Rounding errors of a state grow with the powers of A, the matrix that carries the state
 * over one element without input. filter_growth() is the largest maximum norm of the powers A^m, m
 * = L 2^j < length, where L, a thread's elements, is 132 in single and 66 in double precision; 1 if
 * there are none. It is 1 for one integrator, up to the length for two in a row, and some 1/angle
 * for poles on the unit circle at a small angle. A call is refused if S growth^2 u > 1/32, where S
 * is sections times order, and u the unit roundoff of the carried state. So single precision takes
 * 256 for S = 8, double precision 5 10^6. Unstable filters are refused but for short sequences.
 *
 * Rounding error. Let ||.|| be the maximum norm, n the number of elements before a thread's, G the
 * largest ||A^i||, i <= n, P the growth, and R = max |x_i| sum of ||A^i B|| + G ||zi|| a bound of
 * all states, also of those that only some of the elements cause. Then the state before the
 * thread's elements is wrong by at most E + O(u^2),
 *
 *     E = u R G ((L + 1) n / L + (S + 2) (P + 1) (n / L + 16)),
 *
 * since the sum over L elements has at most L + 1 roundings a term, and a map S + 2 a component,
 * and there are n / L sums, n / L maps that compose them, and 16 more to the thread. Each of these
 * errors grows by at most G. In its L elements the thread goes on as the serial loop does. The
 * serial loop over all elements has u R G n, times the roundings of a step; so the solver is about
 * as exact if (S + 2) (P + 1) is not larger than L. For a filter that forgets, n counts only the
 * elements that it remembers.
 *
 * With carry_in_double all is computed in double precision, u is 2^-53, and y and zf are rounded
 * once. The filter is also that of the coefficients in double precision. So it is the choice for
 * poles close to the unit circle, whose radius single precision cannot hold. */
#pragma once

#include "device.h"
#include "filter_problem.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The growth (above); NaN if a number or a coefficient is not valid, infinity if it overflows. */
double filter_growth(const struct filter *p);

/* Bytes of workspace (device memory aligned to 16 bytes); 0 if a number is out of its range. It is
 * 128 bytes, and for sequences longer than a tile 130 bytes (if the state is carried in single
 * precision 65) for each 8448 elements, in double precision for each 4224. */
size_t filter_workspace(const struct filter *p);

/* Prepares a workspace, as recurrence_prepare() does: before the first use, after a call that
 * failed, and after 2^31 - 1 calls. Calls that share a workspace must not overlap in time. */
cudaError_t filter_prepare(void *workspace, size_t bytes, cudaStream_t stream);

/* Computes y, and zf if it is not NULL. The host first computes the powers of A, in long double:
 * some 20 products of S x S matrices. */
cudaError_t filter_solve(const struct filter *p, void *workspace, size_t bytes,
                         cudaStream_t stream);

#ifdef __cplusplus
}
#endif
