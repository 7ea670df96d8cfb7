/* Wave functions of the Schroedinger experiments, and the errors that theory predicts. */
#include "wave.h"

#include <math.h>

/* The last column: the elements that a step moves for each row (V counts as half).
 *
 *   N-shaped, T rebuilt: RD reads psi, V, writes b, a, c, d; RU reads these and writes b, c, d; SS
 *     reads b, a, c, d, writes psi. T kept: RD reads psi, V, r, writes d; RU reads d, r, writes d.
 *   tridiagonal.h: a kernel reads psi, V, writes d (rebuilt: and the diagonal); the solver reads
 *     diagonal, off-diagonal and d, writes psi. Three more if the rows do not fit into shared
 * memory. */
const struct way ways[WAYS] = {
    {TDSE_N_SHAPED, TDSE_REBUILT, "tdse_rebuilt", "tdse_rebuilt_cpu", 1.5 + 4 + 4 + 3 + 5},
    {TDSE_N_SHAPED, TDSE_KEPT, "tdse_kept", "tdse_kept_cpu", 2.5 + 1 + 2 + 1 + 5},
    {TDSE_TRIDIAGONAL, TDSE_REBUILT, "tdse_tridiagonal_rebuilt", NULL, 1.5 + 2 + 3 + 1},
    {TDSE_TRIDIAGONAL, TDSE_KEPT, "tdse_tridiagonal_kept", NULL, 1.5 + 1 + 3 + 1}};

const struct way *way_of(enum tdse_solver solver, enum tdse_matrix matrix)
{
    return &ways[2 * solver + matrix];
}

/* From this n on several threads share the loops over the points of a grid. */
enum { MANY = 100000 };

struct tdse grid(int64_t n, double low, double dx, double dt)
{
    int64_t blocks[] = {n / 16, n / 128};
    return tdse_plan('z', n, low, dx, dt, 2, blocks);
}

void *wave_memory(struct wave *w, size_t bytes)
{
    void *array = w->cores > 0 ? memory_host(&w->memory, bytes) : memory_device(&w->memory, bytes);
    (w->cores > 0 ? host_poison : device_poison)(array, bytes);
    return array;
}

void wave_copy(const struct wave *w, void *to, const void *from, size_t bytes,
               enum cudaMemcpyKind kind)
{
    if (w->cores > 0)
        host_copy(to, from, bytes);
    else if (kind == cudaMemcpyHostToDevice)
        device_upload(to, from, bytes);
    else
        device_download(to, from, bytes);
}

size_t psi_bytes(const struct wave *w)
{
    return (size_t)(w->s.n * size_of(w->s.type));
}

struct wave open_wave(const struct tdse *plan, const struct way *way, int cores)
{
    struct wave w = {.s = *plan, .cores = cores};
    w.s.solver = way->solver;
    w.s.matrix = way->matrix;
    size_t n = (size_t)plan->n;
    w.v = (double *)memory_host(&w.memory, n * 8);
    w.psi = (double *)memory_host(&w.memory, n * 16);
    w.buffer = memory_host(&w.memory, n * 16);
    w.s.v = wave_memory(&w, psi_bytes(&w) / 2);
    w.s.psi = wave_memory(&w, psi_bytes(&w));
    w.s.work = wave_memory(&w, tdse_work(&w.s));
    return w;
}

cudaError_t step_on(const struct tdse *s, double field, int cores)
{
    return cores > 0 ? tdse_step_cpu(s, field, cores) : tdse_step(s, field, 0);
}

cudaError_t keep_on(const struct tdse *s, int cores)
{
    return cores > 0 ? tdse_keep_cpu(s, 0, cores) : tdse_keep(s, 0, 0);
}

/* Converts reals to psi's precision and copies them to where steps are made. */
static void upload(struct wave *w, const void *to, const double *from, int64_t count)
{
    char real = real_type(w->s.type);
#pragma omp parallel for schedule(static) if (count > MANY)
    for (int64_t i = 0; i < count; i++)
        put(real, w->buffer, i, from[i]);
    wave_copy(w, (void *)to, w->buffer, (size_t)(count * size_of(real)), cudaMemcpyHostToDevice);
}

void store(struct wave *w)
{
    upload(w, w->s.v, w->v, w->s.n);
    upload(w, w->s.psi, w->psi, 2 * w->s.n);
}

