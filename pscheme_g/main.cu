/* The experiments of W13 on a GPU: P-scheme/G in three layouts, with coefficients that cost no
 * operations (case L), 400 (M) or 1000 (H) (Fig. 4-7), the transposition alone (Table I), and
 * variants beyond the paper. Every configuration is verified before it is timed. */
#include "main.h"
#include "ceiling.h"
#include "problems.h"
#include "recurrence.h"

#include <unistd.h>

const struct variant variants[] = {
    {"block", "no rearrangement: the paper's GPU1"},
    {"soa", "structure of arrays, N + 1 elements, a branch a part (Fig. 2)"},
    {"extended", "N + P elements, no branches (Fig. 3): the paper's GPU2"},
    {"warp", "as extended, propagation by a warp"},
    {"ends", "as warp, the parts' ends in an array of their own"},
    {"fused", "natural order in memory, transposed inside the kernels"},
    {"arrays", "as fused, s and t from arrays (case L's data)"},
    {"transpose_global", "the rearrangement, through global memory (Table I)"},
    {"transpose_tile", "the rearrangement, through 32 x 32 tiles (Table I)"},
    {"transpose_padded", "the rearrangement, through tiles with padded rows"},
    {"cpu_paper", "one CPU thread without SIMD: the paper's baseline"},
    {"cpu_lanes", "one CPU thread, s_i in SIMD lanes"},
    {"cpu_cores", "P-scheme on all CPU cores, s_i in SIMD lanes"},
    {"one_pass", "beyond the paper: recurrence.h, case L's s and t from arrays"},
    {NULL, NULL}};

/* ---- the problem ---- */

/* Enough elements for w in every layout: the largest has (M + 1) P, less than n + 2 P. The last 1
 * is for w_0. */
static int64_t elements_for(int64_t n, int64_t parts)
{
    return n + 2 * parts + 1;
}

void allocate(struct problem *b, int64_t n, int64_t parts)
{
    size_t bytes = 8 * (size_t)elements_for(n, parts),
           value_bytes = (size_t)(n + 1) * sizeof *b->values;
    device_require("pscheme_g", 6.0 * (double)bytes + ceiling_bytes(),
                   4.0 * (double)bytes + (double)value_bytes);
    void **const device[] = {&b->w, &b->products, &b->carry, &b->natural, &b->s, &b->t};
    void **const host[] = {&b->host_products, &b->host_s, &b->host_t};
    for (void **array : device)
        *array = memory_device(&b->memory, bytes);
    for (void **array : host)
        *array = memory_host(&b->memory, bytes);
    b->host = memory_pinned(&b->memory, bytes); /* results are copied to it thousands of times */
    b->values = (struct recurrence_value *)memory_host(&b->memory, value_bytes);
}

void begin(struct problem *b, char type, int64_t n)
{
    device_upload(b->s, b->host_s, (size_t)(n * size_of(type)));
    device_upload(b->t, b->host_t, (size_t)(n * size_of(type)));
    recurrence_values(type, n, RECURRENCE_W0, b->host_s, 1, b->host_t, 1, b->values);
}

/* up = down, so the two factors of a round cancel except for rounding. In cases L, M and H no
 * product of s vanishes. In case C all s are 0.5. */
struct pscheme_g_coefficient coefficient_of(char case_)
{
    int rounds = case_ == 'M' ? 200 : case_ == 'H' ? 500 : 0;
    struct pscheme_g_coefficient c = {rounds, 1.0009765625, 1.0009765625,
                                      case_ == 'C' ? 0.5 : RECURRENCE_SCALE, RECURRENCE_OFFSET};
    return c;
}

void make_problem(struct problem *b, char type, int64_t n, char case_)
{
    cpu_coefficients(type, n, coefficient_of(case_), b->host_s);
    for (int64_t i = 0; i < n; i++)
        put(type, b->host_t, i, RECURRENCE_OFFSET);
    begin(b, type, n);
}

struct pscheme_g plan(struct problem *b, int variant, char type, int64_t n, int blocks, int threads,
                      char case_)
{
    struct pscheme_g g = pscheme_g_plan((enum pscheme_g_variant)variant, type, n, blocks, threads,
                                        RECURRENCE_W0, coefficient_of(case_));
    g.w = b->w;
    g.products = b->products;
    g.carry = b->carry;
    g.s = b->s;
    g.t = b->t;
    return g;
}

