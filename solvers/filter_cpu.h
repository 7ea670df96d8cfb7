/* Digital filters on the SIMD lanes and cores of a CPU: scipy.signal.lfilter of order 1 to 8, and
 * scipy.signal.sosfilt of up to 4 sections. The problem is the struct of filter.h, so a program
 * that runs on a GPU and on a CPU changes one call. filter_cpu.md explains the method.
 *
 *     struct filter p = {.type = 'd', .length = n, .batch = 1, .sections = 1, .order = 2,
 *                        .coefficients = (const double[]){1, 0, 0, 1, -1.5, 0.7}, .x = x, .y = y};
 *     int error = filter_cpu_solve(&p, cores);
 *
 * Copy: filter_cpu.h filter_problem.h filter_cpu.c filter_cpu_body.h filter_powers.h common/lanes.h
 * common/lanes_body.h. Compile with gcc or clang, -O3 -march=native -fopenmp. Without -fopenmp
 * everything runs on one core; with -std=c11 (not gnu11) add -ffp-contract=fast, because gcc
 * otherwise forms no fused multiply-adds.
 *
 * The function uses at most `cores` OpenMP threads (>= 1), and 100 KB of the stack of each. A
 * sequence is filtered by one core. It allocates and prints nothing, and returns 0, or -1 for
 * invalid arguments: a number out of its range, an array that is NULL or not aligned to its
 * elements, a coefficient that filter_problem.h does not allow. Then nothing was written.
 * If length or batch is 0, arrays may be NULL.
 *
 * The result depends on the shape of the call and on the vector length of the build, not on the
 * number of cores. NaN and infinity stay in their sequence, as in filter.h.
 *
 * Rounding error. Of as many sequences as a vector has lanes, each is computed as by the serial
 * loop. The lanes of a vector that share a sequence have L elements each, L = 16 to 256, and the
 * state between them is carried by A^L. That adds no more than the serial loop has: L is taken only
 * if (S + 2) (P + 1) <= L, where S is the number of states and P the maximum norm of A^L (filter.h
 * has the bound). If no L is, the loop is serial. So no filter is refused, also an unstable one is
 * as exact as in the serial loop. With carry_in_double all is computed in double precision, and y
 * and zf are rounded once. */
#pragma once

#include "filter_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

int filter_cpu_solve(const struct filter *p, int cores);

#ifdef __cplusplus
}
#endif
