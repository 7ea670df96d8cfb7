/* Experiments and tests of Crank-Nicolson on the N-shaped partition method (tdse.h): a free Gaussian packet, a coherent
 * state of a harmonic oscillator, tunnelling through a barrier, a soft-core atom in a laser pulse. Atomic units. Run:
 * nshape --tdse. */
#include "csv.h"
#include "device_program.h"
#include "expect.h"
#include "problems.h"
#include "results.h"
#include "tdse.h"
#include "tdse/experiment.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

/* ---- how a step is made ---- */

struct way {
    enum tdse_solver solver;
    enum tdse_matrix matrix;
    const char *name, *on_cores;
    /* Least words of psi's type that a row moves. The paper's, rebuilt: RD reads psi and V (half a word) and writes b, a, c, d;
     * RU reads them and writes b, c, d; SS reads all and writes psi. Kept: RD reads psi, V and r and writes d; RU reads d and r
     * and writes d; SS as before. tridiagonal.h's: psi and V are read and d is written, rebuilt the diagonal, too; diagonal,
     * off-diagonal (one for both) and d are read and psi is written. Rows that do not fit on the chip are read twice: 3 more,
     * which are not counted. */
    double words;
};
static const struct way ways[] = {
    {TDSE_N_SHAPED, TDSE_REBUILT, "tdse_rebuilt", "tdse_rebuilt_cpu", 1.5 + 4 + 4 + 3 + 5},
    {TDSE_N_SHAPED, TDSE_KEPT, "tdse_kept", "tdse_kept_cpu", 2.5 + 1 + 2 + 1 + 5},
    {TDSE_TRIDIAGONAL, TDSE_REBUILT, "tdse_tridiagonal_rebuilt", NULL, 1.5 + 2 + 3 + 1},
    {TDSE_TRIDIAGONAL, TDSE_KEPT, "tdse_tridiagonal_kept", NULL, 1.5 + 1 + 3 + 1}};

static const struct way *way_of(enum tdse_solver solver, enum tdse_matrix matrix)
{
    for (const struct way &way : ways)
        if (way.solver == solver && way.matrix == matrix)
            return &way;
    return NULL;
}

/* ---- a wave function, where a step is made (device or CPU cores), and here ---- */

struct wave {
    struct tdse s;
    int cores;   /* 0: on the device */
    double *v;   /* n: the potential without the field */
    double *psi; /* 2 n: real and imaginary parts */
    void *words; /* 2 n reals of the type */
};

static void *get_memory(const struct wave *w, size_t bytes)
{
    void *memory;
    if (w->cores > 0)
        return host_alloc("nshape", (int64_t)bytes);
    CHECK(cudaMalloc(&memory, bytes));
    return memory;
}
static void free_memory(const struct wave *w, void *memory)
{
    if (w->cores > 0)
        free(memory);
    else
        CHECK(cudaFree(memory));
}
static size_t words_bytes(const struct wave *w)
{
    return (size_t)w->s.n * (size_t)size_of(w->s.type);
}

/* `to` and `from` are where w's arrays are, and the host. */
static void copy_words(const struct wave *w, void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind)
{
    if (w->cores > 0)
        memcpy(to, from, bytes);
    else
        CHECK(cudaMemcpy(to, from, bytes, kind));
}

/* n points from `low` on, in blocks of 16 rows. */
static struct tdse grid(int64_t n, double low, double dx, double dt)
{
    int64_t parts[] = {n / 16, n / 128};
    return tdse_plan('z', n, low, dx, dt, 2, parts);
}

static struct wave open_wave(const struct tdse *plan, const struct way *way, int cores)
{
    struct wave w = {};
    w.s = *plan;
    w.s.solver = way->solver;
    w.s.matrix = way->matrix;
    w.cores = cores;
    w.v = (double *)host_alloc("nshape", w.s.n * 8);
    w.psi = (double *)host_alloc("nshape", w.s.n * 16);
    w.words = host_alloc("nshape", w.s.n * 16);
    w.s.v = get_memory(&w, words_bytes(&w) / 2);
    w.s.psi = get_memory(&w, words_bytes(&w));
    w.s.work = get_memory(&w, tdse_work(&w.s));
    if (cores > 0) /* nothing may depend on what was there */
        memset(w.s.work, 0xff, tdse_work(&w.s));
    else
        CHECK(cudaMemset(w.s.work, 0xff, tdse_work(&w.s)));
    return w;
}

static void close_wave(struct wave *w)
{
    free_memory(w, (void *)w->s.v);
    free_memory(w, w->s.psi);
    free_memory(w, w->s.work);
    free(w->v);
    free(w->psi);
    free(w->words);
}

static double x_of(const struct tdse *s, int64_t i)
{
    return s->x0 + (double)i * s->dx;
}

/* v and psi to where the steps are made; the factors, or the matrix. */
static void start(struct wave *w)
{
    char real = real_type(w->s.type);
    for (int64_t i = 0; i < w->s.n; i++)
        put(real, w->words, i, w->v[i]);
    copy_words(w, (void *)w->s.v, w->words, words_bytes(w) / 2, cudaMemcpyHostToDevice);
    for (int64_t i = 0; i < 2 * w->s.n; i++)
        put(real, w->words, i, w->psi[i]);
    copy_words(w, w->s.psi, w->words, words_bytes(w), cudaMemcpyHostToDevice);
    if (w->s.matrix == TDSE_KEPT || w->s.solver == TDSE_TRIDIAGONAL)
        CHECK(w->cores > 0 ? tdse_keep_cpu(&w->s, 0, w->cores) : tdse_keep(&w->s, 0, 0));
}

static void step(struct wave *w, double field)
{
    CHECK(w->cores > 0 ? tdse_step_cpu(&w->s, field, w->cores) : tdse_step(&w->s, field, 0));
}