struct verdict solve(struct problem *b, const struct pscheme_g *g)
{
    size_t bytes = (size_t)size_of(g->type), all = (size_t)pscheme_g_elements(g) * bytes;
    device_poison(g->w, all);
    device_poison(g->products, all);
    device_poison(g->carry, (size_t)(2 * g->parts) * bytes);
    device_poison(b->natural, (size_t)g->n * bytes);
    CHECK(pscheme_g_solve(g, 0));
    CHECK(pscheme_g_to_natural(g, TRANSPOSE_PADDED, b->natural, 0));
    put(g->type, b->host, 0, RECURRENCE_W0);
    device_download((char *)b->host + bytes, b->natural, (size_t)g->n * bytes);
    return verify_values(g->type, g->n, b->values, b->host);
}

/* A call of cpu_solve, for time_once (timing.h). */
struct cpu_call {
    struct problem *b;
    enum cpu_method method;
    char type, case_;
    int64_t n;
    int cores;
};
static void blank_cpu(void *call)
{
    const struct cpu_call *c = (const struct cpu_call *)call;
    memset(c->b->host, 0xff, (size_t)((c->n + 1) * size_of(c->type)));
}
static void run_cpu(void *call)
{
    const struct cpu_call *c = (const struct cpu_call *)call;
    cpu_solve(c->method, c->type, c->n, RECURRENCE_W0, coefficient_of(c->case_), c->cores,
              c->b->host, c->b->host_products);
}

struct verdict solve_cpu(struct problem *b, enum cpu_method method, char type, int64_t n,
                         char case_, int cores)
{
    struct cpu_call call = {b, method, type, case_, n, cores};
    blank_cpu(&call);
    run_cpu(&call);
    return verify_values(type, n, b->values, b->host);
}

/* Element i is i mod 8388593: exact in single precision, with a period that is no power of two, so
 * that the comparison finds an element at a wrong place. */
bool transposes(struct problem *b, char type, enum pscheme_g_transposition how, int64_t rows,
                int64_t columns)
{
    int64_t n = rows * columns, wrong = 0;
    size_t bytes = (size_t)(n * size_of(type));
    for (int64_t i = 0; i < n; i++)
        put(type, b->host_t, i, (double)(i % 8388593));
    device_upload(b->w, b->host_t, bytes);
    device_poison(b->natural, bytes);
    CHECK(pscheme_g_transpose(type, how, rows, columns, b->w, b->natural, 0));
    device_download(b->host, b->natural, bytes);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            wrong += !(get(type, b->host, j * rows + i) == get(type, b->host_t, i * columns + j));
    return wrong == 0;
}

/* ---- rows of results ---- */

/* The phases, and the smallest number of elements that a phase can read and write for each unknown:
 * with stored products, and in the variant with arrays s and t. */
template <cudaError_t (*phase)(const struct pscheme_g *, cudaStream_t)>
static cudaError_t run(void *g, cudaStream_t stream)
{
    return phase((const struct pscheme_g *)g, stream);
}
const device_work work_of[PHASES] = {run<pscheme_g_precompute>, run<pscheme_g_propagate>,
                                     run<pscheme_g_determine>, run<pscheme_g_solve>};
static const struct phase {
    const char *name;
    double elements, elements_arrays;
} phases[PHASES] = {
    {"precompute", 2, 3}, {"propagate", 0, 0}, {"determine", 3, 3}, {"total", 5, 6}};

/* Limits of the serial work of a GPU thread and of the CPU thread, where an unknown counts 1 plus
 * the rounds of its s_i. Configurations beyond them would take seconds and show nothing new. */
static const double LONGEST_PART = 1 << 21, LONGEST_CPU = 1 << 30;

/* A solution of this many milliseconds or more is timed once for all phases, with events between
 * them, which cost less than a thousandth of it. A phase shorter than LONG_PHASE is timed alone. */
static const double LONG_SOLUTION = 2, LONG_PHASE = 0.2;

static void variant_rows(struct results *results, struct problem *b, const struct options *o,
                         int variant, char type, char case_, int64_t n, int blocks, int threads)
{
    struct pscheme_g g = plan(b, variant, type, n, blocks, threads, case_);
    if ((double)g.rows * (1 + g.coefficient.rounds) > LONGEST_PART)
        return;
    bool arrays = variant == PSCHEME_G_ARRAYS;
    struct row row = device_row(variants[variant].name, type, n, 0, 0, solve(b, &g));
    row.blocks = blocks, row.threads = threads, row.parts = g.parts, row.case_ = case_;
    struct timing together[PHASES];
    CHECK(time_device_parts(work_of, TOTAL, &g, o->reps, LONG_SOLUTION, together));
    for (int p = 0; p < PHASES; p++) {
        if (device_is_cpu() && p != TOTAL)
            continue;
        row.phase = phases[p].name;
        row.bytes =
            (arrays ? phases[p].elements_arrays : phases[p].elements) * (double)n * size_of(type);
        row.time = together[p];
        if (together[p].samples > 0 && together[p].median_ms >= LONG_PHASE)
            results_add(results, &row);
        else
            record(results, row, o->reps,
                   [&](cudaStream_t stream) { return work_of[p](&g, stream); });
    }
    if (device_is_cpu() || case_ != 'L' || variant < PSCHEME_G_SOA || variant > PSCHEME_G_ENDS)
        return;
    row.phase = "total+rearrange";
    row.bytes = 7 * (double)n * size_of(type);
    record(results, row, o->reps, [&](cudaStream_t stream) {
        TRY(pscheme_g_solve(&g, stream));
        return pscheme_g_to_natural(&g, TRANSPOSE_PADDED, b->natural, stream);
    });
}

