/* The experiments of W13 on a GPU: P-scheme/G in three layouts for coefficients that cost nothing (case L),
 * 400 (M) and 1000 operations (H), over G blocks of T threads (Fig. 4 to 7), the transposition (Table I), and
 * the ladder beyond: propagation by a warp, transposition inside the kernels, general coefficients. Every
 * configuration is verified before it is timed. Run: make run, or build/gpu/pscheme_g --help. */
#include "ceiling.h"
#include "cpu.h"
#include "device_program.h"
#include "expect.h"
#include "bench/recurrence_bench.h"
#include "problems.h"
#include "pscheme_g.h"
#include "results.h"
#include "verify.h"

#include <string.h>
#include <unistd.h>

/* Indices of variants[]. The first seven are enum pscheme_g_variant, then TRANSPOSITIONS of them. */
enum {
    FIRST_TRANSPOSITION = PSCHEME_G_VARIANTS,
    CPU_PAPER = FIRST_TRANSPOSITION + (int)TRANSPOSITIONS,
    CPU_LANES,
    CPU_CORES,
    ONE_PASS,
    CUB_SCAN
};
static const struct variant variants[] = {
    {"block", "no rearrangement: the paper's GPU1"},
    {"soa", "simple structure of arrays, N + 1 words, a branch where a part begins (Fig. 2)"},
    {"extended", "P-scheme/G: N + P words, no branches (Fig. 3), the paper's GPU2"},
    {"warp", "as extended, propagation by a warp"},
    {"ends", "as warp, the parts' ends in an array of their own, nothing duplicated"},
    {"fused", "natural order in memory, transposed inside the kernels"},
    {"arrays", "as fused, s and t from arrays: general coefficients (case L's data)"},
    {"transpose_global", "the rearrangement alone, through global memory (Table I)"},
    {"transpose_tile", "through 32 x 32 tiles of shared memory (Table I)"},
    {"transpose_padded", "through tiles with a word of padding a row"},
    {"cpu_paper", "one CPU thread, no SIMD: the baseline of the paper's speed-ups"},
    {"cpu_lanes", "one CPU thread, s_i in SIMD lanes"},
    {"cpu_cores", "P-scheme on all CPU cores, s_i in SIMD lanes"},
    {"one_pass", "general s and t in one pass over memory, beside the kernels for each phase"},
    {"cub_scan", "the same by CUB's DeviceScan"},
    {NULL, NULL}};

/* ---- the problem ---- */

/* The factors cancel but for rounding: s_i stays near 1 and no product vanishes. 'C' is for --check: a
 * contracting recurrence, whose products do vanish. */
static struct pscheme_g_coefficient coefficient_of(char case_)
{
    int rounds = case_ == 'M' ? 200 : case_ == 'H' ? 500 : 0;
    struct pscheme_g_coefficient c = {rounds, 1.0009765625, 1.0009765625,
                                      case_ == 'C' ? 0.5 : RECURRENCE_SCALE, RECURRENCE_OFFSET};
    return c;
}

struct buffers {
    void *w, *products, *carry, *natural, *s, *t;
    void *host, *host_s, *host_t;
};

/* Words for w in any layout: (M + 1) P < n + 2 P, and w_0. */
static int64_t words_for(int64_t n, int64_t parts)
{
    return n + 2 * parts + 1;
}

static void allocate(struct buffers *b, int64_t n, int64_t parts)
{
    size_t bytes = 8 * (size_t)words_for(n, parts);
    double words = (double)words_for(n, parts);
    device_require("pscheme_g", 8.0 * 6 * words + ceiling_bytes(), 8.0 * 3 * words);
    void **device[] = {&b->w, &b->products, &b->carry, &b->natural, &b->s, &b->t};
    for (void **array : device)
        CHECK(cudaMalloc(array, bytes));
    b->host = host_alloc("pscheme_g", 8 * words_for(n, parts));
    b->host_s = host_alloc("pscheme_g", 8 * words_for(n, parts));
    b->host_t = host_alloc("pscheme_g", 8 * words_for(n, parts));
}

static void release(struct buffers *b)
{
    void *device[] = {b->w, b->products, b->carry, b->natural, b->s, b->t};
    for (void *array : device)
        CHECK(cudaFree(array));
    free(b->host);
    free(b->host_s);
    free(b->host_t);
}

