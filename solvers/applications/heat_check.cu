/* heat --check tests heat.h: steps from sums of modes and from random plates, compared with exact
 * steps; two runs, which must have the same bits; how the error decreases; invalid calls. */
#include "expect.h"
#include "heat_bench.h"
#include "problems.h"

#include <initializer_list>
#include <math.h>

/* Returns a plan with the dt for which dt/(2 h^2) is r. */
static struct heat plan_ratio(char type, int64_t n, double r)
{
    return {type, n, 2 * r * heat_spacing(n) * heat_spacing(n)};
}

/* Makes `steps` steps from the test modes. Returns the plate with the computed result, and sets *f
 * to the exact result. */
static struct plate step_modes(char type, int64_t n, double r, int64_t steps, struct mode_sum *f)
{
    struct plate p = plate_open(plan_ratio(type, n, r));
    *f = modes_for_test(&p.memory, n);
    plate_set(&p, f);
    plate_step(&p, steps);
    modes_after_steps(f, &p.s, steps);
    return p;
}

static void check_modes(char type, int64_t n, double r, int64_t steps)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct mode_sum f;
    struct plate p = step_modes(type, n, r, steps, &f);
    struct difference d = plate_difference(&p, &f);
    EXPECT(is_near(&p.s, steps, d), "type %c, n = %lld, r = %g: off by %g (rms %g), allowed rms %g",
           type, (long long)n, r, d.most, d.rms, heat_allowed_rms(&p.s, steps));
    plate_close(&p);
}

/* The reference in long double: exact_stencil() computes (1 + r D) u, exact_solve() solves the
 * systems with the matrix 1 - r D, both in place on n lines of n elements, the rows or columns of
 * the plate. Neighbouring elements of a line are `inc` elements apart, neighbouring lines
 * `line_inc`. */
static void exact_stencil(long double *u, int64_t n, int64_t inc, int64_t line_inc, long double r)
{
    for (int64_t k = 0; k < n; k++) {
        long double before = 0;
        for (int64_t i = 0; i < n; i++) {
            long double *here = u + k * line_inc + i * inc, after = i + 1 < n ? here[inc] : 0,
                        old = *here;
            *here += r * (before - 2 * old + after);
            before = old;
        }
    }
}
static void exact_solve(long double *u, int64_t n, int64_t inc, int64_t line_inc, long double r,
                        long double *factor)
{
    for (int64_t k = 0; k < n; k++) {
        long double *line = u + k * line_inc, before = 0, x = 0;
        for (int64_t i = 0; i < n; i++) {
            long double pivot = 1 + 2 * r - r * before;
            before = factor[i] = r / pivot;
            x = line[i * inc] = (line[i * inc] + r * x) / pivot;
        }
        for (int64_t i = n - 2; i >= 0; i--)
            x = line[i * inc] += factor[i] * x;
    }
}

/* Makes steps from a random plate and compares every point with the reference. At the start |u| <=
 * 1, but |u*| may reach 1 + 4 r. So the bound for the error is multiplied by 1 + 4 r. */
static void check_random(char type, int64_t n, double r, int steps)
{
    if (static int turns; expect_skips(&turns))
        return;
    struct plate p = plate_open(plan_ratio(type, n, r));
    struct random random = {11};
    long double *u = (long double *)memory_host(&p.memory, (size_t)(n * n) * sizeof *u),
                exact_r = heat_ratio(&p.s);
    double worst = 0,
           allowed = HEAT_GROWTH * heat_allowed_rms(&p.s, steps) * (1 + 4 * heat_ratio(&p.s));
    for (int64_t k = 0; k < n * n; k++) {
        put(type, p.host, k, random_uniform(&random, -1, 1));
        u[k] = get(type, p.host, k);
    }
    plate_step(&p, steps);
    long double *factor = (long double *)memory_host(&p.memory, (size_t)n * sizeof *factor);
    for (int half = 0; half < 2 * steps;
         half++) { /* explicit along y, implicit along x; and back */
        const int64_t along = half % 2 ? n : 1;
        exact_stencil(u, n, n / along, along, exact_r);
        exact_solve(u, n, along, n / along, exact_r, factor);
    }
    for (int64_t k = 0; k < n * n; k++)
        worst = larger_error(worst, fabs(get(type, p.host, k) - (double)u[k]));
    EXPECT(worst <= allowed, "type %c, n = %lld, r = %g: off by %g, allowed %g", type, (long long)n,
           r, worst, allowed);
    plate_close(&p);
}

/* Tests is_near(). It must detect one wrong point among 64^2 points, one NaN, and time steps of a
 * wrong length. */
