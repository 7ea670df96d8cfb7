/* W12 (Wakatani 2012), section II and Fig. 1: the time of P-scheme on CPU cores, against
 * substitution and LAPACK, for the tridiagonal system (problem A) and the linear recurrence
 * (problem B). */
#include "main.h"

#include "expect.h"
#include "results.h"
#include "timing.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LAPACKE
#include <lapacke.h>
#endif

static const char NAME[] = "pscheme_cpu";

uint64_t seed = SEED_DEFAULT;

const struct variant variants[] = {
    {.name = "substitution", .what = "problem A: eq. 4-6, serial"},
    {.name = "pscheme_eq13", .what = "problem A: P-scheme, p by eq. 9-13 as printed"},
    {.name = "pscheme_repeat",
     .what = "problem A: P-scheme, one chain a part, eq. 5 repeated for p"},
    {.name = "pscheme_map", .what = "problem A: P-scheme, forward chain of the map for p"},
    {.name = "pscheme_lanes", .what = "problem A: P-scheme, the lanes of the cores as processors"},
    {.name = "lapack_gtsv", .what = "problem A: LAPACK's xGTSV (with pivoting), serial"},
    {.name = "recurrence", .what = "problem B: w_i = s_i w_{i-1} + t_i, serial"},
    {.name = "recurrence_pscheme", .what = "problem B: P-scheme"},
    {.name = "recurrence_lanes",
     .what = "problem B: P-scheme, the lanes of the cores as processors"},
    {.name = NULL},
};

bool is_parallel(enum variant_id v)
{
    return v == EQ13 || v == REPEAT || v == MAP || v == RECURRENCE_PSCHEME;
}

bool has_cores(enum variant_id v)
{
    return is_parallel(v) || v == LANES || v == RECURRENCE_LANES;
}

/* ---- the functions of pscheme_cpu.h that each variant calls ---- */

void run_p(void *run)
{
    struct run *r = run;
    switch (r->variant) {
    case EQ13:
        r->status = TYPED(r->type, pscheme_p_eq13, r->n, r->parts, r->cores, r->diag, r->off, r->p,
                          r->work);
        break;
    case REPEAT:
        r->status = TYPED(r->type, pscheme_p_repeat, r->n, r->parts, r->cores, r->diag, r->off,
                          r->p, r->work);
        break;
    case MAP:
        r->status =
            TYPED(r->type, pscheme_p_map, r->n, r->parts, r->cores, r->diag, r->off, r->p, r->work);
        break;
    default:
        r->status = TYPED(r->type, substitution_p, r->n, r->diag, r->off, r->p);
    }
}

void run_q(void *run)
{
    struct run *r = run;
    if (is_parallel(r->variant))
        r->status = TYPED(r->type, pscheme_q, r->n, r->parts, r->cores, r->diag, r->off, r->rhs,
                          r->p, r->q, r->work);
    else
        r->status = TYPED(r->type, substitution_q, r->n, r->diag, r->off, r->rhs, r->p, r->q);
}

void run_x(void *run)
{
    struct run *r = run;
    if (is_parallel(r->variant))
        r->status = TYPED(r->type, pscheme_x, r->n, r->parts, r->cores, r->p, r->q, r->x, r->work);
    else
        r->status = TYPED(r->type, substitution_x, r->n, r->p, r->q, r->x);
}

#ifdef HAVE_LAPACKE
/* xGTSV overwrites its arguments: the sub-diagonal in work, the diagonal in p, the super-diagonal
 * in q, the right-hand side and then the solution in x. sub[i] belongs to row i + 1. The first and
 * the last row are x_0 = rhs_0 and x_{n-1} = rhs_{n-1}. */
static void lapack_reset(void *run)
{
    struct run *r = run;
    size_t bytes = (size_t)(r->n * size_of(r->type));
#pragma omp parallel for if (r->n > 1 << 20)
    for (int64_t i = 0; i < r->n - 1; i++) {
        put(r->type, r->q, i, i == 0 ? 0 : -get(r->type, r->off, i));
        put(r->type, r->work, i, i + 1 == r->n - 1 ? 0 : -get(r->type, r->off, i + 1));
    }
    memcpy(r->p, r->diag, bytes);
    put(r->type, r->p, 0, 1);
    put(r->type, r->p, r->n - 1, 1);
    memcpy(r->x, r->rhs, bytes);
}

