/* Experiments and tests of the heat equation by alternating directions (heat.h), checked against what is known of it:
 *
 *   u = sin(p pi x) sin(q pi y) exp(-pi^2 (p^2 + q^2) t)
 *
 * On the grid the sines are eigenvectors of D, of the eigenvalue -a_p, a_p = 4 sin^2(p pi h/2). So a step multiplies a mode (p, q)
 * by
 *
 *   (1 - r a_p) (1 - r a_q) / ((1 + r a_p) (1 + r a_q)),
 *
 * and that it must do to rounding. Run: thomas_batch --variant heat. */
#include "heat/heat_main.h"
#include "csv.h"
#include "device_program.h"
#include "expect.h"
#include "heat.h"
#include "heat_cusparse.h"
#include "problems.h"
#include "results.h"

#include <initializer_list>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const char program[] = "thomas_batch";

/* ---- n x n points, on the device and here ---- */

struct plate {
    struct heat s;
    void *words; /* n n words of the type */
};

static size_t plate_bytes(const struct heat *s)
{
    return (size_t)(s->n * s->n) * (size_t)size_of(s->type);
}
static struct heat plan(char type, int64_t n, double dt)
{
    struct heat s = {};
    s.type = type;
    s.n = n;
    s.dt = dt;
    return s;
}
static double spacing(int64_t n)
{
    return 1 / (double)(n + 1);
}

/* False, with a line on stderr: there is no memory for it. */
static bool has_room(const struct heat *s)
{
    double n = (double)s->n, bytes = n * n * size_of(s->type);
    bool fits = s->n <= HEAT_MOST && device_fits(bytes + (double)heat_work(s), bytes);
    if (!fits)
        fprintf(stderr, "%s: left out: no memory for %lld^2 points of type %c\n", program,
                (long long)s->n, s->type);
    return fits;
}

static struct plate open_plate(const struct heat *plan)
{
    struct plate p = {*plan, NULL};
    CHECK(cudaMalloc(&p.s.u, plate_bytes(&p.s)));
    CHECK(cudaMalloc(&p.s.work, heat_work(&p.s)));
    CHECK(cudaMemset(p.s.work, 0xff, heat_work(&p.s))); /* nothing may depend on what was there */
    CHECK(heat_prepare(&p.s, 0));
    p.words = host_alloc(program, (int64_t)plate_bytes(&p.s));
    return p;
}
static void close_plate(struct plate *p)
{
    CHECK(cudaFree(p->s.u));
    CHECK(cudaFree(p->s.work));
    free(p->words);
}
static void start(struct plate *p)
{
    CHECK(cudaMemcpy(p->s.u, p->words, plate_bytes(&p->s), cudaMemcpyHostToDevice));
}
static void fetch(struct plate *p)
{
    CHECK(cudaMemcpy(p->words, p->s.u, plate_bytes(&p->s), cudaMemcpyDeviceToHost));
}
static void make_steps(struct plate *p, int64_t steps)
{
    for (int64_t i = 0; i < steps; i++)
        CHECK(heat_step(&p->s, 0));
}

/* ---- what is known: sums of modes ---- */

struct mode {
    int64_t p, q;
    double size;
};
enum { MODES_MOST = 4 };
struct surface {
    int64_t n;
    int count;
    struct mode mode[MODES_MOST];
    double *along_x[MODES_MOST], *along_y[MODES_MOST], *row; /* n words each */
};