static void fetch(struct wave *w)
{
    copy_words(w, w->words, w->s.psi, words_bytes(w), cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < 2 * w->s.n; i++)
        w->psi[i] = get(real_type(w->s.type), w->words, i);
}

/* ---- observables, of psi here ---- */

static double density(const struct wave *w, int64_t i)
{
    return w->psi[2 * i] * w->psi[2 * i] + w->psi[2 * i + 1] * w->psi[2 * i + 1];
}

/* The probability of x > from. */
static double probability(const struct wave *w, double from)
{
    double sum = 0;
    for (int64_t i = 0; i < w->s.n; i++)
        if (x_of(&w->s, i) > from)
            sum += density(w, i) * w->s.dx;
    return sum;
}
static double norm_of(const struct wave *w)
{
    return probability(w, -INFINITY);
}
static double mean_x(const struct wave *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->s.n; i++)
        sum += x_of(&w->s, i) * density(w, i) * w->s.dx;
    return sum;
}

/* ---- what is known of a free Gaussian packet ---- */

struct packet {
    double x0, sigma, k; /* centre, standard deviation of |psi|^2, mean momentum */
};

/* psi(x, t) with V = 0. */
static void free_packet(const struct packet *p, double x, double t, double *re, double *im)
{
    double tau = t / (2 * p->sigma * p->sigma), spread = 1 + tau * tau;
    double xi = x - p->x0 - p->k * t, square = xi * xi / (4 * p->sigma * p->sigma * spread);
    double size = pow(2 * PI * p->sigma * p->sigma * spread, -0.25) * exp(-square);
    double phase = square * tau + p->k * (x - p->x0) - p->k * p->k * t / 2 - atan(tau) / 2;
    *re = size * cos(phase);
    *im = size * sin(phase);
}

static void put_packet(struct wave *w, const struct packet *p)
{
    for (int64_t i = 0; i < w->s.n; i++)
        free_packet(p, x_of(&w->s, i), 0, &w->psi[2 * i], &w->psi[2 * i + 1]);
}

/* <k^power> of the packet: moments of a normal distribution of standard deviation 1/(2 sigma). */
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

/* |psi - exact| in the 2-norm. To leading order in dx and dt a component k of the packet is late by the phase
 *   t (k^4 dx^2/24 - k^6 dt^2/96),
 * from (1 - cos k dx)/dx^2 = k^2/2 - k^4 dx^2/24 and 2 atan(E dt/2) = E dt - E^3 dt^3/12: so the error is the root of
 * its mean square. */
struct free_error {
    double measured, expected;
};
static struct free_error free_error(double dx, double dt, double t, const struct way *way)
{
    struct packet p = {-1, 1, 1};
    int64_t steps = (int64_t)(t / dt + 0.5), n = (int64_t)(28 / dx + 0.5);
    struct tdse plan = grid(n, -14, dx, dt);
    struct wave w = open_wave(&plan, way, 0);
    memset(w.v, 0, (size_t)n * sizeof *w.v);
    put_packet(&w, &p);
    start(&w);
    for (int64_t i = 0; i < steps; i++)
        step(&w, 0);
    fetch(&w);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double re, im;
        free_packet(&p, x_of(&w.s, i), t, &re, &im);
        re -= w.psi[2 * i];
        im -= w.psi[2 * i + 1];
        sum += (re * re + im * im) * dx;
    }
    double space = t * dx * dx / 24, time = t * dt * dt / 96;
    struct free_error e = {sqrt(sum), sqrt(space * space * momentum_moment(&p, 8) -
                                           2 * space * time * momentum_moment(&p, 10) +
                                           time * time * momentum_moment(&p, 12))};
    close_wave(&w);
    return e;
}

/* ---- the scenes ---- */

static void fill_harmonic(struct wave *w, double omega)
{
    for (int64_t i = 0; i < w->s.n; i++)
        w->v[i] = 0.5 * omega * omega * x_of(&w->s, i) * x_of(&w->s, i);
}
/* The ground state at another place: its density keeps its shape, and its mean is x0 cos omega t. */
static struct packet coherent_state(double omega, double x0)
{
    struct packet p = {x0, sqrt(0.5 / omega), 0};
    return p;
}

/* |x| < width/2. The grid has no point there: then the steps of V lie between points, and the error is O(dx^2). */
static void fill_barrier(struct wave *w, double height, double width)
{
    for (int64_t i = 0; i < w->s.n; i++)
        w->v[i] = fabs(x_of(&w->s, i)) < width / 2 ? height : 0;
}
/* Transmission of a plane wave, averaged over the momenta of the packet. */
static double barrier_transmission(const struct packet *p, double height, double width)
{
    enum { POINTS = 20000 };
    double sum = 0, deviation = 1 / (2 * p->sigma);
    for (int i = 0; i < POINTS; i++) {
        double z = 16 * ((i + 0.5) / POINTS - 0.5), k = p->k + z * deviation, e = k * k / 2;
        if (k <= 0)
            continue;
        double q = sqrt(2 * fabs(height - e)), s = e < height ? sinh(q * width) : sin(q * width);
        double t = 1 / (1 + height * height * s * s / (4 * e * fabs(height - e)));
        sum += t * exp(-z * z / 2) / sqrt(2 * PI) * 16 / POINTS;
    }
    return sum;
}

/* -1/sqrt(x^2 + 2), whose ground state is (1 + r) exp(-r), r = sqrt(x^2 + 2), of energy -1/2 exactly. */
static void fill_atom(struct wave *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->s.n; i++) {
        double x = x_of(&w->s, i), r = sqrt(x * x + 2);
        w->v[i] = -1 / r;
        w->psi[2 * i] = (1 + r) * exp(-r);
        w->psi[2 * i + 1] = 0;
        sum += density(w, i) * w->s.dx;
    }
    for (int64_t i = 0; i < w->s.n; i++)
        w->psi[2 * i] /= sqrt(sum);
}

