/* Plates, sums of modes, errors and convergence (heat_bench.h). */
#include "heat_bench.h"
#include "problems.h"

#include <initializer_list>
#include <math.h>

static const double PI = 3.14159265358979323846;
enum { MANY = 500 }; /* from n = MANY on, all cores of the CPU share the n x n points */

/* ---- a plate ---- */

double heat_spacing(int64_t n)
{
    return 1 / (double)(n + 1);
}

size_t heat_bytes(const struct heat *s)
{
    return (size_t)(s->n * s->n) * (size_t)size_of(s->type);
}

struct plate plate_open(struct heat plan)
{
    struct plate p = {};
    p.s = plan;
    p.s.u = memory_device(&p.memory, heat_bytes(&plan));
    p.s.work = memory_device(&p.memory, heat_work(&plan));
    p.host = memory_host(&p.memory, heat_bytes(&plan));
    device_poison(p.s.work, heat_work(&plan));
    CHECK(heat_prepare(&p.s, 0));
    return p;
}

void plate_close(struct plate *p)
{
    memory_free(&p->memory);
}

void plate_step(struct plate *p, int64_t steps)
{
    device_upload(p->s.u, p->host, heat_bytes(&p->s));
    CHECK(heat_steps(&p->s, steps, 0));
    device_download(p->host, p->s.u, heat_bytes(&p->s));
}

/* ---- sums of modes ---- */

/* p (i + 1) is reduced modulo the period 2 (n + 1), because a large argument would be rounded. */
double *modes_sines(struct memory *memory, int64_t n, int64_t p)
{
    double *sine = (double *)memory_host(memory, (size_t)n * sizeof *sine);
    for (int64_t i = 0; i < n; i++)
        sine[i] = sin(PI * (double)(p * (i + 1) % (2 * (n + 1))) * heat_spacing(n));
    return sine;
}

static struct mode_sum modes_make(struct memory *memory, int64_t n, int count,
                                  const struct mode *modes)
{
    struct mode_sum f = {};
    f.n = n;
    f.count = count;
    for (int m = 0; m < count; m++) {
        f.mode[m] = modes[m];
        f.x[m] = modes_sines(memory, n, modes[m].p);
        f.y[m] = modes_sines(memory, n, modes[m].q);
    }
    return f;
}

struct mode_sum modes_for_test(struct memory *memory, int64_t n)
{
    int64_t two = n > 1 ? 2 : 1, third = n / 3 > two ? n / 3 : two,
            half = n / 2 > two ? n / 2 : two;
    const struct mode modes[] = {{two, 1, 0.3}, {third, two, 0.2}, {half, third, 0.3}, {n, n, 0.2}};
    return modes_make(memory, n, 4, modes);
}

static double mode_sum_at(const struct mode_sum *f, int64_t i, int64_t j)
{
    double sum = 0;
    for (int m = 0; m < f->count; m++)
        sum += f->mode[m].amplitude * f->y[m][j] * f->x[m][i];
    return sum;
}

/* a_p = 4 sin^2(p pi h/2) */
static double eigenvalue(int64_t n, int64_t p)
{
    double s = sin(PI / 2 * (double)p * heat_spacing(n));
    return 4 * s * s;
}

double heat_step_factor(const struct heat *s, int64_t p, int64_t q)
{
    double ra = heat_ratio(s) * eigenvalue(s->n, p), rb = heat_ratio(s) * eigenvalue(s->n, q);
    return (1 - ra) * (1 - rb) / ((1 + ra) * (1 + rb));
}

void modes_after_steps(struct mode_sum *f, const struct heat *s, int64_t steps)
{
    for (int m = 0; m < f->count; m++)
        f->mode[m].amplitude *= pow(heat_step_factor(s, f->mode[m].p, f->mode[m].q), (double)steps);
}

/* The differential equation multiplies sin(p pi x) by exp(-rate t). */
static double decay_rate(int64_t p)
{
    return PI * PI * (double)(p * p);
}

/* The amplitudes at time t of the solution of the differential equation. */
static void modes_after_time(struct mode_sum *f, double t)
{
    for (int m = 0; m < f->count; m++)
        f->mode[m].amplitude *= exp(-(decay_rate(f->mode[m].p) + decay_rate(f->mode[m].q)) * t);
}

