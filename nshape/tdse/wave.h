/* A wave function that takes Crank-Nicolson steps (tdse.h), potentials, and exact results, for
 * experiment.cu and check.cu. Atomic units. */
#pragma once

#include "device_program.h"
#include "problems.h"
#include "tdse.h"

#include <complex>

static const double PI = 3.14159265358979323846;

/* A solver with a kind of matrix: one of four ways to make a step. */
struct way {
    enum tdse_solver solver;
    enum tdse_matrix matrix;
    /* The names in the CSV file, on the device and on CPU cores (NULL: not there). */
    const char *name, *on_cores;
    double elements; /* the least number of elements of psi's type that a step moves for each row */
};
enum { WAYS = 4 };
extern const struct way ways[WAYS];
const struct way *way_of(enum tdse_solver solver, enum tdse_matrix matrix);

/* The arrays of s are on the device, or in main memory if cores > 0. store() uploads v and psi,
 * which are in double precision; fetch() downloads psi. */
struct wave {
    struct memory memory; /* memory_free() frees everything */
    struct tdse s;
    int cores;    /* CPU cores that make the steps; 0: the device makes them */
    double *v;    /* n elements: the potential without the field */
    double *psi;  /* n pairs: real part, imaginary part */
    void *buffer; /* v or psi, converted to the type of s, during store() and fetch() */
};

/* n points at distance dx from `low` on, in blocks of 16 rows, then of 8 joint lines. */
struct tdse grid(int64_t n, double low, double dx, double dt);

struct wave open_wave(const struct tdse *plan, const struct way *way, int cores);
/* Memory where the steps are made, filled with NaN. */
void *wave_memory(struct wave *w, size_t bytes);
void wave_copy(const struct wave *w, void *to, const void *from, size_t bytes,
               enum cudaMemcpyKind kind);
size_t psi_bytes(const struct wave *w);

/* On the device (cores = 0) or on cores. */
cudaError_t step_on(const struct tdse *s, double field, int cores);
cudaError_t keep_on(const struct tdse *s, int cores);

/* E(t) = strength sin^2(pi t/length) sin(omega t) for `cycles` periods of omega, else 0. */
struct laser {
    double strength, omega, cycles;
};
double laser_field(const struct laser *l, double t); /* 0 if l is NULL */

/* start() calls store() and, if the steps need it, keep_on(). evolve() calls start(), makes `steps`
 * steps in the laser's field (NULL: none), and calls fetch(). */
void store(struct wave *w);
void start(struct wave *w);
void step(struct wave *w, double field);
void fetch(struct wave *w);
void fetch_rows(struct wave *w, int64_t first, int64_t count); /* only these rows of psi */
void evolve(struct wave *w, int64_t steps, const struct laser *laser);

/* ---- observables of w->psi ---- */

double x_of(const struct wave *w, int64_t i);
double density(const struct wave *w, int64_t i);
double probability(const struct wave *w, double from); /* the probability of x > from */
double norm_of(const struct wave *w);
double mean_x(const struct wave *w);

/* ---- initial states and potentials ---- */

/* A Gaussian packet: its centre, the standard deviation of |psi|^2, and its mean momentum. */
struct packet {
    double x0, sigma, k;
};
void fill_packet(struct wave *w, const struct packet *p);

/* The ground state of the oscillator, displaced by x0: its mean is x0 cos(omega t). */
struct packet coherent_state(double omega, double x0);
void fill_harmonic(struct wave *w, double omega);

/* V = height where |x| < width/2. With edges halfway between points the error is O(dx^2). */
void fill_barrier(struct wave *w, double height, double width);

/* V = -1/r, r = sqrt(x^2 + 2), and its ground state (1 + r) exp(-r) of energy -1/2. */
void fill_atom(struct wave *w);

/* The radial equation of hydrogen (L22 section 3): x is r, from x0 = dx on, and psi is r times the
 * radial function. V = -1/r + l (l + 1)/(2 r^2), and its lowest state r^(l+1) exp(-r/(l+1)), of
 * energy -1/(2 (l + 1)^2). */
void fill_hydrogen(struct wave *w, int l);

/* A random potential and a random psi. All values are representable in psi's type. */
void fill_random(struct wave *w, uint64_t seed);

/* ---- comparisons with known results ---- */

/* A free packet (sigma = 1, k = 1): |psi - exact|_2 at t = 2, and what theory predicts. */
struct free_error {
    double dx, dt, measured, expected;
};
/* The one of dx and dt that is not `size` is so small that it adds less than 1%. */
enum sweep { SWEEP_DX, SWEEP_DT };
struct free_error free_error(enum sweep sweep, double size, const struct way *way);
bool is_as_expected(const struct free_error *e);

/* The energy of a real eigenstate, from the change of its phase in a time of 5, whatever dt is. */
double measured_energy(struct wave *w);

/* The error of the energy in fill_hydrogen, l = 0 to 2, and what theory predicts. */
struct energy_error {
    double measured, expected;
    bool ok;
};
struct energy_error hydrogen_error(int l, double dr, const struct way *way);

/* psi after `steps` steps of fill_random()'s psi in a field of alternating sign, by elimination in
 * long double: n values that the caller frees, whatever the way, the blocks and the cores. */
typedef std::complex<long double> wide;
wide *reference_steps(struct wave *w, double field, int steps);

/* The same steps on the device or w's cores. The error is |psi - reference|/|reference|_2. */
struct verdict compare_steps(struct wave *w, double field, int steps, const wide *reference);

/* ---- harmonics.cu: the light of the atom in a laser pulse ---- */

/* -<dV/dx>, the acceleration of the dipole without the part E(t), which makes no harmonics.
 * Fetches psi near the atom. */
double mean_force(struct wave *w);

/* Writes to `file` (unless NULL) for each omega: omega, (omega - I_p)/U_p, and the intensity, from
 * `count` values of mean_force() at distance dt. U_p = (strength/(2 omega))^2. Returns the cut-off:
 * the greatest omega with half the mean intensity of the plateau, I_p + 2 U_p to I_p + 2.5 U_p. */
double write_harmonics(const struct laser *l, const double *force, int64_t count, double dt,
                       FILE *file);

/* 1.3 I_p + the largest energy that a classical electron brings back to x = 0 in this pulse if it
 * starts there at rest (Lewenstein et al. 1994): 3.17 U_p in a long pulse, if dx and dt are small.
 * Else less, as electrons move by the Hamiltonian that the grid and the steps have. */
double expected_cut_off(const struct laser *l, double dx, double dt);
static const double CUT_OFF_WITHIN = 0.05; /* of the expected cut-off */

/* ---- plane.cu: two dimensions ---- */

/* A packet in the potential (x^2 + y^2)/2 on n x n points makes `quarters` quarters of a round, in
 * `steps` steps each. Returns |psi - exact|_2 at the end. Writes t, x, y and |psi|^2 after each
 * quarter to `file` unless it is NULL. */
double plane_error(int64_t n, int steps, int quarters, FILE *file);
