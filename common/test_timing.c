/* Tests of timing.h. Quartiles must equal values computed by hand. Made-up samples must be
 * recognized as disturbed or not disturbed. time_clock() must follow its rules; rules that hold
 * only on an idle machine are not tested. */
#include "expect.h"
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* ---- made-up times ---- */

static void summary_is(double *ms, int count, double min, double q1, double median, double q3)
{
    struct timing t = timing_summary("clock", ms, count);
    EXPECT(t.samples == count && t.min_ms == min && fabs(t.q1_ms - q1) < 1e-12 &&
               fabs(t.median_ms - median) < 1e-12 && fabs(t.q3_ms - q3) < 1e-12,
           "%d of %d samples: %g %g %g %g, not %g %g %g %g", t.samples, count, t.min_ms, t.q1_ms,
           t.median_ms, t.q3_ms, min, q1, median, q3);
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

/* Samples of `calls` calls on `cores` cores, each of about `ms` milliseconds, by two threads that
 * were busy all the time. In each of the first `switched` samples a thread had to leave its core
 * `switches` times to another process. */
static const struct {
    bool disturbed;
    const char *what;
    int count, cores, calls;
    double ms;
    int switched, switches;
    double odd_ms; /* what `odd` of the samples take */
    unsigned odd;  /* a bit for each sample */
    double eighth; /* what sample 7 takes; 0: as the others */
} cases[] = {
    {false, "short, steady", 20, 1, 1, 0.5, 0, 0, 0, 0, 0},
    {false, "one long", 1, 1, 1, 4000, 0, 0, 0, 0, 0},
    /* Two processes take turns: only the switches show it, since all samples last equally. */
    {true, "ticks", 5, 1, 1, 48, 5, 12, 0, 0, 0},
    {false, "5 of 20 switched", 20, 1, 1, 0.6, 5, 1, 0, 0, 0},
    {true, "6 of 20 switched", 20, 1, 1, 0.6, 6, 1, 0, 0, 0},
    {false, "1 of 3 switched", 3, 1, 1, 0.6, 1, 1, 0, 0, 0},
    {true, "2 of 3 switched", 3, 1, 1, 0.6, 2, 1, 0, 0, 0},
    {true, "the only one switched", 1, 1, 1, 0.6, 1, 1, 0, 0, 0},
    /* In a long sample a few switches are normal: the system's own threads take the core. */
    {false, "40 switches in 8 s of two threads", 3, 1, 1, 4000, 3, 40, 0, 0, 0},
    {true, "800 switches in 8 s of two threads", 3, 1, 1, 4000, 3, 800, 0, 0, 0},
    /* A few switches at the start are normal, because threads start on the same core. */
    {false, "15 switches in 32 calls of 2 threads", 20, 2, 32, 0.6, 20, 15, 0, 0, 0},
    {true, "15 switches in 32 calls of one thread", 20, 1, 32, 0.6, 20, 15, 0, 0, 0},
    {true, "48 switches in 32 calls of 2 threads", 20, 2, 32, 0.6, 20, 48, 0, 0, 0},
    {false, "48 switches in 32 calls of 16 threads", 20, 16, 32, 0.6, 20, 48, 0, 0, 0},
    /* If other virtual machines take the core, samples take longer, but no switch is counted. */
    {false, "4 of 20 late", 20, 1, 1, 1, 0, 0, 9, 0x08421, 0},
    {true, "8 of 20 late", 20, 1, 1, 1, 0, 0, 9, 0x18c63, 0},
    {true, "twice the least", 20, 1, 1, 4, 0, 0, 0, 0, 2},
    {false, "too short for a spread", 20, 1, 1, 0.002, 0, 0, 0.006, 0x55555, 0.0005},
};

static void test_samples(void)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct timing_sample samples[20];
        double ms = cases[k].ms;
        for (int i = 0; i < cases[k].count; i++) {
            samples[i] = (struct timing_sample){ms * (1 + 0.01 * (i * 7 % 5)), 2 * ms, 0};
            if (i < cases[k].switched)
                samples[i].switches = cases[k].switches;
            if (cases[k].odd >> i & 1)
                samples[i].ms = cases[k].odd_ms;
            if (i == 7 && cases[k].eighth > 0)
                samples[i].ms = cases[k].eighth;
        }
        EXPECT(samples_disturbed(samples, cases[k].count, cases[k].calls, cases[k].cores) ==
                   cases[k].disturbed,
               "%s: not %d", cases[k].what, cases[k].disturbed);
    }
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
    for (size_t k = 0; k < sizeof core_cases / sizeof *core_cases; k++) {
        struct timing one = {.samples = 5, .median_ms = core_cases[k].one_ms},
                      more = {.samples = 5, .median_ms = core_cases[k].more_ms}, none = {0};
        double busy = core_cases[k].busy;
        int cores = core_cases[k].cores;
        EXPECT(cores_disturbed(&one, &more, busy, cores) == core_cases[k].disturbed,
               "%g ms on %d cores, of which %g were busy, %g on one", more.median_ms, cores, busy,
               one.median_ms);
        one.disturbed = true;
        EXPECT(!cores_disturbed(&one, &more, busy, cores) &&
                   !cores_disturbed(&none, &more, busy, cores) &&
                   !cores_disturbed(NULL, &more, busy, cores),
               "against a disturbed time of one core, or none");
    }
}

