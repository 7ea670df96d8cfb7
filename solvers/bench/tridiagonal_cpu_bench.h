/* The experiment with tridiagonal_cpu.h: the solver and a copy on one CPU core and on all. */
#ifndef TRIDIAGONAL_CPU_BENCH_H
#define TRIDIAGONAL_CPU_BENCH_H

#include "systems.h"

/* Adds the rows `nshape_lanes` and `copy_cpu`, each on one core and, if that is more, on `cores`.
 * The system is in s->host, x goes to s->host_x. `units`: the bound on the backward error of a row,
 * in units of roundoff. */
void tridiagonal_cpu_bench(struct results *results, const struct systems *s, int cores,
                           double units, int reps);

#endif
