/* The Schroedinger part of nshape --check: single steps against long double, and whole evolutions
 * against exact results. The second kind finds wrong physics, such as a field at the wrong time,
 * which the reference of the first may share. */
#include "../main.h"
#include "expect.h"
#include "tridiagonal.h"
#include "wave.h"

#include <math.h>

/* A step of tridiagonal.h takes milliseconds on the CPU device, which switches fibres for every
 * element that lanes exchange. So tests make fewer. */
static bool is_slow(enum tdse_solver solver)
{
    return solver == TDSE_TRIDIAGONAL && device_is_cpu();
}

/* ---- single steps ---- */

/* The reference does not depend on partition and solver, so all of them also agree. */
static void check_step(char type, int64_t n, int64_t parts, int nest, const struct way *way,
                       int cores, const int64_t *joints, int steps)
{
    int64_t blocks[NSHAPE_NEST_MOST];
    for (int l = 0; l < nest; l++)
        blocks[l] = l == 0 ? parts : (blocks[l - 1] + 2) / 3;
    struct tdse plan = tdse_plan(type, n, -1.5, 0.25, 0.125, nest, blocks);
    struct wave w = open_wave(&plan, way, cores);
    if (joints) {
        size_t bytes = (size_t)(parts + 1) * sizeof *joints;
        w.s.joints = (const int64_t *)wave_memory(&w, bytes);
        wave_copy(&w, (void *)w.s.joints, joints, bytes, cudaMemcpyHostToDevice);
    }
    double field = way->matrix == TDSE_KEPT ? 0 : 0.5;
    wide *reference = reference_steps(&w, field, steps);
    struct verdict v = compare_steps(&w, field, steps, reference);
    free(reference);
    EXPECT(
        v.ok,
        "type %c, n = %lld, %lld blocks, nest %d, %s, cores %d: error %g, %.2g of what is allowed",
        type, (long long)n, (long long)parts, nest, way->name, cores, v.error, v.used);
    memory_free(&w.memory);
}

static const int64_t few_rows[] = {2, 3, 4, 5, 31};

static void check_tridiagonal_steps(char type, const struct way *way)
{
    int steps = is_slow(way->solver) ? 2 : 20;
    for (int64_t n : few_rows)
        check_step(type, n, 1, 1, way, 0, NULL, 3);
    check_step(type, 3001, 1, 1, way, 0, NULL, steps);
    /* 15001 rows do not fit into the shared memory of a CPU device with two multiprocessors: there
     * the solver reads the rows twice. */
    check_step(type, 15001, 1, 1, way, 0, NULL, steps / 2);
}

static void check_n_shaped_steps(char type, const struct way *way, int cores)
{
    static const int64_t joints[] = {0, 1, 3, 6, 10, 18, 19, 20, 30};
    for (int64_t n : few_rows)
        for (int64_t parts = 1; parts < n; parts = n <= 5 ? parts + 1 : parts * 4)
            for (int nest = 1; nest <= 3; nest++)
                check_step(type, n, parts, nest, way, cores, NULL, 3);
    check_step(type, 31, 30, 2, way, cores, NULL, 3); /* blocks without an interior row */
    check_step(type, 31, 8, 2, way, cores, joints, 3);
    for (int64_t parts = 1; parts < 3000; parts *= 14)
        check_step(type, 3001, parts, 2, way, cores, NULL, 20);
}

static void check_steps(void)
{
    for (const char *type = "zc"; *type; type++)
        for (const struct way &way : ways)
            if (way.solver == TDSE_TRIDIAGONAL)
                check_tridiagonal_steps(*type, &way);
            else
                for (int cores = 0; cores <= 2; cores += 2)
                    check_n_shaped_steps(*type, &way, cores);
}

/* The same steps with other numbers of threads or cores must give the same bits. */
static void check_bits(void)
{
    enum { N = 3001, RUNS = 3 };
    static double first[2 * N];
    int64_t blocks[] = {100, 9};
    for (const char *type = "zc"; *type; type++)
        for (const struct way &way : ways)
            for (int on_cores = 0; on_cores < (way.on_cores ? 2 : 1); on_cores++)
                for (int run = 0; run < RUNS; run++) {
                    struct tdse plan = tdse_plan(*type, N, -150, 0.1, 0.02, 2, blocks);
                    plan.threads = run == 0 ? 128 : 32;
                    struct wave w = open_wave(&plan, &way, on_cores ? 1 + run % 2 : 0);
                    fill_random(&w, 9);
                    evolve(&w, is_slow(way.solver) ? 1 : 10, NULL);
                    if (run == 0)
                        memcpy(first, w.psi, sizeof first);
                    else
                        EXPECT(memcmp(first, w.psi, sizeof first) == 0,
                               "type %c, %s, %s, run %d: not the same bits", *type, way.name,
                               on_cores ? "cores" : "device", run);
                    memory_free(&w.memory);
                }
}