void start(struct wave *w)
{
    store(w);
    if (w->s.matrix == TDSE_KEPT || w->s.solver == TDSE_TRIDIAGONAL)
        CHECK(keep_on(&w->s, w->cores));
}

void step(struct wave *w, double field)
{
    CHECK(step_on(&w->s, field, w->cores));
}

void fetch_rows(struct wave *w, int64_t first, int64_t count)
{
    size_t element = (size_t)size_of(w->s.type);
    wave_copy(w, w->buffer, (char *)w->s.psi + (size_t)first * element, (size_t)count * element,
              cudaMemcpyDeviceToHost);
#pragma omp parallel for schedule(static) if (count > MANY)
    for (int64_t i = 0; i < 2 * count; i++)
        w->psi[2 * first + i] = get(real_type(w->s.type), w->buffer, i);
}

void fetch(struct wave *w)
{
    fetch_rows(w, 0, w->s.n);
}

double laser_field(const struct laser *l, double t)
{
    if (!l)
        return 0;
    double length = l->cycles * 2 * PI / l->omega, envelope = sin(PI * t / length);
    return t < 0 || t > length ? 0 : l->strength * envelope * envelope * sin(l->omega * t);
}

void evolve(struct wave *w, int64_t steps, const struct laser *laser)
{
    start(w);
    for (int64_t i = 0; i < steps; i++)
        step(w, laser_field(laser, ((double)i + 0.5) * w->s.dt));
    fetch(w);
}

double x_of(const struct wave *w, int64_t i)
{
    return w->s.x0 + (double)i * w->s.dx;
}

double density(const struct wave *w, int64_t i)
{
    return w->psi[2 * i] * w->psi[2 * i] + w->psi[2 * i + 1] * w->psi[2 * i + 1];
}

double probability(const struct wave *w, double from)
{
    double sum = 0;
    for (int64_t i = 0; i < w->s.n; i++)
        if (x_of(w, i) > from)
            sum += density(w, i) * w->s.dx;
    return sum;
}

double norm_of(const struct wave *w)
{
    return probability(w, -INFINITY);
}

double mean_x(const struct wave *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->s.n; i++)
        sum += x_of(w, i) * density(w, i) * w->s.dx;
    return sum;
}

/* The exact psi(x, t) of a packet with V = 0. */
static void free_packet(const struct packet *p, double x, double t, double *re, double *im)
{
    double tau = t / (2 * p->sigma * p->sigma), spread = 1 + tau * tau;
    double xi = x - p->x0 - p->k * t, square = xi * xi / (4 * p->sigma * p->sigma * spread);
    double modulus = pow(2 * PI * p->sigma * p->sigma * spread, -0.25) * exp(-square);
    double phase = square * tau + p->k * (x - p->x0) - p->k * p->k * t / 2 - atan(tau) / 2;
    *re = modulus * cos(phase);
    *im = modulus * sin(phase);
}

void fill_packet(struct wave *w, const struct packet *p)
{
    for (int64_t i = 0; i < w->s.n; i++)
        free_packet(p, x_of(w, i), 0, &w->psi[2 * i], &w->psi[2 * i + 1]);
}

struct packet coherent_state(double omega, double x0)
{
    return {x0, sqrt(0.5 / omega), 0};
}

void fill_harmonic(struct wave *w, double omega)
{
    for (int64_t i = 0; i < w->s.n; i++)
        w->v[i] = 0.5 * omega * omega * x_of(w, i) * x_of(w, i);
}

void fill_barrier(struct wave *w, double height, double width)
{
    for (int64_t i = 0; i < w->s.n; i++)
        w->v[i] = fabs(x_of(w, i)) < width / 2 ? height : 0;
}

/* Divides psi by its norm. */
static void normalize(struct wave *w)
{
    double norm = sqrt(norm_of(w));
    for (int64_t i = 0; i < 2 * w->s.n; i++)
        w->psi[i] /= norm;
}

void fill_atom(struct wave *w)
{
    for (int64_t i = 0; i < w->s.n; i++) {
        double x = x_of(w, i), r = sqrt(x * x + 2);
        w->v[i] = -1 / r;
        w->psi[2 * i] = (1 + r) * exp(-r);
        w->psi[2 * i + 1] = 0;
    }
    normalize(w);
}