/* sin(p pi x_i); the argument is reduced before it is rounded. */
static double *sines(int64_t n, int64_t p)
{
    double *sine = (double *)host_alloc(program, n * (int64_t)(sizeof *sine));
    for (int64_t i = 0; i < n; i++)
        sine[i] = sin(PI * (double)(p * (i + 1) % (2 * (n + 1))) * spacing(n));
    return sine;
}
static struct surface open_surface(int64_t n, int count, const struct mode *modes)
{
    struct surface f = {};
    f.n = n;
    f.count = count;
    f.row = (double *)host_alloc(program, n * (int64_t)(sizeof *f.row));
    for (int m = 0; m < count; m++) {
        f.mode[m] = modes[m];
        f.along_x[m] = sines(n, modes[m].p);
        f.along_y[m] = sines(n, modes[m].q);
    }
    return f;
}
static void close_surface(struct surface *f)
{
    for (int m = 0; m < f->count; m++) {
        free(f->along_x[m]);
        free(f->along_y[m]);
    }
    free(f->row);
}
static const double *surface_row(const struct surface *f, int64_t j)
{
    for (int64_t i = 0; i < f->n; i++) {
        double sum = 0;
        for (int m = 0; m < f->count; m++)
            sum += f->mode[m].size * f->along_y[m][j] * f->along_x[m][i];
        f->row[i] = sum;
    }
    return f->row;
}

static double eigenvalue(int64_t n, int64_t p)
{
    double s = sin(PI / 2 * (double)p * spacing(n));
    return 4 * s * s;
}
/* What a step makes of a mode. */
static double step_factor(const struct heat *s, int64_t p, int64_t q)
{
    double ra = heat_ratio(s) * eigenvalue(s->n, p), rb = heat_ratio(s) * eigenvalue(s->n, q);
    return (1 - ra) * (1 - rb) / ((1 + ra) * (1 + rb));
}
static double frequency(int64_t p) /* of a sine: it decays as exp(-frequency t) */
{
    return PI * PI * (double)(p * p);
}
static void after_steps(struct surface *f, const struct heat *s, int64_t steps)
{
    for (int m = 0; m < f->count; m++)
        f->mode[m].size *= pow(step_factor(s, f->mode[m].p, f->mode[m].q), (double)steps);
}
static void after_time(struct surface *f, double t)
{
    for (int m = 0; m < f->count; m++)
        f->mode[m].size *= exp(-(frequency(f->mode[m].p) + frequency(f->mode[m].q)) * t);
}

static void put_surface(struct plate *p, const struct surface *f)
{
    for (int64_t j = 0; j < f->n; j++) {
        const double *row = surface_row(f, j);
        for (int64_t i = 0; i < f->n; i++)
            put(p->s.type, p->words, j * f->n + i, row[i]);
    }
}

/* Differences of p->words; what is not a number is infinite, and stays so. */
struct difference {
    double rms, most;
};
static struct difference difference_from(const struct plate *p, const struct surface *f)
{
    struct difference d = {0, 0};
    for (int64_t j = 0; j < f->n; j++) {
        const double *row = surface_row(f, j);
        for (int64_t i = 0; i < f->n; i++) {
            double here = fabs(get(p->s.type, p->words, j * f->n + i) - row[i]);
            if (!(here <= d.most))
                d.most = isnan(here) ? (double)INFINITY : here;
            d.rms += here * here;
        }
    }
    d.rms = isfinite(d.most) ? sqrt(d.rms) * spacing(f->n - 1) : d.most;
    return d;
}

/* What rounding may add to the root mean square in some steps of a |u| <= 1 whose half steps stay below 1, too: u's own, and in
 * each half step 4 units of roundoff of the stencil and 32 of the solver (16 of a row's terms, as in main.cu, and as many of its
 * right-hand side), times 1 + 4 r, the norm of 1 + r D and of 1 - r D. |(1 - r D)^-1| <= 1. Errors add up over the steps and do not
 * grow: a step's matrix is symmetric, and its eigenvalues are below 1. */
static double allowed_rms(const struct heat *s, int64_t steps)
{
    return unit_roundoff(s->type) * (1 + 2 * 36 * (1 + 4 * heat_ratio(s)) * (double)steps);
}
/* In the maximum norm powers of (1 - r D)^-1 (1 + r D) are at most 4.325 (Farago and Palencia 2002), here in each direction. */
static const double GROWTH = 4.325 * 4.325;

