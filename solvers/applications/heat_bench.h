/* What the experiment (heat_bench.cu), the tests (heat_check.cu) and the peers
 * (heat_cusparse.cu) of the heat equation (heat.h) share. */
#pragma once

#include "applications/application.h"
#include "bench/peers.h"
#include "heat.h"

/* Runs the tests. Returns the number of comparisons that failed. */
int heat_check(void);

/* ---- the peers: a step with cuSPARSE's solvers and the stencils of heat.cu (GPU builds) ---- */

/* The caller sets s and transposed; n must be at least 3, as cuSPARSE requires. Along the rows of
 * the array gtsv2StridedBatch solves; along the columns gtsvInterleavedBatch or, if `transposed`,
 * the rows' solver between two transpositions. */
struct heat_cusparse {
    struct heat s; /* steps work on s.u; s.work is not used */
    bool transposed;
    void *other; /* n * n elements: u* between the half steps, later the transposed array */
    struct peer_call rows, columns; /* bench/peers.h */
};
/* Allocates memory and fills the matrices. Returns cudaErrorMemoryAllocation if there is too little
 * memory. heat_cusparse_close() is needed in any case. */
cudaError_t heat_cusparse_open(struct heat_cusparse *peer);
cudaError_t heat_cusparse_step(struct heat_cusparse *peer, cudaStream_t stream);
void heat_cusparse_close(struct heat_cusparse *peer);

/* ---- a plate: n x n points on the device, and a copy in main memory ---- */

struct plate {
    struct heat s;
    void *host; /* copy of u in main memory, n * n elements */
    struct memory memory;
};

double heat_spacing(int64_t n);          /* returns h = 1/(n + 1) */
size_t heat_bytes(const struct heat *s); /* returns the bytes of u */

/* Allocates u, its host copy and `work`, and calls heat_prepare(). `plan` has type, n and dt. */
struct plate plate_open(struct heat plan);
void plate_close(struct plate *p);
/* Makes `steps` steps on the device, from p->host to p->host. */
void plate_step(struct plate *p, int64_t steps);

/* ---- exact solutions: sums of modes ----
 *
 *   u = sin(p pi x) sin(q pi y) exp(-pi^2 (p^2 + q^2) t)
 *
 * solves the differential equation. On the grid the sines are also eigenvectors of D. The sine with
 * p half waves has the eigenvalue -a_p, where a_p = 4 sin^2(p pi h/2). So, except for rounding, one
 * step must multiply mode (p, q) by
 *
 *   (1 - r a_p) (1 - r a_q) / ((1 + r a_p) (1 + r a_q)). */

struct mode {
    int64_t p, q;
    double amplitude;
};
enum { MODES_MOST = 4 };
struct mode_sum {
    int64_t n;
    int count;
    struct mode mode[MODES_MOST];
    double *x[MODES_MOST], *y[MODES_MOST]; /* the sines along x and y, n elements each */
};
/* Returns the n values of sin(p pi x) at x = h, 2 h, ..., n h, in an array of `memory`. */
double *modes_sines(struct memory *memory, int64_t n, int64_t p);

/* Returns a sum of modes with long and short waves. Its arrays are in `memory`. The sum of the
 * amplitudes is 1, so |u| <= 1. The first half step multiplies a mode by (1 - r a_q)/(1 + r a_p),
 * which is at most 1 in size because p >= q. So |u*| <= 1, too. */
struct mode_sum modes_for_test(struct memory *memory, int64_t n);

/* The factor by which a step multiplies mode (p, q). */
double heat_step_factor(const struct heat *s, int64_t p, int64_t q);
/* Changes the amplitudes of *f to those after `steps` exact steps. */
void modes_after_steps(struct mode_sum *f, const struct heat *s, int64_t steps);

/* Writes the values of the sum at all points to p->host. */
void plate_set(struct plate *p, const struct mode_sum *f);

/* ---- errors ---- */

/* The root mean square and the maximum of the differences between p->host and the sum *f. */
struct difference {
    double rms, most;
};
struct difference plate_difference(const struct plate *p, const struct mode_sum *f);

/* A bound of the rms error that rounding causes in `steps` steps; whether d.rms is within it, and
 * d.most within HEAT_GROWTH times it. */
double heat_allowed_rms(const struct heat *s, int64_t steps);
bool is_near(const struct heat *s, int64_t steps, struct difference d);

/* The ratio of the bounds that is_near() uses for the maximum and for the rms error. All powers of
 * (1 - r D)^-1 (1 + r D) have a maximum norm of at most 4.325 (Farago and Palencia 2002). A step
 * has one such factor for each direction. */
static const double HEAT_GROWTH = 4.325 * 4.325;

/* ---- convergence: the error at t = 1/16 as h and dt are halved together ---- */

struct convergence {
    /* rms error against the solution of the differential equation: measured, and predicted */
    double error, expected;
    /* rms difference from the solution of the discrete equations (heat_step_factor) */
    double discrete;
    /* true if `error` is within 10% of `expected`, and `discrete` within the bound for rounding */
    bool ok;
};
struct convergence heat_converge(int64_t n, double dt);

/* dt/h, which is constant in a sweep, and what causes the larger part of the error. */
static const struct heat_sweep {
    const char *name;
    double dt_over_h;
} heat_sweeps[] = {{"dt", 0.5}, {"h", 1.0 / 16}};
