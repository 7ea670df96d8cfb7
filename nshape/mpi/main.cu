/* L22 sections 5.2 and 6.2: the N-shaped partition method over MPI ranks, on GPUs and on CPU cores:
 * one given system, and Crank-Nicolson steps of one wave function and of several. It
 * shows how much communication each technique of L22 hides. Only rank 0 reads the command line,
 * prints and writes files.
 *
 *     common/mpirun.sh -np 4 build/cpu/nshape_mpi             a part of the rows on each of 4 ranks
 *     common/mpirun.sh -np 4 build/cpu/nshape_mpi --check     verify everything */
#include "main.h"
#include "expect.h"

#include <math.h>

enum variant_id {
    SOLVE,
    STEP,
    STEP_EARLY,
    STEP_INVERSE,
    STEP_SUMMED,
    STEP_KEPT,
    STEP_AHEAD,
    STEP_FLIGHT,
    STEP_ALONE,
    STEP_TRIDIAGONAL,
    VARIANTS
};
static const struct variant variants[] = {
    {"solve", "one given system"},
    {"step", "time step: RD, RU, JD, JU, messages, RS, messages, SS"},
    {"step_early", "step, JD's elements are sent before RU"},
    {"step_inverse", "step_early, and 1/a is computed while RS runs"},
    {"step_summed", "step, neighbours add what they share"},
    {"step_kept", "step, the factors of a constant T are kept"},
    {"step_ahead", "step, the next factors are computed while RS runs"},
    {"step_flight", "step_inverse of 4 wave functions in flight"},
    {"step_alone", "step_inverse, rank 0 has no rows (2 ranks or more)"},
    {"step_tridiagonal", "step, solved by tridiagonal_mpi, on GPUs"},
    {}};
static const enum nshape_mpi_order orders[VARIANTS] = {
    NSHAPE_MPI_INVERSE, NSHAPE_MPI_PLAIN, NSHAPE_MPI_EARLY,   NSHAPE_MPI_INVERSE, NSHAPE_MPI_SUMMED,
    NSHAPE_MPI_KEPT,    NSHAPE_MPI_AHEAD, NSHAPE_MPI_INVERSE, NSHAPE_MPI_INVERSE, BY_TRIDIAGONAL};

/* The least number of elements of psi's type that memory moves for each row, as in nshape and tdse.
 * step_ahead also computes the factors: RD reads psi, V (1.5) and writes 4, RU reads 4 and writes
 * 3, then a is read and 1/a and two factors are written (4). */
static const double elements_of[VARIANTS] = {
    19, 17.5, 17.5, 17.5, 17.5, 11.5, 11.5 + 1.5 + 4 + 7 + 4, 17.5, 17.5, 12.5};

/* ---- timing ---- */

/* The work of one sample: `steps` steps of wave functions, or one solution of a given system. */
struct run {
    struct given *given; /* NULL: the sample is of `waves` */
    struct waves *waves;
    int steps;
    const double *field;
    /* total: a step on the slowest rank; wait: how long a rank waits in a step, on average */
    struct timing total, wait;
};

static struct nshape_mpi_times run_once(const struct run *r)
{
    struct nshape_mpi_times times = {};
    long long status;
    if (!r->given)
        return step_waves(r->waves, r->field, r->steps);
    CHECK_MPI(nshape_mpi_solve(r->given->system, orders[SOLVE], &status, &times));
    return times;
}

/* Sends rank 0's value of go_on to all ranks. Returns this value on all ranks. Collective. */
static bool all_go_on(int go_on)
{
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return go_on;
}

static void take_samples(struct run *r, int reps, int cores_of_rank)
{
    enum { MOST = 1000 }; /* --reps is at most 1000 */
    static double ms[MOST], waited_ms[MOST];
    static struct timing_sample samples[MOST];
    double begun = MPI_Wtime();
    int count = 0;
    do {
        if (r->given)
            restore(r->given);
        MPI_Barrier(MPI_COMM_WORLD);
        struct timing_sample before = timing_usage();
        double start = MPI_Wtime();
        struct nshape_mpi_times times = run_once(r);
        double slowest = 1e3 * max_over_ranks(MPI_Wtime() - start);
        ms[count] = slowest / r->steps;
        waited_ms[count] = 1e3 * sum_over_ranks(times.waited) / ranks / r->steps;
        samples[count++] = mpi_program_sample(before, slowest);
    } while (
        all_go_on(count < reps && (count < SAMPLES_LEAST || MPI_Wtime() - begun < TIMING_SECONDS)));
    bool disturbed = mpi_program_disturbed(samples, count, r->steps, cores_of_rank);
    r->total = timing_summary("clock", ms, count);
    r->wait = timing_summary("clock", waited_ms, count);
    r->total.disturbed = r->wait.disturbed = disturbed;
}