static bool is_near(const struct heat *s, int64_t steps, const struct difference *d)
{
    double allowed = allowed_rms(s, steps);
    return d->rms <= allowed && d->most <= GROWTH * allowed;
}

/* Long and short waves, p >= q: then (1 - r a_q)/(1 + r a_p), what the first half step does, is below 1. */
static struct surface test_surface(int64_t n)
{
    int64_t two = n > 1 ? 2 : 1, third = n / 3 > two ? n / 3 : two,
            half = n / 2 > two ? n / 2 : two;
    const struct mode modes[] = {{two, 1, 0.3}, {third, two, 0.2}, {half, third, 0.3}, {n, n, 0.2}};
    return open_surface(n, 4, modes);
}

/* ---- --check ---- */

/* r = dt/(2 h^2) */
static struct heat plan_ratio(char type, int64_t n, double r)
{
    return plan(type, n, 2 * r * spacing(n) * spacing(n));
}

/* The test surface after `steps`: as they leave it in the plate, as it is exactly in *f. */
static struct plate step_surface(char type, int64_t n, double r, int64_t steps, struct surface *f)
{
    struct heat s = plan_ratio(type, n, r);
    struct plate p = open_plate(&s);
    *f = test_surface(n);
    put_surface(&p, f);
    start(&p);
    make_steps(&p, steps);
    fetch(&p);
    after_steps(f, &p.s, steps);
    return p;
}

static void check_modes(char type, int64_t n, double r, int64_t steps)
{
    struct surface f;
    struct plate p = step_surface(type, n, r, steps, &f);
    struct difference d = difference_from(&p, &f);
    EXPECT(is_near(&p.s, steps, &d),
           "type %c, n = %lld, r = %g: off by %g (rms %g), allowed rms %g", type, (long long)n, r,
           d.most, d.rms, allowed_rms(&p.s, steps));
    close_surface(&f);
    close_plate(&p);
}

/* A stencil and a solver in long double, in place: n lines, `between` words from each other, of n words, `apart` words from each
 * other. */
static void exact_stencil(long double *u, int64_t n, int64_t apart, int64_t between, long double r)
{
    for (int64_t k = 0; k < n; k++) {
        long double above = 0;
        for (int64_t i = 0; i < n; i++) {
            long double *here = u + k * between + i * apart, below = i + 1 < n ? here[apart] : 0,
                        old = *here;
            *here += r * (above - 2 * old + below);
            above = old;
        }
    }
}
static void exact_solve(long double *u, int64_t n, int64_t apart, int64_t between, long double r)
{
    long double *factor = (long double *)host_alloc(program, n * (int64_t)(sizeof *factor));
    for (int64_t k = 0; k < n; k++) {
        long double *line = u + k * between, before = 0, x = 0;
        for (int64_t i = 0; i < n; i++) {
            long double pivot = 1 + 2 * r - r * before;
            before = factor[i] = r / pivot;
            x = line[i * apart] = (line[i * apart] + r * x) / pivot;
        }
        for (int64_t i = n - 2; i >= 0; i--)
            x = line[i * apart] += factor[i] * x;
    }
    free(factor);
}

