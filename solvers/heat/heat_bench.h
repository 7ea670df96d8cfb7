/* Declarations for the experiment (heat_bench.cu) and the tests (heat_check.cu) of the heat
 * equation (heat.h). The program heat calls heat_check() and heat_run(). The other
 * functions are in heat_modes.cu; the experiment and the tests both use them. */
#ifndef HEAT_BENCH_H
#define HEAT_BENCH_H

#include "device_program.h"
#include "heat.h"

/* ---- for heat_main.cu ---- */

/* Runs the tests. Returns the number of comparisons that failed. */
int heat_check(void);

/* Says what the experiment runs. Each of the first three members says whether one implementation of
 * a step is timed. If `scenes` is true, the experiment also computes a plate that cools, and the
 * order of convergence. */
struct heat_asked {
    bool ours, cusparse, cusparse_transposed, scenes;
};

/* Runs the experiment. It prints the results, and if csv_prefix is not NULL, it writes them to
 * files. PREFIX_steps.csv has the times of a step on n x n points, in the schema of results.h. With
 * `scenes` it also writes
 * PREFIX_field.csv and PREFIX_convergence.csv. The first has the columns t,x,y,u: the temperatures
 * of hot bodies that cool. The second has the errors for smaller and smaller h and dt. Returns an
 * exit status (options.h). */
int heat_run(const struct options *o, struct heat_asked asked, const char *csv_prefix);

/* ---- a plate: n x n points on the device, and a copy in main memory ---- */

struct plate {
    struct heat s;
    void *host; /* copy of u in main memory, n * n elements */
    struct memory memory;
};

double heat_spacing(int64_t n);          /* returns h = 1/(n + 1) */
size_t heat_bytes(const struct heat *s); /* returns the bytes of u */

/* Opens a plate. The type, n and dt of `plan` must be set. Allocates u, its host copy and `work`,
 * fills `work` with NaN, and calls heat_prepare(). */
struct plate plate_open(struct heat plan);
void plate_close(struct plate *p);
/* Copies p->host to the device, makes `steps` steps, and copies the result to p->host. */
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
/* modes_make() returns the sum of `count` modes. modes_sines() returns the n values of sin(p pi x)
 * at x = h, 2 h, ..., n h. Both allocate their arrays with `memory`. The arrays are freed with it,
 * for example by plate_close() if it belongs to a plate. */
struct mode_sum modes_make(struct memory *memory, int64_t n, int count, const struct mode *modes);
double *modes_sines(struct memory *memory, int64_t n, int64_t p);

/* Returns a sum of modes with long and short waves, all with p >= q. The sum of the amplitudes is
 * 1, so |u| <= 1. The first half step multiplies each mode by (1 - r a_q)/(1 + r a_p). Because p >=
 * q, a_q is at most a_p. So the size of this factor is at most 1, and |u*| <= 1 too. */
struct mode_sum modes_for_test(struct memory *memory, int64_t n);

/* heat_step_factor() returns the factor by which a step multiplies mode (p, q). modes_after_steps()
 * changes the amplitudes of *f to those after `steps` exact steps. modes_after_time() changes them
 * to those of the solution of the differential equation at time t. */
double heat_step_factor(const struct heat *s, int64_t p, int64_t q);
void modes_after_steps(struct mode_sum *f, const struct heat *s, int64_t steps);
void modes_after_time(struct mode_sum *f, double t);

/* Writes the values of the sum at all points to p->host. */
void plate_set(struct plate *p, const struct mode_sum *f);

/* ---- errors ---- */

/* Returns the larger of the two arguments. If `error` is NaN it returns INFINITY, so that a NaN is
 * never lost. */
double larger_error(double worst, double error);

/* The root mean square and the maximum of the differences between p->host and the sum *f. */
struct difference {
    double rms, most;
};
struct difference plate_difference(const struct plate *p, const struct mode_sum *f);

/* heat_allowed_rms() returns a bound of the rms error that rounding may cause in `steps` steps.
 * is_near() returns true if d.rms is within this bound, and d.most within HEAT_GROWTH times this
 * bound. */
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

/* Each sweep keeps dt/h constant. In the first sweep dt is large, so the time steps cause the
 * larger part of the error. In the second sweep dt is small, so the grid causes the larger part. */
enum { HEAT_SWEEPS = 2 };
static const struct heat_sweep {
    const char *name;
    double dt_over_h;
} heat_sweeps[HEAT_SWEEPS] = {{"dt", 0.5}, {"h", 1.0 / 16}};

#endif