static void check_judge(void)
{
    enum { N = 64, STEPS = 2 };
    struct mode_sum f;
    struct plate p = step_modes('s', N, 1, STEPS, &f);
    float *u = (float *)p.host;
    for (int64_t at : {0, 1, N * N / 2 + 7, N * N - 1}) {
        float right = u[at];
        EXPECT(is_near(&p.s, STEPS, plate_difference(&p, &f)), "wrong before it is damaged");
        u[at] += 0.01f;
        EXPECT(!is_near(&p.s, STEPS, plate_difference(&p, &f)), "a wrong point passes");
        u[at] = NAN;
        EXPECT(!is_near(&p.s, STEPS, plate_difference(&p, &f)), "NaN passes");
        u[at] = right;
    }
    f = modes_for_test(&p.memory, N);
    struct heat longer = p.s;
    longer.dt *= 1.01;
    modes_after_steps(&f, &longer, STEPS);
    EXPECT(!is_near(&p.s, STEPS, plate_difference(&p, &f)), "a wrong length of the steps passes");
    plate_close(&p);
}

static void check_bits(char type)
{
    struct mode_sum f;
    struct plate p[] = {step_modes(type, 100, 3, 2, &f), step_modes(type, 100, 3, 2, &f)};
    EXPECT(memcmp(p[0].host, p[1].host, heat_bytes(&p[0].s)) == 0,
           "type %c: other bits in a second run", type);
    plate_close(&p[0]);
    plate_close(&p[1]);
}

/* The error must be as predicted. When h and dt are halved, it must become a quarter. */
static void check_convergence(void)
{
    for (const struct heat_sweep &sweep : heat_sweeps) {
        double before = 0;
        for (int64_t n = 31; n <= 63; n = 2 * n + 1) {
            struct convergence c = heat_converge(n, sweep.dt_over_h * heat_spacing(n));
            EXPECT(c.ok, "%s, n = %lld: error %g, expected %g; to the factors %g", sweep.name,
                   (long long)n, c.error, c.expected, c.discrete);
            EXPECT(before == 0 || fabs(before / c.error / 4 - 1) <= 0.1, "%s, n = %lld: ratio %g",
                   sweep.name, (long long)n, before / c.error);
            before = c.error;
        }
    }
}

/* Every function must refuse a struct whose type, n or dt is out of range, or none. */
static void check_misuse(void)
{
    const struct heat bad[] = {
        {'c', 10, 1},    {'s', 0, 1},     {'s', -1, 1},           {'s', INT64_C(1) << 40, 1},
        {'d', 10, 0},    {'d', 10, -1},   {'d', 10, (double)NAN}, {'d', 10, (double)INFINITY},
        {'s', 10, 1e38}, {'s', 10, 1e-12}};
    for (int i = 0; i <= 10; i++) {
        const struct heat *s = i < 10 ? &bad[i] : NULL;
        EXPECT(heat_work(s) == 0 && heat_prepare(s, 0) == cudaErrorInvalidValue &&
                   heat_steps(s, 1, 0) == cudaErrorInvalidValue &&
                   heat_explicit(s, HEAT_ALONG_X, NULL, NULL, 0) == cudaErrorInvalidValue,
               "bad struct %d", i);
    }
}

/* Pointers that are NULL or not aligned must be refused, and nothing may be written. Only
 * heat_steps() needs u. */
static void check_pointers(char type)
{
    const unsigned char poison = 0x5a;
    struct plate p = plate_open({type, 10, 1e-3});
    size_t element = (size_t)size_of(type), bytes = heat_bytes(&p.s);
    CHECK(cudaMemset(p.s.u, poison, bytes));
    CHECK(cudaMemset(p.s.work, poison, heat_work(&p.s)));
    struct heat s = p.s;
    const void *in = s.u;
    void *out = s.work;
    struct expect_pointer all[] = {EXPECT_POINTER(s.work, 16), EXPECT_POINTER(s.u, element)},
                          work[] = {EXPECT_POINTER(s.work, 16)},
                          arrays[] = {EXPECT_POINTER(in, element), EXPECT_POINTER(out, element)};
    EXPECT_POINTERS(all, heat_steps(&s, 1, 0), cudaErrorInvalidValue);
    EXPECT_POINTERS(work, heat_prepare(&s, 0), cudaErrorInvalidValue);
    for (enum heat_direction along : {HEAT_ALONG_X, HEAT_ALONG_Y})
        EXPECT_POINTERS(arrays, heat_explicit(&s, along, in, out, 0), cudaErrorInvalidValue);
    EXPECT(heat_steps(&s, -1, 0) == cudaErrorInvalidValue, "type %c: -1 steps", type);
    EXPECT(heat_steps(&s, 0, 0) == cudaSuccess, "type %c: no steps", type);
    EXPECT(device_holds(p.s.u, poison, bytes) && device_holds(p.s.work, poison, heat_work(&p.s)),
           "type %c: a refused call wrote", type);
    s.u = NULL;
    EXPECT(heat_prepare(&s, 0) == cudaSuccess, "type %c: u before the first step", type);
    s = {type, 10, 1e-3};
    CHECK(cudaMemset(p.s.u, 0, bytes));
    EXPECT(heat_explicit(&s, HEAT_ALONG_X, in, out, 0) == cudaSuccess,
           "type %c: a stencil needs neither u nor work", type);
    plate_close(&p);
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
            if (expect_few && n > 64)
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
    if (!expect_few)
        check_convergence();
    return expect_failed - failed;
}
