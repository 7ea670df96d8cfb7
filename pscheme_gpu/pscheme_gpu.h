/* P-scheme on a GPU (A. Wakatani, FUTURE COMPUTING 2012, "W12"). The n unknowns of a recurrence are
 * divided into P = blocks * threads parts, one for each thread. P-scheme has three phases:
 *
 *     precompute   solves every part as if the value before the part were 0      all threads
 *     propagate    computes the true last value of one part after the other      one thread
 *     determine    corrects every part by the true value before the part         all threads
 *
 * Copy: pscheme_gpu.h pscheme_gpu.cu pscheme_gpu_layout.cuh pscheme_gpu_recurrence.cuh
 * pscheme_gpu_tridiagonal.cuh common/device.h common/device_async.h common/device_limits.h; for a
 * CPU also common/cpu_device.
 *
 * Common to all functions
 *   Arrays   Arrays are in device memory, and the caller allocates them. Their elements have the
 *            type that `type` names: 's' (float) or 'd' (double). Sizes are in elements. Arrays may
 *            be NULL if n = 0. Structs are in host memory.
 *   Ranges   0 <= n <= 2^58 - 1, blocks >= 1, 1 <= threads <= 1024.
 *   Streams  A function with a stream enqueues its kernels there and does not wait for them. No
 *            function allocates memory or prints.
 *   Returns  A function that enqueues kernels returns the first error of a launch. If a field is
 *            outside its range, or if a pointer is NULL or not aligned to its elements, the
 *            function does nothing and returns cudaErrorInvalidValue. */
#pragma once

#include "device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The variants for w_i = scale w_{i-1} + offset. Each of the first five adds one idea to the
 * variant before it. */
enum pscheme_variant {
    /* Part j has the M = ceil(n / P) consecutive elements from index j M on. Neighbouring threads
     * read elements that are M apart. */
    PSCHEME_BLOCK,
    /* The array is transposed (W12 Fig. 2): unknown i of all parts is stored together. So
     * neighbouring threads read neighbouring elements. */
    PSCHEME_REARRANGED,
    /* w_{i-1} stays in a register instead of being loaded again. */
    PSCHEME_REGISTER,
    /* The determination needs a_i, the product of the scales from the start of the part to row i.
     * It computes a_i again instead of loading it. */
    PSCHEME_RECOMPUTE,
    /* The determination loads w of eight rows before it computes with them. The propagation loads
     * the last w of eight parts at a time. */
    PSCHEME_AHEAD,
    /* As PSCHEME_BLOCK and PSCHEME_REARRANGED, but loads bypass L1. The paper's GPU did not cache
     * global memory. These two are for experiments, not for speed. */
    PSCHEME_BLOCK_NO_L1,
    PSCHEME_REARRANGED_NO_L1,
    PSCHEME_VARIANTS
};

/* Where the unknowns are stored: unknown i of part j is element j * part_stride + i * row_stride of
 * the array. The block layout has the strides M and 1, the rearranged layout has the strides 1 and
 * P. The same kernels work with both. */
struct pscheme_layout {
    int64_t n;     /* number of unknowns */
    int64_t parts; /* number of parts, P */
    int64_t rows;  /* M = ceil(n / P), unknowns of a part; the last parts may have fewer or none */
    int64_t part_stride, row_stride;
};
struct pscheme_layout pscheme_block_layout(int64_t n, int64_t parts);
struct pscheme_layout pscheme_rearranged_layout(int64_t n, int64_t parts);
/* The elements of an array in this layout: n (block) or rows * parts (rearranged). */
int64_t pscheme_elements(const struct pscheme_layout *layout);

/* ---- problem B (W12 section V-A): w_0 given, w_i = scale w_{i-1} + offset, i = 1..n ---- */

struct pscheme_recurrence {
    enum pscheme_variant variant;
    char type;
    struct pscheme_layout layout;
    int blocks, threads; /* G and T; layout.parts = G * T */
    double w0, scale, offset;
    void *w; /* output: w_1..w_n in the layout, pscheme_elements() elements */
    /* Workspace of pscheme_product_elements() elements: a_i, the product of the scales from the
     * start of the part to row i, or only the last a_i of each part (PSCHEME_RECOMPUTE,
     * PSCHEME_AHEAD). */
    void *products;
};

