/* nshape_mpi --check: given systems and wave functions in all orders of the stages, equal and
 * unequal parts. EXPECT counts on every rank, EXPECT_0 only on rank 0. */
#include "main.h"

#include <math.h>

/* Some speeds are tiny, so that their parts have no row between the joint lines. Each rank draws
 * the numbers of all ranks, so that their generators stay equal. */
static double random_speed(struct random *r)
{
    double mine = 1;
    for (int i = 0; i < ranks; i++) {
        double speed = random_bits(r) % 3 ? random_uniform(r, 0.1, 1) : 1e-9;
        if (i == rank)
            mine = speed;
    }
    return mine;
}

/* ---- a given system ---- */

/* Both runs of a pair must give the same bits. */
static void check_given(const struct share *s, char type, enum system kind, uint64_t seed)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    static const enum nshape_mpi_order pairs[][2] = {{NSHAPE_MPI_PLAIN, NSHAPE_MPI_EARLY},
                                                     {NSHAPE_MPI_INVERSE, NSHAPE_MPI_INVERSE},
                                                     {NSHAPE_MPI_PLAIN, NSHAPE_MPI_SUMMED}};
    struct given g;
    open_given(&g, s, type, kind, seed, -1);
    int64_t bytes = s->n * size_of(type);
    void *first = memory_cpu(&g.memory, bytes);
    for (const enum nshape_mpi_order *pair : pairs)
        for (int k = 0; k < 2; k++) {
            struct solution x = solve_given(&g, pair[k]);
            EXPECT_0(x.agreed && x.status == 0 && x.verdict.ok,
                     "type %c, %s, n = %lld, order %d: status %lld, %.2g of the bound", type,
                     system_name(kind), (long long)s->n, pair[k], x.status, x.verdict.used);
            if (rank == 0 && k == 0)
                memcpy(first, g.x, (size_t)bytes);
            EXPECT_0(memcmp(first, g.x, (size_t)bytes) == 0,
                     "type %c, n = %lld, order %d: not the same bits", type, (long long)s->n,
                     pair[k]);
            int64_t aside = pair[k] == NSHAPE_MPI_SUMMED ? 2 : 0;
            EXPECT(s->rows == 0 || (x.times.elements_up == 6 - aside &&
                                    x.times.elements_down == 2 && x.times.elements_aside == aside),
                   "%lld, %lld and %lld elements", (long long)x.times.elements_up,
                   (long long)x.times.elements_down, (long long)x.times.elements_aside);
        }
    close_given(&g);
}

/* A row of zeros must be reported on all ranks, whichever part has the row. */
static void check_pivots(const struct share *s, char type)
{
    for (int64_t row = 0; row < s->n; row += 7) {
        struct given g;
        open_given(&g, s, type, SYSTEM_DOMINANT, 5, row);
        struct solution x = solve_given(&g, NSHAPE_MPI_EARLY);
        EXPECT_0(x.agreed && x.status == row + 1, "type %c: row %lld, reported %lld", type,
                 (long long)(row + 1), x.status);
        close_given(&g);
    }
}

/* A system times a power of two whose square overflows is solved, or a bad pivot is reported. */
static void check_scale(const struct share *s, char type, int power)
{
    struct given g;
    int64_t reals = is_complex(type) ? 2 : 1;
    char real = real_type(type);
    open_given(&g, s, type, SYSTEM_DOMINANT, 5, -1);
    for (int array = 0; array < 4; array++) {
        for (int64_t i = 0; i < s->rows * reals; i++)
            put(real, g.in[array], i, ldexp(get(real, g.in[array], i), power));
        for (int64_t i = 0; rank == 0 && i < s->n * reals; i++)
            put(real, g.whole[array], i, ldexp(get(real, g.whole[array], i), power));
    }
    struct solution x = solve_given(&g, NSHAPE_MPI_INVERSE);
    EXPECT_0(x.agreed && (x.status > 0 || x.verdict.ok),
             "type %c times 2^%d: status %lld, %.2g of the bound", type, power, x.status,
             x.verdict.used);
    close_given(&g);
}

/* ---- invalid arguments: refused before anything is sent, so each rank tests alone ---- */