/* E(t) = strength sin^2(pi t/length) sin(omega t), length = cycles of omega. */
struct laser {
    double strength, omega, cycles;
};
static double laser_length(const struct laser *l)
{
    return l->cycles * 2 * PI / l->omega;
}
static double laser_field(const struct laser *l, double t)
{
    double envelope = sin(PI * t / laser_length(l));
    return t < 0 || t > laser_length(l) ? 0 : l->strength * envelope * envelope * sin(l->omega * t);
}

/* ---- --check ---- */

/* A step by one elimination of all rows in long double. */
struct exact {
    long double re, im;
};
static struct exact times(struct exact x, struct exact y)
{
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
static struct exact over(struct exact x, struct exact y)
{
    long double norm = y.re * y.re + y.im * y.im;
    return {(x.re * y.re + x.im * y.im) / norm, (x.im * y.re - x.re * y.im) / norm};
}
static void ordinary_step(const struct tdse *s, const double *v, double field, struct exact *psi)
{
    size_t n = (size_t)s->n;
    struct exact *a = (struct exact *)malloc(n * sizeof *a),
                 *d = (struct exact *)malloc(n * sizeof *d);
    long double dx = s->dx, half = (long double)s->dt / 2;
    struct exact off = {0, -half / (2 * dx * dx)};
    for (size_t i = 0; i < n; i++) {
        long double x = s->x0 + (long double)i * dx;
        a[i] = {1, half * (1 / (dx * dx) + v[i] + field * x)};
        struct exact conjugate = {1, -a[i].im}, sum = {0, 0};
        if (i > 0)
            sum = psi[i - 1];
        if (i + 1 < n)
            sum = {sum.re + psi[i + 1].re, sum.im + psi[i + 1].im};
        struct exact here = times(conjugate, psi[i]), there = times({0, -off.im}, sum);
        d[i] = {here.re + there.re, here.im + there.im};
    }
    for (size_t i = 1; i < n; i++) {
        struct exact r = over(off, a[i - 1]), down = times(r, off), rest = times(r, d[i - 1]);
        a[i] = {a[i].re - down.re, a[i].im - down.im};
        d[i] = {d[i].re - rest.re, d[i].im - rest.im};
    }
    for (size_t i = n; i-- > 0;) {
        struct exact rest = {0, 0};
        if (i + 1 < n)
            rest = times(off, psi[i + 1]);
        psi[i] = over({d[i].re - rest.re, d[i].im - rest.im}, a[i]);
    }
    free(a);
    free(d);
}

/* |T|_2 is at most the root of 1 + (dt/2)^2 |H|^2, |H| <= 2/dx^2 + max |V + E x|. */
static double norm_of_t(const struct wave *w, double field)
{
    double most = 0;
    for (int64_t i = 0; i < w->s.n; i++)
        most = fmax(most, fabs(w->v[i] + field * x_of(&w->s, i)));
    return hypot(1, w->s.dt / 2 * (2 / (w->s.dx * w->s.dx) + most));
}

static void fill_random(struct wave *w, uint64_t seed)
{
    struct random r = {seed};
    for (int64_t i = 0; i < w->s.n; i++) {
        w->v[i] = random_uniform(&r, -2, 2);
        for (int part = 0; part < 2; part++)
            w->psi[2 * i + part] = random_uniform(&r, -1, 1);
        if (w->s.type == 'c') { /* what a single word holds */
            w->v[i] = (double)((float)w->v[i]);
            for (int part = 0; part < 2; part++)
                w->psi[2 * i + part] = (double)((float)w->psi[2 * i + part]);
        }
    }
}

/* Of the steps of a test few, where they take long: milliseconds each on the CPU device, for which every word that lanes hand to
 * each other is a change of fibres. */
static bool is_slow(enum tdse_solver solver)
{
    return solver == TDSE_TRIDIAGONAL && device_is_cpu();
}

/* `steps` steps of a random wave function in a random potential and a field that turns with every step (T rebuilt) against
 * ordinary ones, |difference|/|psi| in the 2-norm. Every step adds at most
 *   u (22 + 4) |T|:
 * 22 u |T| |psi| of backward error in the solution (16 as for all systems, see UNITS in main.cu, whose growth is no
 * larger for a matrix of Hermitian part 1; 6 of d = T^dagger psi), times |T^-1| <= 1; and 4 of the coefficients, which
 * are rounded themselves. T^-1 T^dagger is unitary: errors add up and do not grow. */
struct step_error {
    double error, bound;
};
static struct step_error step_error(struct wave *w, double field, int steps)
{
    size_t n = (size_t)w->s.n;
    struct exact *psi = (struct exact *)malloc(n * sizeof *psi);
    fill_random(w, 7);
    for (size_t i = 0; i < n; i++)
        psi[i] = {w->psi[2 * i], w->psi[2 * i + 1]};
    start(w);
    for (int i = 0; i < steps; i++) {
        double now = i % 2 == 1 ? -field : field;
        ordinary_step(&w->s, w->v, now, psi);
        step(w, now);
    }
    fetch(w);
    long double error = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        long double re = w->psi[2 * i] - psi[i].re, im = w->psi[2 * i + 1] - psi[i].im;
        error += re * re + im * im;
        size += psi[i].re * psi[i].re + psi[i].im * psi[i].im;
    }
    free(psi);
    return {(double)sqrtl(error / size), 26 * unit_roundoff(w->s.type) *
                                             fmax(norm_of_t(w, field), norm_of_t(w, -field)) *
                                             steps};
}

