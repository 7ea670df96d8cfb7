/* What all tridiagonal solvers share, on a GPU and on a CPU: when to pivot, and the arrays of a
 * gradient. */
#pragma once

/* When to pivot. Each solver's header says what the choices promise there. */
enum tridiagonal_pivot {
    TRIDIAGONAL_PIVOT_NEVER,  /* for matrices that need no pivoting, such as dominant ones */
    TRIDIAGONAL_PIVOT_ALWAYS, /* for all matrices: scaled partial pivoting */
    TRIDIAGONAL_PIVOT_AUTO    /* for all matrices: pivoting only where rows are not dominant */
};

/* The gradient of a real function L of the solution x of A x = rhs. dx is dL/dx with the x_i taken
 * as independent. The adjoint system has the conjugate transpose of A:
 *
 *     A^H drhs = dx,   dsub_i = -drhs_i conj(x_{i-1}),
 *     ddiag_i = -drhs_i conj(x_i),   dsuper_i = -drhs_i conj(x_{i+1})
 *
 * For complex types dL/dz means dL/dRe z + i dL/dIm z. Elements that have no effect have derivative
 * 0: dsub_0 and dsuper_{n-1}, unless the system is periodic. Where several systems share an element
 * of the matrix, its derivative is the sum over them. dsub, ddiag and dsuper have the sizes of sub,
 * diag and super; each may be NULL: not computed. drhs has the size of rhs and is required; it may
 * be the same array as dx. No other arrays may overlap. */
struct tridiagonal_derivatives {
    const void *dx;
    void *dsub, *ddiag, *dsuper, *drhs;
};
