/* P-scheme/G (A. Wakatani 2013, "W13"): w_0 = C, w_i = s_i w_{i-1} + t_i on a GPU by P = blocks * threads
 * threads, and the ladder that goes on where the paper stops.
 *
 * Copy: pscheme_g.h pscheme_g.cu common/device.h common/device_limits.h; for a CPU also common/cpu_device. Nothing here
 * allocates, prints or waits: functions that take a stream put work on it and return the first
 * error of a launch, or cudaErrorInvalidValue, with nothing done, for a struct that makes no sense
 * and for an array that is used but is NULL (n > 0) or not aligned to its words. Structs are host
 * memory, void pointers device memory. `type` is 's' (float) or 'd' (double); `void *` arrays hold
 * words of that type. 0 <= n <= 2^58 - 1, blocks >= 1, 1 <= threads <= 1024. As everywhere in
 * P-scheme products of s are formed: where one of them overflows (|s| > 1 over a long part) the
 * result is not that of the serial loop. */
#ifndef PSCHEME_G_H
#define PSCHEME_G_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The paper's three layouts, and further rungs. M = ceil(N / P); unknown i = 0..M-1 of part k is
 * w_{kM+1+i}. */
enum pscheme_g_variant {
    PSCHEME_G_BLOCK, /* word 1 + k M + i, N + 1 words: no rearrangement */
    PSCHEME_G_SOA,   /* word 1 + i P + k, M P + 1 words (Fig. 2): w_{i-1} is elsewhere for i = 0 */
    PSCHEME_G_EXTENDED, /* word (i + 1) P + k, (M + 1) P words (Fig. 3): w_{i-1} always P words before */
    PSCHEME_G_WARP,  /* as extended; propagation by a warp instead of one thread */
    PSCHEME_G_ENDS,  /* word 1 + i P + k again; the parts' ends lie in an array of their own */
    PSCHEME_G_FUSED, /* natural order in memory, as block; transposed tile by tile in the kernels */
    PSCHEME_G_ARRAYS, /* as fused; s and t come from arrays: general coefficients */
    PSCHEME_G_VARIANTS
};

/* W13's cases: s_i costs 0 (L), 400 (M: 200 multiplications, 200 divisions) or 1000 (H) operations. */
struct pscheme_g_coefficient {
    int rounds; /* 0, 200 or 500 in the paper: one multiplication and one division each */
    /* The factors; arguments, so that the compiler cannot know that they cancel. */
    double up, down;
    /* rounds = 0: s_i = scale; else s_i begins as scale - (i mod 8) 2^-20, exact in single precision, and the
     * rounds follow. */
    double scale;
    double offset; /* t_i */
};

struct pscheme_g {
    enum pscheme_g_variant variant;
    char type;
    int64_t n, parts, rows; /* N; P = blocks * threads; M */
    int blocks, threads;    /* G and T */
    double w0;
    struct pscheme_g_coefficient coefficient; /* PSCHEME_G_ARRAYS: not used */
    const void *s, *t; /* PSCHEME_G_ARRAYS: s_1..s_n, t_1..t_n; else not used */
    void *w;           /* out: pscheme_g_words() words in the variant's layout */
    /* pscheme_g_words() words: a_i = s_{kM+1} … s_i in the layout of w; PSCHEME_G_ARRAYS: not used */
    void *products;
    /* From PSCHEME_G_ENDS on: 2 P words, what leaves and enters each part; else not used. */
    void *carry;
};

/* Fill in everything but the arrays. */
struct pscheme_g pscheme_g_plan(enum pscheme_g_variant variant, char type, int64_t n, int blocks,
                                int threads, double w0, struct pscheme_g_coefficient coefficient);
int64_t pscheme_g_words(const struct pscheme_g *g);

/* The three phases, eq. 3-5, and all of them. */
cudaError_t pscheme_g_precompute(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_propagate(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_determine(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_solve(const struct pscheme_g *g, cudaStream_t stream);

/* w_1..w_n in natural order from the variant's layout (a copy where that is natural already). */
enum pscheme_g_transposition {
    TRANSPOSE_GLOBAL, /* through global memory: one side is not coalesced (Table I, first column) */
    TRANSPOSE_TILE,   /* through 32 x 32 tiles in shared memory (Table I, second column) */
    TRANSPOSE_PADDED, /* rows of 33 words: no bank conflicts */
    TRANSPOSITIONS
};
cudaError_t pscheme_g_to_natural(const struct pscheme_g *g, enum pscheme_g_transposition how,
                                 void *natural, cudaStream_t stream);

/* out[j * rows + i] = in[i * columns + j], 0 <= i < rows, 0 <= j < columns, any sizes, not in
 * place. */
cudaError_t pscheme_g_transpose(char type, enum pscheme_g_transposition how, int64_t rows,
                                int64_t columns, const void *in, void *out, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