/* Takes samples, again for a limited time if other load disturbed them. */
static void time_run(struct run *r, int reps, int cores_of_rank)
{
    double begun = MPI_Wtime();
    int repeats = 0;
    do
        take_samples(r, reps, cores_of_rank);
    while (all_go_on(r->total.disturbed && repeats++ < REPEATS_MOST &&
                     MPI_Wtime() - begun < TIMING_SECONDS));
}

/* This rank's rows per second, in a step that it makes alone. All ranks measure at once. */
static double measure_speed(char type, int64_t rows)
{
    struct share alone = {.n = rows, .first = 0, .rows = rows};
    nshape_mpi_open(MPI_COMM_SELF, NSHAPE_ROOT_WORKS, &alone.mpi);
    struct waves w;
    open_waves(&w, &alone, real_type(type) == 's' ? 'c' : 'z', NSHAPE_MPI_PLAIN, 1, 0);
    double best = INFINITY, field = 0;
    for (int i = 0; i < 6; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        step_waves(&w, &field, 1);
        best = fmin(best, MPI_Wtime() - start);
    }
    close_waves(&w);
    return (double)rows / best;
}

/* This rank's speed at its share of n rows. A GPU with few rows waits for launches, so the speed
 * depends on the share: it is measured again for each new share, from equal ones on. */
static double speed_at_share(char type, int64_t n, enum nshape_mpi_root root)
{
    enum { ROUNDS = 5, ROWS_MOST = 10000000 };
    bool works = rank > 0 || root == NSHAPE_ROOT_WORKS;
    double speed = works ? 1 : 0;
    for (int i = 0; i < ROUNDS; i++) {
        double share = speed / sum_over_ranks(speed);
        double rows = fmin(fmax(share * (double)n, 4), ROWS_MOST);
        double measured = measure_speed(type, (int64_t)rows);
        speed = works ? measured : 0;
    }
    return speed;
}

/* ---- the experiment ---- */

struct experiment {
    const struct options *options;
    struct results *results;
    const char *device;
    int cores_of_rank;
    /* number of rows in the results that are done, and of all variants, types and n */
    int64_t done, all;
};

/* Rows "total" and "wait"; bytes of "wait": what all ranks sent and received. For steps also rows
 * without a time: "memory", the bytes of the rank that holds most, and "share", those of psi in its
 * rows. (To verify a given system, rank 0 holds all of it.) Collective. */
static void add_rows(const struct experiment *e, const struct share *share, enum variant_id v,
                     char type, const struct run *r, struct verdict verdict, const char *status,
                     struct nshape_mpi_times times)
{
    double sent =
        sum_over_ranks((double)(times.elements_up + times.elements_down + times.elements_aside));
    double held = r->waves ? held_bytes(r->waves) : 0, most = max_over_ranks(held);
    double rows = max_over_ranks(held == most ? (double)share->rows : 0);
    if (rank != 0)
        return;
    struct row row = cpu_row(variants[v].name, type, share->n, r->given ? 1 : r->waves->count,
                             e->cores_of_rank, elements_of[v], verdict);
    row.parts = share->mpi.parts, row.ranks = ranks;
    row.device = e->device, row.time = r->total, row.status = status;
    results_add(e->results, &row);
    row.phase = "wait", row.time = r->wait, row.bytes = sent * size_of(type);
    results_add(e->results, &row);
    if (!r->waves)
        return;
    row.phase = "memory", row.time = timing_none(), row.bytes = most;
    results_add(e->results, &row);
    row.phase = "share", row.bytes = rows * size_of(type) * r->waves->count;
    results_add(e->results, &row);
}

static void solve_rows(const struct experiment *e, const struct share *share, char type)
{
    struct given g;
    open_given(&g, share, type, SYSTEM_DOMINANT, e->options->seed, -1);
    struct solution solution = solve_given(&g, orders[SOLVE]);
    struct run r = {.given = &g, .steps = 1};
    time_run(&r, e->options->reps, e->cores_of_rank);
    add_rows(e, share, SOLVE, type, &r, solution.verdict,
             solution.status ? "zero pivot" : verdict_status(solution.verdict), solution.times);
    close_given(&g);
}

/* Verifies one step, T after = T^dagger before (L22 eq. 2), by its largest backward error of a row.
 * A rank verifies the rows after J_w up to J_{w+1} and needs row J_{w+1} + 1 of the next part; the
 * first part also verifies row 0. Collective. */
