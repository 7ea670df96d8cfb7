/* Experiments with Crank-Nicolson steps of the time-dependent Schroedinger equation (L22 section
 * 2): scenes that show |psi|^2, the order of convergence, and the time of a step. Atomic units.
 * Run: build/gpu/nshape --tdse. */
#include "../main.h"
#include "csv.h"
#include "wave.h"

#include <math.h>
#include <unistd.h>

static const char PROGRAM[] = "nshape";

struct scene {
    const char *name, *columns;       /* of the CSV file */
    double low, high, dx, dt, length; /* the coarse grid, and the time that the scene lasts */
    double from, to;                  /* the range of x in the CSV file */
    struct packet packet;             /* the initial psi; sigma = 0: the ground state of an atom */
    double omega, height;             /* V is an oscillator or a barrier of width 1; 0: it is not */
    struct laser pulse;               /* strength = 0: there is none */
};
enum { TIMES_SHOWN = 120, PLACES_SHOWN = 300, MIDINFRARED = 4, STEPS_OF_FORCE = 4 };
static const char DENSITY[] = "t,x,density", LEFT[] = "t,field,left_atom";
static const double NIR = 0.057, MIR = 0.01424; /* omega of laser, 800 nm, and of midinfrared */
/* midinfrared is the paper's motive (L22 3): an atom in a pulse of 3.2 µm, 9·10^13 W/cm^2, four
 * cycles. Electrons that leave it are thousands of atomic units away at the end, so the grid has
 * 200000 points. The CSV file has the probability outside the range of x. */
static const struct scene scenes[] = {
    {"free", DENSITY, -30, 50, 0.05, 0.01, 12, -10, 40, {0, 1, 2}},
    {"harmonic", DENSITY, -10, 10, 0.04, 0.01, 9, -6, 6, coherent_state(1, 3), 1},
    {"barrier", DENSITY, -80, 80, 0.05, 0.01, 36, -50, 50, {-25, 3, 1.5}, 0, 1.25},
    {"laser", DENSITY, -400, 400, 0.2, 0.05, 8 * PI / NIR, -100, 100, {}, 0, 0, {0.0755, NIR, 4}},
    {"midinfrared", LEFT, -1e4, 1e4, 0.2, 0.05, 8 * PI / MIR, -100, 100, {}, 0, 0, {0.05, MIR, 4}}};

static void fill_scene(struct wave *w, const struct scene *scene)
{
    memset(w->v, 0, (size_t)w->s.n * sizeof *w->v);
    if (scene->packet.sigma == 0)
        return fill_atom(w);
    if (scene->omega > 0)
        fill_harmonic(w, scene->omega);
    if (scene->height > 0)
        fill_barrier(w, scene->height, 1);
    fill_packet(w, &scene->packet);
}

static void show(struct wave *w, const struct scene *scene, double t, FILE *file)
{
    fetch(w);
    if (scene == &scenes[MIDINFRARED])
        fprintf(file, "%.5g,%.4g,%.4g\n", t, laser_field(&scene->pulse, t),
                probability(w, scene->to) + probability(w, -INFINITY) -
                    probability(w, scene->from));
    int64_t stride = (int64_t)ceil((scene->to - scene->from) / (w->s.dx * PLACES_SHOWN));
    for (int64_t i = 0; scene != &scenes[MIDINFRARED] && i < w->s.n; i += stride)
        if (x_of(w, i) >= scene->from && x_of(w, i) <= scene->to)
            fprintf(file, "%.5g,%.6g,%.4g\n", t, x_of(w, i), density(w, i));
}

static int worst_of(int status, int other)
{
    return other > status ? other : status;
}

/* Writes the harmonics of a scene with a pulse. They pass if they end where they must. */
static int run_harmonics(const struct scene *scene, const char *csv_prefix, const double *force,
                         int64_t count, double dx, double dt)
{
    char name[64];
    struct csv csv;
    snprintf(name, sizeof name, "%s_harmonics", scene->name);
    if (!csv_open(&csv, PROGRAM, csv_prefix, name, "omega,returned,intensity"))
        return EXIT_USAGE;
    double cut_off = write_harmonics(&scene->pulse, force, count, STEPS_OF_FORCE * dt, csv.file),
           expected = expected_cut_off(&scene->pulse, dx, dt);
    bool good = fabs(cut_off / expected - 1) <= CUT_OFF_WITHIN;
    printf("%-9s harmonics end at omega = %.4g, expected %.4g%s\n", scene->name, cut_off, expected,
           good ? "" : " (wrong)");
    return !csv_close(&csv) ? EXIT_USAGE : good ? EXIT_VERIFIED : EXIT_WRONG;
}