void fill_hydrogen(struct wave *w, int l)
{
    for (int64_t i = 0; i < w->s.n; i++) {
        double r = x_of(w, i);
        w->v[i] = -1 / r + l * (l + 1) / (2 * r * r);
        w->psi[2 * i] = pow(r, l + 1) * exp(-r / (l + 1));
        w->psi[2 * i + 1] = 0;
    }
    normalize(w);
}

double measured_energy(struct wave *w)
{
    double re = 0, im = 0, dt = w->s.dt;
    int64_t steps = (int64_t)(5 / dt + 0.5);
    double *before = (double *)memory_host(&w->memory, (size_t)w->s.n * 16);
    memcpy(before, w->psi, (size_t)w->s.n * 16);
    evolve(w, steps, NULL);
    for (int64_t i = 0; i < w->s.n; i++) {
        re += before[2 * i] * w->psi[2 * i];
        im += before[2 * i] * w->psi[2 * i + 1];
    }
    return tan(-atan2(im, re) / (double)steps / 2) * 2 / dt;
}

void fill_random(struct wave *w, uint64_t seed)
{
    bool single = w->s.type == 'c';
#pragma omp parallel for schedule(static) if (w->s.n > MANY)
    for (int64_t i = 0; i < w->s.n; i++) {
        struct random r = {seed};
        random_skip(&r, 3 * i);
        double *const values[] = {&w->v[i], &w->psi[2 * i], &w->psi[2 * i + 1]};
        for (double *value : values) {
            double most = value == values[0] ? 2 : 1;
            *value = random_uniform(&r, -most, most);
            if (single)
                *value = (double)((float)*value);
        }
    }
}

/* The mean of k^power over a packet's momenta, normal with standard deviation 1/(2 sigma). */
static double momentum_moment(const struct packet *p, int power)
{
    double variance = 1 / (4 * p->sigma * p->sigma), before = 0, moment = 1;
    for (int i = 0; i < power; i++) {
        double next = p->k * moment + i * variance * before;
        before = moment;
        moment = next;
    }
    return moment;
}

/* To leading order the phase of momentum k lags by t (k^4 dx^2/24 - k^6 dt^2/96), because (1 - cos
 * k dx)/dx^2 = k^2/2 - k^4 dx^2/24 and 2 atan(E dt/2) = E dt - E^3 dt^3/12. The expected error is
 * the root mean square of this lag over the momenta. */
struct free_error free_error(enum sweep sweep, double size, const struct way *way)
{
    struct free_error e = {.dx = sweep == SWEEP_DX ? size : 0.035 * size,
                           .dt = sweep == SWEEP_DX ? 0.1 * size : size};
    struct packet p = {-1, 1, 1};
    double t = 2, sum = 0, space = t * e.dx * e.dx / 24, time = t * e.dt * e.dt / 96;
    int64_t n = (int64_t)(28 / e.dx + 0.5);
    struct tdse plan = grid(n, -14, e.dx, e.dt);
    struct wave w = open_wave(&plan, way, 0);
    memset(w.v, 0, (size_t)n * sizeof *w.v);
    fill_packet(&w, &p);
    evolve(&w, (int64_t)(t / e.dt + 0.5), NULL);
    for (int64_t i = 0; i < n; i++) {
        double re, im;
        free_packet(&p, x_of(&w, i), t, &re, &im);
        re -= w.psi[2 * i];
        im -= w.psi[2 * i + 1];
        sum += (re * re + im * im) * e.dx;
    }
    memory_free(&w.memory);
    e.measured = sqrt(sum);
    e.expected =
        sqrt(space * space * momentum_moment(&p, 8) - 2 * space * time * momentum_moment(&p, 10) +
             time * time * momentum_moment(&p, 12));
    return e;
}

/* The next order is about <k^2> dx^2/10 and <E^2> dt^2/4, a few per cent. */
bool is_as_expected(const struct free_error *e)
{
    return fabs(e->measured / e->expected - 1) <= 0.1;
}

/* First-order perturbation: -1/2 times the fourth difference's dr^2/12 in the state, whose u'' is
 * 2 (V - E) u. The next order is smaller by about dr^2. */
