/* Time as a distribution: one warm-up, then `reps` samples or as many as fit into five seconds (at
 * least three); median and quartiles, never a mean, because the machines that run this are shared. */
#ifndef TIMING_H
#define TIMING_H

#ifdef __cplusplus
extern "C" {
#endif

struct timing {
    char timer[24]; /* what was read: "clock", "clock x8" (8 calls a sample), "events", "graph x32";
                       "none" when nothing was timed */
    int samples;
    double median_ms, q1_ms, q3_ms, min_ms; /* milliseconds a call */
};

enum { REPS_DEFAULT = 20, SAMPLES_LEAST = 3, TIMING_SECONDS = 5 };

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

/* Wall clock in milliseconds from an arbitrary origin (CLOCK_MONOTONIC). */
double clock_ms(void);

/* Time work(ctx) by the wall clock. reset(ctx) runs before each sample outside the timed region
 * (NULL: none). Work shorter than the clock resolves well is called several times in a sample, with
 * no reset between the calls, and the timer's name says how often. */
struct timing time_clock(void (*reset)(void *ctx), void (*work)(void *ctx), void *ctx, int reps);

#ifdef __cplusplus
}
#endif
#endif