static struct verdict verify_step(const struct share *s, const struct rank_wave *w, char type,
                                  const double *before, double field)
{
    double next[4] = {}, mine[4] = {}, most = 0, worst = 0, off = -DT / (4 * DX * DX);
    int part = rank - s->mpi.first_worker;
    int lower = part > 0 ? rank - 1 : MPI_PROC_NULL;
    int upper = part >= 0 && part + 1 < s->mpi.parts ? rank + 1 : MPI_PROC_NULL;
    const double *const psi[] = {before, w->psi};
    for (int c = 0; c < 4 && s->rows > 0; c++)
        mine[c] = psi[c / 2][2 + c % 2];
    MPI_Sendrecv(mine, 4, MPI_DOUBLE, lower, 0, next, 4, MPI_DOUBLE, upper, 0, s->mpi.comm,
                 MPI_STATUS_IGNORE);
#pragma omp parallel for reduction(max : worst, most)
    for (int64_t i = part == 0 ? 0 : 1; i < s->rows; i++) {
        double x = (double)(s->first + i - s->n / 2) * DX;
        double h = DT / 2 * (1 / (DX * DX) + potential(s->n, s->first + i) + field * x);
        for (int c = 0; c < 2; c++) { /* 0: real part, 1: imaginary part */
            double value = psi[1][2 * i + c] - psi[0][2 * i + c];
            /* adds i (h psi + off neighbours); t = 0: psi before the step, 1: after it */
            for (int t = 0; t < 2; t++) {
                double neighbours = 0;
                if (s->first + i > 0)
                    neighbours += psi[t][2 * (i - 1) + !c];
                if (s->first + i + 1 < s->n)
                    neighbours += i + 1 < s->rows ? psi[t][2 * (i + 1) + !c] : next[2 * t + !c];
                value += (c ? 1 : -1) * (h * psi[t][2 * i + !c] + off * neighbours);
                most = fmax(most, fabs(psi[t][2 * i + c]));
            }
            double error = fabs(value) / (1 + fabs(h) + 2 * fabs(off));
            worst = error <= worst ? worst : error == error ? error : (double)INFINITY;
        }
    }
    /* The factor 2, because the residual is the difference of T after and T^dagger before. */
    double error = max_over_ranks(worst) / (2 * max_over_ranks(most));
    double used = error / (STEP_UNITS * unit_roundoff(type));
    return {used <= 1, error, used, -1};
}

