/* Declarations that the experiment (main.cu) and its tests (check.cu) share. */
#pragma once

#include "device_program.h"
#include "pcr.h"

/* The arrays. `natural` receives the w of P-scheme in natural order; `host` receives w_0..w_n. */
struct problem {
    struct memory memory;
    void *s, *t, *w, *natural, *work;
    void *host, *host_s, *host_t;
};

/* Allocates all arrays for n + 1 <= elements, or exits with status 3. */
void allocate(struct problem *b, int64_t elements);

/* Copies host_s and host_t to the device. */
void upload(struct problem *b, char type, int64_t n);

/* Fills in the constant coefficients of W12 problem B and uploads them. */
void make_constant(struct problem *b, char type, int64_t n);

struct pcr plan_pcr(struct problem *b, char type, int64_t n, int blocks, int threads);

/* Fills w and the workspace with NaN, solves the recurrence by pcr_after_cr, and verifies w. */
struct verdict solve_pcr(struct problem *b, const struct pcr *p, int64_t left);

/* In the order of the table `variants`. */
enum { PCR, CR, CR_PCR, PSCHEME };

/* How many unknowns a variant's CR leaves. CR_PCR: one for each thread; with fewer, threads would
 * idle in a step. */
int64_t left_of(int variant, int blocks, int threads);

int check(const struct options *o);