/* LAPACKE_xgtsv without _work would first search the arrays for NaN, which takes time. */
static void lapack_solve(void *run)
{
    struct run *r = run;
    lapack_int n = (lapack_int)r->n;
    r->status = r->type == 's'
                    ? LAPACKE_sgtsv_work(LAPACK_COL_MAJOR, n, 1, r->work, r->p, r->q, r->x, n)
                    : LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, n, 1, r->work, r->p, r->q, r->x, n);
}
#endif

void run_total(void *run)
{
    struct run *r = run;
    r->status = 0;
    switch (r->variant) {
    case SUBSTITUTION:
        r->status =
            TYPED(r->type, substitution_solve, r->n, r->diag, r->off, r->rhs, r->p, r->q, r->x);
        break;
    case EQ13:
    case REPEAT:
    case MAP:
        r->status = TYPED(r->type, pscheme_solve, (enum pscheme_method)(r->variant - EQ13), r->n,
                          r->parts, r->cores, r->diag, r->off, r->rhs, r->p, r->q, r->x, r->work);
        break;
    case LANES:
        r->status = TYPED(r->type, pscheme_solve_lanes, r->n, r->cores, r->diag, r->off, r->rhs,
                          r->p, r->q, r->x);
        break;
    case LAPACK_GTSV:
#ifdef HAVE_LAPACKE
        lapack_reset(r);
        lapack_solve(r);
#endif
        break;
    case RECURRENCE:
        r->status = TYPED(r->type, recurrence_serial, r->n, r->w0, r->diag, r->off, r->x);
        break;
    case RECURRENCE_PSCHEME:
        r->status = TYPED(r->type, recurrence_pscheme, r->n, r->parts, r->cores, r->w0, r->diag,
                          r->off, r->x, r->work);
        break;
    case RECURRENCE_LANES:
        r->status = TYPED(r->type, recurrence_lanes, r->n, r->cores, r->w0, r->diag, r->off, r->x);
        break;
    case VARIANTS:
        break;
    }
}

const struct phase phases[PHASES] = {
    {"p", run_p}, {"q", run_q}, {"x", run_x}, {"total", run_total}};

/* A sweep reads or writes each of its arrays once, so each number is the count of the arrays of all
 * sweeps of the phase. */
const int moved[VARIANTS][PHASES] = {
    [SUBSTITUTION] = {3, 5, 3, 11},
    [EQ13] = {9, 9, 7, 25},
    [REPEAT] = {5, 9, 7, 21},
    [MAP] = {9, 9, 7, 25},
    [LANES] = {0, 0, 0, 8},
    [LAPACK_GTSV] = {0, 0, 0, 12},
    [RECURRENCE] = {0, 0, 0, 3},
    [RECURRENCE_PSCHEME] = {0, 0, 0, 7},
    [RECURRENCE_LANES] = {0, 0, 0, 3},
};

struct verdict verify(const struct run *r, double units)
{
    if (r->variant >= RECURRENCE && r->values)
        return verify_values(r->type, r->n, r->values, r->x);
    return verify_problem(r->variant >= RECURRENCE, r->type, r->n, r->w0, r->diag, r->off, r->rhs,
                          r->x, units);
}

/* ---- memory ---- */

static const int64_t ARRAYS = 6; /* diag, off, rhs, p, q, x */

static double bytes_needed(int64_t n, int64_t parts, char type)
{
    return (double)size_of(type) *
               (double)(ARRAYS * (n + 1) + pscheme_work_elements(n + 1, parts)) +
           (double)(n + 1) * sizeof(struct recurrence_value);
}

/* Allocates an array of zeros, which all cores write, so that with several memory nodes (NUMA) a
 * page lies near the core that uses it. Exits if there is no memory. */
void *elements_alloc(int64_t count, char type)
{
    int64_t page = 4096, bytes = count * size_of(type);
    char *array = malloc((size_t)bytes);
    if (!array) {
        fprintf(stderr, "%s: out of memory\n", NAME);
        exit(EXIT_DEVICE);
    }
#pragma omp parallel for schedule(static) if (bytes > 256 * page)
    for (int64_t i = 0; i < (bytes + page - 1) / page; i++)
        memset(array + i * page, 0, (size_t)(bytes - i * page < page ? bytes - i * page : page));
    return array;
}

struct run run_alloc(char type, int64_t n, int64_t parts, int64_t x_elements, int64_t work_elements)
{
    struct run r = {.type = type, .n = n, .parts = parts, .cores = 1, .w0 = RECURRENCE_W0};
    void **const inputs_and_sweeps[] = {&r.diag, &r.off, &r.rhs, &r.p, &r.q};
    for (int k = 0; k < 5; k++)
        *inputs_and_sweeps[k] = elements_alloc(n, type);
    r.x = elements_alloc(x_elements, type);
    r.work = elements_alloc(work_elements, type);
    return r;
}

