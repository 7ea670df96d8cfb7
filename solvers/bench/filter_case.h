/* Filters for the experiments and tests of solvers/filter.h: making them, running them on the
 * device, and verifying the results in main memory. */
#pragma once

#include "device_program.h"
#include "filter.h"

/* A filter and its arrays on the device (in p) and, with the prefix host_, in main memory. */
struct filter_case {
    struct memory memory;
    struct filter p;
    double coefficients[FILTER_STATES_MOST * 4];
    void *host_x, *host_y, *host_zi, *host_zf;
    void *x, *y, *zi, *zf; /* aligned arrays; those of p may be moved by up to 3 elements */
    void *work;            /* workspace of `bytes` bytes, prepared */
    size_t bytes;
};

/* Allocates the arrays of p, whose coefficients and input the caller then writes. Exits if there is
 * too little memory. Free it by memory_free. */
void filter_case_open(struct filter_case *c, struct filter p);

/* The same with random coefficients, x and zi, these in [-1, 1). The distance of the poles from the
 * unit circle is 1 to 2 times 1 - radius. */
void filter_case_begin(struct filter_case *c, struct filter p, double radius, uint64_t seed);

/* Makes it the low-pass of Butterworth of order 2 sections, whose cutoff is this part of the
 * sampling frequency; the order of the sections is 2. */
void filter_case_low_pass(struct filter_case *c, double cutoff);

/* Copies host_x and host_zi to the device. */
void filter_case_upload(struct filter_case *c);

/* Fills the outputs with NaN unless they replace an input, runs the solver, fetches the outputs and
 * verifies them. */
struct verdict filter_case_solve(struct filter_case *c);

/* What a user would write: host_y = the filter of host_x, one sequence, from states of zero. It has
 * four sections of order 2, or one of order 1, 2, 4 or 8. */
void filter_case_serial(const struct filter_case *c);

/* Compares host_y and host_zf of sequences [first, last) with a loop in higher precision.
 *
 * The bound in filter.h assumes that all errors add up. Here their signs are taken to be random:
 * allowed are 4 times the largest error so far of the loop in the type of the elements, plus u M (G
 * (P + 1) (4 + sqrt(length / 34)) + 64), where M is the largest of x and the outputs of all
 * sections so far, G the growth of a state, and P filter_growth(). With carry_in_double u is 2^-53
 * here, no error of the loop is added, but 2^-23 M for the rounding of the outputs. */
struct verdict filter_case_verdict(const struct filter_case *c, int64_t first, int64_t last);

/* The tests of solvers/filter.h (test/filter.cu) and of solvers/filter_cpu.h (test/filter_cpu.cu).
 * If `all` is true, those that take long on the CPU device run, too. */
void filter_check(uint64_t seed, bool all);
void filter_cpu_check(uint64_t seed);
