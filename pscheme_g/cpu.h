/* What the speed-ups of W13 are measured against: the same recurrence on the CPU, in three ways. */
#ifndef PSCHEME_G_CPU_H
#define PSCHEME_G_CPU_H

#include "pscheme_g.h"

#ifdef __cplusplus
extern "C" {
#endif

/* w_0..w_n into w (n + 1 words). All give w within rounding; s_i are the same bits as on the GPU.
 * The paper's: one thread, one s_i after the other (its chain of operations leaves nothing to SIMD). */
void cpu_paper(char type, int64_t n, double w0, struct pscheme_g_coefficient c, void *w);
/* Fair, one thread: 64 neighbouring s_i at once, which a compiler turns into SIMD. */
void cpu_lanes(char type, int64_t n, double w0, struct pscheme_g_coefficient c, void *w);
/* Fair, all cores: as many parts as cores, P-scheme over them. products: n + 1 words of work. */
void cpu_cores(char type, int64_t n, double w0, struct pscheme_g_coefficient c, int cores, void *w,
               void *products);

/* s_1..s_n. */
void cpu_coefficients(char type, int64_t n, struct pscheme_g_coefficient c, void *s);

#ifdef __cplusplus
}
#endif
#endif
