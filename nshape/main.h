/* Declarations that the experiment (main.cu) and its tests (check.cu) share. */
#pragma once

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
    LAPACK_GTSV,
    CUSPARSE,
    CUSPARSE_NOPIVOT,
    TRIDIAGONAL
};
extern const struct variant variants[];

/* Bound on the backward error of a row, in units of roundoff u. The method is Gaussian elimination
 * of a permuted dominant matrix: at most 4u |L||U|, |L||U| <= 3|A| (Higham, Accuracy and Stability
 * of Numerical Algorithms, 9.5-9.6), so 12 u. We allow 16 u. */
static const double ERROR_UNITS = 16;

/* A system, and a copy of it that the method destroys. */
struct problem {
    struct memory memory;
    struct systems system; /* the given system, on the host and on the device */
    /* device memory: the copy, and the arrays that struct nshape points to */
    void *matrix[SYSTEM_ARRAYS], *work;
    long long *status;
    int64_t *joints;
    void *cpu_matrix[SYSTEM_ARRAYS], *cpu_work; /* host memory, for the variants on CPU cores */
    long long cpu_status;
    struct timing_sample solved; /* the last solution by solve_poisoned; only ms for the device */
};

/* Allocates memory for at most n rows, `parts` blocks and `nest` applications. */
void allocate(struct problem *p, char type, int64_t n, int64_t parts, int nest);

/* True for the variants that run on CPU cores. */
bool on_cores(int variant);

/* A plan with the pointers of p. Each application divides the number of blocks by the same factor
 * (L22 eq. 8). nest = 0: Thomas. */
struct nshape plan(struct problem *p, int variant, int64_t parts, int nest, int threads);

/* Copies the system again to the arrays that the solver destroys, on the device or on the host. */
cudaError_t restore(const struct problem *p, cudaStream_t stream);
void restore_cpu(const struct problem *p);

/* Fills x and the workspace with NaN, solves by s, copies x to system.host_x, returns the
 * status. */
long long solve_poisoned(struct problem *p, const struct nshape *s, int variant, int cores);

/* nshape_solve() with cuda::std::complex (CPU builds: std::complex) for types 'c' and 'z'. */
extern "C" cudaError_t nshape_complex_type(const struct nshape *s, cudaStream_t stream);

/* divisions.cu (L22 2, 4, 5.4). divisions_run() writes PREFIX_divisions.csv: n, parts (blocks),
 * nest; the divisions of all blocks (parallel), of RS (serial) and of Thomas; its multiplications,
 * but those by an inverse, and its additions; the elements of memory, in double complex. Returns an
 * exit status. */
void divisions_check(void);
int divisions_run(const char *csv_prefix);

/* The Schroedinger equation, tdse/. tdse_run() writes PREFIX_free.csv, _harmonic, _barrier, _laser,
 * _midinfrared (not if quick), the _harmonics of both, _convergence, _hydrogen, _plane, and _steps
 * (times, in the schema of results.h); no file if csv_prefix is NULL. Returns an exit status. */
void tdse_check(void);
int tdse_run(const char *csv_prefix, bool quick);

int check(const struct options *o);
