/* P-scheme on a GPU (A. Wakatani, FUTURE COMPUTING 2012, "W12"). A recurrence of n unknowns is
 * divided into P = blocks * threads parts, one for each thread, and solved in three phases:
 *
 *     precompute   every part is solved as if 0 came in                          all threads
 *     propagate    the true value is carried from the end of a part to the next  one thread
 *     determine    every part is corrected by the value that comes in            all threads
 *
 * Copy: pscheme_gpu.h pscheme_gpu.cu pscheme_gpu_layout.cuh pscheme_gpu_recurrence.cuh
 * pscheme_gpu_tridiagonal.cuh common/device.h common/device_limits.h; for a CPU also
 * common/cpu_device.
 *
 * Common to all functions
 *   Arrays   are device memory, allocated by the caller, and hold elements of `type`: 's' (float)
 *            or 'd' (double). Sizes are in elements. Arrays may be NULL if n = 0. Structs are host
 *            memory.
 *   Ranges   0 <= n <= 2^58 - 1, blocks >= 1, 1 <= threads <= 1024.
 *   Streams  a function with a stream puts work on it and does not wait. Nothing here allocates or
 *            prints.
 *   Returns  the first error of a launch; or cudaErrorInvalidValue, with nothing done, if a
 *            field is outside its range or a pointer is NULL or not aligned to its elements. */
#ifndef PSCHEME_GPU_H
#define PSCHEME_GPU_H

#include "device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ladder for w_i = scale w_{i-1} + offset. Each step adds one idea to the one before. */
enum pscheme_variant {
    /* Part j is elements j M .. j M + M - 1: neighbouring threads read elements M apart. */
    PSCHEME_BLOCK,
    /* W12 Fig. 2: the array is transposed, neighbouring threads read neighbouring elements. */
    PSCHEME_REARRANGED,
    /* w_{i-1} stays in a register instead of being loaded again. */
    PSCHEME_REGISTER,
    /* Determination computes the products a_i again instead of loading them. */
    PSCHEME_RECOMPUTE,
    /* Eight rows are loaded at a time, and in propagation the ends of eight parts. */
    PSCHEME_AHEAD,
    PSCHEME_VARIANTS
};

/* Unknown i of part j is element j * part_stride + i * row_stride of its array. `block` has the
 * strides M, 1 and `rearranged` 1, P; their kernels are the same. */
struct pscheme_layout {
    int64_t n;     /* unknowns */
    int64_t parts; /* P */
    int64_t rows;  /* M = ceil(n / P) unknowns a part; the last parts may have fewer or none */
    int64_t part_stride, row_stride;
};
struct pscheme_layout pscheme_block_layout(int64_t n, int64_t parts);
struct pscheme_layout pscheme_rearranged_layout(int64_t n, int64_t parts);
/* Elements of an array in this layout: n, or rows * parts if it is rearranged. */
int64_t pscheme_elements(const struct pscheme_layout *layout);

/* ---- problem B (W12 section V-A): w_0 given, w_i = scale w_{i-1} + offset, i = 1..n ---- */

struct pscheme_recurrence {
    enum pscheme_variant variant;
    char type;
    struct pscheme_layout layout;
    int blocks, threads; /* G and T; layout.parts = G * T */
    double w0, scale, offset;
    void *w;        /* out: w_1..w_n in the layout; pscheme_elements() */
    void *products; /* workspace of pscheme_product_elements(): the products a_i of scale from the
                       start of the part to row i; from PSCHEME_RECOMPUTE on only the last of each
                       part */
};

/* Fills in everything but the two arrays. */
struct pscheme_recurrence pscheme_recurrence_plan(enum pscheme_variant variant, char type,
                                                  int64_t n, int blocks, int threads, double w0,
                                                  double scale, double offset);
int64_t pscheme_product_elements(const struct pscheme_recurrence *r);

/* One phase (W12 section II-B), or all three in order. */
cudaError_t pscheme_precompute(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_propagate(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_determine(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_solve(const struct pscheme_recurrence *r, cudaStream_t stream);

/* Copy an array from a layout to natural order, out[0..n-1], and from natural order to a layout.
 * Not in place. */
cudaError_t pscheme_to_natural(char type, const struct pscheme_layout *from, const void *in,
                               void *out, cudaStream_t stream);
cudaError_t pscheme_from_natural(char type, const struct pscheme_layout *to, const void *in,
                                 void *out, cudaStream_t stream);

/* ---- problem A (W12 eq. 1-3; the paper's a, b, c are diag, off, rhs) ----
 *
 *     x_0 = rhs_0;  -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i;  x_{n-1} = rhs_{n-1} */

struct pscheme_tridiagonal {
    char type;
    struct pscheme_layout layout; /* of the n - 2 interior rows */
    int blocks, threads;          /* G and T; layout.parts = G * T */
    double first, last;           /* x_0 = rhs_0 and x_{n-1} = rhs_{n-1} */
    /* Inputs, not modified: rows 1..n-2 in the layout, pscheme_elements() each. */
    const void *diag, *off, *rhs;
    void *x;    /* out: the interior unknowns in the layout */
    void *work; /* workspace of pscheme_tridiagonal_work() */
    /* Out, one number on the device: 0; or a row 1..n-2 with a bad pivot, the first one found,
     * and then x is undefined. A pivot is bad if it is zero, not finite, or at most epsilon
     * times the diagonal element that it comes from. The pivots of each part taken alone count
     * as well as those of the system. No rows are exchanged. Dominant and symmetric definite
     * systems have no bad pivots. */
    long long *status;
};

/* For a system of n rows. Fills in everything but the pointers. */
struct pscheme_tridiagonal pscheme_tridiagonal_plan(bool rearranged, char type, int64_t n,
                                                    int blocks, int threads, double first,
                                                    double last);
int64_t pscheme_tridiagonal_work(const struct pscheme_layout *layout);

/* The three phases of p, q and x (W12 eq. 4-6) in seven kernels: a kernel that determines one of
 * them also pre-computes the next. */
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
/* One phase, which does not set *status to 0 but may report a bad pivot in it; or the whole
 * solve. */
cudaError_t pscheme_tridiagonal_phase(const struct pscheme_tridiagonal *t,
                                      enum pscheme_tridiagonal_phase phase, cudaStream_t stream);
cudaError_t pscheme_tridiagonal_solve(const struct pscheme_tridiagonal *t, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