/* Runs a scene and writes its CSV files. The scene passes if the norm of psi stays the same. */
static int run_scene(const struct scene *scene, const char *csv_prefix, bool quick)
{
    double finer = quick ? 1 : 0.5, dx = scene->dx * finer, dt = scene->dt * finer;
    const struct laser *laser = scene->pulse.strength > 0 ? &scene->pulse : NULL;
    int64_t n = (int64_t)((scene->high - scene->low) / dx + 0.5),
            steps = (int64_t)(scene->length / dt + 0.5), each = steps / TIMES_SHOWN;
    struct csv csv;
    if (!csv_open(&csv, PROGRAM, csv_prefix, scene->name, scene->columns))
        return EXIT_USAGE;
    /* The grid begins dx/2 behind a multiple of dx, so the edges of the barrier lie halfway between
     * points. Three applications are fast for many points (tdse_steps.csv). */
    struct tdse plan = grid(n, scene->low + dx / 2, dx, dt);
    const int64_t blocks[] = {n / 16, n / 16 / 23, n / 16 / 23 / 23};
    if (scene == &scenes[MIDINFRARED])
        plan = tdse_plan('z', n, plan.x0, dx, dt, 3, blocks);
    struct wave w = open_wave(&plan, way_of(TDSE_N_SHAPED, laser ? TDSE_REBUILT : TDSE_KEPT), 0);
    fill_scene(&w, scene);
    double norm = norm_of(&w);
    int64_t forces = (steps + STEPS_OF_FORCE - 1) / STEPS_OF_FORCE;
    double *force = (double *)memory_host(&w.memory, (size_t)forces * sizeof *force);
    start(&w);
    for (int64_t i = 0; i <= steps; i++) {
        if (laser && i < steps && i % STEPS_OF_FORCE == 0)
            force[i / STEPS_OF_FORCE] = mean_force(&w);
        if (i % each == 0 && csv.file)
            show(&w, scene, (double)i * dt, csv.file);
        if (i % each == 0 || i == steps)
            progress(PROGRAM, i, steps, scene->name);
        if (i < steps)
            step(&w, laser_field(laser, ((double)i + 0.5) * dt));
    }
    fetch(&w);
    double change = norm_of(&w) / norm - 1;
    bool good = fabs(change) <= 1e-10;
    printf("%-9s %7lld points, %7lld steps: the norm changed by %9.2g%s\n", scene->name,
           (long long)n, (long long)steps, change, good ? "" : " (wrong)");
    int status = !csv_close(&csv) ? EXIT_USAGE : good ? EXIT_VERIFIED : EXIT_WRONG;
    if (laser)
        status = worst_of(status, run_harmonics(scene, csv_prefix, force, forces, dx, dt));
    memory_free(&w.memory);
    return status;
}

static int run_convergence(const char *csv_prefix, bool quick)
{
    static const char *const names[] = {"dx", "dt"};
    struct csv csv;
    if (!csv_open(&csv, PROGRAM, csv_prefix, "convergence", "sweep,dx,dt,error,expected"))
        return EXIT_USAGE;
    int status = EXIT_VERIFIED;
    for (int sweep = SWEEP_DX; sweep <= SWEEP_DT; sweep++)
        for (int i = 0; i < (quick ? 4 : 6); i++) {
            struct free_error e =
                free_error((enum sweep)sweep, 0.2 / (1 << i), way_of(TDSE_N_SHAPED, TDSE_REBUILT));
            if (!is_as_expected(&e))
                status = EXIT_WRONG;
            printf("dx = %-10.4g dt = %-10.4g error %-10.4g expected %.4g\n", e.dx, e.dt,
                   e.measured, e.expected);
            if (csv.file)
                fprintf(csv.file, "%s,%.9g,%.9g,%.6g,%.6g\n", names[sweep], e.dx, e.dt, e.measured,
                        e.expected);
        }
    return csv_close(&csv) ? status : EXIT_USAGE;
}

/* The radial equations of hydrogen. */
static int run_hydrogen(const char *csv_prefix)
{
    struct csv csv;
    if (!csv_open(&csv, PROGRAM, csv_prefix, "hydrogen", "l,dr,error,expected"))
        return EXIT_USAGE;
    int status = EXIT_VERIFIED;
    for (int l = 0; l <= 2; l++)
        for (double dr = 0.2; dr > 0.02; dr /= 2) {
            struct energy_error e = hydrogen_error(l, dr, way_of(TDSE_N_SHAPED, TDSE_KEPT));
            if (!e.ok)
                status = EXIT_WRONG;
            printf("hydrogen, l = %d, dr = %-6.4g energy wrong by %-10.4g expected %.4g\n", l, dr,
                   e.measured, e.expected);
            if (csv.file)
                fprintf(csv.file, "%d,%.9g,%.6g,%.6g\n", l, dr, e.measured, e.expected);
        }
    return csv_close(&csv) ? status : EXIT_USAGE;
}

/* Two dimensions: passes if half of dx and dt leaves a quarter of the error. */
static int run_plane(const char *csv_prefix, bool quick)
{
    struct csv csv;
    if (!csv_open(&csv, PROGRAM, csv_prefix, "plane", "t,x,y,density"))
        return EXIT_USAGE;
    int64_t n = quick ? 160 : 640;
    int steps = quick ? 32 : 128;
    double coarse = plane_error(n / 2, steps / 2, 3, NULL),
           fine = plane_error(n, steps, 3, csv.file);
    bool good = fabs(coarse / fine / 4 - 1) <= 0.1;
    printf("plane     %lld^2 points: error %.4g, %.2f times as much on half of them%s\n",
           (long long)n, fine, coarse / fine, good ? "" : " (wrong)");
    return !csv_close(&csv) ? EXIT_USAGE : good ? EXIT_VERIFIED : EXIT_WRONG;
}

