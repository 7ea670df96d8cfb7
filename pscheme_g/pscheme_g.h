/* P-scheme/G (A. Wakatani 2013, "W13"): w_0 = C, w_i = s_i w_{i-1} + t_i for i = 1..N (W13 eq. 1,
 * 2) on a GPU, by P = blocks * threads threads. The paper's three layouts, and the steps of the
 * ladder beyond the paper. solvers/recurrence.h is the faster solver for general s and t.
 *
 * Copy: pscheme_g.h pscheme_g.cu transpose.cuh common/device.h common/device_limits.h; for a CPU
 * also common/cpu_device.
 *
 * `type` is 's' (float) or 'd' (double); arrays declared `void *` hold elements of that type, in
 * device memory. Structs are in host memory. 0 <= n <= 2^58 - 1, blocks >= 1, 1 <= threads <= 1024.
 *
 * A function with a stream enqueues its work there and returns the first error of a launch. It
 * returns cudaErrorInvalidValue and does nothing if the struct is not as pscheme_g_plan fills it
 * in, or if an array that the call uses is NULL or not aligned to its elements. For n = 0 it does
 * nothing and needs no arrays. No function allocates, prints or waits.
 *
 * P-scheme multiplies the s of a part. If such a product overflows (|s| > 1 over a long part), the
 * result differs from the serial loop's. */
#ifndef PSCHEME_G_H
#define PSCHEME_G_H

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Layouts and steps of the ladder. M = ceil(N / P); part k owns w_{kM+1}..w_{kM+M}. Below, i =
 * 0..M-1 counts the unknowns of a part, and the formula is the element of w that holds
 * w_{kM+1+i}. */
enum pscheme_g_variant {
    PSCHEME_G_BLOCK, /* 1 + k M + i, N + 1 elements: no rearrangement */
    PSCHEME_G_SOA, /* 1 + i P + k, M P + 1 elements (W13 Fig. 2): for i = 0, w_{i-1} is elsewhere */
    PSCHEME_G_EXTENDED, /* (i + 1) P + k, (M + 1) P elements (W13 Fig. 3): w_{i-1} lies P before */
    PSCHEME_G_WARP,     /* as extended; a warp does the propagation */
    PSCHEME_G_ENDS,     /* as soa; an array of their own holds the ends of the parts */
    PSCHEME_G_FUSED,    /* as block; the kernels transpose, tile by tile */
    PSCHEME_G_ARRAYS,   /* as fused; s and t come from arrays: general coefficients */
    PSCHEME_G_VARIANTS
};

/* W13's cases: s_i costs 0 operations (L), 400 (M: 200 multiplications, 200 divisions) or 1000
 * (H). */
struct pscheme_g_coefficient {
    int rounds; /* 0, 200 or 500 in the paper: one multiplication and one division each */
    /* The factors: s_i times `up`, divided by `down`, in each round. */
    double up, down;
    /* rounds = 0: s_i = scale. Otherwise s_i starts as scale - (i mod 8) 2^-20, which is exact in
     * single precision, and the rounds follow. */
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
    const void *s, *t; /* PSCHEME_G_ARRAYS: s_1..s_n and t_1..t_n; others: not used */
    void *w;           /* out: pscheme_g_elements() elements in the variant's layout */
    /* Workspace of pscheme_g_elements() elements in the layout of w: a_i = s_{kM+1} … s_i.
     * PSCHEME_G_ARRAYS: not used. */
    void *products;
    /* Workspace of 2 P elements, the values that leave and enter each part. Used from
     * PSCHEME_G_ENDS on. */
    void *carry;
};

/* A struct with every field filled in but the arrays. */
struct pscheme_g pscheme_g_plan(enum pscheme_g_variant variant, char type, int64_t n, int blocks,
                                int threads, double w0, struct pscheme_g_coefficient coefficient);

/* The number of elements of w. */
int64_t pscheme_g_elements(const struct pscheme_g *g);

/* The three phases, whose costs are W13 eq. 3, W13 eq. 4 and W13 eq. 5; and all three in order. The
 * sum of the costs, W13 eq. 7, is least for P_opt = sqrt((alpha + gamma) N / beta) parts. */
cudaError_t pscheme_g_precompute(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_propagate(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_determine(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_solve(const struct pscheme_g *g, cudaStream_t stream);

/* Copies w_1..w_n from the variant's layout to `natural` (n elements) in natural order. */
enum pscheme_g_transposition {
    TRANSPOSE_GLOBAL, /* through global memory: stores are not coalesced (W13 Table I, column 1) */
    TRANSPOSE_TILE,   /* through 32 x 32 tiles in shared memory (W13 Table I, column 2) */
    TRANSPOSE_PADDED, /* rows of 33 elements: no bank conflicts */
    TRANSPOSITIONS
};
cudaError_t pscheme_g_to_natural(const struct pscheme_g *g, enum pscheme_g_transposition how,
                                 void *natural, cudaStream_t stream);

/* The transposition alone: out[j * rows + i] = in[i * columns + j], 0 <= i < rows, 0 <= j <
 * columns, of any size. `in` and `out` must not overlap. */
cudaError_t pscheme_g_transpose(char type, enum pscheme_g_transposition how, int64_t rows,
                                int64_t columns, const void *in, void *out, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
