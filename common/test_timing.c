/* Tests of timing.h. Quartiles must equal values computed by hand. Made-up samples must be
 * recognized as disturbed or not disturbed. time_clock() must follow its rules; rules that hold
 * only on an idle machine are not tested. Run: make test. */
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

static struct timing_sample made_up[20];

/* Fills made_up with `count` samples of about `ms` milliseconds each. They describe two threads
 * that were busy all the time, and from which no other process took a core. */
static void make_up(int count, double ms)
{
    for (int i = 0; i < count; i++)
        made_up[i] = (struct timing_sample){ms * (1 + 0.01 * (i * 7 % 5)), 2 * ms, 0};
}

static void judged_on(int cores, int calls, int count, bool disturbed, const char *what)
{
    EXPECT(samples_disturbed(made_up, count, calls, cores) == disturbed, "%s: %s", what,
           disturbed ? "taken as good" : "taken as disturbed");
}

static void judged(int count, bool disturbed, const char *what)
{
    judged_on(1, 1, count, disturbed, what);
}

/* Each case has `count` samples of `ms` milliseconds. In each of the first `switched` samples there
 * were `switches` switches. A switch means that a thread had to leave its core to another
 * process. */
static const struct {
    int count;
    double ms;
    int switched, switches, cores, calls;
    bool disturbed;
    const char *what;
} switch_cases[] = {
    {20, 0.5, 0, 0, 1, 1, false, "short, steady"},
    {1, 4000, 0, 0, 1, 1, false, "one long"},
    /* Two processes take turns on one core. Every sample lasts equally many time slices of the
     * scheduler, so median and quartiles agree. Only the switches show that the samples are
     * disturbed. */
    {5, 48, 5, 12, 1, 1, true, "ticks"},
    {20, 0.6, 5, 1, 1, 1, false, "5 of 20 switched"},
    {20, 0.6, 6, 1, 1, 1, true, "6 of 20 switched"},
    {3, 0.6, 1, 1, 1, 1, false, "1 of 3 switched"},
    {3, 0.6, 2, 1, 1, 1, true, "2 of 3 switched"},
    {1, 0.6, 1, 1, 1, 1, true, "the only one switched"},
    /* In a long sample a few switches are normal, because the system's own threads take the core
     * now and then. */
    {3, 4000, 3, 40, 1, 1, false, "40 switches in 8 s of two threads"},
    {3, 4000, 3, 800, 1, 1, true, "800 switches in 8 s of two threads"},
    /* A few switches are also normal if threads start on the same core, because the system soon
     * moves one of them to another core. Many switches show that the threads stay on one core. */
    {20, 0.6, 20, 15, 2, 32, false, "15 switches in 32 calls of 2 threads"},
    {20, 0.6, 20, 15, 1, 32, true, "15 switches in 32 calls of one thread"},
    {20, 0.6, 20, 48, 2, 32, true, "48 switches in 32 calls of 2 threads"},
    {20, 0.6, 20, 48, 16, 32, false, "48 switches in 32 calls of 16 threads"},
};

static void test_samples(void)
{
    for (size_t k = 0; k < sizeof switch_cases / sizeof *switch_cases; k++) {
        make_up(switch_cases[k].count, switch_cases[k].ms);
        for (int i = 0; i < switch_cases[k].switched; i++)
            made_up[i].switches = switch_cases[k].switches;
        judged_on(switch_cases[k].cores, switch_cases[k].calls, switch_cases[k].count,
                  switch_cases[k].disturbed, switch_cases[k].what);
    }

    /* If other virtual machines on the same host take the core, samples take longer, but no switch
     * is counted. */
    make_up(20, 1);
    for (int i = 0; i < 4; i++)
        made_up[5 * i].ms = 9;
    judged(20, false, "4 of 20 late");
    for (int i = 0; i < 4; i++)
        made_up[5 * i + 1].ms = 9;
    judged(20, true, "8 of 20 late");
    make_up(20, 4);
    made_up[7].ms = 2;
    judged(20, true, "twice the least");
    make_up(20, 0.002);
    made_up[7].ms = 0.0005;
    for (int i = 0; i < 20; i += 2)
        made_up[i].ms = 0.006;
    judged(20, false, "too short for their spread to say anything");
}

