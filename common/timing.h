/* Time as a distribution: one warm-up, then `reps` samples or as many as fit into five seconds (at
 * least three); median and quartiles, never a mean, because the machines that run this are shared.
 * A measurement that other load disturbed is repeated, and marked if none was undisturbed. */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timing {
    char timer[24]; /* what was read: "clock", "clock x8" (8 calls a sample), "events", "graph x32";
                       "none" when nothing was timed */
    int samples;
    double median_ms, q1_ms, q3_ms, min_ms; /* milliseconds a call */
    bool disturbed; /* by other load, which its samples show: the numbers are of no use */
};

/* What one sample took, by the clock and of all threads' processor time, and how often one of these
 * threads had to leave its core to another process (ru_nivcsw of getrusage). */
struct timing_sample {
    double ms, cpu_ms;
    long switches;
};

enum { REPS_DEFAULT = 20, SAMPLES_LEAST = 3, TIMING_SECONDS = 5, REPEATS_MOST = 2 };

/* Call it first in main(). Unless OMP_WAIT_POLICY is set, sets it to passive and starts the program
 * again, as OpenMP reads it before main(): a thread that spins while it waits keeps its core from
 * the thread that it waits for wherever anything else runs, and times become those of the
 * scheduler's ticks. */
void wait_passively(char **argv);

/* Nothing timed: zero samples, timer "none". */
struct timing timing_none(void);

/* Median and quartiles (linear interpolation between order statistics) of ms[0..count-1], count >=
 * 1; sorts ms in place. */
struct timing timing_summary(const char *timer, double *ms, int count);

/* What this process has spent so far; ms is 0. */
struct timing_sample timing_usage(void);

/* Do the samples, each of `calls` calls of work on `cores` cores, show that other load disturbed
 * them? Sorts them. count >= 1. */
bool samples_disturbed(struct timing_sample *samples, int count, int calls, int cores);

/* Are `cores` cores slower than one is with the same work, by more than noise and their start can
 * make? Or were no more than one at work at a time, since others had the rest: `busy` is processor
 * time over time, where the work is long beside the start. Not if `one` is NULL, was not timed, or
 * is disturbed itself. */
bool cores_disturbed(const struct timing *one, const struct timing *more, double busy, int cores);

/* Wall clock in milliseconds from an arbitrary origin (CLOCK_MONOTONIC). */
double clock_ms(void);

/* Time work(ctx) by the wall clock. reset(ctx) runs before each sample outside the timed region
 * (NULL: none). Work shorter than the clock resolves well is called several times in a sample, with
 * no reset between the calls, and the timer's name says how often. */
struct timing time_clock(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

/* As time_clock, but one call a sample whatever it lasts, for work that needs its reset each time,
 * and no warm-up. */
struct timing time_once(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

/* time_clock, or time_once if `once`, of work on `cores` cores, which is disturbed, too, if it is
 * slower than `one`, see cores_disturbed. */
struct timing time_cores(const struct timing *one, int cores, bool once, void (*reset)(void *ctx),
                         void (*work)(void *ctx), void *ctx, int reps);

#ifdef __cplusplus
}
#endif
#endif
