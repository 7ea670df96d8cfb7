/* The recurrence of W13 on the CPU. W13's speed-ups divide the time of the first method by that of
 * the GPU. */
#pragma once

#include "pscheme_g.h"

__BEGIN_DECLS

enum cpu_method {
    /* The paper's baseline, one s_i after the other. Each operation needs the result before it, so
     * the compiler cannot use SIMD instructions. */
    CPU_PAPER,
    /* One thread, 64 neighbouring s_i together, with SIMD instructions. */
    CPU_LANES,
    /* P-scheme (W13 sec. II) with one part a core, 64 s_i together. */
    CPU_CORES,
    CPU_METHODS
};

/* Computes w_0..w_n. w and the workspace `products` have n + 1 elements. Only CPU_CORES uses
 * `cores` and `products`. */
void cpu_solve(enum cpu_method method, char type, int64_t n, double w0,
               struct pscheme_g_coefficient c, int cores, void *w, void *products);

/* Computes s_1..s_n, the same bits as the GPU. */
void cpu_coefficients(char type, int64_t n, struct pscheme_g_coefficient c, void *s);

__END_DECLS
