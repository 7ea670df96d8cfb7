/* Declarations that the experiment (main.cu) and its tests (check.cu) share. */
#ifndef PCR_MAIN_H
#define PCR_MAIN_H

#include "device_program.h"
#include "pcr.h"

/* The arrays of the program. On the device: s, t, w, `natural` (the w of P-scheme in natural order)
 * and the workspace. On the host: w_0..w_n, and the s and t with which results are verified. */
struct problem {
    struct memory memory;
    void *s, *t, *w, *natural, *work;
    void *host, *host_s, *host_t;
};

/* Allocates arrays for every n with n + 1 <= elements. Exits with status 3 if there is not enough
 * memory. */
void allocate(struct problem *b, int64_t elements);

/* Copies host_s and host_t to the device. */
void upload(struct problem *b, char type, int64_t n);

/* Makes the inputs of W12 problem B: constant coefficients, as arrays on the host and on the
 * device. */
void make_constant(struct problem *b, char type, int64_t n);

struct pcr plan_pcr(struct problem *b, char type, int64_t n, int blocks, int threads);

/* Fills the arrays with NaN, solves and verifies. */
struct verdict solve_pcr(struct problem *b, const struct pcr *p);

int check(const struct options *o);

#endif
