/* What the Schroedinger experiments (experiment.cu) and their tests (check.cu) share: a wave
 * function that takes Crank-Nicolson steps (tdse.h), the potentials, and results that are known
 * exactly. Atomic units. */
#ifndef TDSE_WAVE_H
#define TDSE_WAVE_H

#include "device_program.h"
#include "problems.h"
#include "tdse.h"

static const double PI = 3.14159265358979323846;

/* One way to make a step. */
struct way {
    enum tdse_solver solver;
    enum tdse_matrix matrix;
    const char *name, *on_cores; /* names in the CSV file; on_cores NULL: not on CPU cores */
    double elements; /* the least elements of psi's type that a step moves for each row */
};
enum { WAYS = 4 };
extern const struct way ways[WAYS];
const struct way *way_of(enum tdse_solver solver, enum tdse_matrix matrix);

/* A wave function. The arrays of s lie on the device or, with cores > 0, in main memory. v and psi
 * are copies in double precision: start() uploads both, fetch() downloads psi. */
struct wave {
    struct memory memory; /* memory_free() ends the wave function */
    struct tdse s;
    int cores;    /* CPU cores that make the steps; 0: the device makes them */
    double *v;    /* n: the potential without the field */
    double *psi;  /* 2 n: real and imaginary parts in turn */
    void *buffer; /* psi in its own type, on its way between psi and s.psi */
};

/* n points of distance dx, the first at `low`, in blocks of 16 rows and, nested, of 8 blocks. */
struct tdse grid(int64_t n, double low, double dx, double dt);

struct wave open_wave(const struct tdse *plan, const struct way *way, int cores);
void *wave_memory(struct wave *w, size_t bytes); /* where the arrays of s lie */
void wave_copy(const struct wave *w, void *to, const void *from, size_t bytes,
               enum cudaMemcpyKind kind);
size_t psi_bytes(const struct wave *w);

/* tdse_step() and tdse_keep(), on the device (cores = 0) or on CPU cores. */
cudaError_t step_on(const struct tdse *s, double field, int cores);
cudaError_t keep_on(const struct tdse *s, int cores);

/* E(t) = strength sin^2(pi t/length) sin(omega t); length: `cycles` periods of omega. */
struct laser {
    double strength, omega, cycles;
};
double laser_field(const struct laser *l, double t); /* l NULL: 0 */

/* start() uploads v and psi and makes what the steps need, the factors of T or T itself. evolve()
 * is start(), `steps` steps in the laser's field (NULL: none) and fetch(). */
void start(struct wave *w);
void step(struct wave *w, double field);
void fetch(struct wave *w);
void evolve(struct wave *w, int64_t steps, const struct laser *laser);

/* ---- observables of w->psi ---- */

double x_of(const struct wave *w, int64_t i);
double density(const struct wave *w, int64_t i);
double probability(const struct wave *w, double from); /* of x > from */
double norm_of(const struct wave *w);
double mean_x(const struct wave *w);

/* ---- initial states and potentials ---- */

/* A Gaussian packet: centre, standard deviation of |psi|^2, mean momentum. */
struct packet {
    double x0, sigma, k;
};
void fill_packet(struct wave *w, const struct packet *p);

/* The ground state of the oscillator, displaced: its density keeps its shape, and its mean is x0
 * cos(omega t). */
struct packet coherent_state(double omega, double x0);
void fill_harmonic(struct wave *w, double omega);

/* V = height where |x| < width/2. The grid must have no point on an edge: if the edges lie halfway
 * between points, the error is O(dx^2). */
void fill_barrier(struct wave *w, double height, double width);

/* The soft-core atom V = -1/r, r = sqrt(x^2 + 2), in its ground state (1 + r) exp(-r), whose energy
 * is exactly -1/2. */
void fill_atom(struct wave *w);

/* A random potential and a random psi, representable in psi's type. */
void fill_random(struct wave *w, uint64_t seed);

/* ---- comparisons with known results ---- */

/* The error of a free packet at t = 2 (sigma = 1, k = 1), |psi - exact| in the 2-norm, and the
 * error that theory expects of dx and dt. */
struct free_error {
    double dx, dt, measured, expected;
};
enum sweep { SWEEP_DX, SWEEP_DT }; /* the other of the two is so small that it adds less than 1% */
struct free_error free_error(enum sweep sweep, double size, const struct way *way);
bool is_as_expected(const struct free_error *e);

/* `steps` steps of fill_random() in a field whose sign alternates, against elimination of all rows
 * in long double. The error is |psi - exact|/|psi| in the 2-norm. */
struct verdict compare_steps(struct wave *w, double field, int steps);

#endif