/* The sizes n of W13 Table I, arrays of P x (n / P) elements. The paper does not give P. Here it is
 * 1000 for the decimal sizes and 1024 for the powers of two. */
static const int64_t table_sizes[] = {256000, 1 << 18, 1000000, 1 << 20};

static void transposition_rows(struct results *results, struct problem *b, const struct options *o,
                               char type, int64_t n)
{
    int64_t parts = n % 1000 == 0 ? 1000 : 1024;
    for (int k = 0; k < TRANSPOSITIONS; k++) {
        enum pscheme_g_transposition how = (enum pscheme_g_transposition)k;
        if (!o->has_variant[FIRST_TRANSPOSITION + k])
            continue;
        struct verdict verdict = {transposes(b, type, how, parts, n / parts), -1, 0, -1};
        struct row row = device_row(variants[FIRST_TRANSPOSITION + k].name, type, n, 0, 2, verdict);
        row.parts = parts;
        row.phase = "rearrange";
        record(results, row, o->reps, [&](cudaStream_t stream) {
            return pscheme_g_transpose(type, how, parts, n / parts, b->w, b->natural, stream);
        });
    }
}

/* The work of the CPU thread in about two seconds (see LONGEST_CPU). */
static const double WORK_OF_CPU = 1 << 29;

/* The number of samples of work that is long for the CPU thread: those of two seconds, at least
 * SAMPLES_LEAST. 0 if the work is not long. */
static int long_samples(double work, int reps)
{
    double fit = WORK_OF_CPU / work;
    int samples = fit > reps ? 0 : fit > SAMPLES_LEAST ? (int)fit : SAMPLES_LEAST;
    return samples < reps ? samples : reps;
}

static void cpu_rows(struct results *results, struct problem *b, const struct options *o, char type,
                     char case_, int64_t n)
{
    for (int k = 0; k < CPU_METHODS; k++) {
        enum cpu_method method = (enum cpu_method)k;
        int cores = method == CPU_CORES ? (int)sysconf(_SC_NPROCESSORS_ONLN) : 1;
        double work = (double)n * (1 + coefficient_of(case_).rounds);
        if (!o->has_variant[FIRST_CPU + k] || (method == CPU_PAPER && work > LONGEST_CPU))
            continue;
        struct cpu_call call = {b, method, type, case_, n, cores};
        /* SIMD lanes make s_i in a twentieth of the time, whose quartiles need more samples. */
        int samples = method == CPU_PAPER   ? long_samples(work, o->reps)
                      : method == CPU_LANES ? long_samples(work / 4, o->reps)
                                            : 0;
        struct timing time = timing_none();
        if (samples > 0) /* no warm-up, and the last sample's result is verified */
            time = time_once(blank_cpu, run_cpu, &call, samples);
        struct verdict verdict = samples > 0 ? verify_values(type, n, b->values, b->host)
                                             : solve_cpu(b, method, type, n, case_, cores);
        struct row row = cpu_row(variants[FIRST_CPU + k].name, type, n, 0, cores, 1, verdict);
        row.case_ = case_;
        row.time = time;
        if (samples > 0)
            results_add(results, &row);
        else
            record_cores(results, row, NULL, o->reps, [&] { run_cpu(&call); });
    }
}

/* solvers/recurrence.h goes beyond the paper and reads s and t once. */
static void one_pass_row(struct results *results, struct problem *b, const struct options *o,
                         char type, int64_t n)
{
    size_t element = (size_t)size_of(type), bytes = recurrence_workspace(type, n);
    void *workspace;
    put(type, b->host, 0, RECURRENCE_W0);
    device_upload(b->carry, b->host, element);
    struct recurrence r = {.type = type, .length = n, .batch = 1};
    r.s = b->s, r.t = b->t, r.w0 = b->carry, r.w = b->natural;
    CHECK(cudaMalloc(&workspace, bytes));
    CHECK(recurrence_prepare(workspace, bytes, 0));
    device_poison(b->natural, (size_t)n * element);
    CHECK(recurrence_solve(&r, workspace, bytes, 0));
    device_download((char *)b->host + element, b->natural, (size_t)n * element);
    struct row row = device_row(variants[ONE_PASS].name, type, n, 0, 3,
                                verify_values(type, n, b->values, b->host));
    row.case_ = 'L';
    record(results, row, o->reps,
           [&](cudaStream_t stream) { return recurrence_solve(&r, workspace, bytes, stream); });
    CHECK(cudaFree(workspace));
}