/* The square of this V overflows. V dt/2 = h is so large that (1 - i h)/(1 + i h) = -1. */
static void check_large_potential(void)
{
    enum { N = 100 };
    int64_t blocks[] = {20, 3};
    for (const char *type = "zc"; *type; type++)
        for (int kept = 0; kept < 2; kept++)
            for (int cores = 0; cores < 3; cores++) {
                struct tdse plan = tdse_plan(*type, N, -5, 0.1, 0.1, 2, blocks);
                struct wave w =
                    open_wave(&plan, way_of(TDSE_N_SHAPED, kept ? TDSE_KEPT : TDSE_REBUILT), cores);
                double before[2 * N], most = 0, largest = 0;
                fill_random(&w, 3);
                for (int i = 0; i < N; i++)
                    w.v[i] = *type == 'z' ? 0x1p600 : 0x1p80;
                memcpy(before, w.psi, sizeof before);
                evolve(&w, 1, NULL);
                for (int i = 0; i < 2 * N; i++) {
                    double error = fabs(w.psi[i] + before[i]);
                    most = error <= most ? most : error == error ? error : INFINITY;
                    largest = fmax(largest, fabs(before[i]));
                }
                EXPECT(most <= 8 * unit_roundoff(*type) * largest,
                       "type %c, a large potential, kept %d, %d cores: error %g", *type, kept,
                       cores, most);
                memory_free(&w.memory);
            }
}

/* ---- invalid arguments ---- */

/* Pointers that are NULL or not aligned: every function refuses them, and psi does not change. */
static void check_pointers(char type, enum tdse_solver solver, int cores)
{
    int64_t one = 1;
    struct tdse plan = tdse_plan(type, 100, 0, 0.1, 0.1, 1, &one);
    struct wave w = open_wave(&plan, way_of(solver, TDSE_REBUILT), cores);
    fill_random(&w, 1);
    start(&w);
    struct tdse s = w.s;
    size_t element = (size_t)size_of(type);
    struct expect_pointer pointers[] = {EXPECT_POINTER(s.v, element / 2),
                                        EXPECT_POINTER(s.psi, element), EXPECT_POINTER(s.work, 16),
                                        EXPECT_POINTER_OR_NULL(s.joints, sizeof *s.joints)};
    s.joints = (const int64_t *)w.s.work;
    EXPECT_POINTERS(pointers, step_on(&s, 0, cores), cudaErrorInvalidValue);
    EXPECT_POINTERS(pointers, tdse_part(&s, NSHAPE_PART_DOWN, 0, 0, cores), cudaErrorInvalidValue);
    s.matrix = TDSE_KEPT;
    EXPECT_POINTERS(pointers, keep_on(&s, cores), cudaErrorInvalidValue);
    void *now = memory_host(&w.memory, psi_bytes(&w));
    wave_copy(&w, now, w.s.psi, psi_bytes(&w), cudaMemcpyDeviceToHost);
    EXPECT(memcmp(now, w.buffer, psi_bytes(&w)) == 0, "a refused call wrote to psi");
    memory_free(&w.memory);
}