/* Every point of a random plate, whose half steps are below 1 + 4 r. */
static void check_random(char type, int64_t n, double r, int steps)
{
    struct heat s = plan_ratio(type, n, r);
    struct plate p = open_plate(&s);
    struct random random = {11};
    long double *u = (long double *)host_alloc(program, n * n * (int64_t)(sizeof *u)),
                exact_r = heat_ratio(&s);
    double worst = 0, allowed = GROWTH * allowed_rms(&s, steps) * (1 + 4 * heat_ratio(&s));
    for (int64_t k = 0; k < n * n; k++) {
        put(type, p.words, k, random_uniform(&random, -1, 1));
        u[k] = get(type, p.words, k);
    }
    start(&p);
    make_steps(&p, steps);
    fetch(&p);
    for (int i = 0; i < steps; i++) {
        exact_stencil(u, n, n, 1, exact_r);
        exact_solve(u, n, 1, n, exact_r);
        exact_stencil(u, n, 1, n, exact_r);
        exact_solve(u, n, n, 1, exact_r);
    }
    for (int64_t k = 0; k < n * n; k++) {
        double here = fabs(get(type, p.words, k) - (double)u[k]);
        if (!(here <= worst))
            worst = isnan(here) ? (double)INFINITY : here;
    }
    EXPECT(worst <= allowed, "type %c, n = %lld, r = %g: off by %g, allowed %g", type, (long long)n,
           r, worst, allowed);
    free(u);
    close_plate(&p);
}

/* What is wrong must not pass: one point of 64^2, one that is no number, steps of another length. */
static void check_judge(void)
{
    enum { N = 64, STEPS = 2 };
    struct surface f;
    struct plate p = step_surface('s', N, 1, STEPS, &f);
    float *word = (float *)p.words;
    for (int64_t at : {0, 1, N * N / 2 + 7, N * N - 1}) {
        float sound = word[at];
        struct difference d = difference_from(&p, &f);
        EXPECT(is_near(&p.s, STEPS, &d), "sound before it is damaged");
        word[at] += 0.01f;
        d = difference_from(&p, &f);
        EXPECT(!is_near(&p.s, STEPS, &d), "a wrong point passes");
        word[at] = NAN;
        d = difference_from(&p, &f);
        EXPECT(!is_near(&p.s, STEPS, &d), "NaN passes");
        word[at] = sound;
    }
    close_surface(&f);
    f = test_surface(N);
    struct heat longer = p.s;
    longer.dt *= 1.01;
    after_steps(&f, &longer, STEPS);
    struct difference d = difference_from(&p, &f);
    EXPECT(!is_near(&p.s, STEPS, &d), "a wrong length of the steps passes");
    close_surface(&f);
    close_plate(&p);
}

/* The same bits on every run. */
static void check_bits(char type)
{
    enum { N = 100 };
    struct plate p[2];
    for (struct plate &plate : p) {
        struct heat s = plan_ratio(type, N, 3);
        struct surface f = test_surface(N);
        plate = open_plate(&s);
        put_surface(&plate, &f);
        start(&plate);
        make_steps(&plate, 2);
        fetch(&plate);
        close_surface(&f);
    }
    EXPECT(memcmp(p[0].words, p[1].words, plate_bytes(&p[0].s)) == 0, "type %c: not the same bits",
           type);
    for (struct plate &plate : p)
        close_plate(&plate);
}

/* The error at t = 1/16, and what is left of it against the amplification factors. An eigenvalue a/h^2 is too small by
 * frequency^2 h^2/12, and (1 - z/2)/(1 + z/2) = exp(-z - z^3/12 - ...): so to leading order a mode's error is that part of it which
 * `late` says. Modes are orthogonal on the grid, and the mean square of each is (n + 1)^2/(2 n)^2. */
struct convergence {
    double error, expected, discrete;
    bool exact; /* to rounding, against the factors */
};
static struct convergence converge(int64_t n, double dt)
{
    const struct mode modes[] = {{1, 1, 0.5}, {2, 1, 0.3}, {2, 2, 0.2}};
    double t = 1.0 / 16, h = spacing(n), squares = 0;
    int64_t steps = (int64_t)(t / dt + 0.5);
    struct heat s = plan('d', n, dt);
    struct plate p = open_plate(&s);
    struct surface continuous = open_surface(n, 3, modes), discrete = open_surface(n, 3, modes);
    put_surface(&p, &continuous);
    start(&p);
    make_steps(&p, steps);
    fetch(&p);
    after_time(&continuous, t);
    after_steps(&discrete, &p.s, steps);
    for (const struct mode &mode : continuous.mode) {
        double late = 0;
        for (int64_t wave : {mode.p, mode.q}) {
            double f = frequency(wave);
            late += t * f * f * (h * h - f * dt * dt) / 12;
        }
        squares += late * late * mode.size * mode.size;
    }
    struct difference left = difference_from(&p, &discrete);
    struct convergence c = {difference_from(&p, &continuous).rms,
                            sqrt(squares) * (double)(n + 1) / (double)(2 * n), left.rms,
                            is_near(&p.s, steps, &left)};
    close_surface(&continuous);
    close_surface(&discrete);
    close_plate(&p);
    return c;
}