/* host_s, host_t and their copies on the device: what `arrays` reads and every result is compared with. */
static void upload(struct buffers *b, char type, int64_t n)
{
    size_t bytes = (size_t)(n * size_of(type));
    CHECK(cudaMemcpy(b->s, b->host_s, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b->t, b->host_t, bytes, cudaMemcpyHostToDevice));
}

static void make_problem(struct buffers *b, char type, int64_t n, char case_)
{
    cpu_coefficients(type, n, coefficient_of(case_), b->host_s);
    for (int64_t i = 0; i < n; i++)
        put(type, b->host_t, i, RECURRENCE_OFFSET);
    upload(b, type, n);
}

static struct pscheme_g plan(struct buffers *b, int variant, char type, int64_t n, int blocks,
                             int threads, char case_)
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

/* b->host, w_0..w_n, against the recurrence of host_s and host_t. */
static struct verdict verdict_of_host(struct buffers *b, char type, int64_t n)
{
    return verify_recurrence(type, n, RECURRENCE_W0, b->host_s, 1, b->host_t, 1, b->host);
}

/* Solve on poisoned memory and verify. */
static struct verdict solve(struct buffers *b, const struct pscheme_g *g)
{
    size_t word = (size_t)size_of(g->type);
    CHECK(cudaMemset(g->w, 0xff, (size_t)pscheme_g_words(g) * word));
    CHECK(cudaMemset(g->products, 0xff, (size_t)pscheme_g_words(g) * word));
    CHECK(cudaMemset(g->carry, 0xff, (size_t)(2 * g->parts) * word));
    CHECK(cudaMemset(b->natural, 0xff, (size_t)g->n * word));
    CHECK(pscheme_g_solve(g, 0));
    CHECK(pscheme_g_to_natural(g, TRANSPOSE_PADDED, b->natural, 0));
    return device_verify_recurrence(g->type, g->n, RECURRENCE_W0, b->host_s, 1, b->host_t, 1,
                                    b->natural, b->host);
}

/* ---- what is timed ---- */

struct run {
    const struct pscheme_g *g;
    void *natural;
};
static cudaError_t run_precompute(void *ctx, cudaStream_t stream)
{
    return pscheme_g_precompute(((struct run *)ctx)->g, stream);
}
static cudaError_t run_propagate(void *ctx, cudaStream_t stream)
{
    return pscheme_g_propagate(((struct run *)ctx)->g, stream);
}
static cudaError_t run_determine(void *ctx, cudaStream_t stream)
{
    return pscheme_g_determine(((struct run *)ctx)->g, stream);
}
static cudaError_t run_solve(void *ctx, cudaStream_t stream)
{
    return pscheme_g_solve(((struct run *)ctx)->g, stream);
}
static cudaError_t run_solve_rearrange(void *ctx, cudaStream_t stream)
{
    struct run *run = (struct run *)ctx;
    TRY(pscheme_g_solve(run->g, stream));
    return pscheme_g_to_natural(run->g, TRANSPOSE_PADDED, run->natural, stream);
}

/* Phases, and the least words a row that each moves: with products stored; from s and t in arrays. */
static const struct phase {
    const char *name;
    device_work work;
    double words, words_arrays;
} phases[] = {{"precompute", run_precompute, 2, 3},
              {"propagate", run_propagate, 0, 0},
              {"determine", run_determine, 3, 3},
              {"total", run_solve, 5, 6},
              {"total+rearrange", run_solve_rearrange, 7, 6}};

/* Rows times rounds (and one for the row itself) that one thread does one after the other: beyond these a
 * configuration, or the CPU's one thread, is left out, since seconds of it say nothing that smaller sizes do
 * not. */
static const double LONGEST_PART = 1 << 21, LONGEST_CPU = 1 << 30;