static void check_refused_system(const struct share *s, char type)
{
    struct given g;
    struct nshape_mpi_times times = {};
    long long status = -1, *at = &status;
    size_t size = (size_t)size_of(type), bytes = (size_t)s->n * size;
    open_given(&g, s, type, SYSTEM_DOMINANT, 5, -1);
    restore(&g);
    unsigned char *x = (unsigned char *)memory_cpu(&g.memory, (int64_t)bytes);
    unsigned char *untouched = (unsigned char *)memory_cpu(&g.memory, (int64_t)bytes);
    memset(untouched, 0xff, bytes);
    struct expect_pointer pointers[] = {
        EXPECT_POINTER(g.plan.sub, size),   EXPECT_POINTER(g.plan.diag, size),
        EXPECT_POINTER(g.plan.super, size), EXPECT_POINTER(g.plan.rhs, size),
        EXPECT_POINTER(g.plan.x, size),     EXPECT_POINTER(g.plan.work, 16),
        EXPECT_POINTER(g.plan.status, 8),   EXPECT_POINTER(at, 8)};
    EXPECT_POINTERS(pointers, nshape_mpi_solve(g.system, NSHAPE_MPI_PLAIN, at, &times),
                    cudaErrorInvalidValue);
    copy_here(x, g.plan.x, (int64_t)bytes, cudaMemcpyDeviceToHost);
    EXPECT(memcmp(x, untouched, bytes) == 0 && status == -1,
           "rank %d, type %c: a refused call wrote", rank, type);
    CHECK_MPI(nshape_mpi_solve(g.system, NSHAPE_MPI_PLAIN, &status, &times));
    EXPECT(status == 0, "rank %d, type %c, after all refusals: status %lld", rank, type, status);
    close_given(&g);
}

static void check_refused_wave(const struct share *s, char type)
{
    struct waves w;
    struct nshape_mpi_times times = {};
    double field[2] = {};
    open_waves(&w, s, type, NSHAPE_MPI_PLAIN, 1, 0);
    EXPECT(nshape_mpi_steps(w.systems, 1, NSHAPE_MPI_PLAIN, NULL, 1, &times) ==
               cudaErrorInvalidValue,
           "rank %d, type %c: no field", rank, type);
    EXPECT_REFUSED(w.of[0].wave.s, w.of[0].wave.s.v = NULL,
                   nshape_mpi_steps(w.systems, 1, NSHAPE_MPI_PLAIN, field, 1, &times));
    close_waves(&w);
}

static void check_refused(void)
{
    struct share s = {.n = 40, .first = 0, .rows = 40};
    struct nshape_mpi_part empty = {};
    struct nshape_mpi_system *none;
    int64_t row;
    CHECK_MPI(nshape_mpi_open(MPI_COMM_SELF, NSHAPE_ROOT_WORKS, &s.mpi));
    EXPECT(nshape_mpi_rows(&s.mpi, 40, 1, NULL, &row) == cudaErrorInvalidValue &&
               nshape_mpi_rows(&s.mpi, 40, 1, &row, NULL) == cudaErrorInvalidValue,
           "rank %d: nowhere to return rows", rank);
    EXPECT(nshape_mpi_system_open(&s.mpi, 'z', &empty, &none) == cudaErrorInvalidValue,
           "rank %d: a subsystem without a system and a wave function", rank);
    for (const char *type = "sdcz"; *type; type++) {
        check_refused_system(&s, *type);
        if (is_complex(*type))
            check_refused_wave(&s, *type);
    }
}

/* ---- wave functions ---- */

enum { STEPS = 5, WAVES = 3 };

/* Makes STEPS steps of a whole wave function on one core. Returns it; the caller frees it. */
static struct wave expected_wave(char type, int64_t n, const double *field, int which)
{
    int64_t one = 1;
    struct tdse plan = plan_rows(type, n, 0, n, 1, &one);
    struct wave w = open_wave(&plan, way_of(TDSE_N_SHAPED, TDSE_REBUILT), 1);
    fill_wave(&w, n, which);
    for (int k = 0; k < STEPS; k++)
        step(&w, field[k]);
    fetch(&w);
    return w;
}

/* Returns |x - exact|/|exact| in the 2-norm. x and exact have `count` elements. */
static double distance(const double *x, const double *exact, int64_t count)
{
    double error = 0, norm = 0;
    for (int64_t j = 0; j < count; j++) {
        error += (x[j] - exact[j]) * (x[j] - exact[j]);
        norm += exact[j] * exact[j];
    }
    return sqrt(error / norm);
}

/* Makes STEPS steps of `count` wave functions at once and compares each with expected_wave(). Wave
 * 0 is copied to `first` (is_first) or must have its bits, except with NSHAPE_MPI_INVERSE and
 * BY_TRIDIAGONAL. Both sides have an error of at most STEP_UNITS |T| units in each step, |T| <= 3.
 * T^-1 T^dagger is unitary, so these errors add up but do not grow. */
