/* High harmonics (wave.h): the force on an atom's electron, its spectrum, and the classical limit
 * of the energy that an electron brings back to the atom. */
#include "wave.h"

#include <math.h>

/* A file of harmonics goes to I_p + 5 U_p, four values for a harmonic. */
static const double IP = 0.5, HIGHEST = 5;

double mean_force(struct wave *w)
{
    const double reach = 100; /* farther out dV/dx < 1e-4 */
    int64_t first = (int64_t)fmax(1, ceil((-reach - w->s.x0) / w->s.dx)),
            last = (int64_t)fmin((double)w->s.n - 1, (reach - w->s.x0) / w->s.dx);
    double sum = 0;
    fetch_rows(w, first, last - first);
    for (int64_t i = first; i < last; i++)
        sum -= (w->v[i + 1] - w->v[i - 1]) / 2 * density(w, i);
    return sum;
}

static double ponderomotive(const struct laser *l)
{
    return l->strength * l->strength / (4 * l->omega * l->omega);
}

/* |integral of force(t) sin^2(pi t/length) exp(-i omega t)|^2 */
static double emitted(const double *force, int64_t count, double dt, double omega)
{
    std::complex<double> sum = 0;
    for (int64_t k = 0; k < count; k++) {
        double window = sin(PI * (double)k / (double)count);
        sum += std::polar(1.0, -omega * dt * (double)k) * (force[k] * window * window * dt);
    }
    return std::norm(sum);
}

double write_harmonics(const struct laser *l, const double *force, int64_t count, double dt,
                       FILE *file)
{
    double up = ponderomotive(l), step = l->omega / 4, sum = 0, cut_off = 0;
    int64_t values = (int64_t)((IP + HIGHEST * up) / step), plateau = 0;
    double *intensity = (double *)malloc((size_t)values * sizeof *intensity);
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < values; j++)
        intensity[j] = emitted(force, count, dt, (double)j * step);
    for (int64_t j = 0; j < values; j++) {
        double returned = ((double)j * step - IP) / up;
        if (returned >= 2 && returned <= 2.5)
            sum += intensity[j], plateau++;
        if (file)
            fprintf(file, "%.5g,%.5g,%.4g\n", (double)j * step, returned, intensity[j]);
    }
    for (int64_t j = 0; j < values; j++)
        if (intensity[j] > sum / (double)plateau / 2)
            cut_off = (double)j * step;
    free(intensity);
    return cut_off;
}

/* The grid's kinetic energy of momentum k, and a step's energy of an energy e. A step turns phases
 * by 2 atan(e dt/2), so it moves a classical electron by H = step_energy(K(k) + E x). */
static double kinetic(double k, double dx)
{
    return (1 - cos(k * dx)) / (dx * dx);
}
static double step_energy(double e, double dt)
{
    return 2 / dt * atan(e * dt / 2);
}
static double slope(double e, double dt)
{
    return 1 / (1 + e * dt / 2 * (e * dt / 2));
}

/* The energy at the first return to x = 0 of an electron that starts there at t, or 0. */
static double return_energy(const struct laser *l, double t, double dx, double dt)
{
    double h = 2 * PI / l->omega / 500, x = 0, k = 0;
    for (int i = 0; i < 750; i++) {
        double before = x, field = laser_field(l, t + (i + 0.5) * h);
        k -= h * field * slope(kinetic(k, dx) + field * x, dt);
        x += h * sin(k * dx) / dx * slope(kinetic(k, dx) + field * x, dt);
        if (i > 0 && (x > 0) != (before > 0))
            return step_energy(kinetic(k, dx), dt);
    }
    return 0;
}

double expected_cut_off(const struct laser *l, double dx, double dt)
{
    double most = 0, period = 2 * PI / l->omega;
    for (double t = 0; t < l->cycles * period; t += period / 500)
        most = fmax(most, return_energy(l, t, dx, dt));
    return 1.3 * IP + most;
}
