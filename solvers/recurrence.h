/* First-order recurrences w_i = s_i w_{i-1} + t_i on a GPU in one pass over memory: s and t are read once, w is written
 * once. P-scheme (A. Wakatani 2012, 2013) with its three phases in one kernel; recurrence.cu says how.
 *
 * Copy: recurrence.h recurrence.cu common/device.h common/device_async.h common/device_limits.h scalar.cuh message.cuh; for a CPU also
 * common/cpu_device.
 *
 *     #include "recurrence.h"
 *
 *     // On the device: s, t and w of n floats, w0 of one; w[i] = s[i] * w[i - 1] + t[i], w[-1] being *w0.
 *     cudaError_t solve(int64_t n, const float *s, const float *t, const float *w0, float *w)
 *     {
 *         void *workspace = NULL;
 *         size_t bytes = recurrence_workspace('s', n);
 *         cudaError_t error = cudaMalloc(&workspace, bytes);
 *         if (error == cudaSuccess)
 *             error = recurrence_prepare(workspace, bytes, 0); // once; then any number of calls
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
 * Functions put work on a stream and return the first error; none allocates, waits or prints; all
 * can be captured in a graph. cudaErrorInvalidValue, and nothing is done: a struct that makes no
 * sense, a pointer that is NULL where that has no meaning, an array that is not aligned to its
 * words or a workspace not to 16 bytes, or too small a one. Where length or batch is 0 there is
 * nothing to do, and all pointers may be NULL.
 *
 * The same call gives the same bits on every run of a GPU: everything is composed in an order that depends on its shape
 * alone (and on where t, in the gradient dw, lies modulo 16 bytes).
 *
 * Error, u = 2^-24 or 2^-53, and B_i = |s_i| B_{i-1} + |t_i|, B_0 = |w_0|, with fused multiply-add, which is what nvcc
 * makes of a x + b: |w_i - exact_i| <= (i + c) u B_i + O(u^2) for the i-th unknown of a sequence. The serial loop has
 * c = 0: a product over m unknowns is rounded m - 1 times and its use once. Only where composed t's are added to is there
 * a rounding more: 5 times in a warp, once over the warps and when a tile is entered, and between tiles 5 (each tile for
 * itself) or 3 times (one warp): c = 12. Complex types: twice that.
 *
 * Integers: exact as long as all composed products and sums are below 2^24 or 2^53.
 *
 * NaN, and infinity in t and w_0, go where the serial loop takes them as long as no product of consecutive s_i and no sum
 * of composed t_i over- or underflows (in complex types a component may be NaN for infinite or the other way round); an
 * infinite s_i gives NaN where 0 is composed. Neither ever goes into another sequence. Where a product does overflow
 * results differ: s = 1e30, 1e30, 1e-30, 1e-30 in single precision with w_0 = 1e-30 is 1e-30 after the four, but the
 * product of the first two is infinite. Remedy: the same in double precision, or sequences so short that products stay
 * finite. */
#ifndef RECURRENCE_H
#define RECURRENCE_H

#include "device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How what comes into each tile is found. */
enum recurrence_carry {
    RECURRENCE_AUTO, /* LOOKBACK up to 256 tiles, else CARRY_WARP */
    RECURRENCE_LOOKBACK, /* every tile composes the maps of all before it: one exchange; at most 256 tiles */
    RECURRENCE_CARRY_WARP /* one warp walks along the tiles, as the paper's propagation (W13 eq. 4) */
};

/* `batch` sequences of `length` unknowns one after the other: unknown i of sequence k is word k length + i. Arrays are
 * on the device and aligned to their words (multiples of 16 bytes, or all as far off one, are fastest); n = length batch
 * >= 0 has 64 bits. Types as in BLAS: 's', 'd', 'c', 'z'.
 *
 * Runs from compute capability 7.5 on. Tiles follow from the shared memory that a GPU gives a
 * block: three large ones at once on 227 KiB (H100, H200: there the speed was measured, up to 99%
 * of the triad's), two on 163 (A100), three small ones on 99 (RTX 4090), two of s and t or three of
 * constant s on 64 (T4), of the gradient one on either of these. Before 9.0 there are no bulk
 * copies: threads bring the words, slower. */
struct recurrence {
    char type;
    int64_t length, batch;
    int reverse; /* not 0: from the last unknown of each sequence to the first: w_i = s_i w_{i+1} + t_i */
    int constant; /* not 0: s is one word, the same for all unknowns */
    const void *s, *t;
    /* A word for each sequence, what stands before its first unknown; not in w. NULL: zeros. */
    const void *w0;
    void *w; /* out; may be t or, if that is not constant, s itself */
    enum recurrence_carry carry;
    int blocks; /* at most so many; 0: as many as the GPU holds */
};

/* Bytes of device memory, aligned to 16, that calls with up to n unknowns of that type need: 128
 * and 6 words for each 3072 (single), 1536 (double, single complex) or 768 unknowns begun, and once
 * more. */
size_t recurrence_workspace(char type, int64_t n);

/* Once before the first use of a workspace, and after a call that failed. Each call leaves it ready for the next, of any
 * kind and size that it is large enough for; calls that share one must not overlap. (After 2^32 - 1 calls: again.) */
cudaError_t recurrence_prepare(void *workspace, size_t bytes, cudaStream_t stream);

cudaError_t recurrence_solve(const struct recurrence *p, void *workspace, size_t bytes,
                             cudaStream_t stream);

/* The gradient, in one more pass: p and the w that recurrence_solve gave for it are read (p->constant must be 0, p->t is
 * not used), and dw, the derivatives dL/dw_i of some L with w_i taken as independent. Out: ds, dt as long as w, dw0 of
 * `batch` words (NULL: not wanted):
 *     dt_i = dw_i + s_{i+1} dt_{i+1},   ds_i = dt_i w_{i-1},   dw0 = s_1 dt_1
 * In complex types s and w are conjugated there: dL/dx means dL/dRe x + i dL/dIm x of a real L. dt may be dw and ds may
 * be s; w must be none of them. */
cudaError_t recurrence_gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                                void *dw0, void *workspace, size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