/* The steps' part of the error leads, then that of the grid. */
enum { SWEEPS = 2 };
static const struct {
    const char *name;
    double dt_over_h;
} sweeps[SWEEPS] = {{"dt", 0.5}, {"h", 1.0 / 16}};

/* The next order changes an error by about (frequency dt)^2 3/20 and half its own size: 6% for the coarsest. */
static bool is_expected(const struct convergence *c)
{
    return fabs(c->error / c->expected - 1) <= 0.1 && c->exact;
}

static void check_convergence(void)
{
    for (const auto &sweep : sweeps) {
        double before = 0;
        for (int64_t n = 31; n <= 63; n = 2 * n + 1) {
            struct convergence c = converge(n, sweep.dt_over_h * spacing(n));
            EXPECT(is_expected(&c), "%s, n = %lld: error %g, expected %g; to the factors %g",
                   sweep.name, (long long)n, c.error, c.expected, c.discrete);
            EXPECT(before == 0 || fabs(before / c.error / 4 - 1) <= 0.1, "%s, n = %lld: ratio %g",
                   sweep.name, (long long)n, before / c.error);
            before = c.error;
        }
    }
}

static void check_misuse(void)
{
    const struct heat bad[] = {plan('c', 10, 1),           plan('s', 0, 1),
                               plan('s', -1, 1),           plan('s', INT64_C(1) << 40, 1),
                               plan('d', 10, 0),           plan('d', 10, -1),
                               plan('d', 10, (double)NAN), plan('d', 10, (double)INFINITY),
                               plan('s', 10, 1e38),        plan('s', 10, 1e-12)};
    for (const struct heat &s : bad)
        EXPECT(heat_work(&s) == 0 && heat_prepare(&s, 0) == cudaErrorInvalidValue &&
                   heat_step(&s, 0) == cudaErrorInvalidValue &&
                   heat_explicit(&s, HEAT_ALONG_X, NULL, NULL, 0) == cudaErrorInvalidValue,
               "type %c, n = %lld, dt = %g", s.type, (long long)s.n, s.dt);
}

/* Pointers that are NULL or not aligned are refused, and nothing is written; u is needed by a step
 * alone. */