static void check_misuse(void)
{
    int64_t blocks[] = {10, 3};
    struct tdse plan = tdse_plan('z', 100, 0, 0.1, 0.1, 2, blocks);
    struct wave w = open_wave(&plan, way_of(TDSE_N_SHAPED, TDSE_REBUILT), 0);
    struct tdse s = w.s;
    EXPECT_REFUSED(s, s.type = 'd', tdse_step(&s, 0, 0));
    EXPECT_REFUSED(s, s.n = 10 /* 10 blocks need at least 11 rows */, tdse_step(&s, 0, 0));
    EXPECT_REFUSED(s, s.parts[1] = 11 /* more than parts[0] = 10 */, tdse_step(&s, 0, 0));
    EXPECT(tdse_keep(&s, 0, 0) == cudaErrorInvalidValue, "factors of a matrix that is rebuilt");
    EXPECT(tdse_step_cpu(&s, 0, 0) == cudaErrorInvalidValue, "no cores");
    s.solver = TDSE_TRIDIAGONAL;
    EXPECT(tdse_step_cpu(&s, 0, 1) == cudaErrorInvalidValue &&
               tdse_keep_cpu(&s, 0, 1) == cudaErrorInvalidValue,
           "tridiagonal.h on cores");
    EXPECT_REFUSED(s, s.parts[1] = 1, tdse_part(&s, NSHAPE_PART_DOWN, 0, 0, 0));
    EXPECT_REFUSED(s, s.first = 1 /* only TDSE_N_SHAPED takes parts */, tdse_step(&s, 0, 0));
    double beyond[4] = {};
    struct tridiagonal t = {};
    EXPECT(tdse_system(&w.s, 0, beyond, &t, 0) == cudaErrorInvalidValue, "rows of T, N-shaped");
    EXPECT(tdse_system(&s, 0, NULL, &t, 0) == cudaErrorInvalidValue, "rows of T, nothing beyond");
    EXPECT(tdse_system(&s, 0, beyond, NULL, 0) == cudaErrorInvalidValue, "rows of T for nobody");
    memory_free(&w.memory);
    for (const char *type = "cz"; *type; type++) {
        check_pointers(*type, TDSE_N_SHAPED, 0);
        check_pointers(*type, TDSE_N_SHAPED, 1);
        check_pointers(*type, TDSE_TRIDIAGONAL, 0);
    }
}

/* ---- evolutions against known results ---- */

/* Halving dx and dt must divide the error by 4 within a tenth. Richardson extrapolation leaves at
 * most `next` times the coarse error. */
static void expect_second_order(const char *what, double coarse, double fine, double next)
{
    double left = (4 * fine - coarse) / 3;
    EXPECT(fabs(coarse / fine / 4 - 1) <= 0.1, "%s: errors %g, %g", what, coarse, fine);
    EXPECT(fabs(left) <= next * fabs(coarse), "%s: errors %g, %g: extrapolated %g", what, coarse,
           fine, left);
}

/* Three values of dx or of dt: the errors are as expected and of second order. */
static void check_free(enum tdse_solver solver)
{
    for (int sweep = SWEEP_DX; sweep <= SWEEP_DT; sweep++) {
        const struct way *way = way_of(solver, sweep == SWEEP_DX ? TDSE_REBUILT : TDSE_KEPT);
        double before = 0;
        for (int i = 0; i < 3; i++) {
            struct free_error e = free_error((enum sweep)sweep, 0.1 / (1 << i), way);
            EXPECT(is_as_expected(&e), "dx = %g, dt = %g: error %g, expected %g", e.dx, e.dt,
                   e.measured, e.expected);
            if (i > 0)
                EXPECT(fabs(before / e.measured / 4 - 1) <= 0.1, "dx = %g, dt = %g: ratio %g", e.dx,
                       e.dt, before / e.measured);
            before = e.measured;
        }
    }
}

/* T^-1 T^dagger is unitary, so in 10^4 steps only rounding changes the norm. */
static void check_norm(void)
{
    struct laser laser = {0.1, 0.2, 8};
    for (const struct way &way : ways) {
        struct tdse plan = grid(400, -40, 0.2, 0.025);
        struct wave w = open_wave(&plan, &way, 0);
        fill_atom(&w);
        evolve(&w,
               is_slow(way.solver) ? 50
               : expect_few        ? 500
                                   : 10000,
               way.matrix == TDSE_KEPT ? NULL : &laser);
        EXPECT(fabs(norm_of(&w) - 1) <= 1e-10, "%s: norm changed by %g", way.name, norm_of(&w) - 1);
        memory_free(&w.memory);
    }
}

/* The mean of three periods of <x>, from four changes of sign; 0 if there are fewer. */
static double measured_period(struct wave *w, double omega)
{
    enum { CROSSINGS = 4 };
    double dt = w->s.dt, before = INFINITY, crossing[CROSSINGS];
    int crossings = 0;
    start(w);
    for (int k = 1; crossings < CROSSINGS && k * dt < 30; k++) {
        step(w, 0);
        /* far from a change of sign, <x> is not needed */
        if (fabs(fmod(omega * k * dt, 2 * PI) - PI / 2) > 0.5)
            continue;
        fetch(w);
        double x = mean_x(w);
        if (before > 0 && x <= 0 && k > 1)
            crossing[crossings++] = dt * (k - x / (x - before));
        before = x;
    }
    return crossings == CROSSINGS ? (crossing[CROSSINGS - 1] - crossing[0]) / (CROSSINGS - 1) : 0;
}

