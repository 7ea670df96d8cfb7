/* The experiment with tridiagonal_cpu.h: the solver and a copy, on one CPU core and on several. */
#ifndef TRIDIAGONAL_CPU_BENCH_H
#define TRIDIAGONAL_CPU_BENCH_H

#include "systems.h"

/* Adds the rows `nshape_lanes` and `copy_cpu` on one core and, if `cores` > 1, also on `cores`
 * cores. The system is in s->host. s->host_x is overwritten. `units`: the bound on the backward
 * error of a row, in units of roundoff. */
void tridiagonal_cpu_bench(struct results *results, const struct systems *s, int cores,
                           double units, int reps);

#endif
