/* Declarations that the experiment (main.cu) and its tests (check.cu) share. */
#pragma once

#include "device_program.h"
#include "problems.h"
#include "pscheme_gpu.h"

/* Indices of variants[], which begin with the values of enum pscheme_variant. */
enum { TRIDIAGONAL_BLOCK = PSCHEME_VARIANTS, TRIDIAGONAL, SERIAL, CUB, CUSPARSE };
extern const struct variant variants[];

/* The arrays, large enough for the largest n and P of the run in both types. */
struct problem {
    struct memory memory;
    void *w, *products; /* problem B: arrays on the device, in the layout */
    void *natural;      /* device: the result in natural order */
    void *host;         /* copy of natural in main memory: w_0..w_n or x */
    /* Problem A: the system of make_system, of n rows. Index 0 is diag, 1 off, 2 rhs. host_in is in
     * main memory and `in` on the device, both in natural order; `laid` is on the device in the
     * layout. */
    char type;
    int64_t n;
    void *host_in[3], *in[3], *laid[3];
    void *x, *work; /* on the device: the solution in the layout, and the workspace */
    long long *status;
};

/* For n unknowns in at most `parts` parts. Exits with status 3 if there is too little memory. */
void allocate(struct problem *b, int64_t n, int64_t parts);

/* ---- problem B ---- */

struct pscheme_recurrence plan_recurrence(struct problem *b, int variant, char type, int64_t n,
                                          int blocks, int threads);

/* Solves the problem into arrays of NaN, copies w to `natural` and `host`, and verifies it. */
struct verdict solve_recurrence(struct problem *b, const struct pscheme_recurrence *r);

/* Copies w_1..w_n from `natural` to `host` and verifies them. */
struct verdict verify_natural(struct problem *b, char type, int64_t n);

/* ---- problem A ---- */

/* Makes a system of this kind in main memory and on the device. */
void make_system(struct problem *b, enum tridiagonal_kind kind, char type, uint64_t seed,
                 int64_t n);

/* Copies host_in, which a test may have changed, to the device. */
void upload_system(struct problem *b);

struct pscheme_tridiagonal plan_tridiagonal(struct problem *b, bool rearranged, int blocks,
                                            int threads);

/* Solves the system into arrays of NaN and verifies x. Returns 0, or the row of a bad pivot; then
 * *verdict has no meaning. */
long long solve_tridiagonal(struct problem *b, const struct pscheme_tridiagonal *t,
                            struct verdict *verdict);

int check(const struct options *o);