/* The period of a coherent state.
 *
 * <x> is x0 <cos (E_{n+1} - E_n) t> over the quantum number n, Poisson with mean N = omega x0^2/2.
 * Crank-Nicolson changes an energy E to E - E^3 dt^2/12, the grid to E - <p^4> dx^2/24, <p^4> = 3/4
 * omega^2 (2n^2 + 2n + 1). So the period is longer than 2 pi/omega by the fraction
 *
 *   (omega^2 dt^2/12) <3 (n+1)^2 + 1/4> + (omega dx^2/32) <4n + 4>,  <(n+1)^2> = N^2 + 3N + 1
 * to within a tenth. */
static void check_harmonic(enum tdse_solver solver)
{
    static const double sizes[][2] = {{0.1, 0.005}, {0.04, 0.05}};
    for (const double *size : sizes) {
        double omega = 1, x0 = 2, dx = size[0], dt = size[1], n = omega * x0 * x0 / 2;
        struct tdse plan = grid((int64_t)(16 / dx) + 1, -8, dx, dt);
        struct wave w = open_wave(&plan, way_of(solver, TDSE_KEPT), 0);
        struct packet p = coherent_state(omega, x0);
        fill_harmonic(&w, omega);
        fill_packet(&w, &p);
        double longer = measured_period(&w, omega) * omega / (2 * PI) - 1;
        double expected = omega * omega * dt * dt / 12 * (3 * (n * n + 3 * n + 1) + 0.25) +
                          omega * dx * dx / 32 * (4 * n + 4);
        EXPECT(longer > -1, "dx = %g, dt = %g: fewer than three periods", dx, dt);
        EXPECT(fabs(longer - expected) <= 0.1 * expected,
               "dx = %g, dt = %g: the period is longer by %g, expected %g", dx, dt, longer,
               expected);
        memory_free(&w.memory);
    }
}

static const struct packet BEFORE_BARRIER = {-30, 4, 1.5};
static const double HEIGHT = 1.25, WIDTH = 1;

/* The transmission of a plane wave, averaged over the packet's momenta. */
static double exact_transmission(void)
{
    enum { POINTS = 20000 };
    double sum = 0, deviation = 1 / (2 * BEFORE_BARRIER.sigma);
    for (int i = 0; i < POINTS; i++) {
        double z = 16 * ((i + 0.5) / POINTS - 0.5), k = BEFORE_BARRIER.k + z * deviation;
        if (k <= 0)
            continue;
        double e = k * k / 2, below = HEIGHT - e, q = sqrt(2 * fabs(below)) * WIDTH;
        double s = below > 0 ? sinh(q) : sin(q);
        double t = 1 / (1 + HEIGHT * HEIGHT * s * s / (4 * e * fabs(below)));
        sum += t * exp(-z * z / 2) / sqrt(2 * PI) * 16 / POINTS;
    }
    return sum;
}

/* The probability beyond the barrier. dx causes an error in it, dt does not: a step is a function
 * of H, and dt changes only the phases of the eigenfunctions of H. */
static double measured_transmission(double dx, enum tdse_solver solver)
{
    double dt = 0.05, t = -2 * BEFORE_BARRIER.x0 / BEFORE_BARRIER.k;
    struct tdse plan = grid((int64_t)(200 / dx + 0.5), -100 + dx / 2, dx, dt);
    struct wave w = open_wave(&plan, way_of(solver, TDSE_KEPT), 0);
    fill_barrier(&w, HEIGHT, WIDTH);
    fill_packet(&w, &BEFORE_BARRIER);
    evolve(&w, (int64_t)(t / dt + 0.5), NULL);
    double transmitted = probability(&w, 0);
    memory_free(&w.memory);
    return transmitted;
}

/* The next order is smaller by the factor (k dx)^2. */
static void check_barrier(enum tdse_solver solver)
{
    double exact = exact_transmission();
    expect_second_order("transmission", measured_transmission(0.1, solver) - exact,
                        measured_transmission(0.05, solver) - exact, 2.25 * 0.01);
}

static double error_of_atom(double dx, enum tdse_solver solver)
{
    struct tdse plan = grid((int64_t)(80 / dx) + 1, -40, dx, 0.05);
    struct wave w = open_wave(&plan, way_of(solver, TDSE_KEPT), 0);
    fill_atom(&w);
    double energy = measured_energy(&w);
    memory_free(&w.memory);
    return energy + 0.5;
}