static void variant_rows(struct results *results, struct buffers *b, const struct options *o,
                         int variant, char type, char case_, int64_t n, int blocks, int threads)
{
    struct pscheme_g g = plan(b, variant, type, n, blocks, threads, case_);
    if ((double)g.rows * (1 + g.coefficient.rounds) > LONGEST_PART)
        return;
    bool rearranges = variant >= PSCHEME_G_SOA && variant <= PSCHEME_G_ENDS;
    struct verdict verdict = solve(b, &g);
    struct row row = {};
    row.variant = variants[variant].name;
    row.type = type;
    row.n = n;
    row.blocks = blocks;
    row.threads = threads;
    row.parts = g.parts;
    row.case_ = case_;
    row.device = device_name();
    row.error = verdict.error;
    row.status = verdict.ok ? "ok" : "wrong";
    struct run run = {&g, b->natural};
    for (const struct phase &phase : phases) {
        if ((device_is_cpu() && phase.work != run_solve) ||
            (phase.work == run_solve_rearrange && !(rearranges && case_ == 'L')))
            continue;
        row.phase = phase.name;
        row.bytes = (variant == PSCHEME_G_ARRAYS ? phase.words_arrays : phase.words) * (double)n *
                    size_of(type);
        CHECK(time_device(NULL, phase.work, &run, o->reps, &row.time));
        results_add(results, &row);
    }
}

/* Table I: the P x s array of n words; P = 1000 for the decimal sizes, 1024 for the binary ones (the paper
 * does not say). */
struct transposition {
    char type;
    enum pscheme_g_transposition how;
    int64_t rows, columns;
    void *in, *out;
};
static cudaError_t run_transpose(void *ctx, cudaStream_t stream)
{
    struct transposition *t = (struct transposition *)ctx;
    return pscheme_g_transpose(t->type, t->how, t->rows, t->columns, t->in, t->out, stream);
}

static bool transposed(struct buffers *b, const struct transposition *t)
{
    int64_t n = t->rows * t->columns, wrong = 0;
    size_t bytes = (size_t)(n * size_of(t->type));
    for (int64_t i = 0; i < n; i++)
        put(t->type, b->host_t, i, (double)(i % 8388593)); /* exact in float, no period of 2^k */
    CHECK(cudaMemcpy(t->in, b->host_t, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(t->out, 0xff, bytes));
    CHECK(pscheme_g_transpose(t->type, t->how, t->rows, t->columns, t->in, t->out, 0));
    CHECK(cudaMemcpy(b->host, t->out, bytes, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->columns; j++)
            wrong += !(get(t->type, b->host, j * t->rows + i) ==
                       get(t->type, b->host_t, i * t->columns + j));
    return wrong == 0;
}

static const int64_t table_sizes[] = {256000, 1 << 18, 1000000, 1 << 20};

static void transposition_rows(struct results *results, struct buffers *b, const struct options *o,
                               char type, int64_t n)
{
    int64_t parts = n % 1000 == 0 ? 1000 : 1024;
    for (int how = 0; how < TRANSPOSITIONS; how++) {
        if (!o->has_variant[FIRST_TRANSPOSITION + how])
            continue;
        struct transposition t = {
            type, (enum pscheme_g_transposition)how, parts, n / parts, b->w, b->natural};
        struct row row = {};
        row.variant = variants[FIRST_TRANSPOSITION + how].name;
        row.type = type;
        row.n = n;
        row.parts = parts;
        row.phase = "rearrange";
        row.device = device_name();
        row.bytes = 2.0 * (double)n * size_of(type);
        row.error = -1;
        row.status = transposed(b, &t) ? "ok" : "wrong";
        CHECK(time_device(NULL, run_transpose, &t, o->reps, &row.time));
        results_add(results, &row);
    }
}

/* ---- CPU ---- */

struct cpu_run {
    char type, case_;
    int64_t n;
    int cores;
    void *w, *products;
};
static void run_cpu_paper(void *ctx)
{
    const struct cpu_run *r = (const struct cpu_run *)ctx;
    cpu_paper(r->type, r->n, RECURRENCE_W0, coefficient_of(r->case_), r->w);
}
static void run_cpu_lanes(void *ctx)
{
    const struct cpu_run *r = (const struct cpu_run *)ctx;
    cpu_lanes(r->type, r->n, RECURRENCE_W0, coefficient_of(r->case_), r->w);
}
static void run_cpu_cores(void *ctx)
{
    const struct cpu_run *r = (const struct cpu_run *)ctx;
    cpu_cores(r->type, r->n, RECURRENCE_W0, coefficient_of(r->case_), r->cores, r->w, r->products);
}
static void (*const cpu_works[])(void *) = {run_cpu_paper, run_cpu_lanes, run_cpu_cores};

static void cpu_rows(struct results *results, struct buffers *b, const struct options *o, char type,
                     char case_, int64_t n)
{
    struct cpu_run run = {type,    case_,
                          n,       (int)sysconf(_SC_NPROCESSORS_ONLN),
                          b->host, host_alloc("pscheme_g", (n + 1) * size_of(type))};
    for (int v = CPU_PAPER; v <= CPU_CORES; v++) {
        if (!o->has_variant[v] ||
            (v == CPU_PAPER && (double)n * (1 + coefficient_of(case_).rounds) > LONGEST_CPU))
            continue;
        memset(b->host, 0xff, (size_t)((n + 1) * size_of(type)));
        cpu_works[v - CPU_PAPER](&run);
        struct verdict verdict = verdict_of_host(b, type, n);
        struct row row = {};
        row.variant = variants[v].name;
        row.type = type;
        row.n = n;
        row.case_ = case_;
        row.cores = v == CPU_CORES ? run.cores : 1;
        row.phase = "total";
        row.device = cpu_name();
        row.bytes = (double)n * size_of(type);
        row.error = verdict.error;
        row.status = verdict.ok ? "ok" : "wrong";
        row.time =
            time_cores(NULL, (int)row.cores, false, NULL, cpu_works[v - CPU_PAPER], &run, o->reps);
        results_add(results, &row);
    }
    free(run.products);
}

/* ---- the sweep ---- */

/* W13's own experiments. */
static int paper_sweep(const struct program *program, const struct options *o)
{
    int64_t n_most = list_largest(&o->n, 1);
    int64_t parts_most = list_largest(&o->blocks, 1) * list_largest(&o->threads, 1);
    struct buffers b;
    allocate(&b, n_most, parts_most);
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
                for (int g = 0; g < o->blocks.count; g++)
                    for (int t = 0; t < o->threads.count; t++) {
                        for (int v = 0; v < PSCHEME_G_VARIANTS; v++)
                            if (o->has_variant[v] && (v != PSCHEME_G_ARRAYS || *case_ == 'L'))
                                variant_rows(results, &b, o, v, *type, *case_, n,
                                             (int)o->blocks.value[g], (int)o->threads.value[t]);
                        progress(program->name, ++done, all, "configurations");
                    }
            }
        }
    }
    release(&b);
    return results_close(results);
}

