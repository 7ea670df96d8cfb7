/* Linear recurrences of first order, w_i = s_i w_{i-1} + t_i, on a GPU in one pass over memory:
 * each s and t is read once, each w is written once. Also in reverse, with constant s, for many
 * sequences, and the gradient. It is P-scheme (A. Wakatani 2012, 2013) with its three phases in one
 * kernel. recurrence.md says what it costs; recurrence.cu how it works.
 *
 * Copy: recurrence.h recurrence.cu recurrence_map.cuh recurrence_tile.cuh recurrence_elements.cuh
 * recurrence_carry.cuh scalar.cuh message.cuh common/device.h common/device_async.h
 * common/device_limits.h; for a CPU also common/cpu_device.
 *
 *     #include "recurrence.h"
 *
 *     // w[i] = s[i] * w[i - 1] + t[i], 0 <= i < n, where w[-1] stands for *w0. Device memory.
 *     cudaError_t solve(int64_t n, const float *s, const float *t, const float *w0, float *w)
 *     {
 *         void *workspace = NULL;
 *         size_t bytes = recurrence_workspace('s', n);
 *         cudaError_t error = cudaMalloc(&workspace, bytes);
 *         if (error == cudaSuccess)
 *             error = recurrence_prepare(workspace, bytes, 0); // once, for any number of calls
 *         struct recurrence p = {};
 *         p.type = 's', p.length = n, p.batch = 1;
 *         p.s = s, p.t = t, p.w0 = w0, p.w = w;
 *         if (error == cudaSuccess)
 *             error = recurrence_solve(&p, workspace, bytes, 0);
 *         cudaError_t end = cudaDeviceSynchronize();
 *         cudaFree(workspace);
 *         return error != cudaSuccess ? error : end;
 *     }
 *
 * Functions with a stream enqueue work there and return the first error. They allocate nothing, do
 * not wait, print nothing, and can be captured in a graph. They return cudaErrorInvalidValue and do
 * nothing if a number is out of its range, a required pointer is NULL, an array is not aligned to
 * its elements, or the workspace is not aligned to 16 bytes or too small. If length or batch is 0
 * they do nothing, and all pointers may be NULL.
 *
 * Repeatable: the same call gives the same bits on every run on a GPU. The order of operations
 * depends only on the shape of the call, and on the address of t (in the gradient, dw) modulo 16
 * bytes.
 *
 * Error. Let u be the unit roundoff, 2^-24 or 2^-53, and B_i the running bound: B_0 = |w_0|, B_i =
 * |s_i| B_{i-1} + |t_i|. With fused multiply-add, which nvcc makes of a x + b, the i-th element of
 * a sequence satisfies |w_i - exact_i| <= (i + 12) u B_i + O(u^2), for complex types twice that.
 * The serial loop has i instead of i + 12: a product of m coefficients is rounded m - 1 times, and
 * once when it is used. The 12 are further roundings of composed t: five steps of the scan in a
 * warp, one over the warps, one where the value enters the tile, and five (look-back) or three
 * (carry warp) between tiles.
 *
 * Integers are exact as long as all composed products and sums are below 2^24 or 2^53.
 *
 * NaN, and infinity in t or w_0, reach the same elements as in the serial loop, as long as no
 * product of consecutive s_i and no sum of composed t_i overflows or underflows. (In complex types
 * a component may be NaN where the serial loop has infinity, or the other way round.) An infinite
 * s_i gives NaN where the value that it multiplies is composed from 0. NaN and infinity never reach
 * another sequence.
 *
 * Where a product of s overflows, the result differs from the serial loop's. Example in single
 * precision: s = 1e30, 1e30, 1e-30, 1e-30 and w_0 = 1e-30 give 1e-30 after four steps, but the
 * product of the first two s is infinite. Use double precision there, or shorter sequences. */
#ifndef RECURRENCE_H
#define RECURRENCE_H

#include "device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How each tile of some thousands of elements gets the value before it (recurrence_carry.cuh). */
enum recurrence_carry {
    RECURRENCE_AUTO,      /* LOOKBACK up to 256 tiles, else CARRY_WARP */
    RECURRENCE_LOOKBACK,  /* every tile composes the maps of those before it; at most 256 tiles */
    RECURRENCE_CARRY_WARP /* one warp walks along all tiles: the paper's propagation, W13 eq. 4 */
};

/* `batch` sequences of `length` elements, one after the other: element i of sequence k is array
 * element k length + i. Arrays are in device memory. They are fastest if their addresses are
 * multiples of 16 bytes, or all equally far from one. n = length batch may exceed 2^32.
 *
 * Needs compute capability 7.5. Before 9.0 there are no bulk copies: threads load the elements,
 * which is slower. The shared memory that a GPU gives a block decides how many tiles it works on at
 * once: three large ones with 227 KiB (H100, H200: only there the speed was measured, up to 99% of
 * the triad's); two with 163 KiB (A100); three small ones with 99 KiB (RTX 4090); with 64 KiB (T4)
 * two small ones, or three of constant s. A gradient has one tile at once on the last two. */
struct recurrence {
    char type; /* as in BLAS: 's', 'd', 'c', 'z' */
    int64_t length, batch;
    int reverse;  /* not 0: from the last element of a sequence back, w_i = s_i w_{i+1} + t_i */
    int constant; /* not 0: s is one element, the same for all i */
    const void *s, *t;
    const void *w0; /* an element for each sequence: the value before its first; NULL: zeros */
    void *w;        /* out; may be t, or s if that is not constant */
    enum recurrence_carry carry;
    int blocks; /* at most so many thread blocks; 0: as many as the GPU holds */
};

/* Bytes of workspace for calls with up to n elements of a type; 0 if an argument is invalid. That
 * is 128 bytes, and 6 elements for every tile of 3072 elements ('s'), 1536 ('d', 'c') or 768 ('z'),
 * and for one tile more. The workspace is device memory, aligned to 16 bytes. */
size_t recurrence_workspace(char type, int64_t n);

/* Prepares a workspace. Call it before the first use, after a call that failed, and after 2^32 - 1
 * calls. Every call leaves the workspace ready for the next one, of any kind and of any size that
 * it is large enough for. Calls that share a workspace must not overlap. */
cudaError_t recurrence_prepare(void *workspace, size_t bytes, cudaStream_t stream);

/* Computes w. */
cudaError_t recurrence_solve(const struct recurrence *p, void *workspace, size_t bytes,
                             cudaStream_t stream);

/* Computes the gradient, in one more pass. Let L be a real function of w, and dw its derivatives
 * dL/dw_i with the w_i taken as independent. p is the call that recurrence_solve has done: p->w is
 * read, p->t is not used, p->constant must be 0. Outputs: ds and dt (n elements), dw0 (`batch`
 * elements; NULL: not wanted):
 *
 *     dt_i = dw_i + s_{i+1} dt_{i+1},   ds_i = dt_i w_{i-1},   dw0 = s_1 dt_1
 *
 * In complex types s and w are conjugated there, and dL/dx means dL/dRe x + i dL/dIm x. dt may be
 * dw and ds may be s; w must be none of them. */
cudaError_t recurrence_gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                                void *dw0, void *workspace, size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
