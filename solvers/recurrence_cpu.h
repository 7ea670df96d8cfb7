/* Solves linear recurrences of first order, w_i = s_i w_{i-1} + t_i, on the SIMD lanes and cores of
 * a CPU, in one pass over memory. The problem is the struct of recurrence.h, so a program that runs
 * on a GPU and on a CPU changes one call. recurrence_cpu.md explains the method.
 *
 *     struct recurrence p = {.type = 'd', .length = n, .batch = 1, .s = s, .t = t, .w = w};
 *     int error = recurrence_cpu_solve(&p, cores);
 *
 * Copy: recurrence_cpu.h recurrence_problem.h recurrence_cpu.c recurrence_cpu_body.h
 * recurrence_cpu_number.h recurrence_cpu_lanes.h recurrence_cpu_channels.h recurrence_cpu_time.h
 * recurrence_cpu_short.h recurrence_cpu_tiles.h recurrence_cpu_half.h half.h common/lanes.h
 * common/lanes_body.h. Compile with gcc or clang, -O3 -march=native -fopenmp. Without -fopenmp
 * everything runs on one core; with -std=c11 (not gnu11) add -ffp-contract=fast, because gcc
 * otherwise forms no fused multiply-adds.
 *
 * `carry` and `blocks` of the struct have no effect. The functions use at most `cores` OpenMP
 * threads (>= 1), and 220 KB of the stack of each. They allocate and print nothing. They return 0,
 * or -1 for invalid arguments: a number out of its range, an array that is NULL or not aligned to a
 * real number, a layout in which sequences overlap, offsets that do not ascend from 0 to length, or
 * an output that overlaps an input which it may not be. Then nothing was written. If length or
 * batch is 0, arrays may be NULL, but not `offset` of packed sequences; an array dw0 gets their
 * zeros.
 *
 * The result depends on the shape of the call, of packed sequences on all offsets, and on the
 * vector length of the build, not on the number of cores.
 *
 * Types 'h' (IEEE half) and 'b' (bfloat16) have 16 bits in memory, and are computed in single
 * precision. w_i is rounded to them, to nearest even, when it is stored, not where it goes on to
 * w_{i+1}. One core computes a whole sequence, and up to 255 sequences that lie side by side, so a
 * single long sequence of these types keeps one core busy, however many there are.
 *
 * Rounding error. Let u be the unit roundoff, 2^-24 or 2^-53, and B_i the running bound: B_0 =
 * |w_0|, B_i = |s_i| B_{i-1} + |t_i|. With fused multiply-adds (AVX2, AVX-512, NEON) |w_i -
 * exact_i| <= (i + 8) u B_i + O(u^2) for the i-th element of a sequence, twice that for complex
 * types, and twice that without fused multiply-adds. The serial loop has i instead of i + 8: a
 * product of m factors s is rounded m - 1 times, and its product with w, added to a sum of t, once;
 * the compositions of a vector of 16 lanes add 4 roundings of t, composing two vectors, the value
 * before a tile and its carry one each, and the first element one. For integers the result is exact
 * as long as all composed products and sums are below 2^24 or 2^53. The same bound holds for dt,
 * with i counted from the end of the sequence and dw in place of t; the products ds and dw0 are
 * rounded once more. In 'h' and 'b' it is that of single precision with i + 16 instead of i + 8,
 * plus v |w_i|, v = 2^-11 or 2^-8, and for 'h' at least 2^-25. A w_i beyond their range is
 * infinity.
 *
 * NaN, and infinity in t or w_0, reach the same elements as in the serial loop, as long as no
 * product of up to 32 consecutive s and no sum of up to 32 composed t overflows, and no product
 * underflows. (A constant s of which such a product overflows is solved by the serial loop, one
 * element after the other. Longer products may overflow: such a tile is computed again, in order.
 * In complex types a component may be NaN where the loop has infinity, or the other way round.) An
 * infinite s_i may give NaN where the loop gives infinity. NaN and infinity never reach another
 * sequence.
 *
 * A product of consecutive s, in long sequences of up to 32 KiB of them, that falls below the
 * smallest normal number loses digits or becomes 0. So if w becomes tiny beside earlier values and
 * grows again by later s alone, it may be wrong. Nothing is flushed to 0. */
#pragma once

#include "recurrence_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

int recurrence_cpu_solve(const struct recurrence *p, int cores);

/* The gradient, with the arguments and formulas of recurrence_gradient() in recurrence.h; ds, dt
 * and dw have the layout of w, dw0 has `batch` elements. */
int recurrence_cpu_gradient(const struct recurrence *p, const void *dw, void *ds, void *dt,
                            void *dw0, int cores);

#ifdef __cplusplus
}
#endif