/* Is anything but one_pass and its peer asked for? */
static bool has_paper_variant(const struct options *o)
{
    for (int v = 0; v < ONE_PASS; v++)
        if (o->has_variant[v])
            return true;
    return false;
}

/* One pass has a file of its own, NAME_one_pass.csv beside NAME.csv; where no sizes are given also sizes of its own, and
 * all types. */
static int sweep(const struct program *program, const struct options *options)
{
    struct options o = *options;
    bool paper = has_paper_variant(&o), cub = o.has_variant[CUB_SCAN];
    if (paper && strpbrk(o.types, "cz")) {
        fprintf(stderr, "%s: types c and z: variants one_pass and cub_scan only\n", program->name);
        return EXIT_USAGE;
    }
    int status = paper ? paper_sweep(program, &o) : EXIT_VERIFIED;
    if (status == EXIT_USAGE || (!o.has_variant[ONE_PASS] && !cub))
        return status;
    bool sized = !options_next(program, &o);
    char prefix[PREFIX_MOST], path[PREFIX_MOST + 16];
    const char *csv = o.csv;
    if (csv && paper) {
        snprintf(path, sizeof path, "%s_one_pass.csv", options_csv_prefix(options, NULL, prefix));
        csv = path;
    }
    int also = recurrence_bench(program, &o, sized ? o.types : "sdcz",
                                options->has_variant[PSCHEME_G_ARRAYS], cub, csv);
    return status != EXIT_VERIFIED ? status : also;
}

/* ---- --check ---- */

static void check_one(struct buffers *b, const char *what, int variant, char type, char case_,
                      int64_t n, int blocks, int threads)
{
    struct pscheme_g g = plan(b, variant, type, n, blocks, threads, case_);
    struct verdict verdict = solve(b, &g);
    EXPECT(verdict.ok,
           "%s, %s, type %c, n = %lld, G = %d, T = %d: %.2g of what rounding allows at %lld",
           variants[variant].name, what, type, (long long)n, blocks, threads, verdict.used,
           (long long)verdict.worst);
}

