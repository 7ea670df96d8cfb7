/* Timing, see timing.h. */
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A sample lasts at least this long: 10^4 times the clock's resolution and cost (about 50 ns). */
static const double SAMPLE_MS = 0.5;

struct timing timing_none(void)
{
    return (struct timing){.timer = "none"};
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Type 7 of Hyndman and Fan 1996, what R and NumPy do unasked. */
static double quantile(const double *sorted, int count, double p)
{
    double place = p * (count - 1);
    int below = (int)floor(place);
    if (below == count - 1)
        return sorted[below];
    return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
}

struct timing timing_summary(const char *timer, double *ms, int count)
{
    struct timing t = {.samples = count};
    snprintf(t.timer, sizeof t.timer, "%s", timer);
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    t.min_ms = ms[0];
    t.q1_ms = quantile(ms, count, 0.25);
    t.median_ms = quantile(ms, count, 0.5);
    t.q3_ms = quantile(ms, count, 0.75);
    return t;
}

void wait_passively(char **argv)
{
    char self[4096];
    if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 0) != 0)
        return;
    /* By its own path and not by /proc/self/exe, which would be the process's name. */
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = 0;
        execv(self, argv);
    }
}

double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double sample(void (*reset)(void *), void (*work)(void *), void *ctx, int calls)
{
    if (reset)
        reset(ctx);
    double start = clock_ms();
    for (int i = 0; i < calls; i++)
        work(ctx);
    return clock_ms() - start;
}

struct timing time_clock(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps)
{
    if (reps < 1)
        reps = 1;
    double *ms = malloc((size_t)reps * sizeof *ms);
    if (!ms)
        return timing_none();

    /* The first call is cold (page faults, caches): it may take many times what a later one takes,
     * so short work is measured again until a sample is long enough; long work is not run once
     * more. */
    double warm_up = sample(reset, work, ctx, 1);
    int calls = 1;
    if (warm_up < 100 * SAMPLE_MS)
        while (calls < 1 << 20 && sample(reset, work, ctx, calls) < SAMPLE_MS)
            calls *= 2;

    int count = 0;
    double start = clock_ms();
    while (count < reps && (count < SAMPLES_LEAST || clock_ms() - start < 1e3 * TIMING_SECONDS))
        ms[count++] = sample(reset, work, ctx, calls) / calls;

    char timer[24] = "clock";
    if (calls > 1)
        snprintf(timer, sizeof timer, "clock x%d", calls);
    struct timing t = timing_summary(timer, ms, count);
    free(ms);
    return t;
}
