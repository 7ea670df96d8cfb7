/* What the experiment (main.cu) and its tests (check.cu) share. */
#ifndef NSHAPE_MAIN_H
#define NSHAPE_MAIN_H

#include "device_program.h"
#include "nshape.h"
#include "systems.h"

/* Indices of variants[]. */
enum {
    EXTRA_ELEMENTS,
    ATOMIC,
    CORES,
    COMPLEX_TYPE,
    BY_MODEL,
    THOMAS_GPU,
    THOMAS_CPU,
    LANES,
    LAPACK_GTSV,
    CUSPARSE,
    CUSPARSE_NOPIVOT,
    TRIDIAGONAL,
    TRIDIAGONAL_PIVOTED,
    ACCURACY
};
extern const struct variant variants[];

/* Bound on the backward error of a row, in units of roundoff u. The method is Gaussian elimination
 * of a permuted matrix: the rows inside the blocks come first, the joint lines last. It keeps
 * diagonal dominance, so the error is at most 4u |L||U| with |L||U| <= 3|A| (Higham, Accuracy and
 * Stability of Numerical Algorithms, 9.5-9.6). That makes 12; 4 are to spare. */
static const double ERROR_UNITS = 16;

/* One system, which `system` keeps, and the copy of it that the method destroys. */
struct problem {
    struct memory memory;
    struct systems system;
    void *matrix[SYSTEM_ARRAYS], *work; /* device */
    long long *status;
    int64_t *joints;
    void *cpu_matrix[SYSTEM_ARRAYS], *cpu_work; /* host */
    long long cpu_status;
};

/* For systems of at most n rows, cut into at most `parts` blocks, in at most `nest`
 * applications. */
void allocate(struct problem *p, char type, int64_t n, int64_t parts, int nest);

void make_system(struct problem *p, enum system kind, uint64_t seed, int64_t n);

/* True for the variants that run on CPU cores. */
bool on_cores(int variant);

/* `nest` applications of the method, the first with `parts` blocks, each with the same share of the
 * blocks of the one before (L22 eq. 8). nest = 0: Thomas. */
struct nshape plan(struct problem *p, int variant, int64_t parts, int nest, int threads);

/* A fresh copy of the system for a solver that destroys its arrays. */
cudaError_t restore(const struct problem *p, cudaStream_t stream);
void restore_cpu(const struct problem *p);

/* Solve on poisoned memory; x comes to system.host_x. Gives the status. `cores` is for the variants
 * on CPU cores alone. */
long long solve_poisoned(struct problem *p, const struct nshape *s, int variant, int cores);

struct verdict verdict_of(const struct problem *p);

int check(const struct options *o);

#endif