static void check_configurations(struct buffers *b, const char *what, char type, char case_,
                                 int64_t n, int first_variant, int last_variant, bool all)
{
    static const int pairs[][2] = {{1, 1}, {2, 16}, {3, 33}, {16, 64}, {5, 256}, {2, 1024}};
    for (int v = first_variant; v <= last_variant; v++) {
        for (const int *pair : pairs)
            if (n <= 4097 || (all && pair[0] * pair[1] >= 256))
                check_one(b, what, v, type, case_, n, pair[0], pair[1]);
        for (int blocks = 16; all && blocks <= 128; blocks *= 2)
            for (int threads = 16; threads <= 1024; threads *= 2)
                check_one(b, what, v, type, case_, n, blocks, threads);
    }
}

/* The s_i of the GPU have the same bits as the CPU's: with a thread for each unknown the products of the
 * pre-computation are the s_i themselves. */
static void check_coefficients(struct buffers *b, char type, char case_)
{
    int64_t n = 1000;
    struct pscheme_g g = plan(b, PSCHEME_G_BLOCK, type, n, 8, 128, case_);
    make_problem(b, type, n, case_);
    CHECK(pscheme_g_precompute(&g, 0));
    size_t word = (size_t)size_of(type), bytes = (size_t)n * word;
    CHECK(cudaMemcpy(b->host, (char *)b->products + word, bytes, cudaMemcpyDeviceToHost));
    EXPECT(memcmp(b->host, b->host_s, bytes) == 0, "s of case %c, type %c, differ from the CPU's",
           case_, type);
}

/* What makes no sense is refused before anything is launched, nothing to do is done. */
static void check_misuse(struct buffers *b)
{
    for (int v = 0; v < PSCHEME_G_VARIANTS; v++) {
        struct pscheme_g g = plan(b, v, 's', 100, 2, 16, 'L');
        g.threads = 8;
        EXPECT(pscheme_g_solve(&g, 0) == cudaErrorInvalidValue, "parts other than G * T");
        static const int bad[][3] = {{100, 0, 16}, {100, 2, 4096}, {100, 2, -1}, {-1, 2, 16}};
        for (const int *numbers : bad) {
            g = plan(b, v, 's', numbers[0], numbers[1], numbers[2], 'L');
            EXPECT(pscheme_g_solve(&g, 0) == cudaErrorInvalidValue, "%s: n = %d, G = %d, T = %d",
                   variants[v].name, numbers[0], numbers[1], numbers[2]);
        }
        g = plan(b, v, 'x', 100, 2, 16, 'L');
        EXPECT(pscheme_g_solve(&g, 0) == cudaErrorInvalidValue, "type x");
        g = plan(b, v, 's', 0, 2, 16, 'L');
        EXPECT(pscheme_g_solve(&g, 0) == cudaSuccess &&
                   pscheme_g_to_natural(&g, TRANSPOSE_TILE, b->natural, 0) == cudaSuccess,
               "%s: n = 0", variants[v].name);
    }
    EXPECT(pscheme_g_transpose('s', TRANSPOSE_TILE, 0, 4, b->w, b->natural, 0) == cudaSuccess,
           "0 x 4");
    EXPECT(pscheme_g_transpose('s', TRANSPOSE_TILE, -1, 4, b->w, b->natural, 0) != cudaSuccess,
           "-1 x 4");
}

/* Pointers that are NULL or not aligned, and sizes whose bytes no 64-bit number counts, are
 * refused, and nothing is written; NULL is well where an array is not used. */