static void check_order(const struct share *s, char type, int count, enum nshape_mpi_order order,
                        const double *field, double *first, bool is_first)
{
    struct waves waves;
    struct memory temporary = {};
    const size_t bytes = 16 * (size_t)s->n;
    const bool any_bits = order == NSHAPE_MPI_INVERSE || order == BY_TRIDIAGONAL;
    double *psi = (double *)memory_cpu(&temporary, 16 * s->n);
    open_waves(&waves, s, type, order, count, field[0]);
    struct nshape_mpi_times times = step_waves(&waves, field, STEPS);
    for (int i = 0; i < count; i++) {
        fetch_psi(&waves.of[i]);
        gather_rows(s, waves.of[i].psi, psi, 16);
        if (rank != 0)
            continue;
        struct wave expected = expected_wave(type, s->n, field, i);
        double error = distance(psi, expected.psi, 2 * s->n);
        memory_free(&expected.memory);
        EXPECT(error <= 2 * STEPS * STEP_UNITS * 3 * unit_roundoff(type),
               "type %c, n = %lld, order %d, wave %d: error %g", type, (long long)s->n, order, i,
               error);
        if (i == 0 && is_first)
            memcpy(first, psi, bytes);
        EXPECT(i > 0 || any_bits || memcmp(first, psi, bytes) == 0,
               "type %c, n = %lld, order %d: other bits", type, (long long)s->n, order);
    }
    close_waves(&waves);
    int up = order == NSHAPE_MPI_KEPT ? 2 : order == NSHAPE_MPI_SUMMED ? 4 : 6;
    EXPECT(
        s->rows == 0 || order == BY_TRIDIAGONAL ||
            (times.elements_up == up * STEPS * count && times.elements_down == 2 * STEPS * count),
        "order %d: %lld and %lld elements", order, (long long)times.elements_up,
        (long long)times.elements_down);
    memory_free(&temporary);
}

/* Of the elements that one rank alone holds of n rows, a rank holds its share: if it held the whole
 * psi besides, that were n elements more. Joint lines between the parts are few. */
static void check_memory(const struct share *s, enum nshape_mpi_order order, int count)
{
    struct share alone = {.n = s->n, .first = 0, .rows = s->n};
    struct waves waves;
    double held[2];
    nshape_mpi_open(MPI_COMM_SELF, NSHAPE_ROOT_WORKS, &alone.mpi);
    for (int i = 0; i < 2; i++) {
        open_waves(&waves, i ? &alone : s, 'z', order, count, 0);
        held[i] = held_bytes(&waves) / 16;
        close_waves(&waves);
    }
    double n = (double)s->n, more = held[0] - held[1] * (double)s->rows / n;
    EXPECT(held[1] >= 5 * n && fabs(more) <= 0.1 * n,
           "rank %d, order %d: %.0f elements for %lld of %.0f rows, %.0f for all", rank, order,
           held[0], (long long)s->rows, n, held[1]);
}

/* All orders in a field that changes and in a constant one, which NSHAPE_MPI_KEPT needs. */
static void check_steps(const struct share *s, char type, int count)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    double field[STEPS];
    struct memory temporary = {};
    double *rebuilt = (double *)memory_cpu(&temporary, 16 * s->n);
    double *kept = (double *)memory_cpu(&temporary, 16 * s->n);
    for (int constant = 0; constant < 2; constant++) {
        for (int k = 0; k < STEPS; k++)
            field[k] = field_at(s->n, constant ? 0 : k);
        for (int o = NSHAPE_MPI_PLAIN; o <= NSHAPE_MPI_SUMMED; o++)
            check_order(s, type, count, (enum nshape_mpi_order)o, field, rebuilt,
                        o == NSHAPE_MPI_PLAIN);
        if (constant)
            check_order(s, type, count, NSHAPE_MPI_KEPT, field, kept, true);
        check_order(s, type, count, NSHAPE_MPI_AHEAD, field, kept, !constant);
    }
    memory_free(&temporary);
}

/* 10^4 steps change the norm by at most 1e-10. Ranks that share cores wait for the scheduler in
 * each step, so they make fewer. */
static void check_norm(const struct share *s)
{
    enum { STEPS_MOST = 10000 };
    static double field[STEPS_MOST];
    int steps = ranks > sysconf(_SC_NPROCESSORS_ONLN) ? STEPS_MOST / 100 : STEPS_MOST;
    struct waves w;
    double norm[2];
    open_waves(&w, s, 'z', NSHAPE_MPI_KEPT, 1, 0);
    for (int after = 0; after < 2; after++) {
        double mine = 0;
        if (after)
            step_waves(&w, field, steps);
        fetch_psi(&w.of[0]);
        const double *psi = w.of[0].psi;
        for (int64_t i = s->first > 0 ? 1 : 0; i < s->rows; i++)
            mine += psi[2 * i] * psi[2 * i] + psi[2 * i + 1] * psi[2 * i + 1];
        norm[after] = sum_over_ranks(mine);
    }
    EXPECT_0(fabs(norm[1] / norm[0] - 1) <= 1e-10, "the norm changed by %g", norm[1] / norm[0] - 1);
    close_waves(&w);
}

