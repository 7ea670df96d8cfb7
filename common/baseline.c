/* The serial solver of problem B, the baseline of its speed-ups (baseline.h). */
#include "baseline.h"
#include "problems.h"

#include <stdlib.h>

struct substitution {
    char type;
    int64_t n;
    void *w; /* n + 1 elements: w_0..w_n */
};

/* w_i = scale w_{i-1} + offset. Each step waits for the result of the step before. */
static void substitute(void *ctx)
{
    const struct substitution *run = ctx;
    if (run->type == 's') {
        const float scale = (float)RECURRENCE_SCALE, offset = (float)RECURRENCE_OFFSET;
        float *w = run->w;
        w[0] = (float)RECURRENCE_W0;
        for (int64_t i = 1; i <= run->n; i++)
            w[i] = scale * w[i - 1] + offset;
    } else {
        double *w = run->w;
        w[0] = RECURRENCE_W0;
        for (int64_t i = 1; i <= run->n; i++)
            w[i] = RECURRENCE_SCALE * w[i - 1] + RECURRENCE_OFFSET;
    }
}

void baseline_row(struct results *results, char type, int64_t n, int reps)
{
    struct row row = {.variant = "serial",
                      .type = type,
                      .n = n,
                      .cores = 1,
                      .phase = "total",
                      .device = cpu_name(),
                      .bytes = (double)n * size_of(type)};
    struct substitution run = {type, n, malloc((size_t)(n + 1) * (size_t)size_of(type))};
    if (!run.w) {
        row.status = "no memory";
        results_add(results, &row);
        return;
    }
    substitute(&run);
    double scale, offset; /* put() stores a float or a double in them */
    put(type, &scale, 0, RECURRENCE_SCALE);
    put(type, &offset, 0, RECURRENCE_OFFSET);
    struct verdict verdict =
        verify_recurrence(type, n, RECURRENCE_W0, &scale, 0, &offset, 0, run.w);
    row.error = verdict.error;
    row.status = verdict_status(verdict);
    row.time = time_clock(NULL, substitute, &run, reps);
    results_add(results, &row);
    free(run.w);
}