void run_free(struct run *r)
{
    void *arrays[] = {r->diag, r->off, r->rhs, r->p, r->q, r->x, r->work, r->values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

/* ---- the experiment ---- */

/* Without --parts: the smallest multiple of `cores` that is at least 8. With one part nothing would
 * be propagated. (--cores 1 --parts 1,8,64,512 shows that the time on one core hardly depends on
 * the number of parts.) */
static int64_t default_parts(int cores)
{
    int64_t least = 8;
    return (least + cores - 1) / cores * cores;
}

/* `one`: the time of the same phase on one core (time_cores); NULL if r runs on one core. */
static struct timing time_phase(struct run *r, int phase, const struct timing *one, int reps)
{
#ifdef HAVE_LAPACKE
    if (r->variant == LAPACK_GTSV)
        return time_once(lapack_reset, lapack_solve, r, reps);
#endif
    return time_cores(one, r->cores, false, NULL, phases[phase].work, r, reps);
}

/* A measurement takes about MEASUREMENT_MS, but at least SAMPLES_LEAST samples. On an idle machine
 * more samples of long calls would hardly move the median, and the largest sizes would take
 * minutes. */
static const double MEASUREMENT_MS = 250;

/* The samples of a call that takes `ms`, if `reps` are asked for. */
static int samples_of(double ms, int reps)
{
    double fit = MEASUREMENT_MS / ms;
    if (fit < SAMPLES_LEAST)
        fit = SAMPLES_LEAST;
    return fit < reps ? (int)fit : reps;
}

/* Several cores are compared by the total alone. q and x are the same functions in the three
 * methods of P-scheme, so they are timed with one of them. */
static bool is_timed(const struct run *r, int phase)
{
    if (moved[r->variant][phase] == 0)
        return false;
    return phases[phase].work == run_total ||
           (r->cores == 1 &&
            (phases[phase].work == run_p || !is_parallel(r->variant) || r->variant == MAP));
}

/* Verifies the variant, then times its phases. one[phase]: the time on one core, which a run on one
 * core sets and the runs on several cores read. */
static void measure(struct results *results, struct run *r, struct timing *one, int reps)
{
    double start = clock_ms();
    run_total(r);
    int samples = samples_of(clock_ms() - start, reps);
    struct verdict verdict = verify(r, ROUNDOFF_UNITS);
    const char *status = outcome(r->status, verdict);
    bool ok = strcmp(status, "ok") == 0;
    for (int phase = 0; phase < PHASES; phase++) {
        if (!is_timed(r, phase))
            continue;
        struct row row = {
            .variant = variants[r->variant].name,
            .type = r->type,
            .n = r->n,
            .parts = is_parallel(r->variant) ? r->parts : 0,
            .cores = has_cores(r->variant) ? r->cores : 1,
            .phase = phases[phase].name,
            .device = cpu_name(),
            .time = ok ? time_phase(r, phase, r->cores > 1 ? &one[phase] : NULL, samples)
                       : timing_none(),
            .bytes = (double)moved[r->variant][phase] * (double)r->n * size_of(r->type),
            .error = verdict.error,
            .status = status,
        };
        results_add(results, &row);
        if (r->cores == 1)
            one[phase] = row.time;
    }
}

static void measure_variant(struct results *results, struct run *r, const struct options *options)
{
    struct timing one[LIST_MAX][PHASES] = {0}; /* one[k]: times with the k-th number of --parts */
    if (!has_cores(r->variant)) {
        r->cores = 1;
        measure(results, r, one[0], options->reps);
        return;
    }
    for (int c = 0; c < options->cores.count; c++) {
        r->cores = (int)options->cores.value[c];
        int count = is_parallel(r->variant) ? options->parts.count : 0;
        for (int k = 0; k < (count ? count : 1); k++) {
            r->parts = count ? options->parts.value[k] : default_parts(r->cores);
            measure(results, r, one[k], options->reps);
        }
    }
}

static int64_t largest_parts(const struct options *options)
{
    return list_largest(&options->parts, default_parts((int)list_largest(&options->cores, 1)));
}

/* Prints a line if there is too little memory for the experiment. */
static bool memory_suffices(const struct options *options)
{
    double need = bytes_needed(list_largest(&options->n, 1), largest_parts(options),
                               strchr(options->types, 'd') ? 'd' : 's');
    double missing = need - memory_available();
    if (missing > 0)
        fprintf(stderr, "%s: %.1f GiB of memory are needed, %.1f GiB more than are available\n",
                NAME, need / (1 << 30), missing / (1 << 30));
    return missing <= 0;
}

/* Once for all variants of problem B, because a step in long double takes longer than a step of a
 * solver. */
static void keep_values(struct run *r)
{
    r->values = malloc((size_t)(r->n + 1) * sizeof *r->values);
    if (r->values)
        recurrence_values(r->type, r->n, r->w0, r->diag, 1, r->off, 1, r->values);
}

static void experiment(struct results *results, const struct options *options)
{
    int64_t parts = largest_parts(options);
    int64_t done = 0, all = (int64_t)strlen(options->types) * options->n.count * VARIANTS;
    for (const char *type = options->types; *type; type++)
        for (int i = 0; i < options->n.count; i++) {
            int64_t n = options->n.value[i];
            struct run r = run_alloc(*type, n, parts, n + 1, pscheme_work_elements(n + 1, parts));
            for (r.variant = 0; r.variant < VARIANTS; r.variant++, done++) {
                bool is_first = r.variant == SUBSTITUTION || r.variant == RECURRENCE;
                if (is_first) /* the variants of a problem share its inputs */
                    fill_constant(r.variant == RECURRENCE, *type, seed, n, r.diag, r.off, r.rhs);
                if (!options->has_variant[r.variant])
                    continue;
                if (r.variant >= RECURRENCE && !r.values)
                    keep_values(&r);
                measure_variant(results, &r, options);
                progress(NAME, done + 1, all, variants[r.variant].name);
            }
            run_free(&r);
        }
}

/* Runs the experiment of the command line and those that follow it. */
static int sweep(const struct program *program, struct options *options)
{
    struct options more = *options;
    do
        if (!memory_suffices(&more))
            return EXIT_DEVICE;
    while (options_next(program, &more));
#ifndef HAVE_LAPACKE
    if (options->has_variant[LAPACK_GTSV])
        fprintf(stderr, "%s: built without LAPACKE: lapack_gtsv is left out\n", NAME);
    options->has_variant[LAPACK_GTSV] = false;
#endif
    struct results *results = results_open(NAME, cpu_name(), options->csv);
    if (!results)
        return EXIT_USAGE;
    experiment(results, options);
    more = *options;
    while (options_next(program, &more)) {
        for (int v = 0; v < VARIANTS; v++)
            more.has_variant[v] = more.has_variant[v] && options->has_variant[v];
        experiment(results, &more);
    }
    char prefix[PREFIX_MOST];
    int status = results_close(results),
        other = operations_run(options_csv_prefix(options, NULL, prefix));
    return other > status ? other : status;
}

int main(int argc, char **argv)
{
    wait_passively(argv);
    /* The numbers of cores to be timed: 1, 2, 4, … and the number of all cores. */
    char cores[128] = "1", paper[384], quick[256];
    const int all = omp_get_num_procs();
    for (int c = 2, length = 1; c / 2 < all; c *= 2)
        length += snprintf(cores + length, sizeof cores - (size_t)length, ",%d", c < all ? c : all);
    /* In double precision only what the figure of the lanes shows (lutsyshyn2022_lanes). */
    static const char sizes[] = "1K,4K,16K,64K,256K,1M,4M,16M";
    snprintf(paper, sizeof paper,
             "--n %s --type s --cores %s; --n %s --type d --cores 1%s%.0d "
             "--variant pscheme_map,pscheme_lanes",
             sizes, cores, sizes, all > 1 ? "," : "", all > 1 ? all : 0);
    snprintf(quick, sizeof quick, "--n 1K,4K,16K,64K,256K,1M --type s,d --cores %s --reps 5",
             cores);

    const struct program program = {
        .name = NAME,
        .summary = "Substitution against P-scheme on CPU cores (W12 sec. II, Fig. 1). "
                   "Without --parts: the smallest multiple of the cores that is at least 8.",
        .variants = variants,
        .takes = "n parts cores type=sd",
        .paper = paper,
        .quick = quick,
        .device = cpu_name(),
    };
    struct options options;
    int status = options_parse(&program, argc, argv, &options);
    if (status >= 0)
        return status;
    seed = options.seed;
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--type", strlen("--type")) == 0)
            options.next = NULL; /* the experiments that follow differ in their types alone */
    if (options.quick)
        expect_few_tests();
    return options.check ? check(&options) : sweep(&program, &options);
}