/* All partitions and both solvers agree with the same ordinary steps, so with each other. */
static void check_step(char type, int64_t n, int64_t parts, int nest, const struct way *way,
                       int cores, const int64_t *joints, int steps)
{
    int64_t counts[NSHAPE_NEST_MOST];
    for (int l = 0; l < nest; l++)
        counts[l] = l == 0 ? parts : (counts[l - 1] + 2) / 3;
    struct tdse plan = tdse_plan(type, n, -1.5, 0.25, 0.125, nest, counts);
    struct wave w = open_wave(&plan, way, cores);
    int64_t *placed = NULL;
    if (joints) {
        size_t bytes = (size_t)(parts + 1) * sizeof *joints;
        placed = (int64_t *)get_memory(&w, bytes);
        copy_words(&w, placed, joints, bytes, cudaMemcpyHostToDevice);
        w.s.joints = placed;
    }
    struct step_error e = step_error(&w, way->matrix == TDSE_KEPT ? 0 : 0.5, steps);
    EXPECT(e.error <= e.bound,
           "type %c, n = %lld, %lld blocks, nest %d, %s, cores %d: error %g, allowed %g", type,
           (long long)n, (long long)parts, nest, way->name, cores, e.error, e.bound);
    if (joints)
        free_memory(&w, placed);
    close_wave(&w);
}

static void check_steps(void)
{
    static const int64_t sizes[] = {2, 3, 4, 5, 31}, joints[] = {0, 1, 3, 6, 10, 18, 19, 20, 30};
    for (const char *type = "zc"; *type; type++)
        for (const struct way &way : ways)
            for (int cores = 0; cores <= (way.on_cores ? 2 : 0); cores += 2) {
                if (way.solver == TDSE_TRIDIAGONAL) {
                    int few = is_slow(way.solver) ? 2 : 20;
                    for (int64_t n : sizes)
                        check_step(*type, n, 1, 1, &way, cores, NULL, 3);
                    check_step(*type, 3001, 1, 1, &way, cores, NULL, few);
                    /* more than two CPU cores' shared memory holds */
                    check_step(*type, 15001, 1, 1, &way, cores, NULL, few / 2);
                    continue;
                }
                for (int64_t n : sizes)
                    for (int64_t parts = 1; parts < n; parts = n <= 5 ? parts + 1 : parts * 4)
                        for (int nest = 1; nest <= 3; nest++)
                            check_step(*type, n, parts, nest, &way, cores, NULL, 3);
                check_step(*type, 31, 30, 2, &way, cores, NULL, 3); /* no block has a row */
                check_step(*type, 31, 8, 2, &way, cores, joints, 3);
                for (int64_t parts = 1; parts < 3000; parts *= 14)
                    check_step(*type, 3001, parts, 2, &way, cores, NULL, 20);
            }
}

/* Errors before and after everything was halved: their ratio is 4 within a tenth, and what Richardson's extrapolation
 * leaves is of the next order, `next` of the first error. */
static void expect_second_order(const char *what, double coarse, double fine, double next)
{
    double left = (4 * fine - coarse) / 3;
    EXPECT(fabs(coarse / fine / 4 - 1) <= 0.1, "%s: errors %g, %g", what, coarse, fine);
    EXPECT(fabs(left) <= next * fabs(coarse), "%s: errors %g, %g: extrapolated %g", what, coarse,
           fine, left);
}

/* The same bits on every run, with any number of threads a block and of cores. */
static void check_bits(void)
{
    for (const char *type = "zc"; *type; type++)
        for (const struct way &way : ways)
            for (int place = 0; place < (way.on_cores ? 2 : 1); place++) {
                enum { N = 3001, RUNS = 3 };
                int steps = is_slow(way.solver) ? 1 : 10;
                int64_t parts[] = {100, 9};
                double *first = NULL;
                for (int i = 0; i < RUNS; i++) {
                    struct tdse plan = tdse_plan(*type, N, -150, 0.1, 0.02, 2, parts);
                    plan.threads = i == 0 ? 128 : 32;
                    struct wave w = open_wave(&plan, &way, place == 0 ? 0 : 1 + i % 2);
                    fill_random(&w, 9);
                    start(&w);
                    for (int k = 0; k < steps; k++)
                        step(&w, 0);
                    fetch(&w);
                    if (i == 0) {
                        first = w.psi;
                        w.psi = NULL;
                    } else
                        EXPECT(memcmp(first, w.psi, N * 16) == 0,
                               "type %c, %s, %s, run %d: not the same bits", *type, way.name,
                               place == 0 ? "device" : "cores", i);
                    close_wave(&w);
                }
                free(first);
            }
}

/* Halving dx, then dt; the other is so small that it adds less than 1%. The next order changes a ratio by about
 * <k^2> dx^2/10 and <E^2> dt^2/4, a few per cent here. */
static void check_free(enum tdse_solver solver)
{
    double before = 0;
    for (int i = 0; i < 3; i++) {
        double dx = 0.1 / (1 << i);
        struct free_error e = free_error(dx, 0.1 * dx, 2, way_of(solver, TDSE_REBUILT));
        EXPECT(fabs(e.measured / e.expected - 1) <= 0.1, "dx = %g: error %g, expected %g", dx,
               e.measured, e.expected);
        if (i > 0)
            EXPECT(fabs(before / e.measured / 4 - 1) <= 0.1, "dx = %g: ratio %g", dx,
                   before / e.measured);
        before = e.measured;
    }
    for (int i = 0; i < 3; i++) {
        double dt = 0.1 / (1 << i);
        struct free_error e = free_error(0.035 * dt, dt, 2, way_of(solver, TDSE_KEPT));
        EXPECT(fabs(e.measured / e.expected - 1) <= 0.1, "dt = %g: error %g, expected %g", dt,
               e.measured, e.expected);
        if (i > 0)
            EXPECT(fabs(before / e.measured / 4 - 1) <= 0.1, "dt = %g: ratio %g", dt,
                   before / e.measured);
        before = e.measured;
    }
}

