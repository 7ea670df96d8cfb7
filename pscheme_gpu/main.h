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

/* All arrays, with the size that the largest n and P need. Their elements are large enough for both
 * types. */
struct problem {
    struct memory memory;
    void *w, *products; /* problem B, in the layout */
    void *natural;      /* device: the result in natural order */
    void *host;         /* copy of natural in main memory: w_0..w_n or x */
    /* Problem A: the system that make_system has made. The three arrays are diag, off and rhs.
     * host_in: in natural order in main memory; in: in natural order on the device; laid: in the
     * layout on the device. */
    char type;
    int64_t n;
    void *host_in[3], *in[3], *laid[3];
    void *x, *work; /* on the device, in the layout */
    long long *status;
};

/* Exits with status 3 if there is not enough memory. */
void allocate(struct problem *b, int64_t n, int64_t parts);

/* ---- problem B ---- */

struct pscheme_recurrence plan_recurrence(struct problem *b, int variant, char type, int64_t n,
                                          int blocks, int threads);

/* Fills the arrays with NaN, solves, and verifies the result, which is then in `natural` and
 * `host`. */
struct verdict solve_recurrence(struct problem *b, const struct pscheme_recurrence *r);

/* Verifies w_1..w_n of `natural`. */
struct verdict verify_natural(struct problem *b, char type, int64_t n);

/* ---- problem A ---- */

/* Makes a system of n rows in main memory and on the device. */
void make_system(struct problem *b, enum tridiagonal_kind kind, char type, uint64_t seed,
                 int64_t n);

/* Copies host_in to the device. A test calls this after it has changed host_in. */
void upload_system(struct problem *b);

struct pscheme_tridiagonal plan_tridiagonal(struct problem *b, bool rearranged, int blocks,
                                            int threads);

/* Fills the arrays with NaN, solves and verifies. Returns the row of a bad pivot, or 0. If there is
 * a bad pivot, the verdict has no meaning. */
long long solve_tridiagonal(struct problem *b, const struct pscheme_tridiagonal *t,
                            struct verdict *verdict);

int check(const struct options *o);

#endif