/* Steps by tridiagonal_mpi.h are for ranks on GPUs: on the CPU device all ranks compute there. */
static void check_tridiagonal(int64_t n, char type)
{
    static int turns;
    if (expect_skips(&turns))
        return;
    double field[STEPS];
    const int chosen = cores;
    if (device_is_cpu())
        cores = 0;
    if (max_over_ranks(cores) == 0) {
        struct share s = share_rows(NSHAPE_ROOT_WORKS, n, 1);
        for (int k = 0; k < STEPS; k++)
            field[k] = field_at(n, k);
        check_order(&s, type, 1, BY_TRIDIAGONAL, field, NULL, false);
    }
    cores = chosen;
}

/* Neighbours share a joint line, a part has at least two, and the rows between them are
 * proportional to the rank's speed. */
static void check_rows(void)
{
    for (int64_t n = ranks + 1; n < 3000; n = 2 * n + 1) {
        double speed = rank + 1, sum = ranks * (ranks + 1) / 2.0;
        struct share s = share_rows(NSHAPE_ROOT_WORKS, n, speed);
        int64_t last = s.first + s.rows - 1, next = n - 1;
        int lower = rank > 0 ? rank - 1 : MPI_PROC_NULL;
        int upper = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
        MPI_Sendrecv(&s.first, 1, MPI_INT64_T, lower, 2, &next, 1, MPI_INT64_T, upper, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double between = speed / sum * (double)(n - 1 - ranks);
        EXPECT(last == next && s.rows >= 2 && (rank > 0 || s.first == 0) &&
                   fabs((double)(s.rows - 2) - between) <= 1,
               "n = %lld, rank %d: rows %lld to %lld", (long long)n, rank, (long long)s.first,
               (long long)last);
    }
}

/* The name of the devices is the same at every call. */
static void check_places(void)
{
    int cores_of_rank;
    char first[256];
    snprintf(first, sizeof first, "%s", places(&cores_of_rank));
    const char *again = places(&cores_of_rank);
    EXPECT_0(strcmp(first, again) == 0, "'%s', then '%s'", first, again);
}

int check(const struct options *options)
{
    const int64_t sizes[] = {ranks + 1, 31, 1000, ranks + 3, 4097};
    /* Ranks that share a core wait at every message, so they test fewer sizes and types. */
    const bool crowded = ranks > sysconf(_SC_NPROCESSORS_ONLN);
    const int size_count = crowded ? 3 : (int)(sizeof sizes / sizeof *sizes);
    struct random r = {options->seed};
    check_rows();
    check_places();
    check_refused();
    for (int i = 1; i < size_count; i++)
        for (const char *type = "zc"; *type && sizes[i] > 2 * ranks; type++)
            check_tridiagonal(sizes[i], *type);
    struct share large = share_rows(NSHAPE_ROOT_WORKS, 100000, rank + 1);
    for (int order = NSHAPE_MPI_PLAIN; order <= NSHAPE_MPI_AHEAD; order++)
        check_memory(&large, (enum nshape_mpi_order)order, 1 + order % 2);
    for (int root = NSHAPE_ROOT_WORKS; root <= (ranks > 1 ? NSHAPE_ROOT_ALONE : NSHAPE_ROOT_WORKS);
         root++)
        for (const char *type = crowded ? "zs" : "zcds"; *type; type++)
            for (int i = 0; i < size_count; i++)
                for (int unequal = 0; unequal < 2; unequal++) {
                    const int64_t n = sizes[i];
                    struct share s =
                        share_rows((enum nshape_mpi_root)root, n, unequal ? random_speed(&r) : 1);
                    for (int kind = 0; kind < SYSTEM_KINDS; kind++)
                        check_given(&s, *type, (enum system)kind, options->seed);
                    if (n == 31) {
                        check_pivots(&s, *type);
                        check_scale(&s, *type, real_type(*type) == 's' ? 64 : 512);
                    }
                    for (int count = 1; is_complex(*type) && count <= WAVES; count += 2)
                        check_steps(&s, *type, count);
                    if (n == 1000 && *type == 'z' && !unequal)
                        check_norm(&s);
                }
    return mpi_program_checked();
}
