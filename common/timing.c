/* Timing by the clock, and the detection of other load on the machine (timing.h). */
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const double SAMPLE_MS = 0.5; /* at least, 10^4 times the clock's resolution */

struct timing timing_none(void)
{
    return (struct timing){.timer = "none"};
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quantile p of `count` records of `size` bytes, sorted by the double with which each begins:
 * type 7 of Hyndman and Fan 1996, the default of R and NumPy. */
static double quantile(const void *sorted, size_t size, int count, double p)
{
    double place = p * (count - 1);
    int below = (int)floor(place);
    const double *at = (const double *)((const char *)sorted + size * (size_t)below);
    if (below == count - 1)
        return *at;
    return *at + (place - below) * (*(const double *)((const char *)at + size) - *at);
}

/* All samples of this process, if they are kept. */
static double *kept;
static int kept_count;

/* Returns 1 + the index of the first of these samples there, or 0 if they are not kept. */
static int keep_samples(const double *ms, int count)
{
    double *more =
        getenv("SAMPLES_FILE") ? realloc(kept, (size_t)(kept_count + count) * sizeof *kept) : NULL;
    if (!more)
        return 0;
    kept = more;
    memcpy(kept + kept_count, ms, (size_t)count * sizeof *ms);
    kept_count += count;
    return kept_count - count + 1;
}

const double *timing_samples(const struct timing *t)
{
    return t->kept > 0 ? kept + t->kept - 1 : NULL;
}

struct timing timing_summary(const char *timer, double *ms, int count)
{
    struct timing t = {.samples = count, .kept = keep_samples(ms, count)};
    snprintf(t.timer, sizeof t.timer, "%s", timer);
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    t.min_ms = ms[0];
    t.q1_ms = quantile(ms, sizeof *ms, count, 0.25);
    t.median_ms = quantile(ms, sizeof *ms, count, 0.5);
    t.q3_ms = quantile(ms, sizeof *ms, count, 0.75);
    return t;
}

void wait_passively(char **argv)
{
    char self[4096];
    if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 0) != 0)
        return;
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

