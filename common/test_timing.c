/* Quartiles against values worked out by hand, and the rules of time_clock(). Run: make test. */
#include "expect.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void summary_is(double *ms, int count, double min, double q1, double median, double q3)
{
    struct timing t = timing_summary("clock", ms, count);
    EXPECT(t.samples == count, "%d samples, not %d", t.samples, count);
    EXPECT(t.min_ms == min, "minimum of %d: %g, not %g", count, t.min_ms, min);
    EXPECT(fabs(t.q1_ms - q1) < 1e-12, "q1 of %d: %g, not %g", count, t.q1_ms, q1);
    EXPECT(fabs(t.median_ms - median) < 1e-12, "median of %d: %g, not %g", count, t.median_ms,
           median);
    EXPECT(fabs(t.q3_ms - q3) < 1e-12, "q3 of %d: %g, not %g", count, t.q3_ms, q3);
}

struct job {
    int resets, calls, calls_since_reset, first_calls;
    double milliseconds;
};

static void reset(void *ctx)
{
    struct job *job = ctx;
    job->resets++;
    job->calls_since_reset = 0;
}

static void work(void *ctx)
{
    struct job *job = ctx;
    job->calls++;
    if (job->calls_since_reset++ == 0)
        job->first_calls++;
    double start = clock_ms();
    while (clock_ms() - start < job->milliseconds)
        ;
}

/* The second call, which is the first sample, takes more than all the time there is. */
static void slow_once(void *ctx)
{
    struct job *job = ctx;
    struct timespec pause = {.tv_nsec = 60000000};
    if (job->calls == 1)
        pause.tv_sec = TIMING_SECONDS;
    job->calls++;
    nanosleep(&pause, NULL);
}

/* The wait policy that this program sees when it was started with `given`. */
static void policy_is(const char *self, const char *given, const char *expected)
{
    char command[4200], seen[64] = "";
    snprintf(command, sizeof command, "env -u OMP_WAIT_POLICY %s '%s' --policy 'two words'", given,
             self);
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(seen, sizeof seen, pipe))
        seen[0] = 0;
    EXPECT(pipe && pclose(pipe) == 0 && strcmp(seen, expected) == 0, "'%s' says '%s', not '%s'",
           command, seen, expected);
}

static void nothing(void *ctx)
{
    (void)ctx;
}

int main(int argc, char **argv)
{
    wait_passively(argv);
    if (argc == 3 && strcmp(argv[1], "--policy") == 0) {
        printf("%s, %s\n", getenv("OMP_WAIT_POLICY"), argv[2]);
        return 0;
    }
    policy_is(argv[0], "", "passive, two words\n");
    policy_is(argv[0], "OMP_WAIT_POLICY=active", "active, two words\n");

    summary_is((double[]){7}, 1, 7, 7, 7, 7);
    summary_is((double[]){3, 1}, 2, 1, 1.5, 2, 2.5);
    summary_is((double[]){4, 1, 2}, 3, 1, 1.5, 2, 3);
    summary_is((double[]){10, 1, 4, 2}, 4, 1, 1.75, 3, 5.5);
    summary_is((double[]){16, 8, 1, 2, 4}, 5, 1, 2, 4, 8);
    double twenty[20]; /* 1, 4, 9, …, 400, shuffled (7 and 20 have no common divisor) */
    for (int i = 0; i < 20; i++)
        twenty[i * 7 % 20] = (i + 1) * (i + 1);
    summary_is(twenty, 20, 1, 25 + 0.75 * 11, (100 + 121) / 2.0, 225 + 0.25 * 31);

    struct timing none = timing_none();
    EXPECT(none.samples == 0 && strcmp(none.timer, "none") == 0, "timer '%s'", none.timer);
    struct timing named = timing_summary("a name longer than its field", (double[]){1}, 1);
    EXPECT(strlen(named.timer) == sizeof named.timer - 1, "timer '%s'", named.timer);

    /* Long enough for one call a sample: a warm-up, perhaps a second one, then reps samples. */
    struct job job = {.milliseconds = 2};
    struct timing t = time_clock(reset, work, &job, 20);
    EXPECT(t.samples == 20, "%d samples", t.samples);
    EXPECT(strcmp(t.timer, "clock") == 0, "timer '%s'", t.timer);
    EXPECT(job.calls == job.resets && job.calls >= 21 && job.calls <= 22, "%d calls, %d resets",
           job.calls, job.resets);
    EXPECT(t.min_ms >= 2 && t.q1_ms >= t.min_ms && t.median_ms >= t.q1_ms && t.q3_ms >= t.median_ms,
           "%g %g %g %g", t.min_ms, t.q1_ms, t.median_ms, t.q3_ms);

    /* Short work is repeated within a sample, and a time is one call's. */
    struct job brief = {.milliseconds = 0.01};
    t = time_clock(reset, work, &brief, 10);
    int repeats = 0;
    EXPECT(sscanf(t.timer, "clock x%d", &repeats) == 1 && repeats > 1, "timer '%s'", t.timer);
    EXPECT(t.samples == 10, "%d samples", t.samples);
    EXPECT(brief.resets == brief.first_calls, "%d resets for %d samples", brief.resets,
           brief.first_calls);
    EXPECT(brief.calls_since_reset == repeats, "%d calls in the last sample, timer '%s'",
           brief.calls_since_reset, t.timer);
    EXPECT(t.min_ms >= 0.01 && t.min_ms < 0.5, "%g ms a call of 0.01 ms", t.min_ms);
    t = time_clock(NULL, nothing, NULL, 3);
    EXPECT(t.samples == 3 && t.min_ms < 0.01, "%d samples, %g ms for nothing", t.samples, t.min_ms);

    /* The time is over after one sample: three all the same. Long work has no second warm-up. */
    struct job slow = {0};
    t = time_clock(NULL, slow_once, &slow, 20);
    EXPECT(t.samples == SAMPLES_LEAST, "%d samples", t.samples);
    EXPECT(slow.calls == 1 + SAMPLES_LEAST, "%d calls", slow.calls);
    struct job once = {.milliseconds = 60};
    t = time_clock(NULL, work, &once, 1);
    EXPECT(t.samples == 1 && once.calls == 2, "%d samples, %d calls", t.samples, once.calls);
    return expect_done();
}
