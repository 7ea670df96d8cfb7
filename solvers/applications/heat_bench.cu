/* The program heat: the heat equation by alternating directions (heat.h) on tridiagonal_batch.h,
 * beside two ways to solve it with cuSPARSE. Run: build/gpu/heat --help. It times a step, computes
 * a plate that cools, and measures the order of convergence. With --csv DIR/NAME.csv it writes
 * DIR/NAME_steps.csv, DIR/NAME_field.csv and DIR/NAME_convergence.csv. */
#include "applications/heat_bench.h"
#include "csv.h"
#include "expect.h"
#include "problems.h"

#include <initializer_list>
#include <math.h>

static const char program_name[] = "heat";

enum { HEAT, HEAT_CUSPARSE, HEAT_CUSPARSE_TRANSPOSED };
static const struct variant variants[] = {
    {"heat", "the heat equation on tridiagonal_batch.h"},
    {"heat_cusparse", "its strided and interleaved batches", "cuSPARSE", NULL, GPU_BUILD},
    {"heat_cusparse_transposed", "columns transposed to rows", "cuSPARSE", NULL, GPU_BUILD},
    {}};

/* True if there is enough memory for a plate of this size; else prints a line on stderr. */
static bool has_room(const struct heat *s)
{
    double n = (double)s->n, bytes = n * n * size_of(s->type);
    bool fits = s->n <= HEAT_MOST && device_fits(bytes + (double)heat_work(s), bytes);
    if (!fits)
        fprintf(stderr, "%s: left out: no memory for %lld^2 points of type %c\n", program_name,
                (long long)s->n, s->type);
    return fits;
}

/* ---- times ---- */

/* Verifies the result of two steps, then times calls of `together` steps and records the time of a
 * step as `variant`. elements: what a step moves for each point, at least. u is not reset, because
 * the time does not depend on its values. */
template <class Steps>
static void time_steps(struct results *results, struct plate *p, const char *variant,
                       double elements, int together, int reps, Steps steps)
{
    enum { VERIFIED_STEPS = 2 };
    struct memory memory = {};
    struct mode_sum f = modes_for_test(&memory, p->s.n);
    plate_set(p, &f);
    device_upload(p->s.u, p->host, heat_bytes(&p->s));
    CHECK(steps(VERIFIED_STEPS, 0));
    device_download(p->host, p->s.u, heat_bytes(&p->s));
    modes_after_steps(&f, &p->s, VERIFIED_STEPS);
    struct difference d = plate_difference(p, &f);
    memory_free(&memory);
    struct verdict verdict = {is_near(&p->s, VERIFIED_STEPS, d), d.most, 0, -1};
    struct row row = device_row(variant, p->s.type, p->s.n, p->s.n, elements, verdict);
    row.phase = "step";
    row.time = device_time_after(
        0, reps, [](cudaStream_t) { return cudaSuccess; },
        [&](cudaStream_t stream) { return steps(together, stream); });
    for (double *ms : {&row.time.median_ms, &row.time.q1_ms, &row.time.q3_ms, &row.time.min_ms})
        *ms /= together;
    results_add(results, &row);
}

#ifdef __CUDACC__
static void time_peer(struct results *results, struct plate *p, int variant, int reps)
{
    struct heat_cusparse peer = {.s = p->s, .transposed = variant == HEAT_CUSPARSE_TRANSPOSED};
    cudaError_t error = heat_cusparse_open(&peer);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        fprintf(stderr, "%s: %s, n = %lld: no memory for its workspace: left out\n", program_name,
                variants[variant].name, (long long)p->s.n);
    } else {
        CHECK(error);
        /* A step reads and writes four times: two stencils and two solvers. */
        time_steps(results, p, variants[variant].name, 8, 1, reps,
                   [&](int64_t steps, cudaStream_t stream) {
                       for (int64_t i = 0; i < steps; i++)
                           TRY(heat_cusparse_step(&peer, stream));
                       return cudaSuccess;
                   });
    }
    heat_cusparse_close(&peer);
}
#endif

