/* The same recurrence on the CPU, in three ways. W13's speed-ups divide the time of the first by
 * the GPU's. */
#ifndef PSCHEME_G_CPU_H
#define PSCHEME_G_CPU_H

#include "pscheme_g.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cpu_method {
    /* The paper's baseline: one thread computes one s_i after the other. The operations of an s_i
     * wait for each other, so SIMD instructions find nothing to do. */
    CPU_PAPER,
    CPU_LANES, /* one thread computes 64 neighbouring s_i at once: the compiler uses SIMD */
    CPU_CORES, /* P-scheme (W13 sec. II), a part for each core, s_i as in CPU_LANES */
    CPU_METHODS
};

/* Computes w_0..w_n into w (n + 1 elements), each within rounding of the exact value. `products` is
 * workspace of n + 1 elements. Only CPU_CORES uses `cores` and `products`. */
void cpu_solve(enum cpu_method method, char type, int64_t n, double w0,
               struct pscheme_g_coefficient c, int cores, void *w, void *products);

/* Computes s_1..s_n into s (n elements): the same bits as on the GPU. */
void cpu_coefficients(char type, int64_t n, struct pscheme_g_coefficient c, void *s);

#ifdef __cplusplus
}
#endif
#endif
