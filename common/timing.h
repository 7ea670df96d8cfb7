/* Timing. A measurement is one warm-up and then `reps` samples, or as many as fit into five
 * seconds, at least three. It gives median and quartiles, never a mean: on a shared machine a few
 * samples may be far too long. A measurement that other load disturbed is repeated; if every repeat
 * is disturbed, too, the best one is marked so. */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timing {
    /* How it was measured: "clock", "clock x8" (8 calls a sample), "events", "graph x32"; "none" if
     * nothing was timed. */
    char timer[24];
    int samples;
    double median_ms, q1_ms, q3_ms, min_ms; /* milliseconds a call */
    bool disturbed;                         /* by other load: the numbers are of no use */
};

/* One sample: its time by the clock, the processor time of all threads, and how often one of these
 * threads had to leave its core to another process (ru_nivcsw of getrusage). */
struct timing_sample {
    double ms, cpu_ms;
    long switches;
};

enum { REPS_DEFAULT = 20, SAMPLES_LEAST = 3, TIMING_SECONDS = 5, REPEATS_MOST = 2 };

/* To be called first in main(). Unless OMP_WAIT_POLICY is set, it sets it to passive and starts the
 * program again, since OpenMP reads the variable before main(). Why: with more threads than free
 * cores, a thread that spins while it waits keeps the core from the thread that it waits for, and
 * one measures the scheduler. */
void wait_passively(char **argv);

/* No measurement: zero samples, timer "none". */
struct timing timing_none(void);

/* Median and quartiles of ms[0..count-1], by linear interpolation between order statistics; count
 * >= 1. Sorts ms in place. */
struct timing timing_summary(const char *timer, double *ms, int count);

/* Processor time and switches of this process so far; ms is 0. */
struct timing_sample timing_usage(void);

/* Do these samples show that other load disturbed them? Each is of `calls` calls of work on `cores`
 * cores. Sorts them by ms. count >= 1. */
bool samples_disturbed(struct timing_sample *samples, int count, int calls, int cores);

/* Does the time `more` of `cores` cores, compared with the time `one` of the same work on one core,
 * show that other load disturbed it? It does if it is longer by more than noise and the start of
 * the threads explain. It also does if only one core was at work at a time, because others had the
 * rest; `busy` is processor time divided by time, and counts only for work that is long beside the
 * threads' start. False if `one` is NULL, has no samples or is disturbed itself. */
bool cores_disturbed(const struct timing *one, const struct timing *more, double busy, int cores);

/* Milliseconds since some fixed time (CLOCK_MONOTONIC). */
double clock_ms(void);

/* Times work(ctx) by the clock. reset(ctx) runs before each sample, outside the timed region (NULL:
 * none). If one call is too short for the clock, a sample is several calls, with no reset between
 * them, and the timer's name says how many. */
struct timing time_clock(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

/* For work that needs its reset before each call: as time_clock, but a sample is always one call,
 * and there is no warm-up. */
struct timing time_once(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

/* time_clock (time_once if `once`) of work on `cores` cores. cores_disturbed compares it with
 * `one`. */
struct timing time_cores(const struct timing *one, int cores, bool once, void (*reset)(void *ctx),
                         void (*work)(void *ctx), void *ctx, int reps);

#ifdef __cplusplus
}
#endif
#endif