static int run_steps(const struct options *o, const char *csv_prefix)
{
    enum { TOGETHER = 10 }; /* steps of a call that is timed */
    char path[PREFIX_MOST + 16];
    if (csv_prefix)
        snprintf(path, sizeof path, "%s_steps.csv", csv_prefix);
    struct results *results = results_open(program_name, device_name(), csv_prefix ? path : NULL);
    if (!results)
        return EXIT_USAGE;
    for (const char *type = o->types; *type; type++)
        for (int i = 0; i < o->n.count; i++) {
            int64_t n = o->n.value[i];
            struct heat s = {*type, n, heat_spacing(n) / 16};
            if (!has_room(&s))
                continue;
            struct plate p = plate_open(s);
            if (o->has_variant[HEAT])
                time_steps(results, &p, "heat", 4 + 2. / TOGETHER, TOGETHER, o->reps,
                           [&](int64_t steps, cudaStream_t stream) {
                               return heat_steps(&p.s, steps, stream);
                           });
#ifdef __CUDACC__
            for (int v = HEAT_CUSPARSE; v <= HEAT_CUSPARSE_TRANSPOSED; v++)
                if (o->has_variant[v] && n >= 3)
                    time_peer(results, &p, v, o->reps);
#endif
            plate_close(&p);
        }
    return results_close(results);
}

/* ---- a plate that cools ---- */

/* The temperature of a body: 1 inside, 0 outside, with a smooth transition some hundredths wide.
 * `depth` is the distance from the body's edge, positive inside. */
static double body(double depth)
{
    return 0.5 + 0.5 * tanh(depth / 0.015);
}
static double initial(double x, double y)
{
    double ring = 0.045 - fabs(hypot(x - 0.34, y - 0.66) - 0.18),
           disc = 0.13 - hypot(x - 0.75, y - 0.7),
           bar = fmin(0.3 - fabs(x - 0.5), 0.07 - fabs(y - 0.22));
    return body(ring) + body(disc) + body(bar);
}

/* Returns the amplitude of mode (p, q) in the host copy of the plate. */
static double amplitude_of(const struct plate *plate, int64_t p, int64_t q)
{
    struct memory memory = {};
    int64_t n = plate->s.n;
    double *x = modes_sines(&memory, n, p), *y = modes_sines(&memory, n, q), sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t j = 0; j < n; j++) {
        double row = 0;
        for (int64_t i = 0; i < n; i++)
            row += get(plate->s.type, plate->host, j * n + i) * x[i];
        sum += row * y[j];
    }
    memory_free(&memory);
    return 4 * sum * heat_spacing(n) * heat_spacing(n);
}

/* Writes a line t,x,y,u for each of at most 128 x 128 points. Adding 0.0 turns -0 into 0. */
static void write_field(const struct plate *p, double t, FILE *file)
{
    enum { SHOWN = 128 };
    int64_t stride = (p->s.n + SHOWN - 1) / SHOWN;
    double h = heat_spacing(p->s.n);
    for (int64_t j = stride / 2; file && j < p->s.n; j += stride)
        for (int64_t i = stride / 2; i < p->s.n; i += stride)
            fprintf(file, "%g,%.4f,%.4f,%.3f\n", t, (double)(i + 1) * h, (double)(j + 1) * h,
                    get(p->s.type, p->host, j * p->s.n + i) + 0.0);
}

/* Computes a plate with three hot bodies that cools. Its four longest modes are verified: each step
 * must multiply their amplitudes by heat_step_factor(). */