/* T^-1 T^dagger is unitary: what the norm loses in 10^4 steps is rounding. */
static void check_norm(void)
{
    struct laser laser = {0.1, 0.2, 8};
    for (const struct way &way : ways) {
        struct tdse plan = grid(400, -40, 0.2, 0.025);
        struct wave w = open_wave(&plan, &way, 0);
        fill_atom(&w);
        start(&w);
        for (int i = 0; i < (is_slow(way.solver) ? 50 : SANITIZED ? 500 : 10000); i++)
            step(&w, way.matrix == TDSE_KEPT ? 0 : laser_field(&laser, (i + 0.5) * plan.dt));
        fetch(&w);
        EXPECT(fabs(norm_of(&w) - 1) <= 1e-10, "%s: norm changed by %g", way.name, norm_of(&w) - 1);
        close_wave(&w);
    }
}

/* <x> of a coherent state is x0 <cos (E_{n+1} - E_n) t> over Poisson's distribution of n, of mean
 * N = omega x0^2/2. Crank-Nicolson turns E into E - E^3 dt^2/12, and the grid into E - <p^4> dx^2/24,
 * <p^4> = 3/4 omega^2 (2n^2 + 2n + 1): so the period is longer than 2 pi/omega by the part
 *   (omega^2 dt^2/12) <3 (n+1)^2 + 1/4> + (omega dx^2/32) <4n + 4>,  <(n+1)^2> = N^2 + 3N + 1,
 * which is expected within a tenth (the next order, and the spread of the frequencies). */
static void check_harmonic(enum tdse_solver solver)
{
    static const double dxs[] = {0.1, 0.04}, dts[] = {0.005, 0.05};
    for (int i = 0; i < 2; i++) {
        double omega = 1, x0 = 2, dx = dxs[i], dt = dts[i];
        struct tdse plan = grid((int64_t)(16 / dx) + 1, -8, dx, dt);
        struct wave w = open_wave(&plan, way_of(solver, TDSE_KEPT), 0);
        struct packet p = coherent_state(omega, x0);
        fill_harmonic(&w, omega);
        put_packet(&w, &p);
        start(&w);
        double before = x0, crossing[4];
        int crossings = 0;
        for (int k = 1; crossings < 4 && k * dt < 30; k++) {
            step(&w, 0);
            double phase = fmod(omega * k * dt, 2 * PI);
            if (fabs(phase - PI / 2) > 0.5) /* downward zeros are near pi/2 */
                continue;
            fetch(&w);
            double x = mean_x(&w);
            if (before > 0 && x <= 0 && k > 1)
                crossing[crossings++] = dt * (k - x / (x - before));
            before = x;
        }
        EXPECT(crossings == 4, "%d periods seen", crossings);
        if (crossings == 4) {
            double n = omega * x0 * x0 / 2,
                   longer = (crossing[3] - crossing[0]) / 3 * omega / (2 * PI) - 1;
            double expected = omega * omega * dt * dt / 12 * (3 * (n * n + 3 * n + 1) + 0.25) +
                              omega * dx * dx / 32 * (4 * n + 4);
            EXPECT(fabs(longer - expected) <= 0.1 * expected,
                   "dx = %g, dt = %g: the period is longer by %g, expected %g", dx, dt, longer,
                   expected);
        }
        close_wave(&w);
    }
}

/* After the packet has met the barrier and split. dt changes when, and not how much: the propagator is a function of H,
 * and its eigenfunctions are the same. */
static double measured_transmission(const struct packet *p, double height, double width, double dx,
                                    enum tdse_solver solver)
{
    int64_t n = (int64_t)(200 / dx + 0.5);
    double dt = 0.05, t = 0;
    struct tdse plan = grid(n, -100 + dx / 2, dx, dt);
    struct wave w = open_wave(&plan, way_of(solver, TDSE_KEPT), 0);
    fill_barrier(&w, height, width);
    put_packet(&w, p);
    start(&w);
    while (t < -2 * p->x0 / p->k) {
        step(&w, 0);
        t += dt;
    }
    fetch(&w);
    double transmitted = probability(&w, 0);
    close_wave(&w);
    return transmitted;
}

static void check_barrier(enum tdse_solver solver)
{
    struct packet p = {-30, 4, 1.5};
    double height = 1.25, width = 1, exact = barrier_transmission(&p, height, width);
    double coarse = measured_transmission(&p, height, width, 0.1, solver) - exact;
    double fine = measured_transmission(&p, height, width, 0.05, solver) - exact;
    /* The next order is smaller by (k dx)^2. */
    expect_second_order("transmission", coarse, fine, 2.25 * 0.01);
}

/* The ground state turns with the energy -1/2. */
static double measured_energy(double dx, double dt, enum tdse_solver solver)
{
    struct tdse plan = grid((int64_t)(80 / dx) + 1, -40, dx, dt);
    struct wave w = open_wave(&plan, way_of(solver, TDSE_KEPT), 0);
    fill_atom(&w);
    double *before = (double *)host_alloc("nshape", w.s.n * 16), re = 0, im = 0;
    memcpy(before, w.psi, (size_t)w.s.n * 16);
    start(&w);
    double t = 5;
    for (int i = 0; i < t / dt - 0.5; i++)
        step(&w, 0);
    fetch(&w);
    for (int64_t i = 0; i < w.s.n; i++) {
        re += before[2 * i] * w.psi[2 * i] * dx;
        im += before[2 * i] * w.psi[2 * i + 1] * dx;
    }
    free(before);
    close_wave(&w);
    return -atan2(im, re) / t;
}

/* <x> of a free packet in a laser field is that of a classical electron, x0 + k t - int (t - s) E(s) ds. In the middle
 * of the pulse, where a field of another time than t + dt/2 would show. */