/* ---- jobs that are timed ---- */

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

/* The second call, which is the first sample, takes longer than a whole measurement may. */
static void slow_once(void *ctx)
{
    struct job *job = ctx;
    struct timespec pause = {.tv_nsec = 60000000 + 10000000 * job->calls};
    if (job->calls == 1)
        pause.tv_sec = TIMING_SECONDS;
    job->calls++;
    nanosleep(&pause, NULL);
}

/* Every second call takes 15 times as long as the others. */
static void in_clusters(void *ctx)
{
    struct job *job = ctx;
    nanosleep(&(struct timespec){.tv_nsec = job->calls++ % 2 ? 15000000 : 1000000}, NULL);
}

/* The first 11 calls alternate: a disturbed measurement of 10 samples, then good ones. */
static void in_clusters_at_first(void *ctx)
{
    struct job *job = ctx;
    if (job->calls < 11)
        in_clusters(job);
    else
        work(job);
}

static void nothing(void *ctx)
{
    (void)ctx;
}

#define EXPECT_TIMING(condition, what)                                                             \
    EXPECT(condition, "%s: %d samples, timer '%s', %g %g %g %g ms, %s, %d calls, %d resets", what, \
           t.samples, t.timer, t.min_ms, t.q1_ms, t.median_ms, t.q3_ms,                            \
           t.disturbed ? "disturbed" : "not disturbed", job.calls, job.resets)

/* If a call is long enough to be timed alone, a measurement consists of one or two warm-up calls
 * and one call per sample. A disturbed measurement is repeated up to two times. */
static void test_long_calls(void)
{
    struct job job = {.milliseconds = 2};
    struct timing t = time_clock(reset, work, &job, 20);
    EXPECT_TIMING(t.samples == 20 && strcmp(t.timer, "clock") == 0, "20 samples");
    EXPECT_TIMING(job.calls == job.resets && job.calls >= 21 && job.calls <= 1 + 3 * 21, "calls");
    EXPECT_TIMING(t.min_ms >= 2 && t.q1_ms >= t.min_ms && t.median_ms >= t.q1_ms &&
                      t.q3_ms >= t.median_ms,
                  "quartiles");
}

/* time_once makes one call per sample, however short the call is, and no warm-up. */
static void test_once(void)
{
    struct job job = {.milliseconds = 0.01};
    struct timing t = time_once(reset, work, &job, 10);
    EXPECT_TIMING(t.samples == 10 && strcmp(t.timer, "clock") == 0, "once");
    EXPECT_TIMING(job.calls == job.resets && job.calls % 10 == 0 && job.calls <= 30, "calls");

    /* If every measurement is disturbed, time_once makes three measurements and marks the result as
     * disturbed. If only the first measurement is disturbed, the result is not marked. A result on
     * two cores is marked, too, if it is slower than on one core. */
    job = (struct job){0};
    t = time_once(NULL, in_clusters, &job, 10);
    EXPECT_TIMING(t.disturbed && job.calls == 30, "all disturbed");
    job = (struct job){.milliseconds = 2};
    t = time_once(NULL, in_clusters_at_first, &job, 10);
    EXPECT_TIMING(job.calls >= 11 && t.samples == 10 && (t.disturbed || t.median_ms < 3),
                  "the first one disturbed");
    job = (struct job){.milliseconds = 2};
    t = time_cores(&(struct timing){.samples = 5, .median_ms = 1}, 2, true, NULL, work, &job, 10);
    EXPECT_TIMING(t.disturbed && job.calls == 30, "slower than one core");
}

