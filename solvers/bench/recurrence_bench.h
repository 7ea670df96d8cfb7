/* What the program recurrence (recurrence.cu) runs. */
#pragma once

#include "options.h"
#include "results.h"

#include <stdint.h>

/* Indices of recurrence_variants[]. */
enum {
    RECURRENCE_ONE_PASS,
    RECURRENCE_ONE_WARP,
    RECURRENCE_BATCH,
    RECURRENCE_CHANNELS,
    RECURRENCE_SERIAL,
    RECURRENCE_PACKED,
    RECURRENCE_ARRAYS,
    RECURRENCE_CUB_SCAN,
    RECURRENCE_CPU,
    RECURRENCE_CPU_CHANNELS,
    RECURRENCE_CPU_GRADIENT
};

/* The experiments on CPU cores: verify and time the chosen variants for all types and sizes. */
void recurrence_cpu_rows(struct results *results, const struct program *program,
                         const struct options *o);

/* The tests of solvers/recurrence.h (test/recurrence.cu) and of solvers/recurrence_cpu.h
 * (test/recurrence_cpu.cu). EXPECT (expect.h) counts and reports failures. If `all` is true, the
 * tests that take long on the CPU device run, too. */
void recurrence_check(uint64_t seed, bool all);
void recurrence_cpu_check(uint64_t seed);
void recurrence_layouts_check(uint64_t seed); /* recurrence.h with arrays (outer, length, inner) */
