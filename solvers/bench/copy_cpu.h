/* The ceiling of solvers on CPU cores: a copy of one array from memory to memory. */
#pragma once

#include "systems.h"

#include <omp.h>
#include <string.h>

/* Copies an array; each core copies a part of it. */
static inline void copy_by_cores(void *to, const void *from, size_t bytes, int cores)
{
#pragma omp parallel num_threads(cores) if (cores > 1)
    {
        size_t all = (size_t)omp_get_num_threads(), core = (size_t)omp_get_thread_num();
        size_t begin = bytes * core / all, end = bytes * (core + 1) / all;
        memcpy((char *)to + begin, (const char *)from + begin, end - begin);
    }
}

/* Times a copy of sub (s->host[0]) to x on `cores` cores and adds a row to the results. The
 * solution in x is no longer needed. */
static inline struct timing copy_row(struct results *results, const struct systems *s, int cores,
                                     const struct timing *one, int reps)
{
    size_t bytes = systems_bytes(s);
    memset(s->host_x, 0, bytes);
    copy_by_cores(s->host_x, s->host[0], bytes, cores);
    struct verdict verdict = {.ok = memcmp(s->host_x, s->host[0], bytes) == 0};
    const int64_t batch = s->batch > 1 ? s->batch : 0;
    struct row row = cpu_row("copy_cpu", s->type, s->n, batch, cores, 2, verdict);
    return record_cores(results, row, one, reps,
                        [&] { copy_by_cores(s->host_x, s->host[0], bytes, cores); });
}
