/* P-scheme/G (A. Wakatani 2013, "W13") on a GPU. It solves w_0 = C, w_i = s_i w_{i-1} + t_i for i =
 * 1..N (W13 eq. 1, 2) with P = blocks * threads threads. It has the paper's three layouts and
 * further variants. For general s and t the solver in solvers/recurrence.h is faster.
 *
 * Copy: pscheme_g.h pscheme_g.cu transpose.cuh common/device.h common/device_limits.h; for a CPU
 * also common/cpu_device.
 *
 * `type` is 's' (float) or 'd' (double). Arrays that are declared as `void *` are in device memory
 * and have elements of this type. Structs are in host memory. 0 <= n <= 2^58 - 1, blocks >= 1, 1 <=
 * threads <= 1024.
 *
 * A function with a stream enqueues its kernels there and returns the first error of a launch. In
 * two cases it does nothing and returns cudaErrorInvalidValue: the numbers in the struct are not
 * those that pscheme_g_plan sets, or an array that the call uses is NULL or not aligned to its
 * elements. If n = 0, it does nothing and the arrays may be NULL. No function allocates memory,
 * prints or waits.
 *
 * P-scheme multiplies all s of a part. If such a product overflows (|s| > 1 in a long part), the
 * result differs from the result of the serial loop. */
#pragma once

#include "device.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The variants: the paper's three layouts, then further steps. The unknowns are divided into parts
 * of M = ceil(N / P). Part k has the unknowns w_{kM+1}..w_{kM+M}. Unknown i of part k, i = 0..M-1,
 * is w_{kM+1+i}. The comments below say at which index of the array w this unknown is stored. */
enum pscheme_g_variant {
    /* Index 1 + k M + i, in an array of N + 1 elements. This is natural order, without
     * rearrangement. */
    PSCHEME_G_BLOCK,
    /* Index 1 + i P + k, in an array of M P + 1 elements (W13 Fig. 2). An unknown is stored P
     * elements after the unknown before it, except for the first unknown of a part. */
    PSCHEME_G_SOA,
    /* Index (i + 1) P + k, in an array of (M + 1) P elements (W13 Fig. 3). The first P elements are
     * copies of the values before the parts. So the value before an unknown is always P elements
     * before it. */
    PSCHEME_G_EXTENDED,
    /* The layout is that of PSCHEME_G_EXTENDED. One warp does the propagation. */
    PSCHEME_G_WARP,
    /* The layout is that of PSCHEME_G_SOA. A separate array holds the last values of the parts. */
    PSCHEME_G_ENDS,
    /* The layout is that of PSCHEME_G_BLOCK. The kernels transpose tiles of it in shared memory. */
    PSCHEME_G_FUSED,
    /* The layout and the kernels are those of PSCHEME_G_FUSED, but s and t come from arrays. So
     * every s_i and t_i may differ. */
    PSCHEME_G_ARRAYS,
    PSCHEME_G_VARIANTS
};

/* The coefficients of W13's cases. An s_i takes 0 operations (L), 400 (M: 200 multiplications and
 * 200 divisions) or 1000 (H). */
struct pscheme_g_coefficient {
    /* Each multiplies s_i by `up` and divides it by `down`; 0, 200 or 500 in the paper. */
    int rounds;
    double up, down;
    /* s_i, or with rounds its start: scale - (i mod 8) 2^-20, exact in single precision. */
    double scale;
    double offset; /* every t_i */
};

struct pscheme_g {
    enum pscheme_g_variant variant;
    char type;
    int64_t n, parts, rows; /* N, P = blocks * threads, and M = ceil(N / P) */
    int blocks, threads;    /* G and T */
    double w0;
    struct pscheme_g_coefficient coefficient; /* not used by PSCHEME_G_ARRAYS */
    const void *s, *t; /* s_1..s_n and t_1..t_n; used by PSCHEME_G_ARRAYS only */
    void *w;           /* output: pscheme_g_elements() elements in the variant's layout */
    /* Workspace of pscheme_g_elements() elements: for each w_i of part k the product a_i = s_{kM+1}
     * … s_i. Not used by PSCHEME_G_ARRAYS. */
    void *products;
    /* Workspace of 2 P elements: the last product and the last w of each part; propagation replaces
     * the product by the true value before the part. Used from PSCHEME_G_ENDS on. */
    void *carry;
};

/* Sets all fields but the arrays, which are NULL. */
struct pscheme_g pscheme_g_plan(enum pscheme_g_variant variant, char type, int64_t n, int blocks,
                                int threads, double w0, struct pscheme_g_coefficient coefficient);

/* The number of elements of w. */
int64_t pscheme_g_elements(const struct pscheme_g *g);

/* One phase each; pscheme_g_solve enqueues the three in order. Their times are alpha N / P, beta P
 * and gamma N / P (W13 eq. 3-5). The sum, W13 eq. 7, is smallest for P_opt = sqrt((alpha + gamma) N
 * / beta) parts. */
cudaError_t pscheme_g_precompute(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_propagate(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_determine(const struct pscheme_g *g, cudaStream_t stream);
cudaError_t pscheme_g_solve(const struct pscheme_g *g, cudaStream_t stream);

/* The ways to transpose. */
enum pscheme_g_transposition {
    /* Directly in global memory. The stores are not coalesced (W13 Table I, column 1). */
    TRANSPOSE_GLOBAL,
    /* Through 32 x 32 tiles in shared memory (W13 Table I, column 2). */
    TRANSPOSE_TILE,
    /* Through tiles whose rows have 33 elements, so that columns have no bank conflicts. */
    TRANSPOSE_PADDED,
    TRANSPOSITIONS
};
/* Copies w_1..w_n to `natural`, n elements in natural order. */
cudaError_t pscheme_g_to_natural(const struct pscheme_g *g, enum pscheme_g_transposition how,
                                 void *natural, cudaStream_t stream);

/* Transposes an array of `rows` rows and `columns` columns: out[j * rows + i] = in[i * columns +
 * j]. The two numbers need not be multiples of 32. `in` and `out` must not overlap. `type` may also
 * be 'c' or 'z', complex elements. */
cudaError_t pscheme_g_transpose(char type, enum pscheme_g_transposition how, int64_t rows,
                                int64_t columns, const void *in, void *out, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
