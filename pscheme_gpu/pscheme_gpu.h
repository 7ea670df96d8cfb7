/* P-scheme on a GPU (A. Wakatani, FUTURE COMPUTING 2012, "W12"): a recurrence of length n is cut into
 * P = blocks * threads parts, one thread a part, and solved in three phases: precompute (each part as if
 * nothing came before it), propagate (one thread carries the true value from part to part), determine
 * (each part is corrected).
 *
 * Copy: pscheme_gpu.h pscheme_gpu.cu common/device.h common/device_limits.h; for a CPU also common/cpu_device. Nothing
 * here allocates, prints or waits: functions that take a stream put work on it and return the first
 * error of a launch, or cudaErrorInvalidValue, with nothing done, for a struct that makes no sense
 * and for a pointer that is NULL or not a multiple of its word's size. Structs are host memory,
 * void pointers in them and in arguments device memory. `type` is 's' (float) or 'd' (double);
 * `void *` arrays hold words of that type, and may be NULL if n = 0; sizes are in words. 0 <= n <=
 * 2^58 - 1, blocks >= 1, 1 <= threads <= 1024. */
#ifndef PSCHEME_GPU_H
#define PSCHEME_GPU_H

#include "device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ladder for w_i = scale w_{i-1} + offset; each rung adds one idea to the one before. */
enum pscheme_variant {
    PSCHEME_BLOCK, /* part j is words j*M .. j*M+M-1: neighbouring threads read M words apart */
    PSCHEME_REARRANGED, /* W12 Fig. 2: the transposed array, neighbouring threads read neighbours */
    PSCHEME_REGISTER,   /* w_{i-1} stays in a register instead of being loaded again */
    PSCHEME_RECOMPUTE,  /* the products a_i are not stored but computed again in determine */
    PSCHEME_AHEAD, /* loads of eight rows, and of eight parts in propagate, are under way at once */
    PSCHEME_VARIANTS
};

/* Where unknown i of part j lies: word j * part_stride + i * row_stride. Rearranging is nothing but
 * exchanging the strides: kernels are the same for both. */
struct pscheme_layout {
    int64_t n;     /* unknowns */
    int64_t parts; /* P */
    int64_t rows;  /* M = ceil(n / P) unknowns a part; the last parts may have fewer or none */
    int64_t part_stride, row_stride;
};
struct pscheme_layout pscheme_block_layout(int64_t n, int64_t parts);
struct pscheme_layout pscheme_rearranged_layout(int64_t n, int64_t parts);
/* Words that an array of this layout takes: n, or rows * parts. */
int64_t pscheme_words(const struct pscheme_layout *layout);

/* ---- problem B: w_0 given, w_i = scale w_{i-1} + offset, i = 1..n ---- */

struct pscheme_recurrence {
    enum pscheme_variant variant;
    char type;
    struct pscheme_layout layout;
    int blocks, threads; /* G and T; layout.parts = G * T */
    double w0, scale, offset;
    void *w;        /* pscheme_words() words: w_1..w_n in the variant's layout */
    void *products; /* pscheme_words() words, a_i = s_{kM+1} ... s_i; from PSCHEME_RECOMPUTE on
                       P words, the last a_i of each part */
};

/* Fill in everything but the two arrays. */
struct pscheme_recurrence pscheme_recurrence_plan(enum pscheme_variant variant, char type,
                                                  int64_t n, int blocks, int threads, double w0,
                                                  double scale, double offset);
int64_t pscheme_product_words(const struct pscheme_recurrence *r);

/* The phases one by one (W12 sec. II-B; W13 sec. II), and all three. */
cudaError_t pscheme_precompute(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_propagate(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_determine(const struct pscheme_recurrence *r, cudaStream_t stream);
cudaError_t pscheme_solve(const struct pscheme_recurrence *r, cudaStream_t stream);

/* From a layout to natural order, out[0..n-1], and back. Not in place. */
cudaError_t pscheme_to_natural(char type, const struct pscheme_layout *from, const void *in,
                               void *out, cudaStream_t stream);
cudaError_t pscheme_from_natural(char type, const struct pscheme_layout *to, const void *in,
                                 void *out, cudaStream_t stream);

/* ---- problem A: x_0 = rhs_0; -off_i x_{i-1} + diag_i x_i - off_i x_{i+1} = rhs_i; x_{n-1} =
 * rhs_{n-1} (W12 eq. 1-3: a = diag, b = off, c = rhs) ---- */

struct pscheme_tridiagonal {
    char type;
    struct pscheme_layout layout; /* of the n - 2 interior rows */
    int blocks, threads;
    double first, last; /* x_0 and x_{n-1}: rhs_0 and rhs_{n-1} */
    const void *diag, *off,
        *rhs;   /* rows 1..n-2 in the layout, pscheme_words() words each; read only */
    void *x;    /* out: the interior unknowns in the layout */
    void *work; /* pscheme_tridiagonal_work() words */
    /* Set by the call: 0, or the first row found (1..n-2) where a pivot of the system, or of its part taken
     * alone, is not finite or at most epsilon times the diagonal it was subtracted from; x is then not to be
     * used. No rows are exchanged: dominant and symmetric definite systems have no such pivot. */
    long long *status;
};

/* For n rows; fill in the pointers. */
struct pscheme_tridiagonal pscheme_tridiagonal_plan(bool rearranged, char type, int64_t n,
                                                    int blocks, int threads, double first,
                                                    double last);
int64_t pscheme_tridiagonal_work(const struct pscheme_layout *layout);

/* Seven kernels; the phases of p, q and x overlap where one pass can do two of them. */
enum pscheme_tridiagonal_phase {
    PSCHEME_P_PRECOMPUTE,
    PSCHEME_P_PROPAGATE,
    PSCHEME_P_DETERMINE, /* and q's pre-computation */
    PSCHEME_Q_PROPAGATE,
    PSCHEME_Q_DETERMINE, /* and x's pre-computation */
    PSCHEME_X_PROPAGATE,
    PSCHEME_X_DETERMINE,
    PSCHEME_TRIDIAGONAL_PHASES
};
cudaError_t pscheme_tridiagonal_phase(const struct pscheme_tridiagonal *t,
                                      enum pscheme_tridiagonal_phase phase, cudaStream_t stream);
cudaError_t pscheme_tridiagonal_solve(const struct pscheme_tridiagonal *t, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
