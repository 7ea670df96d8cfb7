/* The recurrence of W13 on the CPU, with three methods. W13's speed-ups divide the time of the
 * first method by the time of the GPU. */
#ifndef PSCHEME_G_CPU_H
#define PSCHEME_G_CPU_H

#include "pscheme_g.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cpu_method {
    /* The paper's baseline. One thread computes one s_i after the other. Each operation for an s_i
     * needs the result of the operation before, so the compiler cannot use SIMD instructions. */
    CPU_PAPER,
    /* One thread computes 64 neighbouring s_i together, with SIMD instructions. */
    CPU_LANES,
    /* P-scheme (W13 sec. II) with one part for each core. Each core computes 64 s_i together. */
    CPU_CORES,
    CPU_METHODS
};

/* Computes w_0..w_n and stores them in w (n + 1 elements). `products` is a workspace of n + 1
 * elements. Only CPU_CORES uses `cores`, the number of cores, and `products`. */
void cpu_solve(enum cpu_method method, char type, int64_t n, double w0,
               struct pscheme_g_coefficient c, int cores, void *w, void *products);

/* Computes s_1..s_n and stores them in s (n elements). The GPU computes the same bits. */
void cpu_coefficients(char type, int64_t n, struct pscheme_g_coefficient c, void *s);

#ifdef __cplusplus
}
#endif
#endif