static void check_pointers(struct buffers *b, char type)
{
    static const int64_t sizes[] = {INT64_MAX / 31, INT64_MAX};
    const unsigned char poison = 0x5a;
    size_t word = (size_t)size_of(type), bytes = 100 * word;
    void *const outputs[] = {b->w, b->products, b->carry, b->natural};
    for (void *output : outputs)
        CHECK(cudaMemset(output, poison, bytes));
    cudaError_t (*const phases[])(const struct pscheme_g *, cudaStream_t) = {
        pscheme_g_precompute, pscheme_g_propagate, pscheme_g_determine, pscheme_g_solve};
    for (int v = 0; v < PSCHEME_G_VARIANTS; v++) {
        struct pscheme_g g = plan(b, v, type, 100, 2, 16, 'L');
        for (auto phase : phases) {
            struct expect_pointer w[] = {EXPECT_POINTER(g.w, word)};
            EXPECT_POINTERS(w, phase(&g, 0), cudaErrorInvalidValue);
            struct expect_pointer products[] = {EXPECT_POINTER(g.products, word)};
            if (v != PSCHEME_G_ARRAYS)
                EXPECT_POINTERS(products, phase(&g, 0), cudaErrorInvalidValue);
            struct expect_pointer carry[] = {EXPECT_POINTER(g.carry, word)};
            if (v >= PSCHEME_G_ENDS)
                EXPECT_POINTERS(carry, phase(&g, 0), cudaErrorInvalidValue);
            struct expect_pointer arrays[] = {EXPECT_POINTER(g.s, word), EXPECT_POINTER(g.t, word)};
            if (v == PSCHEME_G_ARRAYS)
                EXPECT_POINTERS(arrays, phase(&g, 0), cudaErrorInvalidValue);
            for (int64_t n : sizes) {
                struct pscheme_g large = plan(b, v, type, n, 2, 16, 'L');
                EXPECT(phase(&large, 0) == cudaErrorInvalidValue, "%s: n = %lld", variants[v].name,
                       (long long)n);
            }
            EXPECT(phase(NULL, 0) == cudaErrorInvalidValue, "no struct");
        }
        void *natural = b->natural;
        struct expect_pointer copied[] = {EXPECT_POINTER(g.w, word), EXPECT_POINTER(natural, word)};
        EXPECT_POINTERS(copied, pscheme_g_to_natural(&g, TRANSPOSE_TILE, natural, 0),
                        cudaErrorInvalidValue);
        EXPECT(pscheme_g_to_natural(NULL, TRANSPOSE_TILE, natural, 0) == cudaErrorInvalidValue,
               "no struct");
    }
    for (int how = 0; how < TRANSPOSITIONS; how++) {
        static const int64_t shapes[][2] = {
            {INT64_C(1) << 31, INT64_C(1) << 30}, {INT64_MAX, INT64_MAX}, {INT64_MAX, 1}};
        enum pscheme_g_transposition way = (enum pscheme_g_transposition)how;
        const void *in = b->s;
        void *out = b->natural;
        struct expect_pointer arrays[] = {EXPECT_POINTER(in, word), EXPECT_POINTER(out, word)};
        EXPECT_POINTERS(arrays, pscheme_g_transpose(type, way, 10, 10, in, out, 0),
                        cudaErrorInvalidValue);
        for (const int64_t *shape : shapes)
            EXPECT(pscheme_g_transpose(type, way, shape[0], shape[1], in, out, 0) ==
                       cudaErrorInvalidValue,
                   "%lld x %lld", (long long)shape[0], (long long)shape[1]);
        EXPECT(pscheme_g_transpose(type, way, 0, 10, NULL, NULL, 0) == cudaSuccess,
               "0 x 10 needs no arrays");
    }
    for (void *output : outputs)
        EXPECT(device_holds(output, poison, bytes), "what was refused wrote");

    for (int v = 0; v < PSCHEME_G_VARIANTS; v++) {
        struct pscheme_g nothing =
            pscheme_g_plan((enum pscheme_g_variant)v, type, 0, 2, 16, 1, coefficient_of('L'));
        EXPECT(pscheme_g_solve(&nothing, 0) == cudaSuccess &&
                   pscheme_g_to_natural(&nothing, TRANSPOSE_TILE, NULL, 0) == cudaSuccess,
               "%s: n = 0 needs no arrays", variants[v].name);
        struct pscheme_g g = plan(b, v, type, 100, 2, 16, 'L');
        if (v == PSCHEME_G_ARRAYS)
            g.products = NULL;
        else
            g.s = g.t = NULL;
        if (v < PSCHEME_G_ENDS)
            g.carry = NULL;
        EXPECT(pscheme_g_solve(&g, 0) == cudaSuccess, "%s: NULL for what is not used",
               variants[v].name);
    }
}

/* Cases L, M, H on all variants but arrays, whose coefficients are of three kinds: contracting, |s| near 1,
 * and with zeros. M and H are slow on the CPU device: small sizes there. */