static void check_pointers(char type)
{
    const unsigned char poison = 0x5a;
    struct heat good = plan(type, 10, 1e-3);
    struct plate p = open_plate(&good);
    size_t word = (size_t)size_of(type), bytes = plate_bytes(&p.s);
    CHECK(cudaMemset(p.s.u, poison, bytes));
    CHECK(cudaMemset(p.s.work, poison, heat_work(&p.s)));
    struct heat s = p.s;
    struct expect_pointer u[] = {EXPECT_POINTER(s.u, word)}, work[] = {EXPECT_POINTER(s.work, 16)};
    EXPECT_POINTERS(u, heat_step(&s, 0), cudaErrorInvalidValue);
    EXPECT_POINTERS(work, heat_step(&s, 0), cudaErrorInvalidValue);
    EXPECT_POINTERS(work, heat_prepare(&s, 0), cudaErrorInvalidValue);
    const void *in = s.u;
    void *out = s.work;
    struct expect_pointer arrays[] = {EXPECT_POINTER(in, word), EXPECT_POINTER(out, word)};
    EXPECT_POINTERS(arrays, heat_explicit(&s, HEAT_ALONG_X, in, out, 0), cudaErrorInvalidValue);
    EXPECT_POINTERS(arrays, heat_explicit(&s, HEAT_ALONG_Y, in, out, 0), cudaErrorInvalidValue);
    EXPECT(heat_work(NULL) == 0 && heat_prepare(NULL, 0) == cudaErrorInvalidValue &&
               heat_step(NULL, 0) == cudaErrorInvalidValue &&
               heat_explicit(NULL, HEAT_ALONG_X, in, out, 0) == cudaErrorInvalidValue,
           "no struct");
    EXPECT(device_holds(p.s.u, poison, bytes) && device_holds(p.s.work, poison, heat_work(&p.s)),
           "type %c: what was refused wrote", type);
    s.u = NULL;
    EXPECT(heat_prepare(&s, 0) == cudaSuccess, "type %c: u before the first step", type);
    s = good;
    CHECK(cudaMemset(p.s.u, 0, bytes));
    EXPECT(heat_explicit(&s, HEAT_ALONG_X, in, out, 0) == cudaSuccess,
           "type %c: a stencil needs neither u nor work", type);
    close_plate(&p);
}

int heat_check(void)
{
    static const int64_t sizes[] = {1, 2, 3, 31, 64, 100, 129};
    static const double ratios[] = {0.01, 1, 300};
    int failed = expect_failed;
    check_misuse();
    for (const char *type = "sd"; *type; type++) {
        check_pointers(*type);
        for (int64_t n : sizes) {
            if (SANITIZED && n > 64)
                continue;
            for (double r : ratios)
                check_modes(*type, n, r, n <= 31 ? 20 : 2);
            check_random(*type, n, 0.7, n <= 31 ? 5 : 1);
        }
        if (!device_is_cpu())
            check_modes(*type, 3001, 30, 3);
        check_bits(*type);
    }
    check_judge();
    if (!SANITIZED)
        check_convergence();
    return expect_failed - failed;
}

/* ---- a plate that cools ---- */

/* 1 inside and 0 outside of an edge some hundredths wide; `inside`: how far within. */
static double body(double inside)
{
    return 0.5 + 0.5 * tanh(inside / 0.015);
}
static double initial(double x, double y)
{
    double ring = 0.045 - fabs(hypot(x - 0.34, y - 0.66) - 0.18),
           disc = 0.13 - hypot(x - 0.75, y - 0.7),
           bar = fmin(0.3 - fabs(x - 0.5), 0.07 - fabs(y - 0.22));
    return body(ring) + body(disc) + body(bar);
}

/* What of p->words is the mode (p, q). */
static double part_of(const struct plate *p, int64_t k, int64_t l)
{
    double *x = sines(p->s.n, k), *y = sines(p->s.n, l), sum = 0;
    for (int64_t j = 0; j < p->s.n; j++) {
        double row = 0;
        for (int64_t i = 0; i < p->s.n; i++)
            row += get(p->s.type, p->words, j * p->s.n + i) * x[i];
        sum += row * y[j];
    }
    free(x);
    free(y);
    return 4 * sum * spacing(p->s.n) * spacing(p->s.n);
}

/* At most 64 x 64 of the points. */
static void show(const struct plate *p, double t, FILE *file)
{
    enum { SHOWN = 64 };
    int64_t stride = (p->s.n + SHOWN - 1) / SHOWN;
    double h = spacing(p->s.n);
    for (int64_t j = stride / 2; file && j < p->s.n; j += stride)
        for (int64_t i = stride / 2; i < p->s.n; i += stride)
            fprintf(file, "%g,%.5g,%.5g,%.4f\n", t, (double)(i + 1) * h, (double)(j + 1) * h,
                    get(p->s.type, p->words, j * p->s.n + i) + 0.0);
}

