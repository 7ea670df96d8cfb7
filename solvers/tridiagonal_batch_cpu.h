/* Solves many tridiagonal systems on the SIMD lanes and cores of a CPU. The problem is the struct
 * of tridiagonal_batch.h, so a program that runs on a GPU and on a CPU changes one call. Each lane
 * solves a system, and the cores share the systems.
 *
 *     struct tridiagonal_batch b = {.type = 'd', .n = n, .batch = batch, .sub = sub, .diag = diag,
 *                                   .super = super, .rhs = rhs, .x = x, .status = status,
 *                                   .pivot = TRIDIAGONAL_PIVOT_AUTO};
 *     b.work = aligned_alloc(64, tridiagonal_batch_cpu_work(&b, cores));
 *     long long broken = tridiagonal_batch_cpu_solve(&b, cores);
 *
 * Copy: tridiagonal_batch_cpu.h tridiagonal_batch_problem.h tridiagonal_problem.h
 * tridiagonal_batch_cpu.c tridiagonal_batch_cpu_body.h tridiagonal_batch_cpu_rows.h
 * tridiagonal_batch_cpu_plain.h tridiagonal_batch_cpu_squares.h tridiagonal_batch_cpu_pivoted.h
 * tridiagonal_batch_cpu_panels.h tridiagonal_batch_cpu_groups.h tridiagonal_batch_cpu_number.h
 * common/lanes.h common/lanes_body.h.
 * Compile with gcc or clang, -O3 -march=native -fopenmp; with -std=c11 (not gnu11) add
 * -ffp-contract=fast, because gcc otherwise forms no fused multiply-adds.
 *
 * All members of the struct have the meaning that they have on a GPU, but systems of different
 * lengths (`offset`) may be of any length. The functions use at most `cores` OpenMP threads (>= 1).
 * They allocate and print nothing. */
#pragma once

#include "tridiagonal_batch_problem.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bytes of b->work, a multiple of 64, for a solve and for a gradient; 0 for invalid
 * arguments. Pointers in *b are ignored, but for `offset` being NULL or not. */
size_t tridiagonal_batch_cpu_work(const struct tridiagonal_batch *b, int cores);

/* Returns the number of systems whose status is not 0, or -1 for invalid arguments: those that
 * tridiagonal_batch_solve() refuses. Then nothing was read or written. */
long long tridiagonal_batch_cpu_solve(const struct tridiagonal_batch *b, int cores);

/* Computes the gradient of a real function L of x (tridiagonal_problem.h). *b must have the members
 * with which tridiagonal_batch_cpu_solve() was called, and b->x must hold its result. b->x is read,
 * and so is b->rhs if crank_nicolson is set. b->status and the result are those of the adjoint
 * systems. */
long long tridiagonal_batch_cpu_gradient(const struct tridiagonal_batch *b,
                                         const struct tridiagonal_derivatives *d, int cores);

#ifdef __cplusplus
}
#endif
