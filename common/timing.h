/* Timing: one warm-up call, then `reps` samples; after five seconds it stops early if there are
 * three. If two successive long calls agree, they are the samples (calls_agree). The result is
 * the median and the quartiles. A measurement that other load disturbed is repeated. If every
 * repetition is disturbed, too, the result is the fastest one, marked as disturbed. */
#pragma once

#include <stdbool.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

struct timing {
    /* How the time was measured: "clock"; "clock x8" (a sample is 8 calls); "events"; "graph x32";
     * "none" if nothing was timed. */
    char timer[24];
    int samples;
    double median_ms, q1_ms, q3_ms, min_ms; /* milliseconds per call */
    bool disturbed;                         /* true: other load made the times useless */
    int kept;                               /* for timing_samples; 0: not kept */
};

/* One sample: its time by the clock, the processor time of all threads, and how often the system
 * took the core from one of them (ru_nivcsw of getrusage). */
struct timing_sample {
    double ms, cpu_ms;
    long switches;
};

enum { REPS_DEFAULT = 20, SAMPLES_LEAST = 3, TIMING_SECONDS = 5, REPEATS_MOST = 2 };

/* A program's main() calls this first (device_main does so). Unless the environment variable
 * OMP_WAIT_POLICY is set, it is set to passive and the program starts again, because OpenMP reads
 * it before main(). A thread that spins while it waits would keep a core from the thread that it
 * waits for. */
void wait_passively(char **argv);

/* The result of a measurement that was not made: zero samples, timer "none". */
struct timing timing_none(void);

/* Median and quartiles of ms[0..count-1], count >= 1, by linear interpolation. Sorts ms. */
struct timing timing_summary(const char *timer, double *ms, int count);

/* The samples of a summary in the order in which they were taken, milliseconds per call, or NULL.
 * They are kept only if the environment variable SAMPLES_FILE is set. */
const double *timing_samples(const struct timing *t);

/* The processor time and the switches of this process since it started; ms is 0. */
struct timing_sample timing_usage(void);

/* Do these samples, each of `calls` calls of work on `cores` cores, show that other load disturbed
 * them? Sorts them by ms. count >= 1. */
bool samples_disturbed(struct timing_sample *samples, int count, int calls, int cores);

/* Did other load disturb the time `more` of work on `cores` cores, of which `one` is the time on
 * one core? It did if `more` is longer than `one` by more than noise and the start of the threads
 * explain, or if only about one core was at work at a time: `busy`, the processor time over the
 * elapsed time, shows that for work that takes much longer than the start of the threads. The
 * answer is no if `one` is NULL, has no samples or is disturbed itself. */
bool cores_disturbed(const struct timing *one, const struct timing *more, double busy, int cores);

/* Two successive calls of the same work, of `before` and `ms` milliseconds, make further ones
 * needless: both take at least LONG_MS, and they differ by at most 1%. Neither other load nor cold
 * caches show in them, so a warm-up may be `before`. If both take at least VERY_LONG_MS, 5% are
 * enough: a third call would move the median by at most 2.5%. */
enum { LONG_MS = 20, VERY_LONG_MS = 500 };
bool calls_agree(double before, double ms);

/* If a call takes FEW_MS or more, SAMPLES_LEAST samples are enough. */
enum { FEW_MS = 250 };

/* Milliseconds since a fixed time in the past (CLOCK_MONOTONIC). */
double clock_ms(void);

/* Times work(ctx) by the clock. reset(ctx) (NULL: none) runs before each sample and is not timed.
 * If a call is too short for the clock, a sample is several calls without reset between them; the
 * timer's name contains their number. */
struct timing time_clock(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

/* For work that needs its reset before each call: a sample is one call, and there is no warm-up. */
struct timing time_once(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

/* Times work on `cores` cores like time_clock or, if `once` is true, time_once. Then
 * cores_disturbed compares the result with `one`. */
struct timing time_cores(const struct timing *one, int cores, bool once, void (*reset)(void *ctx),
                         void (*work)(void *ctx), void *ctx, int reps);

/* The same for work that has just run. `before` is the sample of that call, from sample_of: the
 * warm-up if it is long enough. From FEW_MS on SAMPLES_LEAST samples are enough. */
struct timing time_cores_after(struct timing_sample before, const struct timing *one, int cores,
                               bool once, void (*reset)(void *), void (*work)(void *), void *ctx,
                               int reps);

/* Calls work(ctx) and returns its time. */
struct timing_sample sample_of(void (*work)(void *ctx), void *ctx);

__END_DECLS
