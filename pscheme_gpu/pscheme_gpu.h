/* P-scheme on a GPU (A. Wakatani, FUTURE COMPUTING 2012, "W12"): a recurrence of length n is cut
 * into P = blocks * threads parts, one thread a part, and solved in three phases: precompute (each
 * part as if nothing came before it), propagate (one thread carries the true value from part to
 * part), determine (each part is corrected).
 *
 * To use it elsewhere copy pscheme_gpu.h, pscheme_gpu.cu and common/device.h. Nothing here
 * allocates, prints or waits: work is put on `stream`; every function returns the launch's error.
 * Pointers are device pointers unless said otherwise. `type` is 's' (float) or 'd' (double), `void
 * *` arrays are of that type. Sizes are in words of that type. */
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
    int64_t n;                    /* rows, with the two boundary rows */
    struct pscheme_layout layout; /* of the n - 2 interior rows */
    int blocks, threads;
    /* Interior rows 1..n-2 in the layout, pscheme_words() words each; read only, may be overwritten
     * with the next system's values between calls. */
    const void *diag, *off, *rhs;
    double first, last; /* rhs_0 and rhs_{n-1} */
    void *x;            /* out: interior unknowns in the layout */
    void *work;         /* pscheme_tridiagonal_work() words */
    /* One word, set by the call: 0, or the first row whose pivot a_i - b_i p_{i-1} (or the part's
     * own, with p = 0 before the part) is zero or not finite; x is then not to be used. */
    long long *status;
};
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
