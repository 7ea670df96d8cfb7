/* Timing. A measurement is one warm-up call and then `reps` samples. After five seconds no
 * further samples are taken if there are at least three. If two successive long calls agree, they
 * are the samples, and no more are taken (calls_agree). The result is the median and the
 * quartiles, not a mean, because on a shared machine a few samples may be far too long. If other
 * load disturbed a measurement, it is repeated. If every repetition is disturbed, too, the
 * result is the fastest measurement, marked as disturbed. */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timing {
    /* How the time was measured: "clock"; "clock x8" (a sample is 8 calls); "events"; "graph x32";
     * "none" if nothing was timed. */
    char timer[24];
    int samples;
    double median_ms, q1_ms, q3_ms, min_ms; /* milliseconds per call */
    bool disturbed;                         /* true: other load made the times useless */
};

/* One sample: its time by the clock, the processor time of all threads together, and how many times
 * the system took the core from one of these threads to give it to another (ru_nivcsw of
 * getrusage). */
struct timing_sample {
    double ms, cpu_ms;
    long switches;
};

enum { REPS_DEFAULT = 20, SAMPLES_LEAST = 3, TIMING_SECONDS = 5, REPEATS_MOST = 2 };

/* A program's main() calls this first (device_main does so). If the environment variable
 * OMP_WAIT_POLICY is not set, this function sets it to passive and starts the program again,
 * because OpenMP reads the variable before main().
 *
 * Passive waiting matters if there are more threads than free cores. A thread that spins while it
 * waits keeps the core from the thread that it waits for. The measured time would then depend on
 * the scheduler and not on the program. */
void wait_passively(char **argv);

/* Returns the result of a measurement that was not made: zero samples, timer "none". */
struct timing timing_none(void);

/* Returns median and quartiles of ms[0..count-1], by linear interpolation between the sorted
 * values. count >= 1. Sorts ms in place. */
struct timing timing_summary(const char *timer, double *ms, int count);

/* Returns the processor time and the switches of this process since it started. The member ms is
 * 0. */
struct timing_sample timing_usage(void);

/* Returns whether these samples show that other load disturbed them. Each sample is `calls` calls
 * of work on `cores` cores. Sorts the samples by ms. count >= 1. */
bool samples_disturbed(struct timing_sample *samples, int count, int calls, int cores);

/* Returns whether other load disturbed the time `more` of work on `cores` cores. `one` is the time
 * of the same work on one core. The answer is yes in two cases:
 *
 * 1. `more` is longer than `one` by more than noise and the start of the threads explain.
 *
 * 2. Only about one core was at work at a time, because other processes had the others. `busy`
 * shows this: it is processor time divided by elapsed time. This case applies only to work that
 * takes much longer than the start of the threads.
 *
 * The answer is no if `one` is NULL, has no samples or is disturbed itself. */
bool cores_disturbed(const struct timing *one, const struct timing *more, double busy, int cores);

/* Returns whether two successive calls of the same work, which took `before` and `ms` milliseconds,
 * make further calls needless: both take at least LONG_MS, and their times differ by at most 1%.
 * Neither other load nor a first call with cold caches then shows in them. So a warm-up may be
 * `before`. If both take at least VERY_LONG_MS, 5% are enough: the quartiles show how far they are
 * apart, and a third call would move the median by at most 2.5%. */
enum { LONG_MS = 20, VERY_LONG_MS = 500 };
bool calls_agree(double before, double ms);

/* A call that took ONCE_MS or more is its own and only sample, since a longer call varies less. */
enum { ONCE_MS = 1000 };

/* Returns milliseconds since a fixed time in the past (CLOCK_MONOTONIC). */
double clock_ms(void);

/* Times work(ctx) by the clock. reset(ctx) (NULL: none) runs before each sample, outside the timed
 * region. If one call is too short for the clock, a sample consists of several calls without reset
 * between them, and the timer's name contains their number. */
struct timing time_clock(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

/* Times work that needs its reset before each call. Unlike in time_clock, a sample is always one
 * call, and there is no warm-up. */
struct timing time_once(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

/* Times work on `cores` cores as time_clock does, or as time_once does if `once` is true. Then
 * cores_disturbed compares the result with `one`, the time of the same work on one core, which may
 * be NULL. */
struct timing time_cores(const struct timing *one, int cores, bool once, void (*reset)(void *ctx),
                         void (*work)(void *ctx), void *ctx, int reps);

/* The same for work that has just run, usually because its result was verified. `before` is the
 * sample of that call, from sample_of. It is the warm-up if it is long enough. If it took
 * ONCE_MS / 4 or more, SAMPLES_LEAST samples are enough. If it took ONCE_MS or more and other load
 * did not disturb it, it is the only sample. */
struct timing time_cores_after(struct timing_sample before, const struct timing *one, int cores,
                               bool once, void (*reset)(void *), void (*work)(void *), void *ctx,
                               int reps);

/* Calls work(ctx). Returns the time of this call. */
struct timing_sample sample_of(void (*work)(void *ctx), void *ctx);

#ifdef __cplusplus
}
#endif
#endif