/* Nothing is known of it as a whole, but of its long waves: each must be what its factor makes of it. */
static int run_field(int64_t n, const char *csv_prefix, bool quick)
{
    enum { WAVES = 2, TIMES = 4 };
    static const double times[TIMES] = {0, 0.001, 0.005, 0.02};
    double dt = quick ? 1e-4 : 2e-5, before[WAVES][WAVES], worst = 0;
    struct heat s = plan('d', n, dt);
    struct csv csv;
    if (!has_room(&s))
        return EXIT_VERIFIED;
    if (!csv_open(&csv, program, csv_prefix, "field", "t,x,y,u"))
        return EXIT_USAGE;
    struct plate p = open_plate(&s);
    for (int64_t k = 0; k < n * n; k++)
        put('d', p.words, k,
            initial((double)(k % n + 1) * spacing(n), (double)(k / n + 1) * spacing(n)));
    for (int64_t k = 0; k < WAVES * WAVES; k++)
        before[k / WAVES][k % WAVES] = part_of(&p, 1 + k / WAVES, 1 + k % WAVES);
    start(&p);
    int64_t done = 0, all = (int64_t)(times[TIMES - 1] / dt + 0.5);
    for (double t : times) {
        int64_t steps = (int64_t)(t / dt + 0.5);
        make_steps(&p, steps - done);
        fetch(&p);
        show(&p, t, csv.file);
        progress(program, done = steps, all, "steps");
    }
    for (int64_t k = 0; k < WAVES * WAVES; k++) {
        int64_t kx = 1 + k / WAVES, ky = 1 + k % WAVES;
        double expected = before[k / WAVES][k % WAVES] * pow(step_factor(&s, kx, ky), (double)all),
               off = fabs(part_of(&p, kx, ky) - expected);
        if (!(off <= worst))
            worst = isnan(off) ? (double)INFINITY : off;
    }
    close_plate(&p);
    bool good = worst <= 4 * allowed_rms(&s, all); /* a part is at most 4 of the mean */
    printf("heat: %lld x %lld points, %lld steps: long waves are off by %.2g%s\n", (long long)n,
           (long long)n, (long long)all, worst, good ? "" : " (wrong)");
    return !csv_close(&csv) ? EXIT_USAGE : good ? EXIT_VERIFIED : EXIT_WRONG;
}

/* ---- convergence ---- */

static int run_convergence(const char *csv_prefix, bool quick)
{
    struct csv csv;
    if (!csv_open(&csv, program, csv_prefix, "convergence",
                  "sweep,n,h,dt,error,expected,discrete_error"))
        return EXIT_USAGE;
    int status = EXIT_VERIFIED;
    for (const auto &sweep : sweeps)
        for (int64_t n = 31; n <= (quick ? 127 : 1023); n = 2 * n + 1) {
            double h = spacing(n), dt = sweep.dt_over_h * h;
            struct convergence c = converge(n, dt);
            if (!is_expected(&c))
                status = EXIT_WRONG;
            printf("heat: n = %-5lld dt = h/%-3g error %-10.4g expected %-10.4g against the "
                   "factors %.2g%s\n",
                   (long long)n, 1 / sweep.dt_over_h, c.error, c.expected, c.discrete,
                   is_expected(&c) ? "" : " (wrong)");
            if (csv.file)
                fprintf(csv.file, "%s,%lld,%.9g,%.9g,%.6g,%.6g,%.3g\n", sweep.name, (long long)n, h,
                        dt, c.error, c.expected, c.discrete);
        }
    return csv_close(&csv) ? status : EXIT_USAGE;
}

/* ---- times ---- */

static cudaError_t our_step(void *ctx, cudaStream_t stream)
{
    return heat_step((struct heat *)ctx, stream);
}