/* If a call is short, a sample consists of several calls. The result is the time of one call. */
static void test_short_calls(void)
{
    struct job job = {.milliseconds = 0.01};
    struct timing t = time_clock(reset, work, &job, 10);
    int repeats = 0;
    EXPECT_TIMING(sscanf(t.timer, "clock x%d", &repeats) == 1 && repeats > 1, "several calls");
    EXPECT_TIMING(t.samples == 10 && job.resets == job.first_calls, "a reset for each sample");
    EXPECT_TIMING(job.calls_since_reset == repeats, "calls in the last sample");
    EXPECT_TIMING(t.min_ms >= 0.01 && t.min_ms < 0.5, "a call of 0.01 ms");
    t = time_clock(NULL, nothing, NULL, 3);
    EXPECT_TIMING(t.samples == 3 && t.min_ms < 0.01, "nothing");
}

static void test_slow_calls(void)
{
    /* After a first sample that takes too long there are still three, and one warm-up. */
    struct job job = {0};
    struct timing t = time_clock(NULL, slow_once, &job, 20);
    EXPECT_TIMING(t.samples == SAMPLES_LEAST && job.calls == 1 + SAMPLES_LEAST && t.disturbed,
                  "a sample of five seconds");
    /* Long calls that agree are enough, the first of which may be the warm-up. */
    EXPECT(calls_agree(LONG_MS, 1.01 * LONG_MS) && calls_agree(1.04 * 1e3, 1e3) &&
               calls_agree(VERY_LONG_MS, 1.04 * VERY_LONG_MS) && !calls_agree(1.06 * 1e3, 1e3) &&
               !calls_agree(0.98 * VERY_LONG_MS, VERY_LONG_MS) &&
               !calls_agree(1.02 * LONG_MS, LONG_MS) && !calls_agree(LONG_MS, 1.02 * LONG_MS) &&
               !calls_agree(0.99 * LONG_MS, LONG_MS) && !calls_agree(0, LONG_MS),
           "two calls that agree, or do not");
    job = (struct job){.milliseconds = 150};
    t = time_clock(NULL, work, &job, 20);
    EXPECT_TIMING((t.disturbed || (t.samples == 2 && job.calls >= 2)) && t.min_ms >= 150, "even");
    job = (struct job){.milliseconds = 60};
    t = time_clock(NULL, work, &job, 1);
    EXPECT_TIMING(t.samples == 1 && job.calls >= 2 && job.calls <= 4, "one sample");
}

/* If a call that has just run took FEW_MS, SAMPLES_LEAST samples are enough. */
static void test_calls_after(void)
{
    const struct {
        struct timing_sample before;
        int samples, least, most; /* how many samples, and calls */
    } afters[] = {
        {{FEW_MS, FEW_MS, 0}, SAMPLES_LEAST, SAMPLES_LEAST, 9},
        {{1, 1, 0}, 10, 11, 1000},
    };
    struct job job;
    struct timing t;
    for (size_t k = 0; k < sizeof afters / sizeof *afters; k++) {
        job = (struct job){.milliseconds = 2};
        t = time_cores_after(afters[k].before, NULL, 1, false, reset, work, &job, 10);
        expect_case("after %g ms", afters[k].before.ms);
        EXPECT_TIMING(t.samples == afters[k].samples && job.calls >= afters[k].least &&
                          job.calls <= afters[k].most,
                      "known");
        EXPECT_TIMING(k == 1 || job.calls % t.samples == 0, "no warm-up");
    }
    /* A long call that another process disturbed is no sample. */
    job = (struct job){.milliseconds = 60};
    t = time_cores_after((struct timing_sample){60, 60, 60}, NULL, 1, false, NULL, work, &job, 10);
    EXPECT_TIMING(job.calls >= 3 || t.disturbed, "after a disturbed call");
    job = (struct job){.milliseconds = 2};
    struct timing_sample sample = sample_of(work, &job);
    EXPECT(sample.ms >= 2 && job.calls == 1, "%g ms, %d calls", sample.ms, job.calls);
}

/* This program, started with the variable `given`, must print the policy `expected`. */
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