struct timing_sample timing_usage(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    double microseconds = (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    return (struct timing_sample){0, 1e3 * seconds + 1e-3 * microseconds, usage.ru_nivcsw};
}

/* In undisturbed samples the third quartile is at most SPREAD_MOST times the first, and the median
 * that of the smallest sample, plus SPREAD_MS for the noise of very short samples. */
static const double SPREAD_MOST = 1.5, SPREAD_MS = 0.1;

/* On an idle machine the system takes a core from a busy thread less often; another process that
 * wants the same core takes it every few milliseconds. */
static const double MS_OF_SWITCH = 20;

/* New threads may take a core from each other until the system moves them to free cores: at most
 * this often in a call, for each thread but the first. If another process occupies a core, they do
 * so more often, in every parallel region. */
static const double SWITCHES_OF_START = 0.5;

/* START_MS: the start of a thread and its waits in a call take less. The others: the thresholds of
 * cores_disturbed. */
static const double START_MS = 0.2, SLOWER_MOST = 1.25, BUSY_LEAST = 1.25;

bool samples_disturbed(struct timing_sample *samples, int count, int calls, int cores)
{
    int switched = 0;
    double of_start = SWITCHES_OF_START * (cores - 1) * calls;
    for (int i = 0; i < count; i++)
        switched += (double)samples[i].switches >
                    of_start + fmin(samples[i].ms, samples[i].cpu_ms) / MS_OF_SWITCH;
    qsort(samples, (size_t)count, sizeof *samples, ascending); /* sorts by ms, the first member */
    double least = samples[0].ms, median = quantile(samples, sizeof *samples, count, 0.5),
           q1 = quantile(samples, sizeof *samples, count, 0.25),
           q3 = quantile(samples, sizeof *samples, count, 0.75);
    /* Median and quartiles are right if up to a quarter of the samples are disturbed. */
    return 4 * switched > count + 1 || q3 > SPREAD_MOST * q1 + SPREAD_MS ||
           median > SPREAD_MOST * least + SPREAD_MS;
}

bool cores_disturbed(const struct timing *one, const struct timing *more, double busy, int cores)
{
    if (!one || one->samples == 0 || one->disturbed)
        return false;
    double start = START_MS * cores;
    return more->median_ms > SLOWER_MOST * one->median_ms + start ||
           (cores > 1 && one->median_ms > start && busy < BUSY_LEAST);
}

bool calls_agree(double before, double ms)
{
    double share = before >= VERY_LONG_MS && ms >= VERY_LONG_MS ? 0.05 : 0.01;
    return before >= LONG_MS && ms >= LONG_MS && fabs(ms - before) <= share * ms;
}

static struct timing_sample take_sample(void (*reset)(void *), void (*work)(void *), void *ctx,
                                        int calls)
{
    if (reset)
        reset(ctx);
    struct timing_sample before = timing_usage(), after;
    double start = clock_ms();
    for (int i = 0; i < calls; i++)
        work(ctx);
    double ms = clock_ms() - start;
    after = timing_usage();
    return (struct timing_sample){ms, after.cpu_ms - before.cpu_ms,
                                  after.switches - before.switches};
}

/* Makes one measurement. `before` is a long warm-up, or its ms is 0. `samples` and `ms` are
 * workspaces for `reps` samples. *busy: see cores_disturbed. */
static struct timing measure(int cores, bool once, struct timing_sample before,
                             void (*reset)(void *), void (*work)(void *), void *ctx, int reps,
                             struct timing_sample *samples, double *ms, double *busy)
{
    int calls = 1, count = 0;
    while (!once && calls < 1 << 20 && take_sample(reset, work, ctx, calls).ms < SAMPLE_MS)
        calls *= 2;
    double start = clock_ms();
    while (count < reps && (count < SAMPLES_LEAST || clock_ms() - start < 1e3 * TIMING_SECONDS)) {
        struct timing_sample sample = take_sample(reset, work, ctx, calls);
        if (calls == 1 && reps > 1 && calls_agree(before.ms, sample.ms)) {
            samples[0] = before;
            samples[1] = sample;
            count = 2;
            break;
        }
        samples[count++] = before = sample;
    }
    double all_ms = 0, all_cpu_ms = 0;
    for (int i = 0; i < count; i++) {
        ms[i] = samples[i].ms / calls;
        all_ms += samples[i].ms;
        all_cpu_ms += samples[i].cpu_ms;
    }
    *busy = all_cpu_ms / all_ms;

    char timer[24] = "clock";
    if (calls > 1)
        snprintf(timer, sizeof timer, "clock x%d", calls);
    struct timing t = timing_summary(timer, ms, count);
    t.disturbed = samples_disturbed(samples, count, calls, cores);
    return t;
}

struct timing_sample sample_of(void (*work)(void *ctx), void *ctx)
{
    return take_sample(NULL, work, ctx, 1);
}

struct timing time_cores_after(struct timing_sample before, const struct timing *one, int cores,
                               bool once, void (*reset)(void *), void (*work)(void *), void *ctx,
                               int reps)
{
    if (before.ms >= FEW_MS && reps > SAMPLES_LEAST)
        reps = SAMPLES_LEAST;
    if (reps < 1)
        reps = 1;
    struct timing_sample *samples = malloc((size_t)reps * sizeof *samples);
    double *ms = malloc((size_t)reps * sizeof *ms);
    struct timing best = timing_none();
    double start = clock_ms();
    /* The first call takes longer than later ones. So measure() finds by trial how many calls a
     * sample needs, unless the first call is much longer than a sample. */
    struct timing_sample warm_up = before;
    if (!once && warm_up.ms < 100 * SAMPLE_MS)
        warm_up = take_sample(reset, work, ctx, 1);
    bool is_long = warm_up.ms >= 100 * SAMPLE_MS;
    for (int i = 0; samples && ms && i <= REPEATS_MOST; i++) {
        double busy;
        struct timing_sample before = {0};
        if (i == 0 && is_long)
            before = warm_up;
        struct timing t =
            measure(cores, once || is_long, before, reset, work, ctx, reps, samples, ms, &busy);
        t.disturbed = t.disturbed || cores_disturbed(one, &t, busy, cores);
        if (i == 0 || !t.disturbed || t.median_ms < best.median_ms)
            best = t;
        if (!t.disturbed || clock_ms() - start > 1e3 * TIMING_SECONDS)
            break;
    }
    free(samples);
    free(ms);
    return best;
}

struct timing time_cores(const struct timing *one, int cores, bool once, void (*reset)(void *),
                         void (*work)(void *), void *ctx, int reps)
{
    return time_cores_after((struct timing_sample){0}, one, cores, once, reset, work, ctx, reps);
}

struct timing time_clock(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps)
{
    return time_cores(NULL, 1, false, reset, work, ctx, reps);
}

struct timing time_once(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps)
{
    return time_cores(NULL, 1, true, reset, work, ctx, reps);
}