static int run_field(int64_t n, const char *csv_prefix, bool quick)
{
    static const double times[] = {0, 0.001, 0.005, 0.02};
    static const int64_t waves[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
    double dt = quick ? 1e-4 : 2e-5, before[4], worst = 0;
    struct heat s = {'d', n, dt};
    struct csv csv;
    if (!has_room(&s))
        return EXIT_VERIFIED;
    if (!csv_open(&csv, program_name, csv_prefix, "field", "t,x,y,u"))
        return EXIT_USAGE;
    struct plate p = plate_open(s);
#pragma omp parallel for
    for (int64_t k = 0; k < n * n; k++)
        put('d', p.host, k,
            initial((double)(k % n + 1) * heat_spacing(n), (double)(k / n + 1) * heat_spacing(n)));
    for (int k = 0; k < 4; k++)
        before[k] = amplitude_of(&p, waves[k][0], waves[k][1]);
    int64_t done = 0, all = (int64_t)(times[3] / dt + 0.5);
    for (double t : times) {
        int64_t steps = (int64_t)(t / dt + 0.5);
        plate_step(&p, steps - done);
        write_field(&p, t, csv.file);
        progress(program_name, done = steps, all, "steps");
    }
    for (int k = 0; k < 4; k++) {
        double factor = heat_step_factor(&s, waves[k][0], waves[k][1]),
               expected = before[k] * pow(factor, (double)all),
               error = fabs(amplitude_of(&p, waves[k][0], waves[k][1]) - expected);
        worst = larger_error(worst, error);
    }
    plate_close(&p);
    /* An amplitude is 4 times a mean of u times two sines, so its error is at most 4 times the rms
     * error of u. */
    bool good = worst <= 4 * heat_allowed_rms(&s, all);
    printf("heat: %lld x %lld points, %lld steps: long waves are off by %.2g%s\n", (long long)n,
           (long long)n, (long long)all, worst, good ? "" : " (wrong)");
    return !csv_close(&csv) ? EXIT_USAGE : good ? EXIT_VERIFIED : EXIT_WRONG;
}

/* ---- convergence ---- */

static int run_convergence(const char *csv_prefix, bool quick)
{
    struct csv csv;
    if (!csv_open(&csv, program_name, csv_prefix, "convergence",
                  "sweep,n,h,dt,error,expected,discrete_error"))
        return EXIT_USAGE;
    int status = EXIT_VERIFIED;
    for (const struct heat_sweep &sweep : heat_sweeps)
        for (int64_t n = 31; n <= (quick ? 127 : 1023); n = 2 * n + 1) {
            double h = heat_spacing(n), dt = sweep.dt_over_h * h;
            struct convergence c = heat_converge(n, dt);
            if (!c.ok)
                status = EXIT_WRONG;
            printf("heat: n = %-5lld dt = h/%-3g error %-10.4g expected %-10.4g against the "
                   "factors %.2g%s\n",
                   (long long)n, 1 / sweep.dt_over_h, c.error, c.expected, c.discrete,
                   c.ok ? "" : " (wrong)");
            if (csv.file)
                fprintf(csv.file, "%s,%lld,%.9g,%.9g,%.6g,%.6g,%.3g\n", sweep.name, (long long)n, h,
                        dt, c.error, c.expected, c.discrete);
        }
    return csv_close(&csv) ? status : EXIT_USAGE;
}

/* ---- the program ---- */

static int sweep(const struct program *program, const struct options *o)
{
    char buffer[PREFIX_MOST];
    const char *prefix = options_csv_prefix(o, NULL, buffer);
    const int64_t n = list_largest(&o->n, 1);
    const double points = (double)n * (double)n;
    device_require(program->name, 2 * points * sizeof(float), points * sizeof(float));
    bool quick = o->quick || (device_is_cpu() && !o->paper); /* whether or not --n is given */
    int worst = run_steps(o, prefix);
    if (!o->has_variant[HEAT] || worst == EXIT_USAGE)
        return worst;
    for (int status : {run_field(n, prefix, quick), run_convergence(prefix, quick)})
        worst = status > worst ? status : worst;
    return worst;
}

static int check(const struct options *)
{
    EXPECT(heat_check() == 0, "heat equation");
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    struct program program = {.name = program_name,
                              .summary = "The heat equation on a plate of n x n points.",
                              .variants = variants,
                              .takes = "n type=sd",
                              .paper = "--n 1K,2K,4K,8K --type s,d",
                              .quick = "--n 31,64,100 --type s,d"};
    return device_main(&program, argc, argv, check, sweep);
}
