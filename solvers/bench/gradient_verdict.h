/* Verifies a gradient (tridiagonal_problem.h) for a bench. */
#pragma once

#include "verify.h"

__BEGIN_DECLS

/* Contiguous systems in main memory that are not periodic. in: sub, diag, super and dx. d: dsub,
 * ddiag, dsuper. The adjoint system is verified as by verify_systems(), with `multiple` unit
 * roundoffs; an element of d may differ from its product by four. in[3] and drhs are the same again
 * when the function returns. */
struct verdict gradient_verdict(char type, int64_t n, int64_t batch, void *const in[4],
                                const void *x, void *drhs, void *const d[3], double multiple);

__END_DECLS