static int check(const struct options *o)
{
    recurrence_check(o->seed, !device_is_cpu() && !o->quick, &expect_passed, &expect_failed);
    if (!has_paper_variant(o))
        return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
    static const int64_t sizes[] = {1, 31, 1000, 4097, 1 << 18, 1000000, 1 << 20};
    bool all = !device_is_cpu() && !o->quick;
    int64_t n_most = all ? 1 << 20 : 4097;
    struct buffers b;
    allocate(&b, n_most, 128 * 1024);
    for (const char *type = "sd"; *type; type++)
        for (int64_t n : sizes) {
            if (n > n_most)
                continue;
            for (const char *case_ = "LCMH"; *case_; case_++) {
                bool slow = *case_ == 'M' || *case_ == 'H';
                if (!all && slow && n > 31)
                    continue;
                make_problem(&b, *type, n, *case_);
                char what[] = "case L";
                what[5] = *case_;
                check_configurations(&b, what, *type, *case_, n, 0, PSCHEME_G_FUSED, all);
            }
            for (int kind = 0; kind < RECURRENCE_KINDS; kind++) {
                fill_recurrence(*type, (enum recurrence_kind)kind, o->seed, n, b.host_s, b.host_t);
                upload(&b, *type, n);
                check_configurations(&b, recurrence_name((enum recurrence_kind)kind), *type, 'L', n,
                                     PSCHEME_G_ARRAYS, PSCHEME_G_ARRAYS, all);
            }
        }
    static const int64_t shapes[][2] = {{1, 1},   {1, 100}, {100, 1},  {31, 33}, {32, 32},
                                        {33, 31}, {64, 65}, {1000, 4}, {7, 585}};
    for (const char *type = "sd"; *type; type++)
        for (const int64_t *shape : shapes)
            for (int how = 0; how < TRANSPOSITIONS; how++) {
                struct transposition t = {
                    *type, (enum pscheme_g_transposition)how, shape[0], shape[1], b.w, b.natural};
                EXPECT(transposed(&b, &t), "%s of %lld x %lld, type %c",
                       variants[FIRST_TRANSPOSITION + how].name, (long long)shape[0],
                       (long long)shape[1], *type);
            }
    for (const char *type = "sd"; *type; type++)
        for (const char *case_ = "LMH"; *case_; case_++) {
            check_coefficients(&b, *type, *case_);
            for (int cores = 1; cores <= 3; cores++) {
                struct cpu_run run = {*type, *case_, 1000,
                                      cores, b.host, host_alloc("pscheme_g", 1001 * 8)};
                for (int v = 0; v < 3; v++) {
                    memset(b.host, 0xff, 1001 * 8);
                    cpu_works[v](&run);
                    EXPECT(verdict_of_host(&b, *type, 1000).ok, "%s, case %c, type %c, %d cores",
                           variants[CPU_PAPER + v].name, *case_, *type, cores);
                }
                free(run.products);
            }
        }
    check_misuse(&b);
    check_pointers(&b, 's');
    check_pointers(&b, 'd');
    release(&b);
    return expect_done() ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    wait_passively(argv); /* before the device is opened: that takes its time */
    /* The paper's G, and the number of multiprocessors, where its policy ends (sec. III-B). */
    static char paper[240];
    int processors;
    bool known = device_attribute(&processors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess &&
                 !device_is_cpu();
    snprintf(paper, sizeof paper,
             "--n 256K,1000000,1M --blocks 16,32,64,128%s%.0d --threads 16,32,64,128,256,512,1024 "
             "--case L,M,H --type s; --n 1K,4K,16K,64K,128K,256K,512K,1M,2M,4M,8M,16M,64M,256M",
             known ? "," : "", known ? processors : 0);
    struct program program = {};
    program.name = "pscheme_g";
    program.summary = "P-scheme/G: the recurrence of W13 in three layouts and beyond";
    program.variants = variants;
    program.takes = "n blocks threads type=sdcz case";
    program.paper = paper;
    program.quick = "--n 1000,4K --blocks 16,32 --threads 16,64 --case L,M,H --type s,d --reps 3; "
                    "--n 1K,64K --reps 3";
    return device_main(&program, argc, argv, check, sweep);
}