/* The next order is smaller by the factor <p^2> dx^2, where <p^2> < 1/2. */
static void check_atom(enum tdse_solver solver)
{
    expect_second_order("energy", error_of_atom(0.2, solver), error_of_atom(0.1, solver), 0.02);
    for (int l = 0; l <= 2; l++) {
        struct energy_error coarse = hydrogen_error(l, 0.2, way_of(solver, TDSE_KEPT)),
                            fine = hydrogen_error(l, 0.1, way_of(solver, TDSE_KEPT));
        EXPECT(coarse.ok && fine.ok, "hydrogen, l = %d: errors %g, %g, expected %g, %g", l,
               coarse.measured, fine.measured, coarse.expected, fine.expected);
        expect_second_order("energy of hydrogen", coarse.measured, fine.measured, 0.02);
    }
}

/* <x> in a laser pulse minus the position of a classical electron, - int (t - s) E(s) ds. It ends
 * in the middle of the pulse, where a field at another time than t + dt/2 would be seen. */
static double measured_shift(double dx, double dt, enum tdse_solver solver)
{
    enum { POINTS = 100000 };
    struct laser laser = {0.3, 0.8, 2};
    struct packet p = {0, 1.5, 0};
    double t = 8, classical = 0;
    struct tdse plan = grid((int64_t)(60 / dx) + 1, -30, dx, dt);
    struct wave w = open_wave(&plan, way_of(solver, TDSE_REBUILT), 0);
    memset(w.v, 0, (size_t)w.s.n * sizeof *w.v);
    fill_packet(&w, &p);
    evolve(&w, (int64_t)(t / dt + 0.5), &laser);
    for (int i = 0; i < POINTS; i++) {
        double s = (i + 0.5) * t / POINTS;
        classical -= (t - s) * laser_field(&laser, s) * t / POINTS;
    }
    double shift = mean_x(&w) - classical;
    memory_free(&w.memory);
    return shift;
}

/* The next order is smaller by the factor (omega dt)^2. */
static void check_field(enum tdse_solver solver)
{
    expect_second_order("packet in a field", measured_shift(0.2, 0.1, solver),
                        measured_shift(0.1, 0.05, solver), 0.02);
}

/* The harmonics end where they must, for fields of 1 to 2.25 times the intensity. */
static void check_harmonics(void)
{
    static double force[2300];
    for (double strength : {0.06, 0.0755, 0.09}) {
        struct laser laser = {strength, 0.057, 4};
        struct tdse plan = grid(2000, -199.9, 0.2, 0.05);
        struct wave w = open_wave(&plan, way_of(TDSE_N_SHAPED, TDSE_REBUILT), 0);
        int forces = (int)(8 * PI / laser.omega / (4 * plan.dt));
        fill_atom(&w);
        start(&w);
        for (int i = 0; i < 4 * forces; i++) {
            if (i % 4 == 0)
                force[i / 4] = mean_force(&w);
            step(&w, laser_field(&laser, (i + 0.5) * plan.dt));
        }
        double cut_off = write_harmonics(&laser, force, forces, 4 * plan.dt, NULL),
               expected = expected_cut_off(&laser, plan.dx, plan.dt);
        EXPECT(fabs(cut_off / expected - 1) <= CUT_OFF_WITHIN,
               "harmonics of a field of %g end at %g, expected %g", strength, cut_off, expected);
        memory_free(&w.memory);
    }
    struct laser constant = {0.05, 0.05, 60};
    double returned = (expected_cut_off(&constant, 1e-3, 1e-3) - 0.65) / 0.25;
    EXPECT(fabs(returned / 3.17 - 1) <= 0.01, "an electron brings back %g U_p", returned);
}

/* The sixth power of momentum in the next order of dx makes it a few per cent. */
static void check_plane(void)
{
    expect_second_order("packet in the plane", plane_error(80, 16, 1, NULL),
                        plane_error(160, 32, 1, NULL), 0.1);
}

void tdse_check(void)
{
    check_misuse();
    check_large_potential();
    check_steps();
    check_bits();
    check_norm();
    for (int i = TDSE_N_SHAPED; i <= TDSE_TRIDIAGONAL; i++) {
        enum tdse_solver solver = (enum tdse_solver)i;
        if (is_slow(solver) || expect_few)
            continue;
        check_field(solver);
        check_free(solver);
        check_harmonic(solver);
        check_barrier(solver);
        check_atom(solver);
    }
    if (!expect_few) {
        check_harmonics();
        check_plane();
    }
}