static void cores_judged(double one_ms, double more_ms, double busy, int cores, bool disturbed)
{
    struct timing one = {.samples = 5, .median_ms = one_ms},
                  more = {.samples = 5, .median_ms = more_ms};
    EXPECT(cores_disturbed(&one, &more, busy, cores) == disturbed,
           "%g ms on %d cores, of which %g were busy, %g on one", more_ms, cores, busy, one_ms);
    one.disturbed = true;
    EXPECT(!cores_disturbed(&one, &more, busy, cores), "against a disturbed time of one core");
    EXPECT(!cores_disturbed(&(struct timing){.timer = "none"}, &more, busy, cores),
           "against no time");
    EXPECT(!cores_disturbed(NULL, &more, busy, cores), "against nothing");
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

/* A job whose second call is very slow. The first call is the warm-up, and the second call is the
 * first sample. This sample alone takes longer than a whole measurement may take. No two calls
 * agree. */
static void slow_once(void *ctx)
{
    struct job *job = ctx;
    struct timespec pause = {.tv_nsec = 60000000 + 10000000 * job->calls};
    if (job->calls == 1)
        pause.tv_sec = TIMING_SECONDS;
    job->calls++;
    nanosleep(&pause, NULL);
}

/* A job of which every second call takes 15 times as long as the others. */
static void in_clusters(void *ctx)
{
    struct job *job = ctx;
    nanosleep(&(struct timespec){.tv_nsec = job->calls++ % 2 ? 15000000 : 1000000}, NULL);
}

/* A job whose first 11 calls alternate as in in_clusters, so the first measurement of 10 samples is
 * disturbed. Later measurements are not disturbed. */
static void in_clusters_at_first(void *ctx)
{
    struct job *job = ctx;
    if (job->calls < 11)
        in_clusters(job);
    else
        work(job);
}

/* Starts this program again with the environment variable `given`. The new process must print the
 * wait policy `expected`. */
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

/* Is a time on several cores disturbed, beside one on one core? */
static const struct {
    double one_ms, more_ms, busy;
    int cores;
    bool disturbed;
} core_cases[] = {
    {0.2, 48, 2, 2, true},      {10, 13, 2, 2, true}, {10, 12, 2, 2, false},
    {0.003, 0.35, 1, 2, false}, /* the start of threads explains the difference */
    {0.003, 0.25, 1, 1, true},  {10, 10, 1, 2, true}, /* busy = 1: both threads shared one core */
    {10, 5.5, 1.8, 2, false},
};

static void test_cores(void)
{
    for (size_t k = 0; k < sizeof core_cases / sizeof *core_cases; k++)
        cores_judged(core_cases[k].one_ms, core_cases[k].more_ms, core_cases[k].busy,
                     core_cases[k].cores, core_cases[k].disturbed);
}

static void test_summaries(void)
{
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
}

static void test_long_calls(void)
{
    /* If a call is long enough to be timed alone, a measurement consists of one or two warm-up
     * calls and one call per sample. If other processes disturb the measurement, it is repeated up
     * to two times. */
    struct job job = {.milliseconds = 2};
    struct timing t = time_clock(reset, work, &job, 20);
    EXPECT(t.samples == 20, "%d samples", t.samples);
    EXPECT(strcmp(t.timer, "clock") == 0, "timer '%s'", t.timer);
    EXPECT(job.calls == job.resets && job.calls >= 21 && job.calls <= 1 + 3 * 21,
           "%d calls, %d resets", job.calls, job.resets);
    EXPECT(t.min_ms >= 2 && t.q1_ms >= t.min_ms && t.median_ms >= t.q1_ms && t.q3_ms >= t.median_ms,
           "%g %g %g %g", t.min_ms, t.q1_ms, t.median_ms, t.q3_ms);
}

static void test_once(void)
{
    /* time_once makes one call per sample, however short the call is, and no warm-up. */
    struct job single = {.milliseconds = 0.01};
    struct timing t = time_once(reset, work, &single, 10);
    EXPECT(t.samples == 10 && strcmp(t.timer, "clock") == 0, "%d samples, timer '%s'", t.samples,
           t.timer);
    EXPECT(single.calls == single.resets && single.calls % 10 == 0 && single.calls <= 30,
           "%d calls, %d resets", single.calls, single.resets);

    /* If every measurement is disturbed, time_once makes three measurements and marks the result as
     * disturbed. If only the first measurement is disturbed, the result is not marked. A result on
     * two cores is marked, too, if it is slower than on one core. */
    struct job late = {0};
    t = time_once(NULL, in_clusters, &late, 10);
    EXPECT(t.disturbed && late.calls == 30, "%d calls, %s", late.calls,
           t.disturbed ? "disturbed" : "not disturbed");
    struct job later = {.milliseconds = 2};
    t = time_once(NULL, in_clusters_at_first, &later, 10);
    EXPECT(later.calls >= 11 && t.samples == 10 && (t.disturbed || t.median_ms < 3),
           "%d calls, %g ms, %s", later.calls, t.median_ms,
           t.disturbed ? "disturbed" : "not disturbed");
    struct job slower = {.milliseconds = 2};
    t = time_cores(&(struct timing){.samples = 5, .median_ms = 1}, 2, true, NULL, work, &slower,
                   10);
    EXPECT(t.disturbed && slower.calls == 30, "%d calls slower than one core's, %s", slower.calls,
           t.disturbed ? "disturbed" : "not disturbed");
}

static void test_short_calls(void)
{
    /* If a call is short, a sample consists of several calls. The result is still the time of one
     * call. */
    struct job brief = {.milliseconds = 0.01};
    struct timing t = time_clock(reset, work, &brief, 10);
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
}

static void test_slow_calls(void)
{
    /* The first sample takes more time than a measurement may take, but time_clock still takes
     * three samples. If a call is long, there is no second warm-up. */
    struct job slow = {0};
    struct timing t = time_clock(NULL, slow_once, &slow, 20);
    EXPECT(t.samples == SAMPLES_LEAST, "%d samples", t.samples);
    EXPECT(slow.calls == 1 + SAMPLES_LEAST && t.disturbed, "%d calls, not repeated", slow.calls);
    /* Long calls that agree are enough, the first of which may be the warm-up. */
    EXPECT(calls_agree(LONG_MS, 1.01 * LONG_MS) && calls_agree(1.04 * 1e3, 1e3) &&
               calls_agree(VERY_LONG_MS, 1.04 * VERY_LONG_MS) && !calls_agree(1.06 * 1e3, 1e3) &&
               !calls_agree(0.98 * VERY_LONG_MS, VERY_LONG_MS) &&
               !calls_agree(1.02 * LONG_MS, LONG_MS) && !calls_agree(LONG_MS, 1.02 * LONG_MS) &&
               !calls_agree(0.99 * LONG_MS, LONG_MS) && !calls_agree(0, LONG_MS),
           "two calls that agree, or do not");
    struct job even = {.milliseconds = 150};
    t = time_clock(NULL, work, &even, 20);
    EXPECT(t.disturbed || (t.samples == 2 && even.calls >= 2), "%d samples, %d calls", t.samples,
           even.calls);
    EXPECT(t.min_ms >= 150, "%g ms", t.min_ms);
    struct job once = {.milliseconds = 60};
    t = time_clock(NULL, work, &once, 1);
    EXPECT(t.samples == 1 && once.calls >= 2 && once.calls <= 4, "%d samples, %d calls", t.samples,
           once.calls);
}

static void test_calls_after(void)
{
    /* A call that has just run is the only sample if it took a second, but not if it was disturbed
     * or slower than on one core. If it took a quarter of a second, three samples are enough. */
    struct job known = {.milliseconds = 2};
    struct timing_sample second = {ONCE_MS, ONCE_MS, 0}, switched = {ONCE_MS, ONCE_MS, ONCE_MS},
                         quarter = {ONCE_MS / 4, ONCE_MS / 4, 0}, brief_one = {1, 1, 0};
    struct timing t = time_cores_after(second, NULL, 1, true, reset, work, &known, 10);
    EXPECT(t.samples == 1 && t.median_ms == ONCE_MS && !t.disturbed && known.calls == 0,
           "%d samples, %g ms, %d calls after a call of a second", t.samples, t.median_ms,
           known.calls);
    t = time_cores_after(switched, NULL, 1, true, reset, work, &known, 10);
    EXPECT(t.samples == 10 && known.calls % 10 == 0 && known.calls <= 30,
           "%d samples, %d calls after a disturbed one", t.samples, known.calls);
    t = time_cores_after(second, &(struct timing){.samples = 1, .median_ms = ONCE_MS / 2}, 2, true,
                         NULL, work, &known, 5);
    EXPECT(t.samples == 5, "%d samples after a call slower than on one core", t.samples);
    struct job few = {.milliseconds = 2};
    t = time_cores_after(quarter, NULL, 1, false, NULL, work, &few, 10);
    EXPECT(t.samples == SAMPLES_LEAST && few.calls % SAMPLES_LEAST == 0,
           "%d samples, %d calls after a quarter of a second", t.samples, few.calls);
    struct job all = {.milliseconds = 2};
    t = time_cores_after(brief_one, NULL, 1, false, NULL, work, &all, 10);
    EXPECT(t.samples == 10 && all.calls > 10, "%d samples, %d calls after a brief one", t.samples,
           all.calls);
    struct job sampled = {.milliseconds = 2};
    struct timing_sample one = sample_of(work, &sampled);
    EXPECT(one.ms >= 2 && sampled.calls == 1, "%g ms, %d calls", one.ms, sampled.calls);
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
    test_samples();
    test_cores();
    test_summaries();
    test_long_calls();
    test_once();
    test_short_calls();
    test_slow_calls();
    test_calls_after();
    return expect_done();
}