static double measured_shift(double dx, double dt, enum tdse_solver solver)
{
    struct laser laser = {0.3, 0.8, 2};
    struct packet p = {0, 1.5, 0};
    enum { STEPS = 100000 };
    double t = 8, expected = 0;
    struct tdse plan = grid((int64_t)(60 / dx) + 1, -30, dx, dt);
    struct wave w = open_wave(&plan, way_of(solver, TDSE_REBUILT), 0);
    memset(w.v, 0, (size_t)w.s.n * sizeof *w.v);
    put_packet(&w, &p);
    start(&w);
    for (int i = 0; i < t / dt - 0.5; i++)
        step(&w, laser_field(&laser, (i + 0.5) * dt));
    fetch(&w);
    for (int i = 0; i < STEPS; i++) {
        double s = (i + 0.5) * t / STEPS;
        expected -= (t - s) * laser_field(&laser, s) * t / STEPS;
    }
    double x = mean_x(&w) - expected;
    close_wave(&w);
    return x;
}

/* The next order is smaller by <p^2> dx^2, <p^2> less than 1/2, and in the field by (omega dt)^2. */
static void check_atom(enum tdse_solver solver)
{
    expect_second_order("energy", measured_energy(0.2, 0.005, solver) + 0.5,
                        measured_energy(0.1, 0.005, solver) + 0.5, 0.02);
}
static void check_field(enum tdse_solver solver)
{
    double coarse = measured_shift(0.2, 0.1, solver), fine = measured_shift(0.1, 0.05, solver);
    expect_second_order("packet in a field", coarse, fine, 0.02);
}

/* So large a potential leaves of a step (1 - i h)/(1 + i h) = -1, to the rounding of d and of its
 * division; its square is beyond the type's range. */
static void check_large_potential(void)
{
    for (const char *type = "zc"; *type; type++)
        for (int kept = 0; kept < 2; kept++)
            for (int cores = 0; cores < 3; cores++) {
                int64_t parts[] = {20, 3};
                struct tdse plan = tdse_plan(*type, 100, -5, 0.1, 0.1, 2, parts);
                struct wave w =
                    open_wave(&plan, way_of(TDSE_N_SHAPED, kept ? TDSE_KEPT : TDSE_REBUILT), cores);
                fill_random(&w, 3);
                double before[200], most = 0, largest = 0;
                for (int i = 0; i < 100; i++)
                    w.v[i] = *type == 'z' ? 0x1p600 : 0x1p80;
                memcpy(before, w.psi, sizeof before);
                start(&w);
                step(&w, 0);
                fetch(&w);
                for (int i = 0; i < 200; i++) {
                    double error = fabs(w.psi[i] + before[i]);
                    most = error <= most ? most : error == error ? error : INFINITY;
                    largest = fmax(largest, fabs(before[i]));
                }
                EXPECT(most <= 8 * unit_roundoff(*type) * largest,
                       "type %c, a large potential, kept %d, %d cores: error %g", *type, kept,
                       cores, most);
                close_wave(&w);
            }
}

/* `s` is refused by every function, and psi is as it was. */
static void expect_refused(const struct wave *w, const struct tdse *s, const char *what)
{
    size_t bytes = words_bytes(w);
    copy_words(w, w->s.psi, w->words, bytes, cudaMemcpyHostToDevice);
    struct tdse kept = *s;
    kept.matrix = TDSE_KEPT;
    if (w->cores > 0)
        EXPECT(tdse_step_cpu(s, 0, w->cores) == cudaErrorInvalidValue &&
                   tdse_keep_cpu(&kept, 0, w->cores) == cudaErrorInvalidValue,
               "%s, on cores", what);
    else
        EXPECT(tdse_step(s, 0, 0) == cudaErrorInvalidValue &&
                   tdse_keep(&kept, 0, 0) == cudaErrorInvalidValue,
               "%s", what);
    EXPECT(tdse_part(s, NSHAPE_PART_DOWN, 0, 0, w->cores) == cudaErrorInvalidValue, "%s, a part",
           what);
    void *now = host_alloc("nshape", (int64_t)bytes);
    copy_words(w, now, w->s.psi, bytes, cudaMemcpyDeviceToHost);
    EXPECT(memcmp(now, w->words, bytes) == 0, "%s: psi was touched", what);
    free(now);
}