/* ---- the sweep ---- */

/* W13's largest G, 128, is eight blocks on each of its 16 multiprocessors. If no sizes are given,
 * GPU2 runs with 2, 4 and 8 blocks on each multiprocessor, too, and at most 1024 threads. */
static void more_blocks(struct results *results, struct problem *b, const struct options *o,
                        char type, char case_, int64_t n)
{
    const int count = device_multiprocessors();
    for (int each = 2; !o->sized && o->has_variant[PSCHEME_G_EXTENDED] && each <= 8; each *= 2)
        for (int t = 0; t < o->threads.count; t++)
            if (each * o->threads.value[t] <= 1024 && count > 0)
                variant_rows(results, b, o, PSCHEME_G_EXTENDED, type, case_, n, each * count,
                             (int)o->threads.value[t]);
}

/* What the paper calls 1M may be 10^6 or 2^20. If no sizes are given, both are run with the
 * variants whose claims and figures have both. */
static bool is_shown(const struct options *o, int variant, char case_, int64_t n)
{
    bool both = variant == PSCHEME_G_SOA || variant == PSCHEME_G_EXTENDED;
    return (variant != PSCHEME_G_ARRAYS || case_ == 'L') && (o->sized || n != 1000000 || both);
}

static int sweep(const struct program *program, const struct options *o)
{
    int64_t n_most = list_largest(&o->n, 1), threads = list_largest(&o->threads, 1);
    struct problem b = {};
    allocate(&b, n_most, list_largest(&o->blocks, device_multiprocessors()) * threads);
    struct results *results = results_open(program->name, program->device, o->csv);
    if (!results)
        return EXIT_USAGE;
    ceiling_rows(results, o->reps);
    int64_t done = 0, all = (int64_t)(strlen(o->types) * strlen(o->cases)) * o->n.count *
                            o->blocks.count * o->threads.count;
    for (const char *type = o->types; *type; type++) {
        for (int64_t n : table_sizes)
            if (n <= n_most)
                transposition_rows(results, &b, o, *type, n);
        for (int i = 0; i < o->n.count; i++) {
            int64_t n = o->n.value[i];
            for (const char *case_ = o->cases; *case_; case_++) {
                make_problem(&b, *type, n, *case_);
                cpu_rows(results, &b, o, *type, *case_, n);
                if (o->has_variant[ONE_PASS] && *case_ == 'L')
                    one_pass_row(results, &b, o, *type, n);
                for (int g = 0; g < o->blocks.count; g++)
                    for (int t = 0; t < o->threads.count; t++) {
                        for (int v = 0; v < PSCHEME_G_VARIANTS; v++)
                            if (o->has_variant[v] && is_shown(o, v, *case_, n))
                                variant_rows(results, &b, o, v, *type, *case_, n,
                                             (int)o->blocks.value[g], (int)o->threads.value[t]);
                        progress(program->name, ++done, all, "configurations");
                    }
                more_blocks(results, &b, o, *type, *case_, n);
            }
        }
    }
    memory_free(&b.memory);
    return results_close(results);
}

int main(int argc, char **argv)
{
    /* wait_passively starts the program again, so it comes before the device is opened. */
    wait_passively(argv);
    /* The paper's G and the number of multiprocessors; more_blocks() adds its multiples. The policy
     * is to choose the maximum of G first (W13 sec. III-B). plots/report/fits.c fits W13 eq. 3-5 to
     * the times and computes P_opt (W13 eq. 7). */
    static char paper[240];
    int processors = device_multiprocessors();
    snprintf(paper, sizeof paper,
             "--n 256K,1000000,1M --blocks 16,32,64,128%s%.0d --threads 16,32,64,128,256,512,1024 "
             "--case L,M,H --type s",
             processors > 0 ? "," : "", processors);
    struct program program = {
        .name = "pscheme_g",
        .summary = "P-scheme/G: the recurrence of W13 in three layouts and beyond.",
        .variants = variants,
        .takes = "n blocks threads type=sd case",
        .paper = paper,
        .quick = "--n 1000,4K --blocks 16,32 --threads 16,64 --case L,M,H --type s,d --reps 3"};
    return device_main(&program, argc, argv, check, sweep);
}