/* Sets all fields but the two arrays, which are NULL. */
struct pscheme_recurrence pscheme_recurrence_plan(enum pscheme_variant variant, char type,
                                                  int64_t n, int blocks, int threads, double w0,
                                                  double scale, double offset);
int64_t pscheme_product_elements(const struct pscheme_recurrence *r);

/* One phase each (W12 section II-B); pscheme_solve enqueues the three in order. */
cudaError_t pscheme_precompute(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_propagate(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_determine(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_solve(const struct pscheme_recurrence *r, cudaStream_t stream);

/* pscheme_to_natural copies an array from a layout to natural order, out[0..n-1].
 * pscheme_from_natural copies from natural order to a layout. `in` and `out` must not overlap. */
cudaError_t pscheme_to_natural(char type, const struct pscheme_layout *from, const void *in,
                               void *out, cudaStream_t stream);
cudaError_t pscheme_from_natural(char type, const struct pscheme_layout *to, const void *in,
                                 void *out, cudaStream_t stream);

/* ---- problem A (W12 eq. 1-3; the paper's a, b, c are diag, off, rhs) ----
 *
 *     x_0 = rhs_0;  -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i;  x_{n-1} = rhs_{n-1} */

struct pscheme_tridiagonal {
    char type;
    struct pscheme_layout layout; /* layout of the n - 2 interior rows */
    int blocks, threads;          /* G and T; layout.parts = G * T */
    double first, last;           /* x_0 = rhs_0 and x_{n-1} = rhs_{n-1} */
    /* Inputs, not modified: the rows 1..n-2 of the diagonal, of the off-diagonal and of the
     * right-hand side. Each array is in the layout and has pscheme_elements() elements. */
    const void *diag, *off, *rhs;
    void *x;    /* output: the interior unknowns x_1..x_{n-2} in the layout */
    void *work; /* workspace of pscheme_tridiagonal_work() elements */
    /* Output, one number in device memory: 0 if all pivots are good, otherwise the smallest row
     * 1..n-2 with a bad pivot, and x is undefined. A pivot is the difference of a diagonal element
     * and a correction. It is bad if it is zero, not finite, or at most epsilon times the diagonal
     * element. The pivots of each part, solved alone, must be good, too. No rows are exchanged.
     * Systems that are diagonally dominant or symmetric definite have no bad pivots. */
    long long *status;
};

/* For a system of n rows. Sets all fields but the pointers, which are NULL. */
struct pscheme_tridiagonal pscheme_tridiagonal_plan(bool rearranged, char type, int64_t n,
                                                    int blocks, int threads, double first,
                                                    double last);
int64_t pscheme_tridiagonal_work(const struct pscheme_layout *layout);

/* x_i = p_i x_{i+1} + q_i: three recurrences, for p, q and x (W12 eq. 4-6), with three phases each,
 * in seven kernels. */
enum pscheme_tridiagonal_phase {
    PSCHEME_P_PRECOMPUTE,
    PSCHEME_P_PROPAGATE,
    PSCHEME_P_DETERMINE, /* and pre-computes q */
    PSCHEME_Q_PROPAGATE,
    PSCHEME_Q_DETERMINE, /* and pre-computes x */
    PSCHEME_X_PROPAGATE,
    PSCHEME_X_DETERMINE,
    PSCHEME_TRIDIAGONAL_PHASES
};
/* One kernel; *status has no meaning after it. pscheme_tridiagonal_solve initialises *status and
 * enqueues all kernels. */
cudaError_t pscheme_tridiagonal_phase(const struct pscheme_tridiagonal *t,
                                      enum pscheme_tridiagonal_phase phase, cudaStream_t stream);
cudaError_t pscheme_tridiagonal_solve(const struct pscheme_tridiagonal *t, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
