/* Digital filters: linear recurrences of higher order with constant coefficients, on a GPU in one
 * pass over memory. A cascade of sections of one order, each in transposed direct form II, is what
 * scipy.signal.lfilter (one section of order 1 to 8) and scipy.signal.sosfilt (sections of order 2)
 * compute. The method is P-scheme (A. Wakatani 2012, 2013): a tile maps the state before it to
 * A^L state + b, and since the powers of A are known before, only b travels. filter.md has an
 * example and the cost, examples/filter.cu is a program, and filter.cu explains the kernel.
 *
 * Copy: filter.h filter.cu filter_state.cuh filter_tables.cuh filter_tile.cuh recurrence_tile.cuh
 * recurrence_map.cuh scalar.cuh message.cuh common/device.h common/device_async.h
 * common/device_limits.h; for a CPU also common/cpu_device.
 *
 * Functions with a stream enqueue work there and return the first error. They allocate nothing, do
 * not wait, print nothing, and can be captured in a graph, which keeps the coefficients of the
 * capture. They return cudaErrorInvalidValue and do nothing if a number is out of its range, a
 * required pointer is NULL, an array is not aligned to its elements, the workspace is not aligned
 * to 16 bytes or too small, or the growth is too large (below). If length or batch is 0 they do
 * nothing, and all pointers may be NULL. They need CUDA 12.1, since a kernel has more than 4 KiB of
 * arguments.
 *
 * Results are repeatable: the bits of a sequence depend on its length, the filter and the GPU's
 * shared memory alone, not on the batch, the alignment or the run. NaN and infinity never reach
 * another sequence. After one of them all outputs of the sequence are NaN or infinite, as in the
 * serial loop, though not always the same of the two.
 *
 * Growth. Rounding errors of a state grow with the powers of A. filter_growth() is the largest
 * maximum norm of the powers A^m that the call uses, m = 68 2^j < length (34 2^j in double
 * precision), 1 if there are none. A stable filter whose poles are not close to each other has
 * some 1 to 100, one integrator 1, two in a row up to the length, and an unstable filter more than
 * any number. A call is refused if S growth^2 u > 1/8, where S is sections order and u the unit
 * roundoff of the carried state (FILTER_CARRY in double precision: 2^-53).
 *
 * Rounding error. Let ||.|| be the maximum norm, G the largest ||A^i||, i < length, `sum` the sum
 * of these norms, at most G length, and R a bound of all states, R = max |x_i| sum ||B|| + G |zi|.
 * L is 68 (34) and P the growth. Then a state that enters a thread's L elements differs from the
 * exact one by at most
 *
 *     E = u R (sum + (S + 2) P (16 G + 2 sum / L)) + O(u^2)
 *
 * (first the products A^i B x_i, of which each has at most L + 1 roundings in a sum of L; then the
 * maps, at most S + 2 roundings each: 2 length / L of them compose the elements of a sequence, and
 * up to 16 carry a state to the thread). In these elements the serial loop goes on, so the errors
 * of the outputs are at most those of the serial loop over L elements, plus E (1 + the sum of
 * |A^i| over L). The serial loop over all elements has c u R sum, with c = 5 for order 2. So the
 * error is of the serial loop's size as long as S P is not much larger than L.
 *
 * With carry_in_double, E has the roundoff 2^-53 and vanishes beside the rest: the error in single
 * precision is that of a serial loop over 68 elements, however long the sequence is. The filter is
 * also that of the coefficients in double precision. So it is the choice for poles close to the
 * unit circle, whose radius single precision cannot hold. */
#pragma once

#include "device.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FILTER_STATES_MOST = 8 };

/* `batch` sequences of `length` elements, one after the other. Fastest are arrays and lengths that
 * are multiples of 16 bytes; otherwise there are no bulk copies. */
struct filter {
    char type; /* 's' float, 'd' double */
    int64_t length, batch;
    int sections, order; /* each at least 1, sections order <= 8 */
    /* In main memory, for each section: b_0 … b_order, a_0 … a_order. This is SciPy's sos, and for
     * one section b followed by a. They are divided by a_0, which must not be 0, and must then be
     * finite in the type of the carried state. */
    const double *coefficients;
    const void *x;
    void *y; /* may be x */
    /* The states before and after each sequence, in SciPy's order: (sections, batch, order). NULL:
     * zeros; not computed. They may be the same array. */
    const void *zi;
    void *zf;
    /* not 0: the state is carried in double precision, from 68 elements to the next */
    int carry_in_double;
};

/* The growth, see above; NaN if the coefficients or a number are invalid, infinity on overflow. */
double filter_growth(const struct filter *p);

/* Bytes of workspace (device memory aligned to 16 bytes); 0 if a number is out of its range. It is
 * 128 bytes, and for sequences longer than a tile some 16 (in double precision 32) bytes a state
 * for each 8704 (4352) elements. */
size_t filter_workspace(const struct filter *p);

/* Prepares a workspace, as recurrence_prepare() does: before the first use, after a call that
 * failed, and after 2^32 - 1 calls. Calls that share a workspace must not overlap in time. */
cudaError_t filter_prepare(void *workspace, size_t bytes, cudaStream_t stream);

/* Computes y, and zf if it is not NULL. On the host it first computes the powers of A, in some
 * microseconds a state. */
cudaError_t filter_solve(const struct filter *p, void *workspace, size_t bytes,
                         cudaStream_t stream);

#ifdef __cplusplus
}
#endif