void plate_set(struct plate *p, const struct mode_sum *f)
{
#pragma omp parallel for if (f->n >= MANY)
    for (int64_t j = 0; j < f->n; j++)
        for (int64_t i = 0; i < f->n; i++)
            put(p->s.type, p->host, j * f->n + i, mode_sum_at(f, i, j));
}

/* ---- errors ---- */

struct difference plate_difference(const struct plate *p, const struct mode_sum *f)
{
    double most = 0, squares = 0;
#pragma omp parallel for if (f->n >= MANY) reduction(max : most) reduction(+ : squares)
    for (int64_t j = 0; j < f->n; j++)
        for (int64_t i = 0; i < f->n; i++) {
            double error = fabs(get(p->s.type, p->host, j * f->n + i) - mode_sum_at(f, i, j));
            most = larger_error(most, error);
            squares += error * error;
        }
    return {isfinite(most) ? sqrt(squares) / (double)f->n : most, most};
}

/* The bound is valid if |u| <= 1 and |u*| <= 1. Rounding u costs one unit of roundoff. A half step
 * costs 65 units: 16 for the terms of a row, as thomas_batch allows for Thomas's method, and 16 for
 * its right-hand side f, both twice, because 2 x - f doubles them, and 1 for the rounding of that.
 * They are multiplied by 1 + 4 r, which bounds the norms of 1 + r D and 1 - r D; the norm of (1 - r
 * D)^-1 is at most 1. Errors of steps add up but do not grow, because the matrix of a step is
 * symmetric with eigenvalues of absolute value at most 1. */
double heat_allowed_rms(const struct heat *s, int64_t steps)
{
    return unit_roundoff(s->type) * (1 + 2 * 65 * (1 + 4 * heat_ratio(s)) * (double)steps);
}

bool is_near(const struct heat *s, int64_t steps, struct difference d)
{
    double allowed = heat_allowed_rms(s, steps);
    return d.rms <= allowed && d.most <= HEAT_GROWTH * allowed;
}

/* ---- convergence ---- */

/* The error is predicted to leading order. The grid replaces the decay rate f of a sine by
 * a/h^2, which is smaller by f^2 h^2/12. A step multiplies the sine by (1 - z/2)/(1 + z/2) = exp(-z
 * - z^3/12 - ...), z = f dt, so the steps make the rate larger by f^3 dt^2/12. At time t that gives
 * the relative error t (f^2 h^2 - f^3 dt^2)/12; its sum over the two sines of a mode is `late`. The
 * modes are orthogonal on the grid, each with the mean square (n + 1)^2/(2 n)^2. Terms of the next
 * order change the error by 6% on the coarsest grid, so 10% is allowed. */
struct convergence heat_converge(int64_t n, double dt)
{
    const struct mode modes[] = {{1, 1, 0.5}, {2, 1, 0.3}, {2, 2, 0.2}};
    double t = 1.0 / 16, h = heat_spacing(n), squares = 0;
    int64_t steps = (int64_t)(t / dt + 0.5);
    struct plate p = plate_open({'d', n, dt});
    struct mode_sum continuous = modes_make(&p.memory, n, 3, modes), discrete = continuous;
    plate_set(&p, &continuous);
    plate_step(&p, steps);
    modes_after_time(&continuous, t);
    modes_after_steps(&discrete, &p.s, steps);
    for (const struct mode &mode : continuous.mode) {
        double late = 0;
        for (int64_t wave : {mode.p, mode.q}) {
            double f = decay_rate(wave);
            late += t * f * f * (h * h - f * dt * dt) / 12;
        }
        squares += late * late * mode.amplitude * mode.amplitude;
    }
    struct difference left = plate_difference(&p, &discrete);
    struct convergence c = {plate_difference(&p, &continuous).rms,
                            sqrt(squares) * (double)(n + 1) / (double)(2 * n), left.rms, false};
    c.ok = fabs(c.error / c.expected - 1) <= 0.1 && is_near(&p.s, steps, left);
    plate_close(&p);
    return c;
}