/* Two steps are verified before any is timed. A step takes as long whatever u is: it is not reset. */
static void time_steps(struct results *results, struct plate *p, const char *variant,
                       device_work step, void *ctx, int reps)
{
    enum { VERIFIED_STEPS = 2, WORDS_A_POINT = 8 };
    struct surface f = test_surface(p->s.n);
    put_surface(p, &f);
    start(p);
    for (int i = 0; i < VERIFIED_STEPS; i++)
        CHECK(step(ctx, 0));
    fetch(p);
    after_steps(&f, &p->s, VERIFIED_STEPS);
    struct difference d = difference_from(p, &f);
    close_surface(&f);
    struct row row = {};
    row.variant = variant;
    row.type = p->s.type;
    row.n = row.batch = p->s.n;
    row.phase = "step";
    row.device = device_name();
    row.bytes = WORDS_A_POINT * (double)plate_bytes(&p->s);
    row.error = d.most;
    row.status = is_near(&p->s, VERIFIED_STEPS, &d) ? "ok" : "wrong";
    CHECK(time_device(NULL, step, ctx, reps, &row.time));
    results_add(results, &row);
}

#ifdef __CUDACC__

static cudaError_t peer_step(void *ctx, cudaStream_t stream)
{
    return heat_cusparse_step((struct heat_cusparse *)ctx, stream);
}
static void time_peer(struct results *results, struct plate *p, bool transposed, int reps)
{
    const char *variant = transposed ? "heat_cusparse_transposed" : "heat_cusparse";
    struct heat_cusparse *peer;
    cudaError_t error = heat_cusparse_open(&p->s, transposed, &peer);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        fprintf(stderr, "%s: %s, n = %lld: no memory for its workspace: left out\n", program,
                variant, (long long)p->s.n);
        return;
    }
    CHECK(error);
    time_steps(results, p, variant, peer_step, peer, reps);
    heat_cusparse_close(peer);
}

#endif

static int run_steps(const struct options *o, bool sized, struct heat_asked asked,
                     const char *csv_prefix)
{
    static const struct list paper = {4, {1024, 2048, 4096, 8192}}, quick = {3, {31, 64, 100}};
    /* A step is short; the program's default is for PL19's systems. */
    int reps = o->reps > REPS_DEFAULT ? o->reps : REPS_DEFAULT;
    const struct list *sizes = sized ? &o->n : o->quick ? &quick : &paper;
    char path[PREFIX_MOST + 16];
    if (csv_prefix)
        snprintf(path, sizeof path, "%s_steps.csv", csv_prefix);
    struct results *results = results_open(program, device_name(), csv_prefix ? path : NULL);
    if (!results)
        return EXIT_USAGE;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < sizes->count; i++) {
            int64_t n = sizes->value[i];
            struct heat s = plan(*type, n, spacing(n) / 16);
            if (!has_room(&s))
                continue;
            struct plate p = open_plate(&s);
            if (asked.ours)
                time_steps(results, &p, "heat", our_step, &p.s, reps);
#ifdef __CUDACC__
            if (asked.cusparse && n >= 3)
                time_peer(results, &p, false, reps);
            if (asked.cusparse_transposed && n >= 3)
                time_peer(results, &p, true, reps);
#endif
            close_plate(&p);
        }
    return results_close(results);
}

int heat_run(const struct options *o, bool sized, struct heat_asked asked, const char *csv_prefix)
{
    bool quick = o->quick || (device_is_cpu() && !o->paper); /* with sizes, too */
    int64_t n = sized ? list_largest(&o->n, 1) : quick ? 64 : 8192;
    int worst = run_steps(o, sized, asked, csv_prefix);
    if (!asked.scenes || worst == EXIT_USAGE)
        return worst;
    int status = run_field(n, csv_prefix, quick);
    worst = status > worst ? status : worst;
    status = run_convergence(csv_prefix, quick);
    return status > worst ? status : worst;
}