static void step_rows(const struct experiment *e, const struct share *share, enum variant_id v,
                      char type)
{
    enum { STEPS_MOST = 100 };
    double field[STEPS_MOST];
    struct waves waves;
    struct rank_wave *first = &waves.of[0];
    for (int k = 0; k < STEPS_MOST; k++)
        field[k] = orders[v] == NSHAPE_MPI_KEPT ? 0 : field_at(share->n, k);
    open_waves(&waves, share, type, orders[v], v == STEP_FLIGHT ? WAVES_MOST : 1, 0);
    struct run r = {.waves = &waves, .steps = 1, .field = field};
    struct memory temporary = {};
    double *before = (double *)memory_cpu(&temporary, 16 * share->rows);
    fetch_psi(first);
    if (share->rows > 0)
        memcpy(before, first->psi, (size_t)share->rows * 16);
    struct nshape_mpi_times times = run_once(&r);
    fetch_psi(first);
    struct verdict verdict = verify_step(share, first, type, before, field[0]);
    double start = MPI_Wtime();
    memory_free(&temporary);
    run_once(&r);
    /* A sample makes so many steps that it lasts about 20 ms. */
    r.steps = (int)fmin(fmax(0.02 / (MPI_Wtime() - start), 2), STEPS_MOST);
    MPI_Bcast(&r.steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    time_run(&r, e->options->reps, e->cores_of_rank);
    add_rows(e, share, v, type, &r, verdict, verdict_status(verdict), times);
    close_waves(&waves);
}

/* Left out: steps of real types, STEP_ALONE on one rank, STEP_TRIDIAGONAL on cores. Collective. */
static bool has_variant(const struct options *o, int v, char type)
{
    bool on_cores = max_over_ranks(cores) > 0;
    return o->has_variant[v] && (v == SOLVE || is_complex(type)) &&
           (v != STEP_ALONE || ranks > 1) && (v != STEP_TRIDIAGONAL || !on_cores);
}

/* Runs all variants that use this kind of root, for one type and one n. */
static void variants_of(struct experiment *e, enum nshape_mpi_root root, char type, int64_t n)
{
    double speed = -1; /* not measured yet */
    for (int v = 0; v < VARIANTS; v++) {
        bool alone = v == STEP_ALONE;
        if (!has_variant(e->options, v, type) || alone != (root == NSHAPE_ROOT_ALONE))
            continue;
        if (speed < 0)
            speed = speed_at_share(type, n, root);
        struct share share = share_rows(root, n, speed);
        if (v == SOLVE)
            solve_rows(e, &share, type);
        else
            step_rows(e, &share, (enum variant_id)v, type);
        if (rank == 0)
            progress(NAME, ++e->done, e->all, variants[v].name);
    }
}

/* How many bytes a host or a GPU lacks at most; 0 or less: none. Collective. */
static double missing_memory(const struct options *o)
{
    double n = (double)list_largest(&o->n, 1), part = n / ranks, host_bytes = 0, bytes = 0;
    for (const char *type = o->types; *type; type++)
        for (int v = 0; v < VARIANTS; v++) {
            if (!has_variant(o, v, *type))
                continue;
            double size = size_of(*type);
            double wave = (v == STEP_AHEAD ? 14.5 : v == STEP_KEPT ? 8.5 : 6.5) * size * part;
            double host = v == SOLVE ? 5 * size * n + 4 * size * part : 56 * part;
            bytes = fmax(bytes, v == SOLVE         ? 6 * size * part
                                : v == STEP_FLIGHT ? WAVES_MOST * wave
                                                   : wave);
            host_bytes = fmax(host_bytes, host);
        }
    bool in_main_memory = cores > 0 || device_is_cpu();
    double missing = mpi_program_missing(host_bytes + (in_main_memory ? bytes : 0));
    if (!in_main_memory) {
        size_t available = 0, total = 0;
        CHECK_MPI(cudaMemGetInfo(&available, &total));
        missing = fmax(missing, bytes - 0.95 * (double)available);
    }
    return max_over_ranks(missing);
}

/* Prints one line on rank 0. Returns status. */
static int refuse(int status, const char *format, double value)
{
    if (rank == 0) {
        fprintf(stderr, "%s: ", NAME);
        fprintf(stderr, format, value);
        fputc('\n', stderr);
    }
    return status;
}

/* The status that it returns is used only on rank 0. */
static int run(const struct options *o)
{
    bool by_tridiagonal = false;
    for (const char *type = o->types; *type; type++)
        by_tridiagonal = has_variant(o, STEP_TRIDIAGONAL, *type) || by_tridiagonal;
    for (int i = 0; i < o->n.count; i++) {
        if (o->n.value[i] <= ranks)
            return refuse(EXIT_USAGE, "--n: more rows than ranks are needed, there are %.0f ranks",
                          ranks);
        if (by_tridiagonal && o->n.value[i] <= 2 * ranks)
            return refuse(EXIT_USAGE, "--n: step_tridiagonal needs more than %.0f rows", 2 * ranks);
    }
    double missing = missing_memory(o);
    if (missing > 0)
        return refuse(EXIT_DEVICE, "these sizes need %.1f GiB more than a host or a GPU has free",
                      missing / (1 << 30));
    struct experiment e = {.options = o};
    e.device = places(&e.cores_of_rank);
    if (!mpi_program_results(NAME, e.device, o->csv, &e.results))
        return EXIT_USAGE;
    for (const char *type = o->types; *type; type++)
        for (int v = 0; v < VARIANTS; v++)
            e.all += has_variant(o, v, *type) * o->n.count;
    for (int root = NSHAPE_ROOT_WORKS; root <= NSHAPE_ROOT_ALONE; root++) {
        if (root == NSHAPE_ROOT_ALONE) {
            if (ranks == 1 || !o->has_variant[STEP_ALONE])
                break;
            /* Gives the GPUs to the ranks that have a part. */
            choose_place(o->gpus, false);
            e.device = places(&e.cores_of_rank);
        }
        for (const char *type = o->types; *type; type++)
            for (int i = 0; i < o->n.count; i++)
                variants_of(&e, (enum nshape_mpi_root)root, *type, o->n.value[i]);
    }
    return rank == 0 ? results_close(e.results) : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    /* wait_passively() restarts the program, so it must run before the device is opened */
    wait_passively(argv);
    const struct program program = {
        .name = NAME,
        .summary = "The N-shaped partition method over MPI ranks (L22 5.2). Run by "
                   "common/mpirun.sh -np RANKS.",
        .variants = variants,
        .takes = "n gpus type=zcds",
        .paper = "--n 300000,3000000 --type z --reps 10",
        .quick = "--n 30000,300000 --type z --reps 5",
        .device = device_name(),
        .quick_default = device_is_cpu()};
    struct options options;
    int status = mpi_program_begin(&program, argc, argv, &options);
    if (status < 0) {
        choose_place(options.gpus, true);
        if (options.quick && device_is_cpu())
            expect_few_tests();
        status = options.check ? check(&options) : run(&options);
    }
    return mpi_program_end(status);
}
