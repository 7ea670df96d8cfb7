/* Solves linear recurrences of first order, w_i = s_i w_{i-1} + t_i, on the SIMD lanes and cores of
 * a CPU, in one pass over memory. The problem is the struct of recurrence.h, so a program that runs
 * on a GPU and on a CPU changes one call.
 *
 *     struct recurrence p = {.type = 'd', .length = n, .batch = 1, .s = s, .t = t, .w = w};
 *     int error = recurrence_cpu_solve(&p, cores);
 *
 * Copy: recurrence_cpu.h recurrence_problem.h recurrence_cpu.c recurrence_cpu_body.h recurrence_cpu_number.h
 * recurrence_cpu_lanes.h recurrence_cpu_channels.h recurrence_cpu_time.h recurrence_cpu_short.h recurrence_cpu_tiles.h
 * common/lanes.h
 * common/lanes_body.h.
 *
 * `carry` and `blocks` of the struct have no effect. The functions use at most `cores` OpenMP
 * threads (>= 1). They allocate and print nothing. They return 0, or -1 for invalid arguments: a
 * number out of its range, an array that is NULL or not aligned to a real number, a layout in which
 * sequences overlap, or an output that overlaps an input which it may not be. Then nothing was read
 * or written. If length or batch is 0, arrays may be NULL. */
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
