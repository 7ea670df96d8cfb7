/* Declarations that the experiment (main.cu) and its tests (check.cu) share. */
#ifndef PSCHEME_GPU_MAIN_H
#define PSCHEME_GPU_MAIN_H

#include "device_program.h"
#include "problems.h"
#include "pscheme_gpu.h"

/* Indices of variants[]. The first PSCHEME_VARIANTS indices are the values of enum
 * pscheme_variant. */
enum { TRIDIAGONAL_BLOCK = PSCHEME_VARIANTS, TRIDIAGONAL, SERIAL, CUB, CUSPARSE };
extern const struct variant variants[];

/* All arrays of the program. Each is large enough for the largest n and P of the run, in float and
 * in double. */
struct problem {
    struct memory memory;
    void *w, *products; /* problem B: arrays on the device, in the layout */
    void *natural;      /* device: the result in natural order */
    void *host;         /* copy of natural in main memory: w_0..w_n or x */
    /* Problem A: the type, the number of rows and the arrays of the system that make_system has
     * made. Index 0 is diag, index 1 is off, index 2 is rhs. host_in is in main memory in natural
     * order. `in` is on the device in natural order. `laid` is on the device in the layout. */
    char type;
    int64_t n;
    void *host_in[3], *in[3], *laid[3];
    void *x, *work; /* on the device: the solution in the layout, and the workspace */
    long long *status;
};

/* Allocates the arrays for n unknowns in at most `parts` parts. Exits with status 3 if there is not
 * enough memory. */
void allocate(struct problem *b, int64_t n, int64_t parts);

/* ---- problem B ---- */

struct pscheme_recurrence plan_recurrence(struct problem *b, int variant, char type, int64_t n,
                                          int blocks, int threads);

/* Fills w and the products with NaN, solves the problem, copies the result to `natural` and `host`,
 * and verifies it. */
struct verdict solve_recurrence(struct problem *b, const struct pscheme_recurrence *r);

/* Copies w_1..w_n from `natural` to `host` and verifies them. */
struct verdict verify_natural(struct problem *b, char type, int64_t n);

/* ---- problem A ---- */

/* Makes a system of n rows of this kind in main memory and copies it to the device. */
void make_system(struct problem *b, enum tridiagonal_kind kind, char type, uint64_t seed,
                 int64_t n);

/* Copies host_in to the device. A test calls this after it has changed host_in. */
void upload_system(struct problem *b);

struct pscheme_tridiagonal plan_tridiagonal(struct problem *b, bool rearranged, int blocks,
                                            int threads);

/* Fills the workspace and the results with NaN, solves the system, and stores the result of the
 * verification in *verdict. Returns 0 if all pivots are good. Otherwise it returns the row of a bad
 * pivot, and *verdict has no meaning. */
long long solve_tridiagonal(struct problem *b, const struct pscheme_tridiagonal *t,
                            struct verdict *verdict);

int check(const struct options *o);

#endif
