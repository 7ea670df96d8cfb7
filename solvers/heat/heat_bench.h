/* The heat equation by alternating directions (heat.h): what its experiment (heat_bench.cu) and its
 * tests (heat_check.cu) share (heat_modes.cu), and the calls that thomas_batch makes. */
#ifndef HEAT_BENCH_H
#define HEAT_BENCH_H

#include "device_program.h"
#include "heat.h"

/* ---- for thomas_batch ---- */

/* The tests. Returns how many expectations failed. */
int heat_check(void);

/* Which steps are timed. scenes: a cooling plate and the convergence are shown, too. */
struct heat_asked {
    bool ours, cusparse, cusparse_transposed, scenes;
};

/* The experiment. It prints, and writes up to three files (none if csv_prefix is NULL):
 * PREFIX_steps.csv, times of a step of N x N points in the schema of results.h, with N from --n if
 * `sized`; and with scenes PREFIX_field.csv (t,x,y,u: hot bodies that cool) and
 * PREFIX_convergence.csv (errors against the exact solution as h and dt are halved). Returns an
 * exit status (options.h). */
int heat_run(const struct options *o, bool sized, struct heat_asked asked, const char *csv_prefix);

/* ---- a plate: n x n points on the device, and a copy in main memory ---- */

struct plate {
    struct heat s;
    void *host; /* n n elements */
    struct memory memory;
};

double heat_spacing(int64_t n); /* h = 1/(n + 1) */
size_t heat_bytes(const struct heat *s);

/* {type, n, dt}: allocates u, its host copy and `work`, fills `work` with NaN, and prepares it. */
struct plate plate_open(struct heat plan);
void plate_close(struct plate *p);
/* Uploads the host copy, makes so many steps, and downloads the result. */
void plate_step(struct plate *p, int64_t steps);

/* ---- exact solutions: sums of modes ----
 *
 *   u = sin(p pi x) sin(q pi y) exp(-pi^2 (p^2 + q^2) t)
 *
 * solves the differential equation. On the grid the sines are also eigenvectors of D, with the
 * eigenvalues -a_p, a_p = 4 sin^2(p pi h/2). So one step must multiply a mode (p, q), to rounding,
 * by
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
    double *x[MODES_MOST], *y[MODES_MOST]; /* the sines, n each */
};
/* They are freed with the memory that they are given: a plate's, or one's own. */
struct mode_sum modes_make(struct memory *memory, int64_t n, int count, const struct mode *modes);
double *modes_sines(struct memory *memory, int64_t n, int64_t p); /* sin(p pi x_i), n elements */

/* Long and short waves, p >= q, with amplitudes whose sum is 1: |u| <= 1. As p >= q, the first half
 * step multiplies each mode by (1 - r a_q)/(1 + r a_p) <= 1, so |u*| <= 1 as well. */
struct mode_sum modes_for_test(struct memory *memory, int64_t n);

/* The amplitudes after so many steps, or after the time t of the differential equation. */
double heat_step_factor(const struct heat *s, int64_t p, int64_t q);
void modes_after_steps(struct mode_sum *f, const struct heat *s, int64_t steps);
void modes_after_time(struct mode_sum *f, double t);

/* The sum at all points, to p->host. */
void plate_set(struct plate *p, const struct mode_sum *f);

/* ---- errors ---- */

/* The larger of both. A NaN counts as INFINITY, so it is never lost. */
double larger_error(double worst, double error);

/* Differences of p->host from the sum: root mean square, and the largest. */
struct difference {
    double rms, most;
};
struct difference plate_difference(const struct plate *p, const struct mode_sum *f);

/* The rms that rounding may cause in so many steps; is a difference within this bound? */
double heat_allowed_rms(const struct heat *s, int64_t steps);
bool is_near(const struct heat *s, int64_t steps, struct difference d);

/* In the maximum norm the powers of (1 - r D)^-1 (1 + r D) are at most 4.325 (Farago and Palencia
 * 2002); a step has one such factor for each direction. */
static const double HEAT_GROWTH = 4.325 * 4.325;

/* ---- convergence: the error at t = 1/16 as h and dt are halved together ---- */

struct convergence {
    double error, expected; /* against the differential equation: measured, predicted */
    double discrete;        /* against heat_step_factor */
    bool ok; /* error within 10% of the prediction, discrete within what rounding allows */
};
struct convergence heat_converge(int64_t n, double dt);

/* In the first sweep the error of the time steps is larger, in the second that of the grid. */
enum { HEAT_SWEEPS = 2 };
static const struct heat_sweep {
    const char *name;
    double dt_over_h;
} heat_sweeps[HEAT_SWEEPS] = {{"dt", 0.5}, {"h", 1.0 / 16}};

#endif
