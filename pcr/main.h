/* What the experiment (main.cu) and its tests (check.cu) share. */
#ifndef PCR_MAIN_H
#define PCR_MAIN_H

#include "device_program.h"
#include "pcr.h"

/* Device: s, t, w, w in natural order, workspace. Host: w_0..w_n, and s and t for the
 * verification. */
struct problem {
    struct memory memory;
    void *s, *t, *w, *natural, *work;
    void *host, *host_s, *host_t;
};

/* For n + 1 <= elements. Exits with status 3 where there is not enough memory. */
void allocate(struct problem *b, int64_t elements);

/* Copies host_s and host_t to the device. */
void upload(struct problem *b, char type, int64_t n);

/* W12 problem B: constant coefficients, as arrays on host and device. */
void make_constant(struct problem *b, char type, int64_t n);

struct pcr plan_pcr(struct problem *b, char type, int64_t n, int blocks, int threads);

/* Solves on poisoned memory and verifies. */
struct verdict solve_pcr(struct problem *b, const struct pcr *p);

int check(const struct options *o);

#endif