static void check_misuse(void)
{
    int64_t parts[] = {10, 3}, one = 1;
    struct tdse plan = tdse_plan('z', 100, 0, 0.1, 0.1, 2, parts);
    struct wave w = open_wave(&plan, way_of(TDSE_N_SHAPED, TDSE_REBUILT), 0);
    struct tdse s = w.s, bad = s;
    bad.type = 'd';
    EXPECT(tdse_step(&bad, 0, 0) == cudaErrorInvalidValue, "type d");
    bad = s;
    bad.n = 10;
    EXPECT(tdse_step(&bad, 0, 0) == cudaErrorInvalidValue, "as many blocks as rows");
    bad = s;
    bad.parts[1] = 11;
    EXPECT(tdse_step(&bad, 0, 0) == cudaErrorInvalidValue, "more blocks than before");
    EXPECT(tdse_keep(&s, 0, 0) == cudaErrorInvalidValue, "factors of a matrix that is rebuilt");
    EXPECT(tdse_step_cpu(&s, 0, 0) == cudaErrorInvalidValue, "no cores");
    s.solver = TDSE_TRIDIAGONAL;
    EXPECT(tdse_step_cpu(&s, 0, 1) == cudaErrorInvalidValue &&
               tdse_keep_cpu(&s, 0, 1) == cudaErrorInvalidValue,
           "tridiagonal.h on cores");
    s.parts[1] = 1;
    EXPECT(tdse_part(&s, NSHAPE_PART_DOWN, 0, 0, 0) == cudaErrorInvalidValue,
           "tridiagonal.h in parts");
    bad = s;
    bad.first = 1;
    EXPECT(tdse_step(&bad, 0, 0) == cudaErrorInvalidValue, "tridiagonal.h for a part");
    close_wave(&w);

    for (const char *type = "cz"; *type; type++)
        for (int cores = 0; cores < 2; cores++)
            for (int i = 0; i < 2 - cores; i++) {
                enum tdse_solver solver = i ? TDSE_TRIDIAGONAL : TDSE_N_SHAPED;
                plan = tdse_plan(*type, 100, 0, 0.1, 0.1, 1, &one);
                w = open_wave(&plan, way_of(solver, TDSE_REBUILT), cores);
                fill_random(&w, 1);
                start(&w);
                size_t word = (size_t)size_of(*type);
#define REFUSED(change)                                                                            \
    bad = w.s;                                                                                     \
    change;                                                                                        \
    expect_refused(&w, &bad, #change)
                REFUSED(bad.v = NULL);
                REFUSED(bad.v = (const char *)w.s.v + word / 4);
                REFUSED(bad.psi = NULL);
                REFUSED(bad.psi = (char *)w.s.psi + word / 2);
                REFUSED(bad.work = NULL);
                REFUSED(bad.work = (char *)w.s.work + 8);
                REFUSED(bad.joints = (const int64_t *)((const char *)w.s.v + 4));
#undef REFUSED
                close_wave(&w);
            }
}

int tdse_check(void)
{
    int failed = expect_failed;
    check_misuse();
    check_large_potential();
    check_steps();
    check_bits();
    check_norm();
    for (int i = TDSE_N_SHAPED; i <= TDSE_TRIDIAGONAL; i++) {
        enum tdse_solver solver = (enum tdse_solver)i;
        if (is_slow(solver) || SANITIZED)
            continue;
        check_field(solver);
        check_free(solver);
        check_harmonic(solver);
        check_barrier(solver);
        check_atom(solver);
    }
    return expect_failed - failed;
}

/* ---- the experiments ---- */

struct scene {
    const char *name;
    double low, high, dx, dt, length; /* the grid and how long */
    double from, to;                  /* what is shown of x */
};
enum { FREE, HARMONIC, BARRIER, LASER, SCENES };
static const struct scene scenes[SCENES] = {{"free", -30, 50, 0.05, 0.01, 12, -10, 40},
                                            {"harmonic", -10, 10, 0.04, 0.01, 9, -6, 6},
                                            {"barrier", -80, 80, 0.05, 0.01, 36, -50, 50},
                                            {"laser", -400, 400, 0.2, 0.05, 300, -100, 100}};
enum { TIMES_SHOWN = 120, PLACES_SHOWN = 300 };
static const struct laser pulse = {0.05, 0.1, 4};

static void fill_scene(struct wave *w, int scene)
{
    static const struct packet free_start = {0, 1, 2}, barrier_start = {-25, 3, 1.5};
    struct packet coherent = coherent_state(1, 3);
    memset(w->v, 0, (size_t)w->s.n * sizeof *w->v);
    if (scene == LASER)
        return fill_atom(w);
    if (scene == HARMONIC)
        fill_harmonic(w, 1);
    if (scene == BARRIER)
        fill_barrier(w, 1.25, 1);
    put_packet(w, scene == FREE ? &free_start : scene == HARMONIC ? &coherent : &barrier_start);
}

static void show(struct wave *w, const struct scene *scene, double t, FILE *file)
{
    fetch(w);
    int64_t stride = (int64_t)ceil((scene->to - scene->from) / (w->s.dx * PLACES_SHOWN));
    for (int64_t i = 0; file && i < w->s.n; i += stride)
        if (x_of(&w->s, i) >= scene->from && x_of(&w->s, i) <= scene->to)
            fprintf(file, "%.5g,%.6g,%.4g\n", t, x_of(&w->s, i), density(w, i));
}

/* The wave function must keep its norm; t,x,density goes to the file. */
static int run_scene(int number, const char *csv_prefix, bool quick)
{
    const struct scene *scene = &scenes[number];
    double finer = quick ? 1 : 0.5, dx = scene->dx * finer, dt = scene->dt * finer;
    struct csv csv;
    if (!csv_open(&csv, "nshape", csv_prefix, scene->name, "t,x,density"))
        return EXIT_USAGE;
    int64_t n = (int64_t)((scene->high - scene->low) / dx + 0.5);
    /* Half a step from round numbers, so that the barrier's edges lie between points. */
    struct tdse plan = grid(n, scene->low + dx / 2, dx, dt);
    enum tdse_matrix matrix = number == LASER ? TDSE_REBUILT : TDSE_KEPT;
    struct wave w = open_wave(&plan, way_of(TDSE_N_SHAPED, matrix), 0);
    fill_scene(&w, number);
    double norm = norm_of(&w);
    start(&w);
    int64_t steps = (int64_t)(scene->length / dt + 0.5), each = steps / TIMES_SHOWN;
    for (int64_t i = 0; i <= steps; i++) {
        if (i % each == 0) {
            show(&w, scene, (double)i * dt, csv.file);
            progress("nshape", i, steps, scene->name);
        }
        if (i < steps)
            step(&w, number == LASER ? laser_field(&pulse, ((double)i + 0.5) * dt) : 0);
    }
    fetch(&w);
    progress("nshape", steps, steps, scene->name);
    bool good = fabs(norm_of(&w) / norm - 1) <= 1e-10;
    printf("%-9s %7lld points, %7lld steps: the norm changed by %9.2g%s\n", scene->name,
           (long long)n, (long long)steps, norm_of(&w) / norm - 1, good ? "" : " (wrong)");
    close_wave(&w);
    return !csv_close(&csv) ? EXIT_USAGE : good ? EXIT_VERIFIED : EXIT_WRONG;
}

/* The error of the free packet (t = 2, sigma = 1, k = 1): dx halved with a small dt, dt halved with a small dx, each beside what is expected. */
static int run_convergence(const char *csv_prefix, bool quick)
{
    struct csv csv;
    if (!csv_open(&csv, "nshape", csv_prefix, "convergence", "sweep,dx,dt,error,expected"))
        return EXIT_USAGE;
    int status = EXIT_VERIFIED;
    for (int sweep = 0; sweep < 2; sweep++)
        for (int i = 0; i < (quick ? 4 : 6); i++) {
            double d = 0.2 / (1 << i), dx = sweep == 0 ? d : 0.035 * d,
                   dt = sweep == 0 ? 0.1 * d : d;
            struct free_error e = free_error(dx, dt, 2, way_of(TDSE_N_SHAPED, TDSE_REBUILT));
            if (!(fabs(e.measured / e.expected - 1) <= 0.1)) /* as in check_free */
                status = EXIT_WRONG;
            printf("dx = %-10.4g dt = %-10.4g error %-10.4g expected %.4g\n", dx, dt, e.measured,
                   e.expected);
            if (csv.file)
                fprintf(csv.file, "%s,%.9g,%.9g,%.6g,%.6g\n", sweep == 0 ? "dx" : "dt", dx, dt,
                        e.measured, e.expected);
        }
    return csv_close(&csv) ? status : EXIT_USAGE;
}

static cudaError_t timed_step(void *ctx, cudaStream_t stream)
{
    return tdse_step(&((struct wave *)ctx)->s, 0, stream);
}
static void timed_step_cpu(void *ctx)
{
    struct wave *w = (struct wave *)ctx;
    tdse_step_cpu(&w->s, 0, w->cores);
}

/* parts, nest: TDSE_N_SHAPED's; else 0. */
static void add_row(struct results *results, char type, int64_t n, int64_t parts, int nest,
                    const struct way *way, int cores)
{
    int64_t counts[NSHAPE_NEST_MOST];
    for (int l = 0; l < nest; l++)
        counts[l] = (int64_t)(pow((double)parts, (double)(nest - l) / nest) + 0.5);
    struct tdse plan = tdse_plan(type, n, -0.05 * (double)n, 0.1, 0.02, nest, counts);
    struct wave w = open_wave(&plan, way, cores);
    struct step_error e = step_error(&w, 0, 1);
    struct row row = {};
    row.variant = cores > 0 ? way->on_cores : way->name;
    row.type = type;
    row.n = n;
    row.parts = parts;
    row.nest = nest;
    row.cores = cores;
    row.phase = "step";
    row.bytes = way->words * (double)words_bytes(&w);
    row.error = e.error;
    row.status = e.error <= e.bound ? "ok" : "wrong";
    row.device = cores > 0 ? cpu_name() : device_name();
    if (cores > 0)
        row.time = time_cores(NULL, cores, false, NULL, timed_step_cpu, &w, REPS_DEFAULT);
    else {
        if (way->solver == TDSE_N_SHAPED)
            row.threads = w.s.threads;
        CHECK(time_device(NULL, timed_step, &w, REPS_DEFAULT, &row.time));
    }
    results_add(results, &row);
    close_wave(&w);
}

/* The steps at the paper's n over its blocks and on CPU cores. */
static void times_of_blocks(struct results *results, char type, int64_t n, const struct way *way)
{
    static const int64_t device_parts[] = {300, 1000, 3000, 10000, 30000};
    int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (way->solver == TDSE_TRIDIAGONAL)
        return add_row(results, type, n, 0, 0, way, 0);
    for (int64_t parts : device_parts)
        for (int nest = 1; nest <= 3 && parts < n / 4; nest++)
            add_row(results, type, n, parts, nest, way, 0);
    add_row(results, type, n, 1, 1, way, 1);
    if (all > 1)
        add_row(results, type, n, all, 1, way, all);
}

/* At other n, in blocks of 10 to 300 rows: among these the best are at every n. */
static void times_of_size(struct results *results, int64_t n, const struct way *way)
{
    static const int64_t block_rows[] = {10, 30, 100, 300};
    if (way->solver == TDSE_TRIDIAGONAL)
        return add_row(results, 'z', n, 0, 0, way, 0);
    for (int64_t rows : block_rows)
        for (int nest = 2; nest <= 3 && n / rows >= 10; nest++)
            add_row(results, 'z', n, n / rows, nest, way, 0);
}

/* A step in all ways, on the device and on CPU cores, each verified by its first step. */
static int run_times(const char *csv_prefix, bool quick)
{
    static const int64_t sizes[] = {1000, 3000, 10000, 30000, 100000, 1000000, 3000000, 10000000};
    char path[4096];
    if (csv_prefix)
        snprintf(path, sizeof path, "%s_steps.csv", csv_prefix);
    struct results *results = results_open("nshape", device_name(), csv_prefix ? path : NULL);
    if (!results)
        return EXIT_USAGE;
    for (const char *type = "zc"; *type; type++)
        for (const struct way &way : ways)
            times_of_blocks(results, *type, quick ? 20000 : 300000, &way);
    for (int64_t n : sizes)
        for (const struct way &way : ways)
            if (!quick || n <= 3000)
                times_of_size(results, n, &way);
    return results_close(results);
}

int tdse_run(const char *csv_prefix, bool quick)
{
    int worst = EXIT_VERIFIED;
    for (int i = 0; i < SCENES + 2; i++) {
        int status = i < SCENES    ? run_scene(i, csv_prefix, quick)
                     : i == SCENES ? run_convergence(csv_prefix, quick)
                                   : run_times(csv_prefix, quick);
        worst = status > worst ? status : worst;
    }
    return worst;
}