/* The psi that a step must give. It takes longer than the step and serves all ways and blocks. */
struct expected {
    char type;
    int64_t n;
    wide *psi; /* NULL: none yet */
};

/* Verifies one step and adds the row of its time. parts: blocks of the first of `nest`
 * applications; both 0 for TDSE_TRIDIAGONAL. */
static void add_row(struct results *results, struct expected *expected, char type, int64_t n,
                    int64_t parts, int nest, const struct way *way, int cores)
{
    int64_t blocks[NSHAPE_NEST_MOST];
    for (int l = 0; l < nest; l++)
        blocks[l] = (int64_t)(pow((double)parts, (double)(nest - l) / nest) + 0.5);
    struct tdse plan = tdse_plan(type, n, -0.05 * (double)n, 0.1, 0.02, nest, blocks);
    struct wave w = open_wave(&plan, way, cores);
    if (!expected->psi || expected->n != n || expected->type != type) {
        free(expected->psi);
        *expected = {type, n, reference_steps(&w, 0, 1)};
    }
    struct verdict verdict = compare_steps(&w, 0, 1, expected->psi);
    struct row row = cores > 0 ? cpu_row(way->on_cores, type, n, 0, cores, way->elements, verdict)
                               : device_row(way->name, type, n, 0, way->elements, verdict);
    row.parts = parts, row.nest = nest, row.phase = "step";
    if (cores > 0)
        record_cores(results, row, NULL, REPS_DEFAULT, [&] { tdse_step_cpu(&w.s, 0, cores); });
    else {
        if (way->solver == TDSE_N_SHAPED)
            row.threads = w.s.threads;
        record(results, row, REPS_DEFAULT,
               [&](cudaStream_t stream) { return tdse_step(&w.s, 0, stream); });
    }
    memory_free(&w.memory);
}

/* Different numbers of blocks on the device, and CPU cores, at the paper's n. */
static void times_of_blocks(struct results *results, struct expected *expected, char type,
                            int64_t n, const struct way *way)
{
    static const int64_t device_parts[] = {300, 1000, 3000, 10000, 30000};
    int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (way->solver == TDSE_TRIDIAGONAL)
        return add_row(results, expected, type, n, 0, 0, way, 0);
    for (int64_t parts : device_parts)
        for (int nest = 1; nest <= 3 && parts < n / 4; nest++)
            add_row(results, expected, type, n, parts, nest, way, 0);
    add_row(results, expected, type, n, 1, 1, way, 1);
    if (all > 1)
        add_row(results, expected, type, n, all, 1, way, all);
}

/* Blocks of 10 to 300 rows, among which is the fastest for every n. */
static void times_of_size(struct results *results, struct expected *expected, int64_t n,
                          const struct way *way)
{
    static const int64_t block_rows[] = {10, 30, 100, 300};
    if (way->solver == TDSE_TRIDIAGONAL)
        return add_row(results, expected, 'z', n, 0, 0, way, 0);
    for (int64_t rows : block_rows)
        for (int nest = 2; nest <= 3 && n / rows >= 10; nest++)
            add_row(results, expected, 'z', n, n / rows, nest, way, 0);
}

static int run_times(const char *csv_prefix, bool quick)
{
    static const int64_t sizes[] = {1000, 3000, 10000, 30000, 100000, 1000000, 3000000, 10000000};
    char path[PREFIX_MOST];
    if (csv_prefix)
        snprintf(path, sizeof path, "%s_steps.csv", csv_prefix);
    struct results *results = results_open(PROGRAM, device_name(), csv_prefix ? path : NULL);
    if (!results)
        return EXIT_USAGE;
    struct expected expected = {};
    for (const char *type = "zc"; *type; type++)
        for (const struct way &way : ways)
            times_of_blocks(results, &expected, *type, quick ? 20000 : 300000, &way);
    for (int64_t n : sizes)
        for (const struct way &way : ways)
            if (!quick || n <= 3000)
                times_of_size(results, &expected, n, &way);
    free(expected.psi);
    return results_close(results);
}

int tdse_run(const char *csv_prefix, bool quick)
{
    int worst = EXIT_VERIFIED;
    for (int i = 0; i < MIDINFRARED; i++)
        worst = worst_of(worst, run_scene(&scenes[i], csv_prefix, quick));
    worst = worst_of(worst, run_convergence(csv_prefix, quick));
    worst = worst_of(worst, run_hydrogen(csv_prefix));
    worst = worst_of(worst, run_plane(csv_prefix, quick));
    worst = worst_of(worst, run_times(csv_prefix, quick));
    /* The CPU device and --quick leave out this scene, which has 70000 steps. */
    return quick ? worst : worst_of(worst, run_scene(&scenes[MIDINFRARED], csv_prefix, quick));
}