struct energy_error hydrogen_error(int l, double dr, const struct way *way)
{
    static const double leading[] = {1 / 8.0, -1 / 384.0, -1 / 9720.0};
    struct tdse plan = grid((int64_t)(30 * (l + 1) / dr), dr, dr, 0.02);
    struct wave w = open_wave(&plan, way, 0);
    fill_hydrogen(&w, l);
    double error = measured_energy(&w) + 0.5 / ((l + 1) * (l + 1)), expected = leading[l] * dr * dr;
    memory_free(&w.memory);
    return {error, expected, fabs(error / expected - 1) <= 0.05};
}

/* std::complex shares no code, and so no error, with the solver. */
static wide quotient(wide x, wide y)
{
    return x * std::conj(y) / std::norm(y);
}

/* Makes one step of psi by Thomas's algorithm on all rows. */
static void reference_step(const struct tdse *s, const double *v, double field, wide *psi)
{
    size_t n = (size_t)s->n;
    wide *a = (wide *)malloc(n * sizeof *a), *d = (wide *)malloc(n * sizeof *d);
    long double dx = s->dx, half = (long double)s->dt / 2;
    wide off = {0, -half / (2 * dx * dx)}, zero = {0, 0};
#pragma omp parallel for schedule(static) if (n > MANY)
    for (size_t i = 0; i < n; i++) {
        long double x = s->x0 + (long double)i * dx;
        wide above = i > 0 ? psi[i - 1] : zero, below = i + 1 < n ? psi[i + 1] : zero;
        a[i] = {1, half * (1 / (dx * dx) + v[i] + field * x)};
        d[i] = std::conj(a[i]) * psi[i] - off * (above + below);
    }
    for (size_t i = 1; i < n; i++) {
        wide r = quotient(off, a[i - 1]);
        a[i] -= r * off;
        d[i] -= r * d[i - 1];
    }
    for (size_t i = n; i-- > 0;)
        psi[i] = quotient(d[i] - (i + 1 < n ? off * psi[i + 1] : zero), a[i]);
    free(a);
    free(d);
}

enum { SEED = 7 };
static double field_of_step(double field, int step)
{
    return step % 2 == 1 ? -field : field;
}

wide *reference_steps(struct wave *w, double field, int steps)
{
    size_t n = (size_t)w->s.n;
    wide *psi = (wide *)malloc(n * sizeof *psi);
    fill_random(w, SEED);
    for (size_t i = 0; i < n; i++)
        psi[i] = {w->psi[2 * i], w->psi[2 * i + 1]};
    for (int i = 0; i < steps; i++)
        reference_step(&w->s, w->v, field_of_step(field, i), psi);
    return psi;
}

/* T|_2: T = 1 + i (dt/2) H, |T|^2 <= 1 + (dt/2)^2 |H|^2, |H| <= 2/dx^2 + max |V + E x|. */
static double norm_of_t(const struct wave *w, double field)
{
    double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most) if (w->s.n > MANY)
    for (int64_t i = 0; i < w->s.n; i++)
        most = fmax(most, fabs(w->v[i] + field * x_of(w, i)));
    return hypot(1, w->s.dt / 2 * (2 / (w->s.dx * w->s.dx) + most));
}

/* A step adds an error of at most 26 u |T| |psi|: 16 of the solution (as nshape --check; the
 * Hermitian part of T is 1, so there is no need to pivot and |T^-1| <= 1), 6 of d = T^dagger psi, 4
 * of the coefficients. T^-1 T^dagger is unitary, so the errors add up but do not grow. */
struct verdict compare_steps(struct wave *w, double field, int steps, const wide *reference)
{
    const wide *psi = reference;
    size_t n = (size_t)w->s.n;
    fill_random(w, SEED);
    start(w);
    for (int i = 0; i < steps; i++)
        step(w, field_of_step(field, i));
    fetch(w);
    /* Sums of doubles are exact enough: their relative error is far below 1%. */
    double error = 0, norm = 0;
#pragma omp parallel for schedule(static) reduction(+ : error, norm) if (n > MANY)
    for (size_t i = 0; i < n; i++) {
        error += (double)std::norm(wide(w->psi[2 * i], w->psi[2 * i + 1]) - psi[i]);
        norm += (double)std::norm(psi[i]);
    }
    double relative = sqrt(error / norm);
    double allowed =
        26 * unit_roundoff(w->s.type) * steps * fmax(norm_of_t(w, field), norm_of_t(w, -field));
    return {relative <= allowed, relative, relative / allowed, -1};
}
